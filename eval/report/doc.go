// Package report writes what was measured of monitors as a table in words, one column for each model and configuration.
package report
