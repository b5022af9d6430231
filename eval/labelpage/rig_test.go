package labelpage_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/labelpage"
	"github.com/rein-robotics/rein/monitor/question"
)

// size of the recorded pictures, pixels.
const (
	wide = 160
	high = 120
)

// shade is what picture number n is filled with.
func shade(n int) color.RGBA {
	return color.RGBA{R: uint8(40 * n), G: 90, B: uint8(250 - 40*n), A: 255}
}

// scene is picture number n: its shade, and a thing that lies at 40 to 80, 30 to 90.
func scene(n int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, wide, high))
	for y := range high {
		for x := range wide {
			c := shade(n)
			if x >= 40 && x < 80 && y >= 30 && y < 90 {
				c = color.RGBA{R: 240, G: 200, B: 60, A: 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// drawn are the first pictures as they are recorded, PNG, then JPEG, in turns. They are encoded once.
var drawn = sync.OnceValue(func() [][]byte {
	var out [][]byte
	for i := 1; i <= 4; i++ {
		var data bytes.Buffer
		err := png.Encode(&data, scene(i))
		if i%2 == 0 {
			data.Reset()
			err = jpeg.Encode(&data, scene(i), &jpeg.Options{Quality: 95})
		}
		if err != nil {
			panic(err)
		}
		out = append(out, data.Bytes())
	}
	return out
})

// recorded is a run whose action a1 was watched for n ticks, at most 4, as a log of the robot keeps it.
func recorded(t testing.TB, n int) []eval.Tick {
	t.Helper()
	root := t.TempDir()
	now := time.Second
	log, err := episode.Open(root, episode.Options{Clock: func() (time.Duration, bool) { return now, true }})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(log.Begin(episode.Meta{Task: "pick it"}))
	must(log.Append(episode.ActionStarted{Action: "a1", Tool: "pick_object", Args: json.RawMessage(`{}`)}))
	var names []string
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("images/a1m%d_cam.image.%s", i, []string{"jpg", "png"}[i%2])
		must(log.SaveImage(name, drawn()[i-1]))
		names = append(names, name)
		now += 500 * time.Millisecond
		must(log.Append(episode.MonitorAnswer{Action: "a1", Tick: i, Images: names[max(0, i-2):], Readings: json.RawMessage(`[]`)}))
	}
	must(log.Seal(episode.Verdicts{Status: "succeeded"}))
	ticks, notes, err := eval.Ticks(root, "pick_object")
	if err != nil || len(notes) > 0 || len(ticks) != n {
		t.Fatalf("%d ticks, %v, %v", len(ticks), notes, err)
	}
	return ticks
}

// phase is the question of these tests. Its words try to be more than words.
var phase = question.Question{
	Name: "progress", Kind: question.Choice,
	Instructions: "Which phase is it?\n<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">\n" + strings.Repeat("long", 60),
	Options: []question.Option{
		{Value: "approaching", Looks: "The fingers are open around the target, or on their way."},
		{Value: "holding", Looks: "The target is pinched and off the table. <b>Firmly</b>."},
		{Value: "failed", Looks: strings.Repeat("nothing", 20)},
	},
}

// desk is a sheet with its files.
type desk struct {
	dir   string // of the labels
	ticks []eval.Tick
	boxes bool
}

func newDesk(t testing.TB, n int, boxes bool) *desk {
	return &desk{dir: t.TempDir(), ticks: recorded(t, n), boxes: boxes}
}

// book is what the files hold now.
func (d *desk) book(t testing.TB) *eval.Book {
	t.Helper()
	b, err := eval.OpenBook(d.dir, "pick", "pick_object", phase)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (d *desk) sheet(t testing.TB) *eval.Sheet {
	s := eval.NewSheet(d.ticks, d.book(t))
	s.Boxes = d.boxes
	s.Resume()
	return s
}

// labels are those in the file, tick by tick; "" = none.
func (d *desk) labels(t testing.TB) []string {
	b := d.book(t)
	var out []string
	for i := range d.ticks {
		l, _ := b.Label(d.ticks[i].Key)
		out = append(out, l.Label)
	}
	return out
}

// served is a page that is being served.
type served struct {
	url, addr string
	ended     chan error
	stop      context.CancelFunc
}

// serve serves a sheet at addr as the command does, until it quits or the test ends.
func (d *desk) serve(t testing.TB, addr string) *served {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &served{ended: make(chan error, 1), stop: stop}
	ready := make(chan string, 1)
	go func() {
		s.ended <- labelpage.Serve(ctx, addr, d.sheet(t), func(url string) { ready <- url })
		close(s.ended)
	}()
	select {
	case s.url = <-ready:
	case err := <-s.ended:
		t.Fatal(err)
	}
	s.addr = strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/monitor/label")
	t.Cleanup(s.end)
	return s
}

// end ends the server and waits for it.
func (s *served) end() {
	s.stop()
	for range s.ended {
	}
}
