// Package eval asks monitors again about recorded ticks that a person has labelled: labels and target boxes in files, the
// ticks shown as the robot would show them, and answers and report cards that are kept. What the answers come to is counted by
// eval/measure and written by eval/report; eval/labelpage is the page for labels.
//
// Its one invariant: nothing is asked, kept or counted that is not in the files, so the same files give the same table.
package eval
