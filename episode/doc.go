// Package episode holds what a run leaves behind: the closed list of events, the Log that writes them, and the reader
// that verifies, lists and follows them.
//
// Its one invariant: what a Log has acknowledged is in the file, in the order of the sequence numbers, before anything
// that it announces happens; so a process killed at any moment loses at most the line being written.
//
// Start at Open and Log.Append for writing, at Read for reading, at events.go for what can happen.
package episode

//go:generate go run ./internal/docgen events.go ../docs/episode-format.md
