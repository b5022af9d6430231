package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/model"
)

// Key is the key that the servers want.
const Key = "test-key-1"

// Event is one event of a stream.
type Event struct {
	Name string // "" on wires without names
	Data string
	Done int // how many calls of the reply are complete once it has been read
}

// Reply is what the model says, wire apart.
type Reply struct {
	Thought string // an opaque block before all else; "" = none
	Text    string
	Calls   []model.Call
	Stop    model.StopReason // "" = tool_use with calls, else end_turn
	Usage   model.Usage
}

// stop is the reason that the reply ends with.
func (r Reply) stop() model.StopReason {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return model.StopToolUse
	}
	return model.StopEndTurn
}

// Step is what a server does with one request. The zero value answers with an empty reply.
type Step struct {
	Reply  Reply
	Events []Event             // when set, the stream as it is, in place of Reply
	Say    func(Request) Reply // when set, in place of Reply; called once a request

	Answers []Answer               // of the wire of typed answers
	Answer  func(Request) []Answer // when set, in place of Answers
	Delay   time.Duration          // before anything is sent

	Status int // of an error; 0 = a stream
	Header map[string]string
	Body   string // of an error, or of an answer that is no stream

	Fault Fault
	At    int    // how many events come before the fault
	Error string // the type of the error, with ErrorInStream

	Chunk  int // bytes of each write; 0 = an event at a time
	CRLF   bool
	Pings  bool           // comments and pings between the events
	Before func(next int) // called before each event is written
}

// Fault is what goes wrong inside a stream.
type Fault int

// The faults.
const (
	NoFault       Fault = iota
	CleanEOF            // the stream ends as if it were complete
	Abort               // the connection breaks
	ErrorInStream       // the server says that something went wrong
	Stall               // not a byte any more
	OnlyPings           // pings, and nothing else, for ever
	Malformed           // an event that is no JSON
)

// Request is one that a server got.
type Request struct {
	Path   string
	Header http.Header
	Body   map[string]any
	Raw    []byte
}

// Server plays a model. It answers the n'th request with the n'th step, and the last step for ever.
type Server struct {
	URL string

	t     testing.TB
	wire  Wire
	rules Rules
	key   string

	mu    sync.Mutex
	steps []Step
	got   []Request
	quiet bool
}

// Rules are what a server refuses beside what its wire does.
type Rules struct {
	RefuseThinking      string // this type of thinking, e.g. "enabled"
	RefuseStreamOptions bool
	RefuseChangedPrefix bool // a request must extend the one before
	Images              int  // more are refused; 0 = what the wire takes
	Key                 string
	NoKey               bool // no request may carry a key
}

// New is a server without a place: Client reaches it in memory, so it lives in a synctest bubble, too.
func New(t testing.TB, w Wire, r Rules, steps ...Step) *Server {
	if r.Images == 0 {
		r.Images = w.mostImages()
	}
	key := r.Key
	if key == "" && !r.NoKey {
		key = Key
	}
	return &Server{URL: "http://model.test", t: t, wire: w, rules: r, key: key, steps: steps}
}

// Listen is a server on a port of this machine.
func Listen(t testing.TB, w Wire, r Rules, steps ...Step) *Server {
	t.Helper()
	s := New(t, w, r, steps...)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// Requests are those that came, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.got...)
}

// Quiet stops the server from failing the test for a request that the wire would refuse; it still answers it with 400.
func (s *Server) Quiet() { s.quiet = true }

