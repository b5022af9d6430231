package app

import "errors"

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
