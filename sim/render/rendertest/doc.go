// Package rendertest draws tables for the tests of whatever looks at pictures: things of any size and colour, seen by a fixed
// camera or one beside a gripper, with the noise of the sensors.
//
// Its one invariant: a scene and a shot give the same picture, to the bit.
package rendertest
