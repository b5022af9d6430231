// Package sim is a robot.Robot on the simulated table of package sim, with the clock that drives it.
//
// Its one invariant: what leaves it is what sensors of a real robot could give (readings, pictures with noise); where
// things are, what they are called and whether a task succeeded is asked by another door (Judge), which nothing that
// decides may use.
package sim
