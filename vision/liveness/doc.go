// Package liveness judges by its pictures whether a camera shows the world: a picture that repeats itself, has no noise of a
// sensor, is black or all white, or does not show the arm move is not live. Start with Judge.
//
// Its one invariant: it is pure over images and readings; what it says depends on what it was shown and on nothing else.
package liveness
