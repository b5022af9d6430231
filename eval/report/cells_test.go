package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/eval/report"
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
			r := measure.Result{Score: measure.Score{Latency: measure.SpreadOf(tc.list)}}
			if got := written(t, report.Column{Name: "m", Result: r}); !strings.Contains(got, tc.want) {
				t.Errorf("no %q in:\n%s", tc.want, got)
			}
		})
	}
	for delay, want := range map[time.Duration]string{-1900 * ms: ", 1.9 s before the moment\n", 300 * ms: ", 0.30 s after the moment\n", 2 * ms: ", 0.002 s after the moment\n", 0: ", at the moment\n"} {
		r := measure.Result{Replays: []measure.Replay{{Fired: &measure.Fired{Delay: &delay}}}}
		if got := written(t, report.Column{Name: "m", Result: r}); !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}
