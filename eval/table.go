package eval

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rein-robotics/rein/monitor/question"
)

// Result is what was measured of one model.
type Result struct {
	Model     string
	Score     Score
	Replays   []Replay
	Proposals []Proposal
}

// Measure counts the samples of one model on question q of a skill. most is the rate of false stops that floors are
// proposed for, 0 to 1.
func Measure(name string, q question.Question, all []question.Question, samples []Sample, set Settings, most float64) Result {
	return Result{
		Model: name, Score: ScoreOf(q, samples), Replays: Replays(q.Name, all, samples, set), Proposals: Propose(q, samples, set, most),
	}
}

// Table writes the results side by side.
func Table(w io.Writer, q question.Question, list []Result, most float64) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, cell func(r *Result) string) {
		fmt.Fprint(t, name)
		for i := range list {
			fmt.Fprint(t, "\t", cell(&list[i]))
		}
		fmt.Fprintln(t)
	}
	row(q.Name, func(r *Result) string { return r.Model })
	row("ticks (unsure)", func(r *Result) string { return fmt.Sprintf("%d (%d)", r.Score.Ticks, r.Score.Unsure) })
	row("calls", func(r *Result) string { return fmt.Sprint(r.Score.Calls) })
	row("no answer", func(r *Result) string { return fmt.Sprint(r.Score.Missing) })
	row("right", func(r *Result) string { return share(r.Score.Right) })
	for i, x := range q.When {
		name := RuleName(x)
		row(name+": met on a right tick", func(r *Result) string { return share(r.Score.Rules[i].Met) })
		row(name+": met on a wrong tick", func(r *Result) string { return share(r.Score.Rules[i].Wrong) })
		row(name+": below its floor", func(r *Result) string { return share(r.Score.Rules[i].Below) })
	}
	row("repeats disagree", func(r *Result) string { return share(r.Score.Disagree) })
	row("latency p50 / p95 / most", func(r *Result) string { return spread(r.Score.Latency) })
	row("moment to firing p50 / p95 / most", func(r *Result) string { return spread(Delays(r.Replays)) })
	row("cost", func(r *Result) string { return fmt.Sprintf("$%.4f", r.Score.CostUSD) })
	ends := 0
	for _, x := range q.When {
		if !x.Do.Ends() {
			continue
		}
		n := ends
		row(fmt.Sprintf("%s: floor for false stops ≤ %g %%", RuleName(x), most*100), func(r *Result) string { return proposal(r.Proposals[n]) })
		ends++
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range list {
		confusion(&b, &list[i])
		replays(&b, &list[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// RuleName is a rule in words: "finish holding ≥ 0.8 ×2".
func RuleName(r question.Rule) string {
	s := string(r.Do) + " " + r.Value
	if r.Threshold > 0 {
		s += fmt.Sprintf(" ≥ %g", r.Threshold)
	}
	if r.Consecutive > 1 {
		s += fmt.Sprintf(" ×%d", r.Consecutive)
	}
	if r.After > 0 {
		s += fmt.Sprintf(" after %g s", r.After.Seconds())
	}
	return s
}

// number prints a count that may be a fraction.
func number(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

func share(s Share) string {
	if s.N == 0 {
		return "– of 0"
	}
	return fmt.Sprintf("%.1f %% (%s of %d; %.1f–%.1f)", 100*s.Rate(), number(s.Of), s.N, 100*s.Low, 100*s.High)
}

func spread(s Spread) string {
	if s.N == 0 {
		return "– of 0"
	}
	return fmt.Sprintf("%s / %s / %s s (of %d)", secs(s.P50), secs(s.P95), secs(s.Max), s.N)
}

func secs(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

func proposal(p Proposal) string {
	if !p.Found {
		return "none"
	}
	s := fmt.Sprintf("%.3g: false stops %s, right stops %s", p.Floor, share(p.False), share(p.True))
	if !p.Shown {
		s += "; too few actions to be sure"
	}
	return s
}

func confusion(b *strings.Builder, r *Result) {
	fmt.Fprintf(b, "\n%s: labels down, answers across\n", r.Model)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\t%s\tno answer\t\n", strings.Join(r.Score.Values, "\t"))
	for _, row := range r.Score.Confusion {
		fmt.Fprint(t, row.Label)
		for _, n := range row.Counts {
			fmt.Fprintf(t, "\t%d", n)
		}
		fmt.Fprintf(t, "\t%d\t\n", row.None)
	}
	t.Flush() // into memory
}

func replays(b *strings.Builder, r *Result) {
	fmt.Fprintf(b, "\n%s: the first rule to fire in each action\n", r.Model)
	for _, x := range r.Replays {
		fmt.Fprintf(b, "  %s %s", x.Episode, x.Action)
		if x.Repeat > 0 {
			fmt.Fprintf(b, " repeat %d", x.Repeat+1)
		}
		if x.Fired == nil {
			fmt.Fprintf(b, ": none in %d ticks\n", x.Ticks)
			continue
		}
		f := x.Fired
		fmt.Fprintf(b, ": %s %s on tick %d, labelled %s", f.Question, RuleName(f.Rule), f.Tick, f.Label)
		if f.Right != nil && !*f.Right {
			fmt.Fprint(b, ", WRONG")
		}
		if f.Delay != nil {
			fmt.Fprintf(b, ", %s s from the moment", secs(*f.Delay))
		}
		fmt.Fprintln(b)
	}
}
