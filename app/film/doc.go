// Package film makes the animated picture of a run: what a camera sees, and below it what is being done.
//
// Its one invariant: a film only looks on. It draws on a goroutine of its own from copies of the geometry, so a run is
// the same with and without it; the same run gives the same bytes.
package film
