package app

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
)

func TestLines(t *testing.T) {
	t.Parallel()
	full := errors.New("log 7: no space left")
	files := config.Errors{{Pos: config.Pos{File: "a.yaml", Line: 1, Column: 2}, Msg: "one"}, {Pos: config.Pos{File: "b.yaml"}, Msg: "two\nforged: line"}}
	key := episode.NewRedactor("my-secret-key")
	for _, tt := range []struct {
		name string
		err  error
		want []string
	}{
		{"one", full, []string{"log 7: no space left"}},
		{"twice", errors.Join(fmt.Errorf("sealing: %w", full), full, full), []string{"sealing: log 7: no space left"}},
		{"files", usage(errors.Join(files, nil), "h"), []string{"a.yaml:1:2: one", "b.yaml: two forged: line"}},
		{"forged", errors.New("refused\nrein: succeeded\x1b[2J"), []string{`refused rein: succeeded\x1b[2J`}},
		{"key", withoutKeys(errors.Join(errors.New("401: my-secret-key"), full), key), []string{"401: [redacted]", "log 7: no space left"}},
		{"wrapped", fmt.Errorf("reading: %w and %w", full, errors.New("x")), []string{"reading: log 7: no space left and x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, Lines(tt.err)); d != "" {
				t.Error(d)
			}
		})
	}
	if err := withoutKeys(usage(errors.New("my-secret-key"), ""), key); !IsUsage(err) || err.Error() != "[redacted]" {
		t.Errorf("got %v", err)
	}
}

// The end of a run does not wait for a reader of its progress that never comes back.
func TestTheLastWordsHaveADeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := episode.Off(episode.Options{})
		stuck := make(chan struct{})
		told := narrate(t.Context(), log, func(string) { <-stuck })
		if err := errors.Join(log.Append(episode.AgentMessage{Text: "a"}), log.Append(episode.AgentMessage{Text: "b"}), log.Close()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		told()
		if took := time.Since(began); took != lastWords {
			t.Errorf("took %v", took)
		}
		close(stuck)
		synctest.Wait()
	})
}

func TestNumbersThatCountForNothing(t *testing.T) {
	t.Parallel()
	nan := 0.0
	nan /= nan
	for _, o := range []Options{{MaxMinutes: nan}, {MaxMinutes: -1}, {MaxMinutes: 1e300}, {MaxCost: nan}, {MaxCost: -1}, {MaxTurns: -1}, {Seed: 1 << 63}} {
		if err := checkNumbers(&o); !IsUsage(err) {
			t.Errorf("%+v: got %v", o, err)
		}
	}
	if err := checkNumbers(&Options{MaxMinutes: 0.5, MaxTurns: 3, MaxCost: 2, Seed: 1<<63 - 1}); err != nil {
		t.Error(err)
	}
}
