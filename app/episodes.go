package app

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/internal/terminal"
)

// ListEpisodes prints the recorded episodes, oldest first.
func ListEpisodes(w io.Writer, root string) error {
	list, err := episode.List(root)
	if err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range list {
		status := s.Status
		switch {
		case s.Err != nil:
			status = "unreadable: " + s.Err.Error()
		case !s.Sealed:
			status = "unsealed"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", terminal.Cell(s.ID), s.Started.Format("2006-01-02 15:04:05"), terminal.Cell(status), terminal.Cell(s.Task))
	}
	return tw.Flush()
}

// find is the folder of an episode; an unknown id is the caller's mistake.
func find(root, id string) (string, error) {
	dir, err := episode.Find(root, id)
	if err != nil {
		return "", usage(err, "`rein episodes list` shows what is recorded; --record names another root")
	}
	return dir, nil
}

// ShowEpisode prints what happened in an episode, one line an event.
func ShowEpisode(w io.Writer, root, id string) error {
	dir, err := find(root, id)
	if err != nil {
		return err
	}
	if err := episode.Show(w, dir); !errors.Is(err, episode.ErrTorn) {
		return err
	}
	_, err = fmt.Fprintln(w, "the last line is torn: the process ended while it wrote it")
	return err
}

// VerifyEpisode prints what is missing or altered; sound says that nothing is.
func VerifyEpisode(w io.Writer, root, id string) (sound bool, err error) {
	dir, err := find(root, id)
	if err != nil {
		return false, err
	}
	rep, err := episode.Verify(dir)
	if err != nil {
		return false, err
	}
	_, err = fmt.Fprintln(w, rep)
	return rep.OK(), err
}

// RepairEpisode writes what can be saved and prints what was lost.
func RepairEpisode(w io.Writer, root, id string) error {
	dir, err := find(root, id)
	if err != nil {
		return err
	}
	lost, err := episode.Repair(dir)
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		_, err = fmt.Fprintln(w, "nothing was lost")
		return err
	}
	for _, l := range lost {
		if _, err := fmt.Fprintln(w, terminal.Line("lost: "+l)); err != nil {
			return err
		}
	}
	return nil
}
