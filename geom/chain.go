package geom

// Joint is one revolute joint of a chain.
type Joint struct {
	Name         string
	Origin       Pose    // of the joint's frame in the frame of the joint before (the world for the first), at angle 0
	Axis         Vec     // of unit length, in the joint's frame
	Lower, Upper float64 // rad
}

// Chain is a serial arm: joints from the foot to the wrist, then the tool frame (origin between the fingertips, z out of
// the gripper, y the closing axis of the fingers).
type Chain struct {
	Joints []Joint
	Tool   Pose // in the frame of the last joint
}
