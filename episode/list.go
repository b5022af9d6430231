package episode

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Summary is one episode of a list.
type Summary struct {
	ID   string // "<session>/<episode>"
	Side string // controller | robot
	Dir  string
	Episode
	Err error // why episode.json cannot be read; the rest is then empty
}

// List lists the episodes under a root of recordings, oldest session first. A root that is not there has none.
func List(root string) ([]Summary, error) {
	var out []Summary
	for _, side := range []string{"controller", "robot"} {
		sessions, err := os.ReadDir(filepath.Join(root, side))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing episodes: %w", err)
		}
		for _, s := range sessions {
			if !s.IsDir() {
				continue
			}
			for _, dir := range episodeDirs(filepath.Join(root, side, s.Name())) {
				sum := Summary{ID: idOf(dir), Side: side, Dir: dir}
				e, err := ReadEpisode(dir)
				if err != nil {
					sum.Err = err
				} else {
					sum.Episode = *e
				}
				out = append(out, sum)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Summary) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]+/[0-9]{1,9}$`)

// Last stands for the newest episode where an ID is wanted.
const Last = "last"

// Find is the folder of an episode by its ID, "<session>/<episode>", or Last. The controller's side comes before the
// robot's.
func Find(root, id string) (string, error) {
	if id == Last {
		return findLast(root)
	}
	if !idPattern.MatchString(id) {
		return "", fmt.Errorf("finding episode: %q is no ID; IDs are <session>/<episode>, as `rein episodes list` shows", id)
	}
	session, episode, _ := strings.Cut(id, "/")
	for _, side := range []string{"controller", "robot"} {
		dir := filepath.Join(root, side, session, "episodes", episode)
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir, nil
		}
	}
	return "", fmt.Errorf("finding episode: there is no %s under %s; `rein episodes list` shows what there is", id, root)
}

func findLast(root string) (string, error) {
	all, err := List(root)
	if err != nil {
		return "", err
	}
	var last *Summary
	for i := range all {
		if s := &all[i]; last == nil || !s.Started.Before(last.Started) {
			last = s
		}
	}
	if last == nil {
		return "", fmt.Errorf("finding episode: there is none under %s", root)
	}
	return last.Dir, nil
}
