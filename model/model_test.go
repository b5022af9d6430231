package model_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/model"
)

func TestKey(t *testing.T) {
	tests := map[string]struct {
		value, base, want string
		err               error
	}{
		"plain":           {"sk-abc", "", "sk-abc", nil},
		"white_space":     {" \tsk-abc\r\n", "", "sk-abc", nil},
		"missing":         {"", "", "", model.ErrNoKey},
		"blank":           {"  ", "", "", model.ErrNoKey},
		"missing_locally": {"", "http://127.0.0.1:1", "", nil},
		"quoted":          {`"sk-abc"`, "", "", model.ErrBadKey},
		"space_within":    {"sk abc", "", "", model.ErrBadKey},
		"line_within":     {"sk\nabc", "", "", model.ErrBadKey},
		"not_ascii":       {"sk-äbc", "", "", model.ErrBadKey},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := model.Key("MY_KEY", tc.value, tc.base)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("got %q, %v", got, err)
			}
			if err == nil {
				return
			}
			if !strings.Contains(err.Error(), "MY_KEY") || strings.Contains(err.Error(), "abc") || strings.Contains(err.Error(), "äbc") {
				t.Errorf("the message must name the variable and never the key: %v", err)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	tests := map[string]struct{ root, versioned string }{
		"":                         {"", ""},
		"http://h:80":              {"http://h:80", "http://h:80/v1"},
		" http://h:80/ ":           {"http://h:80", "http://h:80/v1"},
		"http://h/v1":              {"http://h", "http://h/v1"},
		"http://h/v1/":             {"http://h", "http://h/v1"},
		"http://h/api/v1":          {"http://h/api", "http://h/api/v1"},
		"https://h/v1beta/openai/": {"https://h/v1beta/openai", "https://h/v1beta/openai"},
		"https://h/api/v3":         {"https://h/api/v3", "https://h/api/v3"},
	}
	for in, tc := range tests {
		root, err := model.Root(in)
		if err != nil || root != tc.root {
			t.Errorf("%q: got root %q, %v; want %q", in, root, err, tc.root)
		}
		versioned, err := model.Versioned(in)
		if err != nil || versioned != tc.versioned {
			t.Errorf("%q: got %q, %v; want %q", in, versioned, err, tc.versioned)
		}
	}
	if _, err := model.Root("ftp://me:secret@h"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestLimitsOf(t *testing.T) {
	tests := []struct {
		provider, name string
		known          bool
		thinking       model.Thinking
		images         int
		points         model.Points
	}{
		{"anthropic", "any", false, model.ThinkingNone, 100, model.PointsPixels},
		{"anthropic", "claude-opus-4-5-20251101", true, model.ThinkingBudget, 100, model.PointsPixels},
		{"anthropic", "claude-sonnet-4-20250514", true, model.ThinkingBudget, 100, model.PointsPixels},
		{"anthropic", "claude-opus-4-7", true, model.ThinkingAdaptive, 600, model.PointsPixels},
		{"anthropic", "claude-sonnet-5-5", true, model.ThinkingAdaptive, 600, model.PointsPixels},
		{"anthropic", "claude-opus-47", false, model.ThinkingNone, 100, model.PointsPixels},
		{"anthropic", "gpt-5", false, model.ThinkingNone, 100, model.PointsPixels},
		{"openai", "claude-opus-4-7", false, model.ThinkingNone, 100, model.PointsPixels},
		{"openai", "gpt-5.2", true, model.ThinkingEffort, 500, model.PointsPixels},
		{"openai_responses", "gpt-6.1-sol", true, model.ThinkingEffort, 500, model.PointsPixels},
		{"openai", "gpt-4o-mini", true, model.ThinkingNone, 500, model.PointsPixels},
		{"openai", "google/gemini-robotics-er-2", true, model.ThinkingNone, 100, model.PointsYX1000},
		{"openai", "gemini-3-pro", true, model.ThinkingNone, 100, model.PointsPixels},
	}
	for _, tc := range tests {
		l, known := model.LimitsOf(tc.provider, tc.name)
		if known != tc.known || l.Thinking != tc.thinking || l.Images != tc.images || l.Points != tc.points {
			t.Errorf("%s %s: got known %v, %+v", tc.provider, tc.name, known, l)
		}
		if !known && (l.Context != 200_000 || l.MaxOutput != 8192 || l.Efforts != nil || l.Structured) {
			t.Errorf("%s: the careful row is %+v", tc.name, l)
		}
	}
	l, _ := model.LimitsOf("openai", "any")
	images, points := 8, model.PointsYX1000
	l = l.With(&model.Override{Images: &images, Points: &points, Efforts: []string{"high"}})
	if l.Images != 8 || l.Points != model.PointsYX1000 || len(l.Efforts) != 1 || l.Context != 200_000 {
		t.Errorf("got %+v", l)
	}
}

func TestMindOfBudget(t *testing.T) {
	older, _ := model.LimitsOf("anthropic", "claude-haiku-4-5")
	tests := map[string]struct {
		budget, output         int
		wantBudget, wantOutput int
		fails                  bool
	}{
		"below":        {2048, 0, 2048, 8192, false},
		"above":        {20_000, 0, 20_000, 28_192, false},
		"given_enough": {2048, 4096, 2048, 4096, false},
		"given_less":   {4096, 4096, 0, 0, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m, err := model.ReasoningOf(model.Endpoint{Model: "m", ThinkingBudget: tc.budget, MaxOutputTokens: tc.output}, older)
			if (err != nil) != tc.fails || m.Budget != tc.wantBudget || m.Output != tc.wantOutput {
				t.Errorf("got %+v, %v", m, err)
			}
		})
	}
}

func TestCost(t *testing.T) {
	tests := map[string]struct {
		price model.Price
		usage model.Usage
		want  float64
	}{
		"plain":        {model.Price{Input: 3, Output: 15}, model.Usage{Input: 1e6, Output: 1e6}, 18},
		"cached":       {model.Price{Input: 3, Output: 15, CachedInput: 0.3, CacheWrite: 3.75}, model.Usage{Input: 1e6, CachedRead: 5e5, CachedWrite: 2e5}, 0.3*3 + 0.5*0.3 + 0.2*3.75},
		"not_told":     {model.Price{Input: 3, Output: 15}, model.Usage{Input: 1e6, CachedRead: 5e5}, 3},
		"counts_twice": {model.Price{Input: 3}, model.Usage{Input: 10, CachedRead: 20}, 20 * 3 / 1e6},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.price.Cost(tc.usage); math.Abs(got-tc.want) > 1e-9 {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// What a server says of its tokens neither gives a budget anything back nor runs over.
func TestUsageIsBounded(t *testing.T) {
	const most = math.MaxInt
	told := model.Usage{Input: most, Output: -5, CachedRead: -most, CachedWrite: 7, Reasoning: most}
	got, want := told.Bounded(), model.Usage{Input: 5e8, CachedWrite: 7, Reasoning: 5e8}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestErrorText(t *testing.T) {
	e := model.Classify(model.Fault{Status: 401, Type: "authentication_error", Msg: "invalid\n key", KeyEnv: "MY_KEY"})
	if got, want := e.Error(), "auth (401): invalid key; check the key in MY_KEY"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	long := model.Classify(model.Fault{Status: 400, Msg: strings.Repeat("ä", 5000)})
	if n := len([]rune(long.Msg)); n != 401 {
		t.Errorf("got %d characters", n)
	}
}
