package model

import (
	"context"
	"encoding/json"
	"iter"
)

// Provider is one wire to one model.
//
// Stream asks once: it never asks again by itself, except where a server refuses an optional parameter. The parts come
// in the order of the wire, a Call the moment that it is complete; an End comes last and only when the wire said that
// the reply is complete. A reply that ends otherwise ends with an error: *Error, or the cause of ctx when that was
// cancelled. What was spent is told as one Usage, before the End or the error. Stream may run beside itself.
type Provider interface {
	Stream(ctx context.Context, r Request, o Options) iter.Seq2[Part, error]
}

// Options are what one request asks beside its conversation. The zero value is an ordinary round.
type Options struct {
	// Output, a JSON Schema, asks for text that is one JSON value of it. Limits says whether the model can.
	Output json.RawMessage
}

// Endpoint is a model and where it is. Provider and Model are required.
type Endpoint struct {
	Provider string // anthropic, openai or openai_responses
	Model    string
	BaseURL  string // the root, with or without /v1; "" = the vendor's
	Key      string // "" = none is sent
	KeyEnv   string // the name of the variable that holds the key: all that an error ever says of it

	ThinkingBudget  int    // tokens; 0 = none asked for
	ReasoningEffort string // "" = none asked for
	MaxOutputTokens int    // 0 = the default of the model's row
	NativeTools     []json.RawMessage
	Limits          *Override // what configuration says of the model; nil = nothing

	Wait Waits
}
