package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"reflect"
	"testing"

	"github.com/rein-robotics/rein/model"
)

// Picture is an image of one colour.
func Picture(id string, w, h int) model.ImageBlock {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		panic("modeltest: " + err.Error())
	}
	return model.ImageBlock{ID: id, Media: "image/png", Data: b.Bytes()}
}

func text(s string) model.Block { return model.Block{Text: &model.TextBlock{Text: s}} }

// Talk is a conversation as a harness keeps it: each step is the request of one round, and adds what was said since. A
// reply of the model stands between two rounds with ids of the harness's own.
func Talk(thought model.Opaque) []model.Request {
	pic := Picture("o1.front", 8, 6)
	messages := []model.Message{
		{Role: model.RoleUser, Blocks: []model.Block{text("Task: tidy <up> & go"), text("o1.front · 8×6 px"), {Image: &pic}, text("Woken by: task.")}},
		{Role: model.RoleAssistant, Blocks: []model.Block{
			opaque(thought), text("I look, "), {Call: &model.CallBlock{ID: "call_1", Name: "observe", Args: json.RawMessage(`{}`)}},
			{Call: &model.CallBlock{ID: "call_2", Name: "pick", Args: json.RawMessage(`{"at": [1, 2.50]}`)}},
		}},
		{Role: model.RoleUser, Blocks: []model.Block{
			{Result: &model.ResultBlock{CallID: "call_1", JSON: json.RawMessage(`{"observation":"o2"}`), Images: []model.ImageBlock{Picture("o2.front", 8, 6), Picture("o2.wrist", 4, 4)}}},
			{Result: &model.ResultBlock{CallID: "call_2", JSON: json.RawMessage(`{"error":"stale_view"}`), IsError: true}},
			text("Notice: go on."), text(" "),
		}},
		{Role: model.RoleAssistant, Blocks: []model.Block{text("Done.")}},
		{Role: model.RoleUser, Blocks: []model.Block{text("Thanks.")}},
		{Role: model.RoleAssistant, Blocks: []model.Block{opaque(model.Opaque{Provider: "another", Raw: json.RawMessage(`{"type":"secret"}`)})}},
		{Role: model.RoleAssistant, Blocks: []model.Block{opaque(thought)}}, // a reply that was cut after its thought
		{Role: model.RoleUser, Blocks: []model.Block{text("Once more.")}},
	}
	var out []model.Request
	for i, m := range messages {
		if m.Role == model.RoleUser {
			r := Ask("")
			r.Messages = messages[:i+1]
			out = append(out, r)
		}
	}
	return out
}

func opaque(o model.Opaque) model.Block {
	return model.Block{Opaque: &model.OpaqueBlock{Provider: o.Provider, Raw: o.Raw}}
}

// conversation: every request of a segment is valid, extends the one before, and is the same when asked twice.
func (s Suite) conversation(t *testing.T) {
	srv := New(t, s.Wire, Rules{RefuseChangedPrefix: true}, Step{Reply: Reply{Text: "yes", Thought: "hm"}})
	p := s.provider(t, srv)
	first := Collect(t.Context(), p, Ask("start"))
	if first.Err != nil || len(first.Opaque) != 1 {
		t.Fatalf("got %v, %d opaque parts", first.Err, len(first.Opaque))
	}
	srv = New(t, s.Wire, Rules{RefuseChangedPrefix: true}, Step{Reply: Reply{Text: "yes"}})
	p = s.provider(t, srv)
	for _, r := range Talk(first.Opaque[0]) {
		for range 2 {
			if got := Collect(t.Context(), p, r); got.Err != nil {
				t.Fatal(got.Err)
			}
		}
	}
	got := srv.Requests()
	for i := 1; i < len(got); i++ {
		if why := s.Wire.Extends(got[i-1].Body, got[i].Body); why != "" {
			t.Errorf("request %d: %s", i, why)
		}
		if i%2 == 1 && !bytes.Equal(got[i-1].Raw, got[i].Raw) {
			t.Errorf("request %d asks the same in other words", i)
		}
	}
	if n := s.Wire.marks(got[len(got)-1].Body); n != s.Wire.wantMarks {
		t.Errorf("got %d cache marks, want %d", n, s.Wire.wantMarks)
	}
}

// echo: a block of the provider goes back as it came, at its place, and another provider's is never sent.
func (s Suite) echo(t *testing.T) {
	thought := "hm, <größe> & \"so\" on\n🤖"
	srv := New(t, s.Wire, Rules{}, Step{Reply: Reply{Thought: thought, Text: "I look", Calls: []model.Call{call("x", "observe", "{}")}}}, Step{})
	p := s.provider(t, srv)
	got := Collect(t.Context(), p, Ask("go"))
	if got.Err != nil || len(got.Opaque) != 1 {
		t.Fatalf("got %v, %d opaque parts", got.Err, len(got.Opaque))
	}
	talk := Talk(got.Opaque[0])
	if got := Collect(t.Context(), p, talk[1]); got.Err != nil {
		t.Fatal(got.Err)
	}
	body := srv.Requests()[1].Body
	if want := s.Wire.opaque(thought); want != nil && !holds(body, want) {
		t.Errorf("the thought did not come back as it was: %s", js(body))
	}
	if got := Collect(t.Context(), p, talk[len(talk)-1]); got.Err != nil {
		t.Fatal(got.Err)
	}
	last := srv.Requests()[2]
	if bytes.Contains(last.Raw, []byte("secret")) {
		t.Error("a block of another provider was sent")
	}
}

// holds says that want is somewhere in v.
func holds(v, want any) bool {
	if reflect.DeepEqual(v, want) {
		return true
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if holds(x, want) {
				return true
			}
		}
	case object:
		for _, x := range v {
			if holds(x, want) {
				return true
			}
		}
	}
	return false
}

// limits: what is over a limit is not sent, and the error says which one.
func (s Suite) limits(t *testing.T) {
	many := Ask("look at these")
	for i := range s.Wire.mostImages() + 1 {
		p := Picture(fmt.Sprintf("o%d.front", i), 4, 4)
		many.Messages[0].Blocks = append(many.Messages[0].Blocks, model.Block{Image: &p})
	}
	wide, fake := Ask("look"), Ask("look")
	w, f := Picture("o1.front", 9000, 2), model.ImageBlock{ID: "o1.front", Media: "image/jpeg", Data: []byte("no picture")}
	wide.Messages[0].Blocks = append(wide.Messages[0].Blocks, model.Block{Image: &w})
	fake.Messages[0].Blocks = append(fake.Messages[0].Blocks, model.Block{Image: &f})
	for name, tc := range map[string]struct {
		r    model.Request
		want model.Class
	}{"too_many": {many, model.TooLarge}, "too_long": {wide, model.TooLarge}, "no_picture": {fake, model.BadRequest}} {
		t.Run(name, func(t *testing.T) {
			srv := New(t, s.Wire, Rules{})
			if e := unwrap(t, Collect(t.Context(), s.provider(t, srv), tc.r).Err); e.Class != tc.want || e.Retryable {
				t.Errorf("got %v", e)
			}
			if n := len(srv.Requests()); n != 0 {
				t.Errorf("it was sent all the same, %d times", n)
			}
		})
	}
}
