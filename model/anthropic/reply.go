package anthropic

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// reply puts the events of one stream together. It is pure.
type reply struct {
	open    map[int64]*block
	held    wire.Held
	usage   model.Usage
	counted bool // usage says something
	stop    sdk.StopReason
	done    bool // message_stop came
}

// block is one content block that is being written.
type block struct {
	kind, id, name string
	raw            json.RawMessage // as it started
	input          strings.Builder
	thinking       strings.Builder
	signature      strings.Builder
}

// event takes one event and gives what is complete with it. A call is complete at its own content_block_stop.
func (a *reply) event(e sdk.MessageStreamEventUnion) []model.Part {
	switch e.Type {
	case "message_start":
		a.start(e.Message.Usage)
	case "content_block_start":
		return a.begin(e)
	case "content_block_delta":
		return a.delta(e)
	case "content_block_stop":
		return a.end(e.Index)
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.stop = e.Delta.StopReason
		}
		a.count(e.Usage)
	case "message_stop":
		a.done = true
		return a.held.Release(a.reason())
	}
	return nil
}

func (a *reply) begin(e sdk.MessageStreamEventUnion) []model.Part {
	if a.open == nil {
		a.open = map[int64]*block{}
	}
	c := e.ContentBlock
	a.open[e.Index] = &block{kind: c.Type, id: c.ID, name: c.Name, raw: json.RawMessage(c.RawJSON())}
	if c.Type == "text" && c.Text != "" {
		return []model.Part{model.Text{Text: c.Text}}
	}
	return nil
}

func (a *reply) delta(e sdk.MessageStreamEventUnion) []model.Part {
	b := a.open[e.Index]
	if b == nil {
		return nil
	}
	switch e.Delta.Type {
	case "text_delta":
		if e.Delta.Text != "" {
			return []model.Part{model.Text{Text: e.Delta.Text}}
		}
	case "input_json_delta":
		b.input.WriteString(e.Delta.PartialJSON)
	case "thinking_delta":
		b.thinking.WriteString(e.Delta.Thinking)
	case "signature_delta":
		b.signature.WriteString(e.Delta.Signature)
	}
	return nil
}

// end closes one block.
func (a *reply) end(index int64) []model.Part {
	b := a.open[index]
	delete(a.open, index)
	switch {
	case b == nil || b.kind == "text":
		return nil
	case b.kind != "tool_use":
		return []model.Part{model.Opaque{Provider: Name, Raw: b.whole()}}
	}
	return a.held.Add(model.Call{ID: b.id, Name: b.name, Args: b.args()})
}

// args are the arguments: what came in pieces, else what the block started with, else {}.
func (b *block) args() json.RawMessage {
	if !wire.Blank(b.input.String()) {
		return json.RawMessage(b.input.String())
	}
	var start struct{ Input json.RawMessage }
	if json.Unmarshal(b.raw, &start) == nil && wire.Object(string(start.Input)) {
		return start.Input
	}
	return wire.Args("")
}

// whole is a block of the provider as it would have come in one piece.
func (b *block) whole() json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(b.raw, &members) != nil || members == nil {
		return b.raw
	}
	was := maps.Clone(members)
	text := func(name string, s *strings.Builder) {
		if s.Len() == 0 {
			return
		}
		var before string
		_ = json.Unmarshal(members[name], &before) // absent = empty
		members[name] = quote(before + s.String())
	}
	text("thinking", &b.thinking)
	text("signature", &b.signature)
	if in := b.input.String(); wire.Object(in) {
		members["input"] = json.RawMessage(in)
	}
	if maps.EqualFunc(was, members, func(x, y json.RawMessage) bool { return slices.Equal(x, y) }) {
		return b.raw
	}
	out, err := json.Marshal(members)
	if err != nil { // its parts were JSON
		return b.raw
	}
	return out
}

func quote(s string) json.RawMessage {
	out, err := json.Marshal(s)
	if err != nil { // a string always can
		panic("anthropic: " + err.Error())
	}
	return out
}

func (a *reply) start(u sdk.Usage) {
	a.counted = true
	a.usage = model.Usage{
		Input:      int(u.InputTokens),
		Output:     int(u.OutputTokens),
		CachedRead: int(u.CacheReadInputTokens), CachedWrite: int(u.CacheCreationInputTokens),
		Reasoning: int(u.OutputTokensDetails.ThinkingTokens),
	}.Bounded()
	a.usage.Input += a.usage.CachedRead + a.usage.CachedWrite
}

// count takes the running totals of a message_delta; what it leaves out stands as it was.
func (a *reply) count(u sdk.MessageDeltaUsage) {
	a.counted = true
	a.usage.Input -= a.usage.CachedRead + a.usage.CachedWrite
	if u.JSON.InputTokens.Valid() && u.InputTokens > 0 {
		a.usage.Input = int(u.InputTokens)
	}
	if u.JSON.CacheReadInputTokens.Valid() {
		a.usage.CachedRead = int(u.CacheReadInputTokens)
	}
	if u.JSON.CacheCreationInputTokens.Valid() {
		a.usage.CachedWrite = int(u.CacheCreationInputTokens)
	}
	if u.JSON.OutputTokens.Valid() {
		a.usage.Output = int(u.OutputTokens)
	}
	if n := u.OutputTokensDetails.ThinkingTokens; n > 0 {
		a.usage.Reasoning = int(n)
	}
	a.usage = a.usage.Bounded()
	a.usage.Input += a.usage.CachedRead + a.usage.CachedWrite
}

func (a *reply) reason() model.StopReason {
	switch a.stop {
	case sdk.StopReasonToolUse:
		return model.StopToolUse
	case sdk.StopReasonMaxTokens:
		return model.StopMaxTokens
	case sdk.StopReasonRefusal:
		return model.StopRefusal
	case sdk.StopReasonPauseTurn:
		return model.StopPause
	case sdk.StopReasonModelContextWindowExceeded:
		return model.StopContext
	}
	return model.StopEndTurn
}
