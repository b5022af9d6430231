// Package agent is the heart: one run from a typed task to its end. Package agent/run decides, as a pure step; this package is
// the shell around it, which takes events from the inbox, steps, logs, and carries the effects out.
//
// Its one invariant: only the shell's goroutine changes the state, and every effect gives exactly one event back, whatever
// becomes of whoever carries it out.
package agent
