// Package sim holds the simulated table: scene files, the physics of objects and arms, and the checks that decide whether
// a task succeeded.
//
// Its one invariant: a world is a function of scene, seed, arms and the commands it was given, bit for bit; names and the
// order of a scene file decide nothing but what a check refers to.
//
// Parse reads a scene, Arrange places its objects for a seed, NewWorld builds the physics of scene and arms, World.Tick
// lets it go on by one control period, and a Trial judges a task. Units are SI and radians unless a name says otherwise;
// the world frame is that of package geom.
package sim
