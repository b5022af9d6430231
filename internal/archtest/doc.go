// Package archtest holds the table of who may import whom and the size budget of the sources, as a test.
//
// Its one invariant: it parses the sources that are there; it runs no other program, whose answer could be cached.
package archtest
