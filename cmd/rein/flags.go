package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// badFlag says a mistake in a flag in plain words.
func badFlag(_ *cobra.Command, err error) error {
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	wanted := map[string]string{
		"uint64": "a whole number from 0 to 9223372036854775807", "int": "a whole number", "float64": "a number", "bool": "true or false",
	}[bad.GetFlag().Value.Type()]
	if wanted == "" {
		return err
	}
	return fmt.Errorf("--%s %q: %s is wanted", bad.GetFlag().Name, bad.GetValue(), wanted)
}

// contradictions refuses flags that would be passed over in silence: an empty text, and two that exclude each other.
func contradictions(f *pflag.FlagSet, pairs ...[2]string) error {
	var errs []error
	f.Visit(func(fl *pflag.Flag) {
		texts := []string{fl.Value.String()}
		if list, several := fl.Value.(pflag.SliceValue); several {
			texts = list.GetSlice()
		} else if fl.Value.Type() != "string" {
			return
		}
		if slices.ContainsFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			errs = append(errs, fmt.Errorf("--%s is empty: leave it out, or name something", fl.Name))
		}
	})
	for _, p := range pairs {
		if f.Lookup(p[0]) != nil && f.Lookup(p[1]) != nil && f.Changed(p[0]) && f.Changed(p[1]) && f.Lookup(p[1]).Value.String() != "false" {
			errs = append(errs, fmt.Errorf("--%s and --%s exclude each other: leave one out", p[0], p[1]))
		}
	}
	return errors.Join(errs...)
}

// someBudget refuses a budget of nothing: left out, the configuration's stands.
func someBudget(f *pflag.FlagSet, names ...string) error {
	for _, n := range names {
		if f.Changed(n) && isZero(f.Lookup(n).Value.String()) {
			return fmt.Errorf("--%s 0: more than 0 is wanted; leave it out for the configuration's", n)
		}
	}
	return nil
}

func isZero(number string) bool {
	x, err := strconv.ParseFloat(number, 64)
	return err == nil && x == 0
}

// wantsJSON says whether a command line asks for JSON, also one that is not understood to its end.
func wantsJSON(args []string) bool {
	wants := false
	for _, a := range args {
		if a == "--" {
			break
		}
		value, is := strings.CutPrefix(a, "--json")
		if !is || value != "" && value[0] != '=' {
			continue
		}
		yes, err := strconv.ParseBool(strings.TrimPrefix(value, "="))
		wants = err != nil || yes // --json alone, too
	}
	return wants
}
