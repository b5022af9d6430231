// Package frames makes the pictures that a monitor judges an action by: cut to what decides, labelled with their age, and
// never with a tracker's overlay.
//
// Its one invariant: what is shown is what the camera took. A mark lies beside the target and covers none of it, on a
// copy; the pixels of a close-up are those of the capture.
package frames
