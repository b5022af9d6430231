// Package vision holds pictures as they are sent and compared: crop, resize, grid, marks, masks, and patches of two looks at
// one point. What is found in pictures is in vision/detect, whether they are to be trusted in vision/liveness.
//
// Its one invariant: it is pure over images; it sees pixels, depth and camera poses, never a simulator.
package vision
