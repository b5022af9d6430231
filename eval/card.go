package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/eval/measure"

	"github.com/rein-robotics/rein/internal/regular"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/monitor/question"
)

// Subject is what a report card is about. Whatever changes an answer changes it; floors and counts of rules do not.
type Subject struct {
	Tool     string `json:"tool"`
	Question string `json:"question"`
	Cameras  string `json:"cameras"` // and how they are shown
	Model    string `json:"model"`   // "provider:model", and the effort of its reasoning behind a blank
	Wording  string `json:"wording"` // hash of the questions and of what the model is told before them
}

// CamerasAs says in words which cameras are shown, and how.
func CamerasAs(cameras []string, s frames.Settings) string {
	var out []string
	for _, c := range slices.Sorted(slices.Values(cameras)) {
		if r, ok := s.CloseUps[c]; ok {
			out = append(out, fmt.Sprintf("%s %v", c, r))
		} else {
			out = append(out, fmt.Sprintf("%s at %d px", c, s.MaxSide))
		}
	}
	out = append(out, fmt.Sprintf("history %d", max(s.History, 1)))
	if s.Reference {
		out = append(out, "reference")
	}
	if s.MarkTarget {
		out = append(out, "target marked")
	}
	return strings.Join(out, "; ")
}

// WordingOf is the hash of all that a model is asked and told: the prompt before all else, the tool's description and the
// questions.
func WordingOf(system, about string, questions []question.Question) string {
	type asked struct {
		Name, Kind, Instructions string
		Options                  []question.Option
	}
	list := []asked{}
	for _, q := range questions {
		list = append(list, asked{q.Name, string(q.Kind), q.Instructions, q.Options})
	}
	raw, err := json.Marshal(struct {
		System, About string
		Questions     []asked
	}{system, about, list})
	if err != nil { // texts
		panic("eval: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:6])
}

// File is the card's name in the folder cards.
func (s Subject) File() string {
	raw, err := json.Marshal(s)
	if err != nil { // texts
		panic("eval: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return fmt.Sprintf("%s_%s_%s.json", s.Tool, s.Question, hex.EncodeToString(sum[:4]))
}

// Card is a report card: what was measured of one skill's question, one set of cameras, one model and one wording.
type Card struct {
	Subject

	Ticks   int           `json:"ticks"` // that were answered and have a label that is not unsure
	Actions int           `json:"actions"`
	Repeats int           `json:"repeats"`
	Right   measure.Share `json:"right"`
	Rules   []CardRule    `json:"rules"`
	P50S    float64       `json:"latency_p50_s"`
	P95S    float64       `json:"latency_p95_s"`
}

// CardRule is what was measured of one rule with the floor it then had.
type CardRule struct {
	Do          string        `json:"do"`
	Value       string        `json:"value"`
	Threshold   float64       `json:"threshold"`
	Consecutive int           `json:"consecutive"`
	AfterS      float64       `json:"after_s"`
	Met         measure.Share `json:"met"`
	Wrong       measure.Share `json:"wrong"`
}

// CardOf makes the card of what was measured.
func CardOf(of Subject, r measure.Result, repeats int) Card {
	c := Card{
		Subject: of, Ticks: r.Score.Right.N, Repeats: repeats, Right: r.Score.Right,
		P50S: r.Score.Latency.P50.Seconds(), P95S: r.Score.Latency.P95.Seconds(),
	}
	c.Actions = r.Score.Actions
	for _, x := range r.Score.Rules {
		c.Rules = append(c.Rules, CardRule{
			Do: string(x.Rule.Do), Value: x.Rule.Value, Threshold: x.Rule.Threshold, Consecutive: x.Rule.Consecutive,
			AfterS: x.Rule.After.Seconds(), Met: x.Met, Wrong: x.Wrong,
		})
	}
	return c
}

// WriteCard puts a card into dir/cards and gives its path.
func WriteCard(dir string, c Card) (path string, err error) {
	path = filepath.Join(dir, "cards", c.File())
	raw, err := json.MarshalIndent(c, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = replace(path, append(raw, '\n'))
	}
	if err != nil {
		return "", fmt.Errorf("writing report card: %w", err)
	}
	return path, nil
}

// replace writes beside and renames: a full disk or a kill takes nothing away.
func replace(path string, data []byte) error {
	beside := path + ".tmp"
	err := os.WriteFile(beside, data, 0o644)
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		_ = os.Remove(beside) // the first error is the one to tell
	}
	return err
}

// mostCard is the longest file of a card that is read, bytes.
const mostCard = 1 << 20

// ReadCard gives the card of a subject in dir/cards, nil when there is none.
func ReadCard(dir string, of Subject) (*Card, error) {
	path := filepath.Join(dir, "cards", of.File())
	raw, err := regular.Read(path, mostCard)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading report card: %w", err)
	}
	c, err := form[Card]{[]string{"ticks", "actions", "repeats", "right"}, of.check}.decode(bytes.TrimPrefix(raw, []byte(byteOrder)))
	if err != nil {
		return nil, fmt.Errorf("reading report card %s: %w; delete it and measure again", path, err)
	}
	return &c, nil
}

// check refuses a card that is of another subject, or cannot have been counted.
func (s Subject) check(c Card) error {
	switch {
	case c.Subject != s:
		return errors.New("it is about something else")
	case c.Ticks < 0 || c.Actions < 0 || c.Repeats < 0:
		return errors.New("a count is less than nothing")
	}
	return nil
}
