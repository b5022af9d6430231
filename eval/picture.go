package eval

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rein-robotics/rein/internal/regular"
)

// ErrLost says that a recorded picture is not there any more, or cannot be read.
var ErrLost = errors.New("a picture is lost")

// mostPicture is the longest file of a picture that is read, bytes.
const mostPicture = 32 << 20

// ReadPicture gives a file of the episode in folder dir, by its name in the log. Nothing outside the log is read.
func ReadPicture(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Join(dir, "logs"))
	if err != nil {
		return nil, fmt.Errorf("reading picture: %w", err)
	}
	defer root.Close()
	st, err := root.Stat(filepath.FromSlash(name))
	if err == nil {
		err = regular.Check(name, st)
	}
	if err != nil {
		return nil, fmt.Errorf("reading picture: %w", err)
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("reading picture: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostPicture+1))
	if err == nil && len(data) > mostPicture {
		err = fmt.Errorf("%s is longer than %d MB", name, mostPicture>>20)
	}
	return data, err
}

// path is where a file of the tick's episode lies, by its name in the log.
func (t *Tick) path(name string) string {
	return filepath.Join(t.Dir, "logs", filepath.FromSlash(name))
}

// inside is what is wrong with a file whose path is told already.
func inside(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// Pointed is the picture from when the action started that shows the planner's point on the target; nil when none was
// recorded.
func (t *Tick) Pointed() *Picture {
	for i := range t.Pictures {
		if p := &t.Pictures[i]; p.Reference && hasSent(t, p) {
			return p
		}
	}
	return nil
}

// SeenName is the file that shows a picture to a person, by its name in the log: of one from when the action started the
// copy with the planner's point, else the picture as it was recorded.
func SeenName(t *Tick, p *Picture) string {
	if p.Reference && hasSent(t, p) {
		return sentName(p)
	}
	return p.Name
}

// ReadSeen reads the file of SeenName.
func ReadSeen(t *Tick, p *Picture) ([]byte, error) { return ReadPicture(t.Dir, SeenName(t, p)) }
