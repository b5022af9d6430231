package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/labelpage"
	"github.com/rein-robotics/rein/internal/keys"
	"github.com/rein-robotics/rein/internal/terminal"
)

// Labelling is how a person labels ticks.
type Labelling struct {
	Measure
	CloseUp string // "module" or "module/field": the camera whose pictures are compared; "" = the one with a close-up
	In      io.Reader
	Page    string // host:port that the page is served at; "" = in the terminal
}

// Label has a person label recorded ticks, from the first that misses a label on.
func Label(ctx context.Context, o Labelling) error {
	m, err := o.open()
	if err != nil {
		return err
	}
	release, err := m.book.Claim()
	if err != nil {
		return err
	}
	defer release()
	for _, line := range m.book.NotCounted() {
		o.say(line)
	}
	sheet := eval.NewSheet(m.ticks, m.book)
	if sheet.Camera, err = o.camera(m); err != nil {
		return err
	}
	if len(m.ticks) == 0 {
		return fmt.Errorf("no tick of %s is recorded under %s: run it with a monitor, so that the log keeps what the monitor was shown, or name another root with --record", m.tool.Name, recordings(o.Record))
	}
	marks := o.marks(m, sheet)
	if o.Page == "" {
		if marks {
			o.say("mark_target is on: boxes of the target are drawn on the page, with --page")
		}
		return o.terminal(ctx, sheet)
	}
	sheet.Boxes = marks
	sheet.Resume()
	err = labelpage.Serve(ctx, o.Page, sheet, func(url string) { o.say("label at " + url + " (q on the page ends it)") })
	if err != nil {
		return err
	}
	return errors.Join(o.left(sheet), context.Cause(ctx))
}

// marks says whether the target's box is asked for: only where a running robot would draw one.
func (o *Labelling) marks(m *measured, s *eval.Sheet) bool {
	if m.setup.agent.Monitor == nil || !m.setup.agent.Monitor.MarkTarget {
		return false
	}
	camera := s.Camera
	if _, current := m.ticks[0].Compared(""); camera == "" && current != nil {
		camera = current.Camera
	}
	switch tracked := m.tool.Tracked(); tracked {
	case camera:
		return true
	case "":
		o.say(fmt.Sprintf("mark_target is on, but nothing follows the target of %s: no box is asked for", m.tool.Name))
	default:
		o.say(fmt.Sprintf("mark_target marks pictures of %s, where the target of %s is followed: no box is asked for on %s (--close-up %s compares the other)",
			tracked, m.tool.Name, camera, tracked))
	}
	return false
}

// camera is the one whose pictures are compared.
func (o *Labelling) camera(m *measured) (string, error) {
	camera, _, _ := strings.Cut(o.CloseUp, "/")
	if camera != "" {
		if b := m.setup.body.Module(camera); b == nil || b.Camera == nil {
			return "", usage(fmt.Errorf("--close-up %s: it is no camera of the robot", o.CloseUp), "write a camera's module, or module/field")
		}
		return camera, nil
	}
	if mon := m.setup.agent.Monitor; mon != nil {
		shown := shownTo(mon)
		for _, c := range monitorCameras(m.setup.agent, m.setup.body) {
			if _, close := shown.CloseUps[c]; close {
				return c, nil
			}
		}
	}
	return "", nil
}

// terminal labels by keys that are typed; on a terminal they act at once.
func (o *Labelling) terminal(ctx context.Context, s *eval.Sheet) (err error) {
	in, err := keys.Open(o.In)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if err := o.show(s); err != nil {
		return err
	}
	for {
		key, err := in.Next(ctx)
		if err == io.EOF {
			return o.left(s)
		}
		if err != nil {
			return errors.Join(o.left(s), fmt.Errorf("reading keys: %w", err))
		}
		if strings.ContainsRune(" \t\r\n", key) {
			continue
		}
		did, err := s.Key(key)
		switch {
		case err != nil:
			return err
		case did == eval.Quit:
			return o.left(s)
		case did == eval.Nothing:
			o.say(fmt.Sprintf("%q is no key here", string(key)))
		default:
			if err := o.show(s); err != nil {
				return err
			}
		}
	}
}

// left says what is left to do.
func (o *Labelling) left(s *eval.Sheet) error {
	n, boxless := 0, 0
	for i := range s.Ticks {
		t := &s.Ticks[i]
		if _, ok := s.Book().Label(t.Key); !ok {
			continue
		}
		n++
		if len(s.Wanted(t)) > 0 {
			boxless++
		}
	}
	rest := ""
	if boxless > 0 {
		rest = fmt.Sprintf("; %d of them miss a box", boxless)
	}
	_, err := fmt.Fprintf(o.Out, "%d of %d ticks are labelled in %s%s\n", n, len(s.Ticks), s.Book().Path(), rest)
	return err
}

// paragraph is a text of several lines, each of them fit for a terminal.
func paragraph(text string) string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		out = append(out, terminal.Line(line))
	}
	return strings.Join(out, "\n  ")
}

// show prints the tick to label.
func (o *Labelling) show(s *eval.Sheet) error {
	t, ok := s.Now()
	if !ok {
		_, err := fmt.Fprintf(o.Out, "every tick is labelled\n  b back · q quit\n")
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d/%d  %s %s tick %d, %.1f s into %s\n", s.Place()+1, len(s.Ticks), terminal.Cell(t.Episode), terminal.Cell(t.Action), t.Tick, t.At.Seconds(), t.Tool)
	previous, current := t.Compared(s.Camera)
	for _, p := range []struct {
		name string
		*eval.Picture
	}{{"previous", previous}, {"current", current}} {
		if p.Picture != nil {
			fmt.Fprintf(&b, "  %-8s %s\n", p.name, terminal.Line(filepath.Join(t.Dir, "logs", filepath.FromSlash(p.Name))))
		}
	}
	if p := t.Pointed(); p != nil {
		fmt.Fprintf(&b, "  %-8s %s\n", "target", terminal.Line(filepath.Join(t.Dir, "logs", filepath.FromSlash(eval.SeenName(t, p)))))
	}
	fmt.Fprintf(&b, "  %s: %s\n", s.Question.Name, paragraph(s.Question.Instructions))
	for i, x := range s.Question.Choices() {
		if i == 9 {
			break
		}
		fmt.Fprintf(&b, "  %d %s", i+1, terminal.Cell(x.Value))
		if x.Looks != "" {
			fmt.Fprintf(&b, ": %s", terminal.Line(x.Looks))
		}
		b.WriteByte('\n')
	}
	b.WriteString("  s unsure · b back · q quit\n")
	_, err := io.WriteString(o.Out, b.String())
	return err
}
