package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// evaluations refused before anything is asked.
func TestModelsAndEffortsThatThereAreNot(t *testing.T) {
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{})
	tests := map[string]struct{ model, effort, want, hint string }{
		"no_effort":      {"openai:gpt-5.1", "lots", "--reasoning lots: there is no such effort", "write one of none, minimal, low, medium, high, xhigh, max"},
		"no_provider":    {"foo:bar", "", `--model foo:bar: there is no provider "foo"`, "openai:foo:bar"},
		"nearly_one":     {"opneai:bar", "", `did you mean "openai"?`, "providers are anthropic, openai,"},
		"takes_no_words": {"openai_decisions:gpt-6-luna", "low", "--reasoning low: openai_decisions takes none", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newTaped(t, srv.URL)
			p.Models, p.Reasoning = []string{tc.model}, tc.effort
			err := Evaluate(t.Context(), p.Evaluation)
			u, ok := errors.AsType[*UsageError](err)
			if !ok || !strings.Contains(err.Error(), tc.want) || !strings.Contains(u.Hint, tc.hint) {
				t.Errorf("got %v, want %q and the hint %q", err, tc.want, tc.hint)
			}
		})
	}
	if n := len(srv.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// A card claims the effort that was sent, and none when none was.
func TestACardClaimsWhatWasSent(t *testing.T) {
	reply := modeltest.Reply{Text: `{"progress":{"value":"holding","p":0.9}}`, Usage: model.Usage{Input: 1, Output: 1}}
	tests := map[string]struct{ model, effort, column, told string }{
		"a_model_that_nobody_knows": {"openai:llava:7b", "high", "openai:llava:7b", "llava:7b is not known to take an effort: reasoning_effort is not sent"},
		"a_model_that_knows_less":   {"openai:gpt-5", "max", "openai:gpt-5 high", "gpt-5 does not know reasoning_effort max: high is sent"},
		"a_model_that_knows_it":     {"openai:gpt-5", "low", "openai:gpt-5 low", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			srv := modeltest.Listen(t, modeltest.Chat(), modeltest.Rules{}, modeltest.Step{Reply: reply})
			p := newTaped(t, srv.URL)
			p.Models, p.Reasoning = []string{tc.model}, tc.effort
			p.conf(t, filepath.Join(p.root, "chat"), strings.Replace(monitorBlock(srv.URL, ""), "openai_decisions", "openai", 1), pickQuestions)
			p.Conf = filepath.Join(p.root, "chat")
			if err := Evaluate(t.Context(), p.Evaluation); err != nil {
				t.Fatal(err)
			}
			if head, _, _ := strings.Cut(p.out.String(), "\n"); strings.Join(strings.Fields(head)[1:], " ") != tc.column {
				t.Errorf("the column is %q, want %q", head, tc.column)
			}
			if n := strings.Count(strings.Join(p.told, "\n"), "reasoning_effort"); tc.told != "" && (n != 1 || !strings.Contains(strings.Join(p.told, "\n"), tc.told)) || tc.told == "" && n != 0 {
				t.Errorf("got %q, want %q once", p.told, tc.told)
			}
			cards, err := filepath.Glob(filepath.Join(p.root, "evals", "cards", "*.json"))
			if err != nil || len(cards) != 1 {
				t.Fatalf("cards: %v, %v", cards, err)
			}
			if data, err := os.ReadFile(cards[0]); err != nil || !strings.Contains(string(data), `"`+tc.column+`"`) {
				t.Errorf("got %s, %v", data, err)
			}
		})
	}
}

// With a server that is dead nothing was answered, and nobody is told to resume.
func TestNobodyResumesWhatNeverBegan(t *testing.T) {
	p := newTaped(t, "http://127.0.0.1:1")
	if err := Evaluate(t.Context(), p.Evaluation); err == nil {
		t.Fatal("no error")
	}
	if told := strings.Join(p.told, "\n"); !strings.Contains(told, "nothing was answered") || strings.Contains(told, "--resume") {
		t.Errorf("got:\n%s", told)
	}
}
