package labelpage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // recorded pictures
	_ "image/png"
	"net/http"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/measure"
)

// option is one label of the page.
type option struct {
	Key          int
	Value, Looks string
	Chosen       bool
}

// shown is a picture of the page.
type shown struct {
	Name       string // previous or current
	Camera     string // module
	URL        string // "" = there is none, or it cannot be read
	Index      int    // its place in the tick; -1 = there is none
	Wide, High int    // pixels
	Box        string // JSON of the box, "null" when it is out of view, "" when nobody said
}

// content is what the page is made of.
type content struct {
	Done                      bool
	Number, Of, Kept          int
	Where, Tool, Name, Prompt string
	Pictures                  []shown
	Start                     *shown // with the planner's point; nil = it was not recorded
	Options                   []option
	Unsure, Boxes             bool
	Missing                   bool   // labelled, and a box is missing
	Stale                     string // in place of a label: one that is no answer any more, and where it stands
	Tick                      int
}

func (p *Page) show(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	c := p.content()
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = p.html.Execute(w, c) // an error means that the browser has gone
}

func (p *Page) content() content {
	s := p.sheet
	t, ok := s.Now()
	c := content{Done: !ok, Number: s.Place() + 1, Of: len(s.Ticks), Boxes: s.Boxes, Tick: s.Place(), Name: s.Question.Name, Prompt: s.Question.Instructions}
	for i := range s.Ticks {
		if _, has := s.Book().Label(s.Ticks[i].Key); has {
			c.Kept++
		}
	}
	if !ok {
		return c
	}
	c.Tool = t.Tool
	c.Where = fmt.Sprintf("%s %s, tick %d, %.1f s after its start", t.Episode, t.Action, t.Tick, t.At.Seconds())
	label, has := s.Book().Label(t.Key)
	c.Unsure = label.Label == measure.Unsure
	c.Missing, c.Stale = has && len(s.Wanted(t)) > 0, s.Book().Stale(t.Key)
	for i, o := range s.Question.Choices() {
		if i < 9 {
			c.Options = append(c.Options, option{Key: i + 1, Value: o.Value, Looks: o.Looks, Chosen: has && o.Value == label.Label})
		}
	}
	previous, current := t.Compared(s.Camera)
	c.Pictures = []shown{p.pictureOf(t, "previous", previous), p.pictureOf(t, "current", current)}
	if of := t.Pointed(); of != nil {
		c.Start = new(p.pictureOf(t, "start", of))
	}
	return c
}

// pictureOf is what the page shows of one of the two pictures, which may be missing.
func (p *Page) pictureOf(t *eval.Tick, name string, of *eval.Picture) shown {
	out := shown{Name: name, Index: -1}
	for i := range t.Pictures {
		if of == &t.Pictures[i] {
			out.Index = i
		}
	}
	if out.Index < 0 {
		return out
	}
	out.Camera = of.Camera
	if out.Wide, out.High = size(t.Dir, eval.SeenName(t, of)); out.Wide > 0 {
		out.URL = fmt.Sprintf("/monitor/label/picture/%d/%d", p.sheet.Place(), out.Index)
	}
	if b, known := p.sheet.Book().Box(t.Episode, of.Name); known {
		raw, _ := json.Marshal(b.Box) // numbers
		out.Box = string(raw)
	}
	return out
}

// size is that of a recorded picture in pixels; 0, 0 when it cannot be read.
func size(dir, name string) (wide, high int) {
	data, err := eval.ReadPicture(dir, name)
	if err != nil {
		return 0, 0
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0
	}
	return cfg.Width, cfg.Height
}
