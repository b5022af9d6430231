package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"time"
)

var numbers = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// report prints the tables.
func report(w io.Writer, all []trial, took time.Duration) {
	good := 0
	kinds, failures := map[string][2]int{}, map[string]int{}
	var pick, put time.Duration
	for _, t := range all {
		for _, k := range []string{t.kind, "→ " + t.drop} {
			c := kinds[k]
			c[1]++
			if t.stage == "" {
				c[0]++
			}
			kinds[k] = c
		}
		if t.stage == "" {
			good++
			pick += t.pick
			put += t.put
			continue
		}
		failures[t.stage+": "+numbers.ReplaceAllString(t.reason, "n")]++
	}
	fmt.Fprintf(w, "%d of %d picks and drops good (%.1f %%); a good pick takes %.1f s, a drop %.1f s of robot time; %.0f s of wall time\n\n",
		good, len(all), 100*float64(good)/float64(max(1, len(all))), (pick / time.Duration(max(1, good))).Seconds(), (put / time.Duration(max(1, good))).Seconds(), took.Seconds())
	fmt.Fprintln(w, "| what | good | of |\n|---|---|---|")
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(w, "| %s | %d | %d |\n", k, kinds[k][0], kinds[k][1])
	}
	if len(failures) == 0 {
		return
	}
	fmt.Fprintln(w, "\n| failure | times |\n|---|---|")
	for _, k := range slices.Sorted(maps.Keys(failures)) {
		fmt.Fprintf(w, "| %s | %d |\n", k, failures[k])
	}
}
