//go:build race

package rules_test

// raced says that the tests run under the race detector, where each picture takes ten times as long.
const raced = true
