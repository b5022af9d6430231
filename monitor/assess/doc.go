// Package assess holds the assessors of a monitor: models that give typed answers, models that answer in JSON, and rules
// that read masks, depth and readings.
//
// Its one invariant: what is no answer to its question is none. Nothing is guessed, rounded into range or taken from
// beside what was asked for.
package assess
