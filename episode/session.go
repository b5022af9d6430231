package episode

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Session is session.json: what made the session's episodes.
type Session struct {
	Session  string            `json:"session"` // NNNN_<6 hex>_<slug>
	Name     string            `json:"name"`
	Side     string            `json:"side"` // controller | robot
	Started  time.Time         `json:"started"`
	Versions map[string]string `json:"versions,omitempty"`
}

// makeSession makes a folder that no other process has, and its session.json.
func makeSession(root string, opt Options) (string, error) {
	name := opt.Session
	if name == "" {
		name = "session"
	}
	side := filepath.Join(root, opt.Side)
	if err := os.MkdirAll(side, 0o755); err != nil {
		return "", fmt.Errorf("opening recordings: %w; choose another --record folder or use --no-record", err)
	}
	dir, err := claimSession(side, Slug(name))
	if err != nil {
		return "", fmt.Errorf("opening recordings: %w; choose another --record folder or use --no-record", err)
	}
	s := Session{
		Session: filepath.Base(dir), Name: name, Side: opt.Side, Started: opt.Now().UTC().Truncate(time.Microsecond),
		Versions: opt.Versions,
	}
	if err := os.Mkdir(filepath.Join(dir, "episodes"), 0o755); err != nil {
		return "", fmt.Errorf("opening recordings: %w", err)
	}
	if err := writeJSON(filepath.Join(dir, "session.json"), s); err != nil {
		return "", fmt.Errorf("opening recordings: %w", err)
	}
	return dir, nil
}

// claimSession makes the folder with the next free number. Two processes that take one number at once see each other
// and try again; after some tries one number twice is no harm, since the hex differs.
func claimSession(side, slug string) (string, error) {
	for try := 0; ; try++ {
		n, err := lastSession(side, "")
		if err != nil {
			return "", err
		}
		var id [3]byte
		if _, err := rand.Read(id[:]); err != nil {
			return "", err
		}
		name := fmt.Sprintf("%04d_%s_%s", n+1, hex.EncodeToString(id[:]), slug)
		dir := filepath.Join(side, name)
		switch err := os.Mkdir(dir, 0o755); {
		case os.IsExist(err):
			continue
		case err != nil:
			return "", err
		}
		other, err := lastSession(side, name)
		if err != nil || other < n+1 || try >= 20 {
			return dir, err
		}
		if err := os.Remove(dir); err != nil {
			return "", err
		}
	}
}

// lastSession is the highest number of a session in side other than the one named except, 0 when there is none.
func lastSession(side, except string) (int, error) {
	list, err := os.ReadDir(side)
	if err != nil {
		return 0, err
	}
	last := 0
	for _, d := range list {
		if d.Name() == except || !d.IsDir() {
			continue
		}
		digits, _, _ := strings.Cut(d.Name(), "_")
		if n, err := strconv.Atoi(digits); err == nil {
			last = max(last, n)
		}
	}
	return last, nil
}

// Slug is name in lower case with anything but letters, digits and hyphens as one underscore, at most 40 bytes; it is safe
// in a file name. "session" when nothing is left.
func Slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			b.WriteRune(r)
		default:
			if s := b.String(); s != "" && !strings.HasSuffix(s, "_") {
				b.WriteByte('_')
			}
		}
		if b.Len() >= 40 {
			break
		}
	}
	if s := strings.Trim(b.String(), "_-"); s != "" {
		return s
	}
	return "session"
}

// writeJSON puts v into a file in one go: whoever reads it sees the old one or the whole new one.
func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(data, '\n'))
}

// tempSuffix marks a file that is being written; a reader passes over it.
const tempSuffix = ".tmp"

// writeFile writes beside and renames.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*"+tempSuffix)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
	}
	return err
}
