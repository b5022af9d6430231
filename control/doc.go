// Package control is the control loop: the one goroutine between skills and the robot. It owns the running skills and
// services, the actuator commands, the generation and the e-stop latch, and it measures every stop.
//
// Its one invariant: a motion command reaches the robot only from a tick or a start of this goroutine, through the
// shield, while its action runs, its generation is the current one and no e-stop is latched.
//
// Start at Config, New and Controller.Run; the order within a period stands in Controller.tick.
package control
