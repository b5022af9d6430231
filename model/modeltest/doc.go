// Package modeltest holds servers that play a model's part over each wire, with the faults that real ones have, a check
// of every request that they get, and one contract suite that every provider passes.
//
// Its one invariant: a request that the vendor would refuse fails the test that sent it.
package modeltest
