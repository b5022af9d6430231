//go:build race

package app

// raced says that the race detector slows everything down eight times.
const raced = true
