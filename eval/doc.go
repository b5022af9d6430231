// Package eval measures a monitor on recorded ticks that a person has labelled: labels and target boxes in files, the
// ticks asked again as the robot would ask, and the numbers that come out of it.
//
// Its one invariant: every number is a function of the labels and of the answers alone, so the same files give the same
// table, and a person can count it by hand.
package eval
