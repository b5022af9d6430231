package ledger

import (
	"slices"

	"github.com/rein-robotics/rein/model"
)

// Preview is what Request would give, and changes nothing.
func (l *Ledger) Preview() (model.Request, error) {
	peek := *l
	peek.messages, peek.sent = slices.Clip(l.messages), slices.Clip(l.sent)
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
	l.reply.settle()
	for i, b := range l.reply.blocks {
		if b.Text != nil {
			l.reply.blocks[i].Text = &model.TextBlock{Text: text}
			text = ""
		}
	}
}

// Retract takes the last reply back, with the answers of its calls, as if it had never come, and gives it. It fails when
// a request has carried it already, when one of its calls is open, and when something new waits to be said.
func (l *Ledger) Retract() (model.Message, error) {
	n := len(l.messages)
	switch err := l.ready(); {
	case err != nil:
		return model.Message{}, err
	case l.dropped:
		return model.Message{}, ErrDropped
	case n == 0 || l.messages[n-1].Role != model.RoleAssistant:
		return model.Message{}, ErrNoReply
	case len(l.pending) > 0:
		return model.Message{}, ErrSaid
	}
	last := l.messages[n-1]
	for _, b := range last.Blocks {
		l.images -= images(b)
		l.weight -= Weight(b)
	}
	l.messages, l.answers, l.sent = l.messages[:n-1:n-1], nil, l.replied
	return last, nil
}
