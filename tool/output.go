package tool

import "context"

// outputKey is the place of a run's output in its context.
type outputKey struct{}

// WithOutput is ctx for a run whose output goes to w. w may be called from any goroutine.
func WithOutput(ctx context.Context, w func(text string)) context.Context {
	return context.WithValue(ctx, outputKey{}, w)
}

// Print adds text to what a background run has put out so far; the planner reads it with read_job. End a line with \n.
// Elsewhere it does nothing.
func Print(ctx context.Context, text string) {
	if w, ok := ctx.Value(outputKey{}).(func(string)); ok {
		w(text)
	}
}
