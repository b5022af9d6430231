package question

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rein-robotics/rein/config"
)

// The numbers of a condition that the planner adds: it is asked and counted from WatchFrom on, and acts like a failure rule.
const (
	WatchFrom        = 6 * time.Second
	WatchThreshold   = 0.8
	WatchConsecutive = 2
)

// MaxWatchFor is how many conditions one call may add.
const MaxWatchFor = 8

// MaxWatchWords is how long a condition may be, characters: it is sent with every tick.
const MaxWatchWords = 1000

// WatchFor is one entry of a call's watch_for: a condition that is false as long as all goes well.
type WatchFor struct {
	Name     string `json:"name,omitempty"`
	Question string `json:"question"`
	Do       Do     `json:"do,omitempty"` // Escalate when left out, or Fail; it never finishes an action
}

// Watch turns the conditions of a call into questions beside the skill's own. An error says, in words for the planner,
// which one is wrong.
func Watch(own []Question, list []WatchFor) ([]Question, error) {
	if len(list) > MaxWatchFor {
		return nil, fmt.Errorf("watch_for: %d conditions, at most %d are taken", len(list), MaxWatchFor)
	}
	out := slices.Clone(own)
	for i, w := range list {
		q := Question{
			Name: w.Name, Kind: Predicate, Instructions: strings.TrimSpace(w.Question), AskFrom: WatchFrom, FromPlanner: true,
			When: []Rule{{Do: w.Do, Value: True, Threshold: WatchThreshold, Consecutive: WatchConsecutive, After: WatchFrom}},
		}
		if w.Do == "" {
			q.When[0].Do = Escalate
		}
		if q.Name == "" {
			q.Name = freeName(out)
		}
		switch {
		case q.Instructions == "":
			return nil, fmt.Errorf("watch_for[%d]: the question is empty", i)
		case utf8.RuneCountInString(q.Instructions) > MaxWatchWords:
			return nil, fmt.Errorf("watch_for[%d]: the question has more than %d characters: it is asked on every tick, so make it one sentence", i, MaxWatchWords)
		case !config.IsName(q.Name):
			return nil, fmt.Errorf("watch_for[%d]: %q is no name: lower case letters, digits and _", i, q.Name)
		case named(out, q.Name):
			return nil, fmt.Errorf("watch_for[%d]: a question called %q is asked already", i, q.Name)
		case q.When[0].Do != Escalate && q.When[0].Do != Fail:
			return nil, fmt.Errorf("watch_for[%d]: do is escalate or fail, not %q", i, w.Do)
		}
		out = append(out, q)
	}
	return out, nil
}

func named(list []Question, name string) bool {
	return slices.ContainsFunc(list, func(q Question) bool { return q.Name == name })
}

// freeName is watch_1, watch_2 …, the first that no question has.
func freeName(list []Question) string {
	for n := 1; ; n++ {
		if name := fmt.Sprintf("watch_%d", n); !named(list, name) {
			return name
		}
	}
}

// Thens are the tools that the rules name as follow-ups, each once, in order.
func Thens(list []Question) []string {
	var out []string
	for _, q := range list {
		for _, r := range q.When {
			if r.Then != "" && !slices.Contains(out, r.Then) {
				out = append(out, r.Then)
			}
		}
	}
	return out
}
