package eval_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/monitor/question"
)

func TestTimesAreReadable(t *testing.T) {
	const ms = time.Millisecond
	tests := map[string]struct {
		list []time.Duration
		want string
	}{
		"a_local_model":     {[]time.Duration{4 * ms, 56 * ms, 123 * ms}, "56 / 123 / 123 ms (of 3)"},
		"hardly_anything":   {[]time.Duration{1200 * time.Microsecond}, "1.2 / 1.2 / 1.2 ms (of 1)"},
		"over_a_second":     {[]time.Duration{120 * ms, 1250 * ms}, "0.12 / 1.2 / 1.2 s (of 2)"},
		"slow":              {[]time.Duration{12340 * ms}, "12.3 / 12.3 / 12.3 s (of 1)"},
		"none_at_all":       {[]time.Duration{0}, "0.0 / 0.0 / 0.0 s (of 1)"},
		"before_the_moment": {[]time.Duration{-1900 * ms}, "-1.9 / -1.9 / -1.9 s (of 1)"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := eval.Result{Name: "m", Question: question.Question{Name: "progress"}, Score: eval.Score{Latency: eval.SpreadOf(tc.list)}}
			if got := rendered(t, r); !strings.Contains(got, tc.want) {
				t.Errorf("no %q in:\n%s", tc.want, got)
			}
		})
	}
	for delay, want := range map[time.Duration]string{-1900 * ms: ", 1.9 s before the moment\n", 300 * ms: ", 0.30 s after the moment\n", 2 * ms: ", 0.002 s after the moment\n", 0: ", at the moment\n"} {
		r := eval.Result{Name: "m", Question: question.Question{Name: "progress"}, Replays: []eval.Replay{{Fired: &eval.Fired{Delay: &delay}}}}
		if got := rendered(t, r); !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func rendered(t *testing.T, r eval.Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := eval.Table(&out, []eval.Result{r}, 0.05); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
