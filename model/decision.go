package model

import (
	"context"
	"fmt"
)

// Decider is one wire to a model that answers typed questions about what it is shown.
//
// Decide asks once and never again by itself. What was spent is told with an error, too: Decisions.Usage counts then. An
// error is an *Error, or the cause of ctx when that was cancelled. Decide may run beside itself.
type Decider interface {
	Decide(ctx context.Context, i Inquiry) (Decisions, error)
}

// Inquiry is questions about what is shown.
type Inquiry struct {
	System    string  // what the model is told beforehand
	Blocks    []Block // what is shown: text and images only
	Questions []Question
}

// Question is one typed question. Without choices it is a predicate, which is true or false.
type Question struct {
	Name         string // unlike that of any other question of the inquiry
	Instructions string
	Choices      []Choice
}

// Choice is one of the values that a question can have.
type Choice struct {
	Value       string
	Description string // what it looks like; "" = its value says it
}

// Decisions are the answers to an inquiry, in the order of its questions.
type Decisions struct {
	Answers []Decision
	Usage   Usage
}

// Decision is one answer.
type Decision struct {
	Name string
	// Missing says why there is no answer to this question: the model refused it, or answered what was not asked. ""
	// = there is one. But for Refused, the other fields are zero when there is none.
	Missing string
	Refused bool
	Value   string  // of a choice, the chosen one; "" for a predicate
	P       float64 // that a predicate is true, or that the chosen value is; 0 to 1
	// Confidence is what the model says of its choice beside P, another number. nil = the wire has none.
	Confidence *float64
}

// Bounds of an inquiry on the decisions wire.
const (
	maxQuestions = 400
	maxChoices   = 255
)

// CheckInquiry holds an inquiry to what can be asked and to the limits, before it is sent. Its errors are *Error.
func CheckInquiry(i Inquiry, l Limits) error {
	if n := len(i.Questions); n == 0 || n > maxQuestions {
		return badInquiry("%d questions; 1 to %d can be asked at once", n, maxQuestions)
	}
	seen := map[string]bool{}
	for _, q := range i.Questions {
		if q.Name == "" || seen[q.Name] {
			return badInquiry("the question name %q is empty or comes twice", q.Name)
		}
		seen[q.Name] = true
		if err := checkChoices(q); err != nil {
			return err
		}
	}
	for _, b := range i.Blocks {
		if b.Text == nil && b.Image == nil {
			return badInquiry("only text and images can be shown")
		}
	}
	return Check(Request{System: i.System, Messages: []Message{{Role: RoleUser, Blocks: i.Blocks}}}, l)
}

func checkChoices(q Question) error {
	if n := len(q.Choices); n == 1 || n > maxChoices {
		return badInquiry("question %s has %d choices; 2 to %d can be asked", q.Name, n, maxChoices)
	}
	values := map[string]bool{}
	for _, c := range q.Choices {
		if c.Value == "" || values[c.Value] {
			return badInquiry("question %s: the choice %q is empty or comes twice", q.Name, c.Value)
		}
		values[c.Value] = true
	}
	return nil
}

func badInquiry(format string, args ...any) error {
	return &Error{Class: BadRequest, Msg: fmt.Sprintf(format, args...), Remedy: "check the monitor's questions"}
}
