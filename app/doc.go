// Package app puts the program together: it alone chooses robot, clock, reasoner and skills, and knows all other packages.
//
// Its one invariant: whatever it opened is closed, and what moved was stopped and measured, before its functions return.
package app
