// Package safety holds the shield: the gate that every motion command passes on its way to a robot.
//
// Its one invariant: what the shield lets through is the command itself or a smaller step towards it, never another
// motion, and it lies within the robot's limits or leads back to them. It is pure: same command, readings and time, same
// answer.
package safety
