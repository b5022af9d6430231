// Package plane holds the geometry of one plane, metres: points, turned rectangles, convex hulls and polygons, and what
// is read from clouds of points that have outliers.
//
// Its one invariant: it is pure, and it gives the same bits for the same points.
package plane
