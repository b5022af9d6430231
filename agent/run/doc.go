// Package run is what an agent decides in one run, from a typed task to its end: a pure step from (state, event) to
// (state, effects). It holds the words between the step and the shell around it: events that come in, effects that go out,
// the settings, and what reasoners and monitors are shown. Start with State.Step.
//
// Its one invariant: the step has no clock, no goroutine and no chance; the same events give the same effects, and what
// answers an effect that nobody waits for any more is logged as late and changes nothing.
package run
