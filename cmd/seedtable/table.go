package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// row is what became of one task.
type row struct {
	task      string
	runs      int
	succeeded int // by the check
	denied    int // claims of success that the check denies
	noVerdict int
	wall, sim []float64
	rounds    []float64
	failures  map[string][]uint64 // seeds by kind
}

func (r *row) add(o outcome) {
	r.runs++
	if res := o.Result; res != nil {
		r.wall, r.sim, r.rounds = append(r.wall, res.WallS), append(r.sim, res.SimS), append(r.rounds, float64(res.Turns))
		switch {
		case res.Checked == nil:
			r.noVerdict++
		case *res.Checked:
			r.succeeded++
		case res.Claimed != nil && *res.Claimed:
			r.denied++
		}
	} else {
		r.noVerdict++
	}
	if k := kind(o); k != clean {
		if r.failures == nil {
			r.failures = map[string][]uint64{}
		}
		r.failures[k] = append(r.failures[k], o.Seed)
	}
}

// clean is the kind of a run that was done and says so.
const clean = "done"

// kind is what a run came to, in words that like runs share.
func kind(o outcome) string {
	res := o.Result
	if res == nil {
		return "no result: " + alike(o.Error)
	}
	claimed := "no claim"
	if res.Claimed != nil {
		claimed = "claimed not done"
		if *res.Claimed {
			claimed = "claimed done"
		}
	}
	switch {
	case res.Status == "error":
		return "error: " + alike(o.Error)
	case res.Checked == nil:
		return "no verdict, " + claimed + ": " + alike(res.Summary)
	case *res.Checked && res.Status == "succeeded" && (res.Claimed == nil || !*res.Claimed):
		return "done, but " + claimed + ": " + alike(res.Summary)
	case *res.Checked && res.Status == "succeeded":
		return clean
	case *res.Checked:
		return "done, but it ended " + res.Status + ": " + alike(res.Summary)
	}
	return claimed + ": " + alike(res.Summary)
}

// alike takes the numbers out of a text, so that equal failures count together.
func alike(text string) string {
	var b strings.Builder
	inside := false
	for _, c := range strings.Join(strings.Fields(text), " ") {
		digit := '0' <= c && c <= '9'
		switch {
		case digit && !inside:
			b.WriteByte('N')
		case !digit && !(inside && c == '.'):
			b.WriteRune(c)
		}
		inside = digit || inside && c == '.'
	}
	return b.String()
}

func printTable(w io.Writer, rows []row) error {
	var b strings.Builder
	b.WriteString("| task | runs | done (checked) | claims denied by the check | no verdict | wall s, median / max | simulated s, median / max | planner rounds, median / max |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %s | %s |\n",
			r.task, r.runs, r.succeeded, r.denied, r.noVerdict, spread("%.1f", r.wall), spread("%.1f", r.sim), spread("%.0f", r.rounds))
	}
	for _, r := range rows {
		if len(r.failures) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s, what was not clean:\n\n", r.task)
		kinds := slices.SortedFunc(maps.Keys(r.failures), func(x, y string) int {
			return cmp.Or(cmp.Compare(len(r.failures[y]), len(r.failures[x])), cmp.Compare(x, y))
		})
		for _, k := range kinds {
			seeds := slices.Sorted(slices.Values(r.failures[k]))
			fmt.Fprintf(&b, "- %d × %s (seeds %s)\n", len(seeds), k, strings.Trim(fmt.Sprint(seeds), "[]"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// spread is the median (the lower one of two) and the maximum.
func spread(format string, values []float64) string {
	if len(values) == 0 {
		return "–"
	}
	v := slices.Sorted(slices.Values(values))
	return fmt.Sprintf(format+" / "+format, v[(len(v)-1)/2], v[len(v)-1])
}
