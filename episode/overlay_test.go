package episode_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rein-robotics/rein/episode"
)

func TestOverlaysAreWrittenBesideTheEvents(t *testing.T) {
	log, err := episode.Open(t.TempDir(), episode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	size := image.Pt(64, 48)
	log.PostOverlay(episode.Overlay{Field: "cam/target", Size: size, Box: image.Rect(1, 2, 3, 4)}) // no episode yet: nothing
	if err := log.Begin(episode.Meta{Task: "x"}); err != nil {
		t.Fatal(err)
	}
	dir := log.EpisodeDir()
	log.PostOverlay(episode.Overlay{
		Field: "cam/target", At: 1500 * time.Millisecond, Size: size, Box: image.Rect(10, 20, 13, 22), Mask: func(x, y int) bool { return x != 11 },
	})
	log.PostOverlay(episode.Overlay{Field: "cam/target", Size: size, Box: image.Rect(1, 2, 3, 4)})
	log.PostOverlay(episode.Overlay{Field: "cam/target", Size: size, Point: &[3]float64{5, 6, 80}})
	log.PostOverlay(episode.Overlay{Field: "cam/target", Size: size}) // out of sight: no line
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "logs", "overlays", "cam.target.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(lines) != 3 {
		t.Fatalf("got %d lines, want 3:\n%s", len(lines), data)
	}
	var first struct {
		SimS   float64 `json:"sim_s"`
		Size   [2]int  `json:"size"`
		Target struct {
			Mask string `json:"mask"`
		} `json:"cam/target"`
	}
	if err := json.Unmarshal(lines[0], &first); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(first.Target.Mask)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	on := 0
	for y := range 48 {
		for x := range 64 {
			if r, _, _, _ := img.At(x, y).RGBA(); r > 0 {
				on++
			}
		}
	}
	if on != 4 || img.Bounds().Max != size || first.SimS != 1.5 || first.Size != [2]int{48, 64} {
		t.Errorf("got %d pixels of %v at %g s, size %v", on, img.Bounds(), first.SimS, first.Size)
	}
}
