// Package detect finds things in one picture and its depth: Things gives them by kind and colour with places worth pointing
// at, a Tracker follows a region from picture to picture, EstimateGrasp says where to take hold, and a HeightMap what stands
// on the table.
//
// Its one invariant: it is pure over images; it sees pixels, depth and camera poses, never a simulator.
package detect
