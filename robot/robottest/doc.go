// Package robottest holds the contract that every robot passes, and a fake robot with fault dials.
//
// Its one invariant: the suite asks for nothing but what package robot promises, so the fake, the simulator and hardware
// run the same one.
//
// Start at TestRobot for a robot of your own, and at NewFake for a test that needs one.
package robottest
