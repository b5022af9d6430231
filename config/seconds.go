package config

import "time"

// Seconds is the value of a key that is in seconds ("max_duration_s"). Such keys are at most 1000000, which a duration holds.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
