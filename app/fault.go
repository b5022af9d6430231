package app

import (
	"errors"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/internal/terminal"
)

// UsageError is a mistake of the caller: flags, a configuration, a scene. Exit code 2.
type UsageError struct {
	Err  error
	Hint string
}

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

func usage(err error, hint string) error { return &UsageError{Err: err, Hint: hint} }

// IsUsage says whether err is the caller's mistake.
func IsUsage(err error) bool {
	_, ok := errors.AsType[*UsageError](err)
	return ok
}

// keyless is an error without the keys that a server may have put into its text.
type keyless struct {
	err    error
	redact *episode.Redactor
}

func (e *keyless) Error() string { return e.redact.Text(e.err.Error()) }

func (e *keyless) Unwrap() error { return e.err }

func withoutKeys(err error, r *episode.Redactor) error {
	if err == nil {
		return nil
	}
	return &keyless{err: err, redact: r}
}

// Lines are what a person reads of an error: a line for each thing that is wrong, fit for a terminal, nothing twice.
func Lines(err error) []string {
	var out []string
	for _, l := range linesOf(err, nil) {
		if !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, l) }) {
			out = append(out, l)
		}
	}
	return out
}

func linesOf(err error, r *episode.Redactor) []string {
	switch e := err.(type) {
	case *keyless:
		return linesOf(e.err, e.redact)
	case *UsageError:
		return linesOf(e.Err, r)
	case config.Errors:
		var out []string
		for _, one := range e {
			out = append(out, terminal.Line(r.Text(one.Error())))
		}
		return out
	case interface{ Unwrap() []error }:
		if parts := e.Unwrap(); errors.Join(parts...).Error() == err.Error() { // nothing is written around them
			var out []string
			for _, part := range parts {
				out = append(out, linesOf(part, r)...)
			}
			return out
		}
	}
	return []string{terminal.Line(r.Text(err.Error()))}
}
