// Package vision holds what can be read from one picture and its depth: crop, resize, grid, marks, overlays, masks, the
// region tracker, the local detector and grasp estimates.
//
// Its one invariant: it is pure over images; it sees pixels, depth and camera poses, never a simulator.
package vision
