// Package measure counts what a monitor answered to labelled ticks: shares with their intervals, a replay of each action
// through the rules, and floors for them.
//
// Its one invariant: every number is a function of the samples alone, so the same samples give the same numbers, and a person
// can count them by hand.
package measure
