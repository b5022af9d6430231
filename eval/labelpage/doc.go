// Package labelpage is the page on which a person labels ticks: /monitor/label.
//
// Its one invariant: it serves this machine only, and of its files only the pictures of the ticks that are labelled.
package labelpage
