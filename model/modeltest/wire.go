package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // what models take
	_ "image/png"
	"reflect"
	"strings"
)

// Wire is how one provider's servers speak.
type Wire struct {
	Name     string // as in configuration
	anyEvent string // a name that an event may have

	events      func(Reply) []Event
	body        func(Request, Step) string // of a wire whose answers are no stream; nil = they are
	images      int                        // of one request; 0 = 100
	errorBody   func(kind, msg string) string
	streamError func(kind string) Event
	check       func(c *checker, body map[string]any)
	path        string
	keyHeader   func(key string) (name, value string)
	history     func(body map[string]any) []any // what must only grow
	opaque      func(thought string) any        // how a reply's thought must come back, as JSON
	marks       func(body map[string]any) int   // how many cache marks
	wantMarks   int                             // in a conversation with tools, a system prompt and two user messages
	final       func(Event) bool                // it says that the reply is complete
}

// mostImages is how many a request may hold.
func (w Wire) mostImages() int {
	if w.images == 0 {
		return 100
	}
	return w.images
}

// js is v as JSON.
func js(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic("modeltest: " + err.Error())
	}
	return string(out)
}

type object = map[string]any

// checker collects what is wrong with a request.
type checker struct {
	rules   Rules
	faults  []string
	images  int
	longest int // side of an image, pixels
}

func (c *checker) failf(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// faults holds a request to its wire.
func (s *Server) faults(r Request) []string {
	c := &checker{rules: s.rules}
	if r.Path != s.wire.path {
		c.failf("path: got %s, want %s", r.Path, s.wire.path)
	}
	s.keys(c, r)
	if len(r.Raw) > 32<<20 {
		c.failf("%d bytes are more than 32 MB", len(r.Raw))
	}
	if str(r.Body, "model") == "" {
		c.failf("no model")
	}
	if s.wire.body == nil && r.Body["stream"] != true {
		c.failf("stream: got %v", r.Body["stream"])
	}
	for _, name := range []string{"temperature", "top_p", "top_k", "stop", "previous_response_id", "tool_choice", "n", "seed"} {
		if _, ok := r.Body[name]; ok {
			c.failf("%s must not be sent", name)
		}
	}
	s.wire.check(c, r.Body)
	if c.images > s.rules.Images {
		c.failf("%d images are more than %d", c.images, s.rules.Images)
	}
	return c.faults
}

// keys says that the configured key, and nothing that looks like another one, came.
func (s *Server) keys(c *checker, r Request) {
	want := map[string]string{}
	if s.key != "" {
		name, value := s.wire.keyHeader(s.key)
		want[name] = value
	}
	for _, name := range []string{"X-Api-Key", "Authorization", "Api-Key", "OpenAI-Organization", "OpenAI-Project", "X-Leak", "Anthropic-Workspace-Id"} {
		if got := r.Header.Get(name); got != want[name] {
			c.failf("header %s: got %q, want %q", name, got, want[name])
		}
	}
}

// refuses is what a server with these rules says to a request that its wire would take; "" = nothing.
func (w Wire) refuses(r Request, before *Request, rules Rules) string {
	if t, ok := r.Body["thinking"].(object); ok && rules.RefuseThinking != "" && t["type"] == rules.RefuseThinking {
		return fmt.Sprintf("thinking.type.%s is not supported for this model. Use thinking.type.adaptive and output_config.effort", rules.RefuseThinking)
	}
	if _, ok := r.Body["stream_options"]; ok && rules.RefuseStreamOptions {
		return "Unrecognized request argument supplied: stream_options"
	}
	if rules.RefuseChangedPrefix && before != nil {
		if why := w.Extends(before.Body, r.Body); why != "" {
			return "the conversation before the thinking blocks was changed: " + why
		}
	}
	return ""
}

// Extends says in what next is more than a continuation of before; "" = in nothing. Cache marks do not count.
func (w Wire) Extends(before, next map[string]any) string {
	for _, name := range []string{"system", "instructions", "tools"} {
		if !reflect.DeepEqual(unmarked(before[name]), unmarked(next[name])) {
			return name + " changed"
		}
	}
	was, is := w.history(before), w.history(next)
	if len(is) < len(was) {
		return fmt.Sprintf("%d messages became %d", len(was), len(is))
	}
	for i := range was {
		if !reflect.DeepEqual(unmarked(was[i]), unmarked(is[i])) {
			return fmt.Sprintf("message %d changed:\n  %s\n  %s", i, js(unmarked(was[i])), js(unmarked(is[i])))
		}
	}
	return ""
}

// Opens says that a request can be the first of a segment: beside the system prompt it holds user's words and nothing else,
// in one message.
func (w Wire) Opens(body map[string]any) bool {
	n := 0
	for _, v := range w.history(body) {
		switch str(obj(v), "role") {
		case "user":
			n++
		case "system":
		default:
			return false
		}
	}
	return n == 1
}

// Echoes says that a request carries a thought of the model's just as it came, or that its wire echoes none.
func (w Wire) Echoes(body map[string]any, thought string) bool {
	want := w.opaque(thought)
	return want == nil || holds(body, want)
}

// unmarked is a JSON value without cache marks.
func unmarked(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = unmarked(v[i])
		}
		return out
	case object:
		out := object{}
		for k, x := range v {
			if k != "cache_control" {
				out[k] = unmarked(x)
			}
		}
		return out
	}
	return v
}

func str(o map[string]any, name string) string {
	s, _ := o[name].(string) // another type is as good as absent: the caller says so
	return s
}

func list(o map[string]any, name string) []any {
	l, _ := o[name].([]any) // as above
	return l
}

func obj(v any) object {
	o, _ := v.(object) // as above
	return o
}

// jsonObject says that a text is one JSON object.
func jsonObject(s string) bool {
	var o object
	return json.Unmarshal([]byte(s), &o) == nil && o != nil
}

// toolName holds a name to what every vendor takes.
func (c *checker) toolName(name string) {
	ok := name != "" && len(name) <= 64
	for _, r := range name {
		ok = ok && (r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}
	if !ok {
		c.failf("tool name %q", name)
	}
}

// dataURL checks an image that comes as an address.
func (c *checker) dataURL(url string) {
	c.images++
	if !strings.HasPrefix(url, "data:image/jpeg;base64,") && !strings.HasPrefix(url, "data:image/png;base64,") {
		c.failf("image address %.30q", url)
		return
	}
	_, data, _ := strings.Cut(url, ",")
	c.side(data)
}

// side notes the longest side of an image in base64; one that is no picture is a fault.
func (c *checker) side(data string) {
	at, _, err := image.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		c.failf("an image that is none: %v", err)
		return
	}
	c.longest = max(c.longest, at.Width, at.Height)
}

// pairs follows calls and their results.
type pairs struct {
	c    *checker
	seen map[string]bool
	open map[string]bool
}

func newPairs(c *checker) *pairs {
	return &pairs{c: c, seen: map[string]bool{}, open: map[string]bool{}}
}

func (p *pairs) call(id, name string) {
	p.c.toolName(name)
	if id == "" || p.seen[id] {
		p.c.failf("call id %q is empty or comes twice", id)
	}
	p.seen[id], p.open[id] = true, true
}

func (p *pairs) result(id string) {
	if !p.open[id] {
		p.c.failf("result for %q, which is no open call", id)
	}
	delete(p.open, id)
}

// closed says that nothing is open before what.
func (p *pairs) closed(what string) {
	for id := range p.open {
		p.c.failf("call %q has no result before %s", id, what)
		delete(p.open, id)
	}
}
