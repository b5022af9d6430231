//go:build !race

package rules_test

// raced says that the tests run under the race detector.
const raced = false
