package episode

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// eventsPath is the events file in an episode's folder.
const eventsPath = "logs/events.jsonl"

// sumFiles makes every file of an episode durable and sums it, but episode.json itself and what is half written.
func sumFiles(dir string) (map[string]FileSum, error) {
	sums := map[string]FileSum{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return syncPath(path)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "episode.json" || strings.HasSuffix(rel, tempSuffix) {
			return err
		}
		if err := syncPath(path); err != nil {
			return err
		}
		sum, err := sumFile(path, -1)
		sums[filepath.ToSlash(rel)] = sum
		return err
	})
	return sums, err
}

// sumFile sums the first limit bytes of a file, all of it when limit is negative.
func sumFile(path string, limit int64) (FileSum, error) {
	f, err := os.Open(path)
	if err != nil {
		return FileSum{}, err
	}
	defer f.Close()
	var r io.Reader = f
	if limit >= 0 {
		r = io.LimitReader(f, limit)
	}
	h := sha256.New()
	n, err := io.Copy(h, r)
	return FileSum{Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
