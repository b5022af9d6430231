//go:build !unix

package main

import "time"

// processorTime has no clock of the processor here: it is the time of day.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
