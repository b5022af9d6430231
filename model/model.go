// Package model holds the words of a conversation with a model: messages, blocks, streamed parts, tool specs, usage.
//
// Its one invariant: it knows nothing of robots. A provider turns these values into one wire and back, and adds,
// drops, reorders or repairs nothing.
package model

import "encoding/json"

// Role is who wrote a message.
type Role string

// The roles. Results of calls are blocks of user messages.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one entry of a conversation. It is immutable once it is part of a request.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks"`
}

// Block is one piece of a message. Exactly one pointer is set.
type Block struct {
	Text   *TextBlock   `json:"text,omitempty"`
	Image  *ImageBlock  `json:"image,omitempty"`
	Call   *CallBlock   `json:"call,omitempty"`
	Result *ResultBlock `json:"result,omitempty"`
	Opaque *OpaqueBlock `json:"opaque,omitempty"`
}

// TextBlock is text. Data, when set, is the structured form that the text was rendered from: it is never sent over a
// wire, it is kept in the log, and reasoners that are programs read it instead of the prose.
type TextBlock struct {
	Text string          `json:"text"`
	Data json.RawMessage `json:"data,omitempty"`
}

// ImageBlock is one encoded image as sent.
type ImageBlock struct {
	ID    string `json:"id"`    // the observation id, "o12.front_camera"
	Media string `json:"media"` // image/jpeg or image/png
	Data  []byte `json:"-"`     // encoded; the log keeps it in a file of its own
}

// CallBlock is a call that the assistant made, with the ledger's own id.
type CallBlock struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// ResultBlock answers one call: one JSON object, then images.
type ResultBlock struct {
	CallID  string          `json:"call_id"`
	IsError bool            `json:"is_error,omitempty"`
	JSON    json.RawMessage `json:"json"`
	Images  []ImageBlock    `json:"images,omitempty"`
}

// OpaqueBlock is a provider's own block, echoed as it came and never shown to another provider.
type OpaqueBlock struct {
	Provider string          `json:"provider"`
	Raw      json.RawMessage `json:"raw"`
}

// ToolSpec is a tool as a model sees it.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// Request is what one round asks.
type Request struct {
	System   string     `json:"system"`
	Tools    []ToolSpec `json:"tools"`
	Messages []Message  `json:"messages"`
}

// Part is one piece of a streamed reply: Text, Call, Opaque, Usage, Rationale, Withdrawn or End.
type Part interface{ part() }

// Text is a piece of visible text.
type Text struct {
	Text string `json:"text"`
}

// Call is one complete call. ID is the provider's and may be empty or repeated: the ledger gives its own.
type Call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"` // as it came; it may be no JSON at all
}

// Opaque is a block to echo.
type Opaque struct {
	Provider string          `json:"provider"`
	Raw      json.RawMessage `json:"raw"`
}

// Rationale says why, for the log and for people; it never goes back to a model.
type Rationale struct {
	Text string `json:"text"`
}

// Usage counts tokens of one request. Input is the whole input, cached tokens included.
type Usage struct {
	Input       int     `json:"input_tokens"`
	Output      int     `json:"output_tokens"`
	CachedRead  int     `json:"cached_tokens"`
	CachedWrite int     `json:"cache_write_tokens"`
	Reasoning   int     `json:"reasoning_tokens"`
	CostUSD     float64 `json:"cost_usd"`
}

// StopReason is why a reply ended.
type StopReason string

// The reasons. A reply without an End part was cut.
const (
	StopEndTurn   StopReason = "end_turn"
	StopToolUse   StopReason = "tool_use"
	StopMaxTokens StopReason = "max_tokens"
	StopRefusal   StopReason = "refusal"
	// StopPause asks for the same conversation again, with the reply so far in it: a tool of the provider takes longer.
	StopPause StopReason = "pause"
	// StopContext means that the model's window was full: the conversation must be made shorter.
	StopContext StopReason = "context_full"
)

// Withdrawn takes back every Text and Opaque of the reply so far: its stream died before a call was complete, and the
// request is asked again unchanged. It never follows a Call.
type Withdrawn struct {
	Why string `json:"why"`
}

// End closes a reply.
type End struct {
	Reason StopReason `json:"reason"`
}

func (Text) part()      {}
func (Call) part()      {}
func (Opaque) part()    {}
func (Rationale) part() {}
func (Usage) part()     {}
func (Withdrawn) part() {}
func (End) part()       {}
