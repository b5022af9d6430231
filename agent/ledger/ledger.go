// Package ledger keeps the conversation with a planner: an assistant message opens calls, and each call is closed exactly
// once.
//
// Its one invariant: a request with an open call cannot be built, and what was in one request of a segment is in the next
// one, unchanged; the past is out of reach of this API.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/model"
)

// Faults of a caller.
var (
	ErrOpen     = errors.New("ledger: a call is still open")
	ErrNoCall   = errors.New("ledger: no such call is open")
	ErrReplying = errors.New("ledger: a reply is being written")
	ErrNoReply  = errors.New("ledger: there is no reply that could be taken back")
	ErrSaid     = errors.New("ledger: something new waits to be said")
	ErrDropped  = errors.New("ledger: a reply was dropped, the conversation goes on in a new segment only")
)

// Ledger is one segment of a conversation. One goroutine owns it.
type Ledger struct {
	system   string
	tools    []model.ToolSpec
	messages []model.Message // sent or ready to be sent; never changed
	pending  []model.Block   // of the next user message, after the results

	reply   *reply
	calls   int // how many ids were given
	answers []answer
	sent    []answer // answers in the last request, until it was replied to
	replied []answer // answers in the request that the last reply is to
	dropped bool     // a reply was left out: no request of this segment is valid any more
	hash    string   // of PromptHash, once it was asked for
	images  int      // in messages
	weight  int      // of messages, an estimate in tokens
}

// reply is an assistant message that is being written.
type reply struct {
	blocks []model.Block
	run    *strings.Builder // the text of the last block, as long as it grows; nil = it stands
}

// settle lets what was written so far stand.
func (r *reply) settle() {
	if r.run != nil {
		r.blocks[len(r.blocks)-1].Text = &model.TextBlock{Text: r.run.String()}
		r.run = nil
	}
}

func (r *reply) add(b model.Block) {
	r.settle()
	r.blocks = append(r.blocks, b)
}

// answer is the result of one call of the last reply, in the order of the calls.
type answer struct {
	call   model.CallBlock
	result *model.ResultBlock // nil while the call is open
}

// Exchange is a call with its answer.
type Exchange struct {
	Call   model.CallBlock
	Result model.ResultBlock
}

// New begins a segment. The prompt and the tools are fixed for its length.
func New(system string, tools []model.ToolSpec) *Ledger {
	return &Ledger{system: system, tools: tools}
}

// Tools are the tools of the segment.
func (l *Ledger) Tools() []model.ToolSpec { return l.tools }

// Say adds blocks to the next user message, after the results of the last reply.
func (l *Ledger) Say(blocks ...model.Block) { l.pending = append(l.pending, blocks...) }

// BeginReply starts the assistant's next message. What it opens is closed by Close.
func (l *Ledger) BeginReply() { l.reply = &reply{} }

// Text adds visible text to the reply; pieces of one run are joined.
func (l *Ledger) Text(s string) {
	r := l.reply
	if r.run == nil {
		r.run = &strings.Builder{}
		if n := len(r.blocks); n > 0 && r.blocks[n-1].Text != nil {
			r.run.WriteString(r.blocks[n-1].Text.Text)
		} else {
			r.blocks = append(r.blocks, model.Block{Text: &model.TextBlock{}})
		}
	}
	r.run.WriteString(s)
}

// Echo adds a provider's own block at its place in the reply.
func (l *Ledger) Echo(o model.Opaque) {
	l.reply.add(model.Block{Opaque: &model.OpaqueBlock{Provider: o.Provider, Raw: o.Raw}})
}

// Withdraw takes back what the reply says so far. Calls stay, with what stands before the last of them.
func (l *Ledger) Withdraw() {
	l.reply.settle()
	b := l.reply.blocks
	for len(b) > 0 && b[len(b)-1].Call == nil {
		b = b[:len(b)-1]
	}
	l.reply.blocks = b
}

