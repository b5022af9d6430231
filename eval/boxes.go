package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Box is where the target is in one recorded picture: one line of evals/<name>_targets.jsonl. A later line of the same
// picture replaces it.
type Box struct {
	Episode string `json:"episode"`
	Frame   string `json:"frame"` // name of the picture
	// Box is x0, y0, x1, y1 in continuous pixels of the picture; null = the target is out of view.
	Box *[4]float64 `json:"box"`
}

// place names a picture.
type place struct{ episode, frame string }

// mostPixels is beyond every corner of a box.
const mostPixels = 1e5

var errCorners = errors.New("a box is [x0, y0, x1, y1] in pixels of the picture with 0 ≤ x0 < x1 and 0 ≤ y0 < y1, or null where the target is out of view")

// Corners reads a box: four numbers, all of them there; null has none, for the target is out of view.
func Corners(raw json.RawMessage) (*[4]float64, error) {
	var list []*float64
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errCorners
	}
	if list == nil {
		return nil, nil
	}
	if len(list) != 4 {
		return nil, errCorners
	}
	out := &[4]float64{}
	for i, x := range list {
		if x == nil {
			return nil, errCorners
		}
		out[i] = *x
	}
	return out, checkCorners(*out)
}

func checkCorners(x [4]float64) error {
	// No comparison with NaN holds.
	if !(0 <= x[0] && x[0] < x[2] && x[2] <= mostPixels && 0 <= x[1] && x[1] < x[3] && x[3] <= mostPixels) {
		return errCorners
	}
	return nil
}

func checkBox(b Box) error {
	if b.Episode == "" || b.Frame == "" {
		return errors.New("a box names episode and frame")
	}
	if b.Box == nil {
		return nil
	}
	return checkCorners(*b.Box)
}

// boxLine is a box as its file has it.
type boxLine struct {
	Episode string          `json:"episode"`
	Frame   string          `json:"frame"`
	Box     json.RawMessage `json:"box"`
}

func (l boxLine) check() error {
	_, err := l.box()
	return err
}

func (l boxLine) box() (Box, error) {
	if len(bytes.TrimSpace(l.Box)) == 0 {
		return Box{}, errCorners
	}
	corners, err := Corners(l.Box)
	if err != nil {
		return Box{}, err
	}
	b := Box{Episode: l.Episode, Frame: l.Frame, Box: corners}
	return b, checkBox(b)
}

// Box gives the box of a picture; one without Box.Box is out of view.
func (b *Book) Box(episode, frame string) (Box, bool) {
	x, ok := b.boxes[place{episode, frame}]
	return x.v, ok
}

// boxPlace is where the box of a picture stands, "file:line".
func (b *Book) boxPlace(episode, frame string) string {
	if x := b.boxes[place{episode, frame}]; x.line > 0 {
		return fmt.Sprintf("%s:%d", b.boxesPath, x.line)
	}
	return b.boxesPath
}

// SetBox writes a box into its file; after an error the book is as it was.
func (b *Book) SetBox(x Box) error {
	if err := checkBox(x); err != nil {
		return err
	}
	if err := appendLine(b.boxesPath, x); err != nil {
		return err
	}
	b.boxes[place{x.Episode, x.Frame}] = placed[Box]{v: x}
	return nil
}
