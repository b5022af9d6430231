package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a file. Line and Column count from 1; 0 means that only the file is known.
type Pos struct {
	File         string
	Line, Column int
}

func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Error is one thing that is wrong with a file.
type Error struct {
	Pos
	Msg  string
	Hint string // what to write instead; "" = the message says it all
}

func (e Error) Error() string {
	if e.Hint == "" {
		return e.Pos.String() + ": " + e.Msg
	}
	return e.Pos.String() + ": " + e.Msg + " (" + e.Hint + ")"
}

// Errors is everything that is wrong, in the order of the files and of their lines.
type Errors []Error

func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Err sorts es and returns it as an error, nil when nothing is wrong.
func (es Errors) Err() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.CompactFunc(es, func(a, b Error) bool { return a == b })
}

// Join is es with the errors that err holds. Another kind of error is placed at pos.
func (es Errors) Join(pos Pos, err error) Errors {
	var more Errors
	var one Error
	switch {
	case err == nil:
		return es
	case errors.As(err, &more):
		return append(es, more...)
	case errors.As(err, &one):
		return append(es, one)
	}
	return append(es, Error{Pos: pos, Msg: err.Error()})
}
