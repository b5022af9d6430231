package ledger

import (
	"fmt"

	"github.com/rein-robotics/rein/model"
)

// Preview is what Request would give, and changes nothing.
func (l *Ledger) Preview() (model.Request, error) {
	peek := *l
	peek.messages = l.messages[:len(l.messages):len(l.messages)]
	return peek.Request()
}

// Calls are the calls of the reply that is being written.
func (l *Ledger) Calls() []model.CallBlock {
	if l.reply == nil {
		return nil
	}
	return callsOf(l.reply.blocks)
}

func callsOf(blocks []model.Block) []model.CallBlock {
	var out []model.CallBlock
	for _, b := range blocks {
		if b.Call != nil {
			out = append(out, *b.Call)
		}
	}
	return out
}

// Rewrite puts another text in the place of the visible text of the reply that is being written: where its first piece
// stands. A reply without text stays without.
func (l *Ledger) Rewrite(text string) {
	for i, b := range l.reply.blocks {
		if b.Text != nil {
			l.reply.blocks[i].Text = &model.TextBlock{Text: text}
			text = ""
		}
	}
}

// Answers gives the results of the last reply, as long as no request has carried them.
func (l *Ledger) Answers() []model.ResultBlock {
	var out []model.ResultBlock
	for _, a := range l.answers {
		if a.result != nil {
			out = append(out, *a.result)
		}
	}
	return out
}

// Retract takes the last reply back, with the answers of its calls, as if it had never come. It fails when a request has
// carried it already, when one of its calls is open, and when something new waits to be said.
func (l *Ledger) Retract() error {
	n := len(l.messages)
	switch {
	case l.reply != nil:
		return ErrReplying
	case len(l.OpenCalls()) > 0:
		return fmt.Errorf("%w: %s", ErrOpen, l.OpenCalls()[0])
	case n == 0 || l.messages[n-1].Role != model.RoleAssistant:
		return ErrNoReply
	case len(l.pending) > 0:
		return ErrSaid
	}
	for _, b := range l.messages[n-1].Blocks {
		l.images -= images(b)
		l.weight -= Weight(b)
	}
	l.messages, l.answers = l.messages[:n-1:n-1], nil
	return nil
}
