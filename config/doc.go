// Package config turns the files of a configuration folder into structs.
//
// Its one invariant: a file is taken whole or not at all. Whatever a reader of the file could have meant otherwise (an
// unknown key, a number with a leading zero, a decimal comma, a second document) is an error with file, line, column and
// a hint, and all errors of a file are told at once.
//
// Start at Decode for any file, at Load for a whole folder.
package config

//go:generate go run ./internal/docgen .. ../docs/configuration.md
