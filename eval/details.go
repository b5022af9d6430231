package eval

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/rein-robotics/rein/internal/terminal"
)

// proposals are the floors of the ending rules.
func proposals(b *strings.Builder, r *Result, most float64) {
	if len(r.Proposals) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s: floors for false stops of at most %g %% of the actions\n", terminal.Cell(r.Name), most*100)
	for _, p := range r.Proposals {
		fmt.Fprintf(b, "  %s: %s\n", RuleName(p.Rule), proposal(p))
	}
}

func proposal(p Proposal) string {
	switch {
	case !p.Answered:
		return "it was never answered"
	case !p.Found:
		return "none"
	}
	s := fmt.Sprintf("%g: false stops %s, right stops %s", p.Floor, share(p.False), share(p.True))
	if !p.Shown {
		s += "; too few actions to be sure"
	}
	return s
}

func confusion(b *strings.Builder, r *Result) {
	fmt.Fprintf(b, "\n%s: labels down, answers across\n", terminal.Cell(r.Name))
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, v := range r.Score.Values {
		fmt.Fprint(t, "\t", terminal.Cell(v))
	}
	fmt.Fprint(t, "\tno answer\t\n")
	for _, row := range r.Score.Confusion {
		fmt.Fprint(t, terminal.Cell(row.Label))
		for _, n := range row.Counts {
			fmt.Fprintf(t, "\t%d", n)
		}
		fmt.Fprintf(t, "\t%d\t\n", row.None)
	}
	t.Flush() // into memory
}

func replays(b *strings.Builder, r *Result) {
	fmt.Fprintf(b, "\n%s: the first rule to fire in each action\n", terminal.Cell(r.Name))
	for _, x := range r.Replays {
		fmt.Fprintf(b, "  %s %s", terminal.Cell(x.Episode), terminal.Cell(x.Action))
		if x.Repeat > 0 {
			fmt.Fprintf(b, " repeat %d", x.Repeat+1)
		}
		if x.Fired == nil {
			fmt.Fprintf(b, ": none in %d ticks%s\n", x.Ticks, gaps(x.Gaps))
			continue
		}
		f := x.Fired
		fmt.Fprintf(b, ": %s %s on tick %d, labelled %s", f.Question, RuleName(f.Rule), f.Tick, terminal.Cell(f.Label))
		if f.Right != nil && !*f.Right {
			fmt.Fprint(b, ", WRONG")
		}
		if f.Delay != nil {
			fmt.Fprintf(b, ", %s", fromMoment(*f.Delay))
		}
		fmt.Fprintln(b, gaps(x.Gaps))
	}
}

func gaps(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d ticks in between have no label", n)
}