// Open adds a complete call to the reply and gives it an id of the ledger's own. Arguments that are not a JSON object
// are echoed as {}.
func (l *Ledger) Open(name string, args json.RawMessage) (id string) {
	l.calls++
	id = fmt.Sprintf("call_%d", l.calls)
	c := model.CallBlock{ID: id, Name: name, Args: object(args)}
	l.reply.add(model.Block{Call: &c})
	l.answers = append(l.answers, answer{call: c})
	return id
}

// object is args if it is a JSON object, else {}. One with a number that no float holds (1e999), with half a surrogate
// pair or nested without measure is none: many readers of JSON refuse the whole request that it stands in.
func object(args json.RawMessage) json.RawMessage {
	var o map[string]any
	if json.Unmarshal(args, &o) != nil || o == nil || deeper(o, deepest) || half(args, o) {
		return json.RawMessage("{}")
	}
	return args
}

// deepest is how deep arguments may be nested.
const deepest = 64

// deeper says that v is nested deeper than n.
func deeper(v any, n int) bool {
	below := func(v any) bool { return n == 0 || deeper(v, n-1) }
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			if below(x) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, below)
	}
	return false
}

var surrogate = regexp.MustCompile(`(?i)\\ud[89a-f]`)

// half says that the text of o has half a surrogate pair, which reading has replaced.
func half(raw json.RawMessage, o map[string]any) bool {
	if !surrogate.Match(raw) {
		return false
	}
	text, err := json.Marshal(o)
	return err != nil || bytes.ContainsRune(text, '\ufffd') || bytes.Contains(text, []byte(`\ufffd`))
}

// EndReply puts the reply into the conversation. A message without blocks is not recorded.
func (l *Ledger) EndReply() {
	l.reply.settle()
	blocks := make([]model.Block, 0, len(l.reply.blocks))
	for _, b := range l.reply.blocks {
		if b.Text != nil && b.Text.Text == "" {
			continue
		}
		blocks = append(blocks, b)
	}
	l.reply = nil
	if len(blocks) > 0 {
		l.sent, l.replied = nil, l.sent
		l.add(model.Message{Role: model.RoleAssistant, Blocks: blocks})
	}
}

// DropReply leaves the reply out of the conversation. The calls that it opened are still to be closed; after that only a
// new segment can follow.
func (l *Ledger) DropReply() { l.reply, l.dropped = nil, true }

func (l *Ledger) add(m model.Message) {
	l.messages = append(l.messages, m)
	for _, b := range m.Blocks {
		l.images += images(b)
		l.weight += Weight(b)
	}
}

// Close answers an open call. It may be called while the reply is still being written.
func (l *Ledger) Close(r model.ResultBlock) error {
	for i := range l.answers {
		if l.answers[i].call.ID == r.CallID && l.answers[i].result == nil {
			l.answers[i].result = &r
			return nil
		}
	}
	return fmt.Errorf("%w: %s", ErrNoCall, r.CallID)
}

// OpenCalls are the ids of the calls without an answer, in order.
func (l *Ledger) OpenCalls() []string {
	var ids []string
	for _, a := range l.answers {
		if a.result == nil {
			ids = append(ids, a.call.ID)
		}
	}
	return ids
}

// Request is the conversation so far with everything pending in it. It fails while a call is open or a reply is being
// written.
func (l *Ledger) Request() (model.Request, error) {
	if err := l.ready(); err != nil {
		return model.Request{}, err
	}
	if l.dropped {
		return model.Request{}, ErrDropped
	}
	var blocks []model.Block
	for _, a := range l.answers {
		blocks = append(blocks, model.Block{Result: a.result})
	}
	blocks = append(blocks, l.pending...)
	if len(blocks) > 0 {
		l.add(model.Message{Role: model.RoleUser, Blocks: blocks})
		l.sent = append(l.sent, l.answers...)
		l.answers, l.pending = nil, nil
	}
	return model.Request{System: l.system, Tools: l.tools, Messages: l.messages[:len(l.messages):len(l.messages)]}, nil
}

// ready says why no request can be built now.
func (l *Ledger) ready() error {
	if l.reply != nil {
		return ErrReplying
	}
	if open := l.OpenCalls(); len(open) > 0 {
		return fmt.Errorf("%w: %s", ErrOpen, open[0])
	}
	return nil
}
