package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/rein-robotics/rein/model"
)

// Checkpoint begins a new segment: nothing of the conversation so far is in the next request. It gives back the calls
// of the last reply whose answers no reply has taken up, so that they can be told in words. It fails while a call is open
// or a reply is being written.
func (l *Ledger) Checkpoint(system string, tools []model.ToolSpec) ([]Exchange, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	var last []Exchange
	for _, a := range append(l.sent, l.answers...) {
		last = append(last, Exchange{Call: a.call, Result: *a.result})
	}
	*l = Ledger{system: system, tools: tools, calls: l.calls}
	return last, nil
}

// PromptHash is the SHA-256, in hexadecimal, of what the segment opens with: the system prompt and the tools.
func (l *Ledger) PromptHash() string {
	if l.hash == "" {
		h := sha256.New()
		h.Write([]byte(l.system))
		for _, t := range l.tools {
			fmt.Fprintf(h, "\x00%s\x00%s\x00%s", t.Name, t.Description, t.Parameters)
		}
		l.hash = hex.EncodeToString(h.Sum(nil))
	}
	return l.hash
}

// Images is how many images the next request holds, with what waits to be sent.
func (l *Ledger) Images() int {
	n := l.images
	for _, b := range l.waiting() {
		n += images(b)
	}
	return n
}

// Recorded estimates the size of the conversation without what waits to be sent, in tokens.
func (l *Ledger) Recorded() int {
	n := l.weight + len(l.system)/bytesPerToken
	for _, t := range l.tools {
		n += (len(t.Description) + len(t.Parameters)) / bytesPerToken
	}
	return n
}

// Tokens estimates the size of the next request, with what waits to be sent, in tokens.
func (l *Ledger) Tokens() int {
	n := l.Recorded()
	for _, b := range l.waiting() {
		n += Weight(b)
	}
	return n
}

// waiting is what the next user message will hold so far.
func (l *Ledger) waiting() []model.Block {
	out := make([]model.Block, 0, len(l.answers)+len(l.pending))
	for _, a := range l.answers {
		if a.result != nil {
			out = append(out, model.Block{Result: a.result})
		}
	}
	return append(out, l.pending...)
}

// The sizes of an estimate in tokens: careful, since a request that is too long costs a round.
const (
	bytesPerToken = 3
	imageTokens   = 1500
)

func images(b model.Block) int {
	switch {
	case b.Image != nil:
		return 1
	case b.Result != nil:
		return len(b.Result.Images)
	}
	return 0
}

// Weight estimates the tokens of one block.
func Weight(b model.Block) int {
	bytes := 0
	switch {
	case b.Text != nil:
		bytes = len(b.Text.Text)
	case b.Call != nil:
		bytes = len(b.Call.Name) + len(b.Call.Args)
	case b.Result != nil:
		bytes = len(b.Result.JSON)
	case b.Opaque != nil:
		bytes = len(b.Opaque.Raw)
	}
	return bytes/bytesPerToken + images(b)*imageTokens
}
