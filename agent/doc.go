// Package agent is the heart: one run from a typed task to its end. A pure step turns (state, event) into (state, effects);
// a thin shell takes events from the inbox, logs, and carries the effects out.
//
// Its one invariant: only the shell's goroutine changes the state, every effect gives exactly one event back, and what
// comes back after its effect was given up is logged as late and changes nothing.
package agent
