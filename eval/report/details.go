package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/internal/terminal"
)

// proposals are the floors of the ending rules.
func proposals(b *strings.Builder, r *Column, most float64) {
	if len(r.Proposals) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s: floors for false stops in at most %g %% of the actions\n", terminal.Cell(r.Name), most*100)
	for _, p := range r.Proposals {
		fmt.Fprintf(b, "  %s: %s\n", ruleName(p.Rule), proposal(p, most))
	}
}

func proposal(p measure.Proposal, most float64) string {
	switch {
	case !p.Answered:
		return "it was never answered"
	case !p.Found:
		return "none: at every one more of them stop on a wrong tick"
	}
	return fmt.Sprintf("%g: false stops %s, right stops %s%s", p.Floor, share(p.False), share(p.True), heldOut(p, most))
}

// heldOut is what such floors did on actions that they were not chosen on.
func heldOut(p measure.Proposal, most float64) string {
	n := p.HeldOut.False.N
	if n < 2 {
		return "; there is no other action to try it on"
	}
	s := fmt.Sprintf("\n    tried on each action without having seen it: false stops %s, right stops %s", share(p.HeldOut.False), share(p.HeldOut.True))
	if p.NoFloor > 0 {
		s += fmt.Sprintf(", no floor for %d", p.NoFloor)
	}
	switch {
	case p.HeldOut.False.Rate() > most:
		return s + "; MORE than wanted"
	case !p.Shown:
		return s + "; too few actions to be sure"
	}
	return s
}

// leftOut names the ticks that could not be asked, and why.
func leftOut(b *strings.Builder, r *Column) {
	if len(r.LeftOut) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s: ticks left out\n", terminal.Cell(r.Name))
	for _, why := range r.LeftOut {
		fmt.Fprintf(b, "  %s\n", terminal.Line(why))
	}
}

func confusion(b *strings.Builder, r *Column) {
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

func replays(b *strings.Builder, r *Column) {
	fmt.Fprintf(b, "\n%s: the first rule to fire in each action\n", terminal.Cell(r.Name))
	for _, x := range r.Replays {
		fmt.Fprintf(b, "  %s %s", terminal.Cell(x.Episode), terminal.Cell(x.Action))
		if x.Repeat > 0 {
			fmt.Fprintf(b, " repeat %d", x.Repeat+1)
		}
		if x.Fired == nil {
			fmt.Fprintf(b, ": none in %s%s\n", inTicks(x.Ticks), gaps(x.Gaps))
			continue
		}
		f := x.Fired
		fmt.Fprintf(b, ": %s %s on tick %d, labelled %s", f.Question, ruleName(f.Rule), f.Tick, terminal.Cell(f.Label))
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
	return fmt.Sprintf(", %s in between have no label", inTicks(n))
}

func inTicks(n int) string {
	if n == 1 {
		return "1 tick"
	}
	return fmt.Sprintf("%d ticks", n)
}