// ServeHTTP plays one step.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	req := Request{Path: r.URL.Path, Header: r.Header, Raw: raw}
	if err := json.Unmarshal(raw, &req.Body); err != nil {
		s.t.Errorf("the request is no JSON: %v", err)
	}
	s.mu.Lock()
	var before *Request
	if n := len(s.got); n > 0 {
		before = &s.got[n-1]
	}
	step := Step{}
	if n := len(s.steps); n > 0 {
		step = s.steps[min(len(s.got), n-1)]
	}
	s.got = append(s.got, req)
	s.mu.Unlock()

	if faults := s.faults(req); len(faults) > 0 {
		if !s.quiet {
			s.t.Errorf("the wire would refuse this request:\n  %s", strings.Join(faults, "\n  "))
		}
		s.refuse(w, 400, "invalid_request_error", strings.Join(faults, "; "))
		return
	}
	if why := s.wire.refuses(req, before, s.rules); why != "" {
		s.refuse(w, 400, "invalid_request_error", why)
		return
	}
	if step.Delay > 0 {
		select {
		case <-time.After(step.Delay):
		case <-r.Context().Done():
			return
		}
	}
	if step.Say != nil {
		step.Reply = step.Say(req)
	}
	if s.wire.body != nil && step.Status == 0 && step.Body == "" {
		s.whole(w, r, step, s.wire.body(req, step))
		return
	}
	s.play(w, r, step)
}

// whole plays an answer that is no stream. The fault comes before its first byte (At 0) or in its middle.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, step Step, body string) {
	for k, v := range step.Header {
		w.Header().Set(k, v)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(200)
	out := writer{w: w, step: step, wire: s.wire}
	out.flush()
	if step.Fault == NoFault {
		out.write(body)
		return
	}
	if step.At > 0 {
		out.write(body[:len(body)/2])
	}
	switch step.Fault {
	case Abort:
		panic(http.ErrAbortHandler)
	case Malformed:
		out.write(`}]"`)
	case Stall:
		<-r.Context().Done()
	}
}

func (s *Server) refuse(w http.ResponseWriter, status int, kind, msg string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, s.wire.errorBody(kind, msg))
}

func (s *Server) play(w http.ResponseWriter, r *http.Request, step Step) {
	for k, v := range step.Header {
		w.Header().Set(k, v)
	}
	if step.Status != 0 || step.Body != "" {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(max(step.Status, 200))
		fmt.Fprint(w, step.Body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(200)
	events := step.Events
	if events == nil {
		events = s.wire.events(step.Reply)
	}
	out := writer{w: w, step: step, wire: s.wire}
	out.flush()
	for i, e := range events {
		if step.Fault != NoFault && i == step.At {
			out.fail(r)
			return
		}
		if step.Before != nil {
			step.Before(i)
		}
		if step.Pings {
			out.ping()
		}
		out.event(e)
	}
	if step.Fault != NoFault && step.At >= len(events) {
		out.fail(r)
	}
}

// writer puts a stream into the pieces that a step asks for.
type writer struct {
	w    http.ResponseWriter
	step Step
	wire Wire
}

func (o writer) write(s string) {
	if o.step.CRLF {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	size := o.step.Chunk
	if size == 0 {
		size = len(s)
	}
	for len(s) > 0 {
		n := min(size, len(s))
		if _, err := io.WriteString(o.w, s[:n]); err != nil {
			return
		}
		o.flush()
		s = s[n:]
	}
}

func (o writer) flush() { _ = http.NewResponseController(o.w).Flush() } // one that cannot needs none

func (o writer) event(e Event) {
	if e.Name != "" {
		o.write("event: " + e.Name + "\n")
	}
	o.write("data: " + e.Data + "\n\n")
}

func (o writer) ping() {
	o.write(": keep-alive\n\n")
	if o.wire.Name == "anthropic" {
		o.event(Event{Name: "ping", Data: `{"type": "ping"}`})
	}
}

func (o writer) fail(r *http.Request) {
	switch o.step.Fault {
	case Abort:
		panic(http.ErrAbortHandler)
	case ErrorInStream:
		o.event(o.wire.streamError(o.step.Error))
	case Malformed:
		o.event(Event{Name: o.wire.anyEvent, Data: `{"type": "content_bl`})
	case Stall:
		<-r.Context().Done()
	case OnlyPings:
		for r.Context().Err() == nil {
			o.ping()
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second):
			}
		}
	}
}
