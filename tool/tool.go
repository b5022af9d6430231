package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Effect is what a tool does to the world; the scheduler lives by it.
type Effect int

const (
	// Reads changes nothing: its calls run beside each other and beside everything else.
	Reads Effect = iota
	// Acts changes something outside: its calls run one after the other, in the order of the reply. It never moves the
	// robot: only skills do.
	Acts
)

// Tool is what a model may call. It is immutable; the methods that change something give a copy.
type Tool struct {
	Name        string
	Description string // on the planner's list
	Details     string // told only when the planner asks for them; "" = there are none
	Effect      Effect
	Background  bool          // a call is a job: answered at once, and its end is told when it comes
	Limit       time.Duration // of one run, wall clock; 0 = the harness's
	Schema      *Schema

	run func(ctx context.Context, args json.RawMessage) (any, error)
}

// New makes a tool of a typed function. The schema is inferred from In: json tags name the parameters, omitempty and
// omitzero make them optional, jsonschema tags describe them. The function hears the end of its time, and of the run, on
// its context; calls may run at the same time, on goroutines of their own.
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

// InBackground is the tool as a job: a call of it is answered at once, and the planner is woken when it has ended.
func (t *Tool) InBackground() *Tool {
	c := *t
	c.Background = true
	return &c
}

// Within is the tool with a limit on each run, wall clock. At the limit its context is cancelled.
func (t *Tool) Within(limit time.Duration) *Tool {
	c := *t
	c.Limit = limit
	return &c
}

// WithDetails is the tool with more to say about it than fits on a list.
func (t *Tool) WithDetails(text string) *Tool {
	c := *t
	c.Details = text
	return &c
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
