package agent_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/tool"
	"pgregory.net/rapid"
)

// These are the functions and the sub-agents of the random runs, and what is checked of them.

// trialFunctions come back at once, fail, panic, or stay until they are cancelled.
func trialFunctions(t *testing.T) []*tool.Tool {
	at := func(ctx context.Context) (any, error) {
		tool.Print(ctx, "one\ntwo\n")
		return map[string]int{"n": 1}, nil
	}
	return []*tool.Tool{
		goFunction(t, "count", tool.Reads, at), goFunction(t, "note", tool.Acts, at),
		goFunction(t, "oops", tool.Acts, func(context.Context) (any, error) { panic("oh") }),
		goFunction(t, "survey", tool.Reads, at).InBackground(), goFunction(t, "build", tool.Acts, at).InBackground(),
		goFunction(t, "linger", tool.Reads, func(ctx context.Context) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}).InBackground().Within(3 * time.Millisecond),
	}
}

// startedJob finds the answer of a call that began a job.
var startedJob = regexp.MustCompile(`^\{"job":"(j\d+)","status":"running"\}$`)

// checkJobs: each job that the planner was told of ends once.
func checkJobs(rt *rapid.T, r *rig, p *erratic) {
	ended := map[string]int{}
	for _, e := range events[episode.JobDone](r.log) {
		ended[e.ID]++
	}
	for id, n := range ended {
		if n != 1 {
			rt.Fatalf("%s ended %d times; log:\n%s", id, n, r.log)
		}
	}
	for _, v := range p.seen {
		for _, answer := range lastResults(v) {
			if m := startedJob.FindStringSubmatch(answer); m != nil && ended[m[1]] != 1 {
				rt.Fatalf("%s was begun and has not ended; log:\n%s", m[1], r.log)
			}
		}
	}
}

// ofSub says that a view is a sub-agent's.
func ofSub(v run.View) bool { return strings.HasPrefix(v.Request.System, "You work for the planner") }

// checkSubCalls: each request of a sub-agent goes on from one of its own (or is that again, after an empty pause), or begins
// anew, and has a result for each call.
func checkSubCalls(rt *rapid.T, p *erratic) {
	var talks [][]model.Message
	for i, v := range p.seen {
		if !ofSub(v) {
			continue
		}
		now := v.Request.Messages
		checkPairs(rt, now)
		at := slices.IndexFunc(talks, func(t []model.Message) bool { return len(t) < len(now) && encode(now[:len(t)]) == encode(t) })
		switch {
		case at >= 0:
			talks[at] = now
		case len(now) == 1:
			talks = append(talks, now)
		case slices.ContainsFunc(talks, func(t []model.Message) bool { return encode(t) == encode(now) }): // it paused without a word
		default:
			rt.Fatalf("request %d is no sub-agent's next one", i)
		}
	}
}

// TestASubAgentInRealGoroutines: its rounds are rounds of the run, and its calls are kept apart in the log.
func TestASubAgentInRealGoroutines(t *testing.T) {
	for how, opts := range map[string][]option{"in_line": nil, "beside": {streaming}} {
		t.Run(how, func(t *testing.T) {
			count := goFunction(t, "count", tool.Reads, func(context.Context) (any, error) { return map[string]int{"n": 3}, nil })
			r := newRig(t, []round{
				says(call("delegate", `{"task":"count the boxes"}`)), says(call("count", `{}`), call("observe", `{}`)), says(model.Text{Text: "Three."}), says(finish(true)),
			}, append(opts, withFunctions(count), func(c *agent.Config) { c.Settings.SubAgents = &run.SubAgents{} })...)
			res := r.run("do it")
			if got := lastResults(r.planner.views()[3]); len(got) != 1 || !strings.Contains(got[0], `"answer":"Three."`) {
				t.Errorf("got %v; log:\n%s", got, r.log)
			}
			if res.Turns != 4 {
				t.Errorf("got %d rounds", res.Turns)
			}
			var threads []string
			for _, turn := range r.log.turns {
				threads = append(threads, turn.Thread)
			}
			want := []string{"", "call_1", "call_1", ""}
			if how == "beside" { // the sub-agent may be through before the reply that called it is over
				slices.Sort(threads)
				slices.Sort(want)
			}
			if !slices.Equal(threads, want) {
				t.Errorf("got threads %q", threads)
			}
			r.noHolds()
		})
	}
}
