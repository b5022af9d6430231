package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// chatReply puts the chunks of one stream together. It is pure.
type chatReply struct {
	calls   []*chatDraft
	beside  map[string]json.RawMessage // members of the message that are not given on yet
	refused bool
	any     bool // a call was given on
	usage   model.Usage
	counted bool
	finish  string // finish_reason; "" = it has not come
	failed  bool
	held    wire.Held
}

// chatDraft is one call that is being written.
type chatDraft struct {
	index    int64
	id, name string
	args     strings.Builder
	beside   map[string]json.RawMessage
	given    bool
}

// chunk takes one chunk and gives what is complete with it. This wire has no end of a call: one is complete when a
// piece of another one comes and its arguments are an object, else when the reply is.
func (a *chatReply) chunk(c sdk.ChatCompletionChunk) []model.Part {
	if c.JSON.Usage.Valid() {
		a.count(c.Usage)
	}
	if len(c.Choices) == 0 || c.Choices[0].Index != 0 || a.finish != "" {
		return nil
	}
	choice := c.Choices[0]
	var out []model.Part
	a.keep(unknown(choice.Delta.JSON.ExtraFields))
	for _, s := range []string{choice.Delta.Content, choice.Delta.Refusal} {
		if s != "" {
			out = append(out, a.release()...)
			out = append(out, model.Text{Text: s})
		}
	}
	a.refused = a.refused || choice.Delta.Refusal != ""
	for _, d := range choice.Delta.ToolCalls {
		out = append(out, a.release()...)
		out = append(out, a.piece(d)...)
	}
	if choice.FinishReason != "" {
		a.finish = choice.FinishReason
		if a.failed = a.finish == "error"; !a.failed {
			out = append(out, a.end()...)
		}
	}
	return out
}

// keep collects members of the message, and release gives them on before what follows them.
func (a *chatReply) keep(members map[string]json.RawMessage) {
	if a.beside == nil {
		a.beside = map[string]json.RawMessage{}
	}
	merge(a.beside, members)
}

func (a *chatReply) release() []model.Part {
	out := opaque(atMessage, a.beside)
	a.beside = nil
	return out
}

// piece adds a piece of a call.
func (a *chatReply) piece(d sdk.ChatCompletionChunkChoiceDeltaToolCall) []model.Part {
	var out []model.Part
	c := a.find(d)
	if c == nil {
		c = &chatDraft{index: d.Index, beside: map[string]json.RawMessage{}}
		a.calls = append(a.calls, c)
	}
	for _, other := range a.calls {
		if other != c && !other.given && wire.Object(other.args.String()) {
			out = append(out, a.give(other)...)
		}
	}
	if d.ID != "" {
		c.id = d.ID
	}
	if c.name == "" {
		c.name = d.Function.Name
	}
	c.args.WriteString(d.Function.Arguments)
	merge(c.beside, unknown(d.JSON.ExtraFields))
	return out
}

// find is the call that a piece belongs to; nil = it begins another one. Servers number them, or name them, or do
// neither well: all with index 0, without ids, one id for all.
func (a *chatReply) find(d sdk.ChatCompletionChunkChoiceDeltaToolCall) *chatDraft {
	var last *chatDraft
	for _, c := range a.calls {
		if c.index == d.Index {
			last = c
		}
	}
	switch {
	case last == nil:
		return nil
	case d.ID != "" && last.id != "" && d.ID != last.id:
		return nil
	case d.Function.Name != "" && last.name != "" && d.Function.Name != last.name:
		return nil
	case d.Function.Name != "" && d.Function.Arguments != "" && wire.Object(last.args.String()) && last.args.String() != "{}":
		return nil // it begins again, and the one before was whole
	}
	return last
}

// give hands a call on, with what stood beside it. The same call again at another index is one call.
func (a *chatReply) give(c *chatDraft) []model.Part {
	c.given = true
	args := c.args.String()
	if rest, ok := strings.CutPrefix(args, "{}"); ok && wire.Object(rest) { // some servers open with {}
		args = rest
	}
	for _, o := range a.calls {
		if o != c && o.given && c.id != "" && o.id == c.id && o.name == c.name && o.args.String() == c.args.String() {
			return nil
		}
	}
	a.any = true
	return append(opaque(atCall, c.beside), a.held.Add(model.Call{ID: c.id, Name: c.name, Args: wire.Args(args)})...)
}

// end gives on what is complete with the reply.
func (a *chatReply) end() []model.Part {
	out := a.release()
	for _, c := range a.calls {
		if c.given || (c.name == "" && wire.Blank(c.args.String())) {
			continue
		}
		if a.finish == "length" && wire.Blank(strings.TrimPrefix(c.args.String(), "{}")) {
			continue // its arguments have not begun
		}
		out = append(out, a.give(c)...)
	}
	return append(out, a.held.Release(a.reason())...)
}

func (a *chatReply) count(u sdk.CompletionUsage) {
	a.counted = true
	a.usage = model.Usage{
		Input: int(u.PromptTokens), Output: int(u.CompletionTokens),
		CachedRead: int(u.PromptTokensDetails.CachedTokens), CachedWrite: int(u.PromptTokensDetails.CacheWriteTokens),
		Reasoning: int(u.CompletionTokensDetails.ReasoningTokens),
	}.Bounded()
}

func (a *chatReply) reason() model.StopReason {
	switch {
	case a.finish == "length":
		return model.StopMaxTokens
	case a.finish == "content_filter" || a.refused:
		return model.StopRefusal
	case a.any:
		return model.StopToolUse
	}
	return model.StopEndTurn
}
