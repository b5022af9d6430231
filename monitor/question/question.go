// Package question holds what a monitor is asked while an action runs and what it answered: Question with its rules, and
// Answer.
//
// Its one invariant: an Answer either answers its question with a value that the question knows and a probability from
// 0 to 1, or says why it is missing; nothing between the two can be made.
package question

import (
	"encoding/json"
	"math"
	"slices"
	"time"
)

// Kind is how a question is answered.
type Kind string

// The kinds: a predicate with a probability, a choice with one of its options and that option's probability.
const (
	Predicate Kind = "predicate"
	Choice    Kind = "choice"
)

// Do is what a rule does when it fires.
type Do string

// The things a rule can do: stop the action as succeeded, stop it as failed, leave it running and wake the planner.
const (
	Finish   Do = "finish"
	Fail     Do = "fail"
	Escalate Do = "escalate"
)

// Ends says that the action does not go on.
func (d Do) Ends() bool { return d == Finish || d == Fail }

// The values of a predicate.
const (
	True  = "true"
	False = "false"
)

// Question is what the monitor is asked on every tick while an action runs. It is not changed after it was made.
type Question struct {
	Name         string // unique among the questions of an action
	Kind         Kind
	Instructions string
	Options      []Option      // of a choice, in the order of the file
	When         []Rule        // in the order of the file; none = the answer is only shown to the planner
	AskFrom      time.Duration // of the robot clock since the action started: it is not asked about an earlier frame
	FromPlanner  bool          // a watch_for of the call, and no question of the skill
}

// Option is one value of a choice.
type Option struct {
	Value string
	Looks string // how it shows in the pictures
}

// Rule says what an answer does.
type Rule struct {
	Do          Do
	Value       string        // that counts: True, False or an option
	Threshold   float64       // a floor: a tick that is less certain does not count; 0 = none
	Consecutive int           // so many ticks in a row, at least 1
	After       time.Duration // ticks count once the action has run so long: capture time of the newest frame, robot clock
	Then        string        // tool that is started when the action has stopped; "" = none
}

// Missing says why there is no answer.
type Missing string

// Why an answer is missing. A missing answer is no tick of its question: it neither counts nor breaks a row.
const (
	Refused  Missing = "refused"  // the model would not answer
	TimedOut Missing = "timeout"  // no answer came within waits.monitor_s
	Failed   Missing = "failed"   // the call went wrong: no connection, an error of the server
	Invalid  Missing = "invalid"  // what came was no answer
	Unknown  Missing = "unknown"  // the assessor cannot answer this question at all
	NotLive  Missing = "not_live" // a camera that it was asked about is not to be trusted
)

// Answer is what the monitor said to one question. The zero Answer is none.
type Answer struct {
	Question   string
	Kind       Kind
	Value      string   // True, False or an option; "" while it is missing
	P          float64  // of a predicate: that it is true, whatever Value is; of a choice: of Value
	Confidence *float64 // what the model says of its choice besides; rules do not read it
	Missing    Missing  // "" = it was answered
	Why        string   // it is missing, in words, for the log
}

// Is gives the answer of a predicate that is true with probability p; true is its value from 0.5 on.
func (q Question) Is(p float64) Answer {
	switch {
	case q.Kind != Predicate:
		return q.No(Invalid, "a choice was answered like a predicate")
	case !probability(p):
		return q.No(Invalid, "the probability is not between 0 and 1")
	case p >= 0.5:
		return Answer{Question: q.Name, Kind: Predicate, Value: True, P: p}
	}
	return Answer{Question: q.Name, Kind: Predicate, Value: False, P: p}
}

// Chosen gives the answer of a choice: the chosen value and its probability.
func (q Question) Chosen(value string, p float64) Answer {
	switch {
	case q.Kind != Choice:
		return q.No(Invalid, "a predicate was answered like a choice")
	case !q.Has(value):
		return q.No(Invalid, "it is none of the choices: "+value)
	case !probability(p):
		return q.No(Invalid, "the probability is not between 0 and 1")
	}
	return Answer{Question: q.Name, Kind: Choice, Value: value, P: p}
}

// No gives the answer that is missing.
func (q Question) No(m Missing, why string) Answer {
	return Answer{Question: q.Name, Kind: q.Kind, Missing: m, Why: why}
}

// Has says whether a rule or an answer can have the value.
func (q Question) Has(value string) bool {
	if q.Kind == Predicate {
		return value == True || value == False
	}
	return slices.ContainsFunc(q.Options, func(o Option) bool { return o.Value == value })
}

// Choices are the values that an answer can have, in the order of the file; true and false of a predicate, without words.
func (q Question) Choices() []Option {
	if q.Kind == Predicate {
		return []Option{{Value: True}, {Value: False}}
	}
	return q.Options
}

func probability(p float64) bool { return !math.IsNaN(p) && p >= 0 && p <= 1 }

// Certainty is how sure the answer is of its value, 0 to 1: of a predicate the larger of p and 1−p.
func (a Answer) Certainty() float64 {
	switch {
	case a.Missing != "":
		return 0
	case a.Kind == Predicate:
		return max(a.P, 1-a.P)
	}
	return a.P
}

// Meets says whether the answer is the rule's value and as certain as its floor.
func (a Answer) Meets(r Rule) bool {
	return a.Missing == "" && a.Value == r.Value && a.Certainty() >= r.Threshold
}

// ValueJSON is the value as the log writes it: true, false, an option in quotes, or null.
func (a Answer) ValueJSON() json.RawMessage {
	if a.Missing != "" {
		return json.RawMessage("null")
	}
	return valueJSON(a.Kind, a.Value)
}

// ValueJSON is the rule's value of question q as the log writes it.
func (r Rule) ValueJSON(q Question) json.RawMessage { return valueJSON(q.Kind, r.Value) }

func valueJSON(k Kind, value string) json.RawMessage {
	if k == Predicate {
		return json.RawMessage(value)
	}
	raw, _ := json.Marshal(value) // a string always encodes
	return raw
}
