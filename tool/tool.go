package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Effect is what a tool does to the world; the scheduler lives by it.
type Effect int

const (
	// Reads changes nothing: it may run beside others.
	Reads Effect = iota
	// Notes changes the agent's own notes (the plan): at once, in order.
	Notes
	// Moves moves the robot: one after the other, in order.
	Moves
)

// Tool is what a model may call. It is immutable.
type Tool struct {
	Name        string
	Description string
	Effect      Effect
	Schema      *Schema

	run func(ctx context.Context, args json.RawMessage) (any, error)
}

// New makes a tool of a typed function. The schema is inferred from In: json tags name the parameters, omitempty and
// omitzero make them optional, jsonschema tags describe them.
func New[In, Out any](name, description string, e Effect, f func(context.Context, In) (Out, error)) (*Tool, error) {
	s, err := SchemaFor[In]()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", name, err)
	}
	run := func(ctx context.Context, args json.RawMessage) (any, error) {
		in, err := Decode[In](s, args)
		if err != nil {
			return nil, err
		}
		return f(ctx, in)
	}
	return &Tool{Name: name, Description: description, Effect: e, Schema: s, run: run}, nil
}

// Run checks the arguments and calls the function. A mistake in the arguments is an *InputError.
func (t *Tool) Run(ctx context.Context, args json.RawMessage) (any, error) { return t.run(ctx, args) }

// SchemaFor infers the schema of a parameter struct.
func SchemaFor[In any]() (*Schema, error) {
	inferred, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("inferring the schema: %w", err)
	}
	raw, err := json.Marshal(inferred)
	if err != nil {
		return nil, fmt.Errorf("writing the schema: %w", err)
	}
	return Compile(raw)
}

// Decode checks raw arguments against s and decodes them. A mistake is an *InputError.
func Decode[In any](s *Schema, args json.RawMessage) (In, error) {
	var in In
	if err := s.Check(args); err != nil {
		return in, err
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return in, inputErrorf("the arguments cannot be read: %v", err)
	}
	return in, nil
}
