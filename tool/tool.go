package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

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
	if err := json.Unmarshal(orEmpty(args), &in); err != nil {
		return in, unreadable(err)
	}
	return in, nil
}

// unreadable words what passes a schema and does not go into its field: 3.0 where a whole number is kept.
func unreadable(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return inputErrorf("the arguments cannot be read")
	}
	want := "something else"
	switch e.Type.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		want = "a whole number without point and exponent that is not too large"
	case reflect.Float32, reflect.Float64:
		want = "a smaller number"
	}
	return inputErrorf("%s must be %s, got %s", place(e.Field), want, strings.TrimPrefix(e.Value, "number "))
}
