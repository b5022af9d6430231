package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/robot"
)

// BenchmarkLateness is how much later than its time a control tick of the real clock comes while an arm sways: without a
// monitor, with one that looks through two cameras twice a second and asks a server of this machine, and, since a simulated
// robot draws its pictures itself, with as many pictures that nobody looks at. A tick is 10 ms of wall clock, and each of
// the three goes on for as many ticks as the benchmark is told: use -benchtime 3000x.
func BenchmarkLateness(b *testing.B) {
	const turns = 3 // in which the three take each other's place
	ticks := b.N / turns
	if ticks < 10 {
		return // testing's first round
	}
	late := map[string]lateness{}
	for range turns {
		for _, leg := range []string{"off", "drawn", "on"} {
			late[leg] = append(late[leg], swayLate(b, leg, ticks)...)
		}
	}
	for leg, l := range late {
		slices.Sort(l)
		b.ReportMetric(float64(l.at(0.5).Microseconds()), leg+"-p50-µs")
		b.ReportMetric(float64(l.at(0.95).Microseconds()), leg+"-p95-µs")
	}
	b.ReportMetric(float64(late["on"].at(0.95))/float64(late["off"].at(0.95)), "x-off")
	b.ReportMetric(float64(late["on"].at(0.95))/float64(late["drawn"].at(0.95)), "x-drawn")
	b.ReportMetric(0, "ns/op") // of worlds that are made, too
}

// lateness is how late some ticks came, sorted.
type lateness []time.Duration

// at is a quantile.
func (l lateness) at(q float64) time.Duration { return l[min(int(q*float64(len(l))), len(l)-1)] }

// swayLate lets an arm sway for so many ticks and gives how late each came.
func swayLate(b *testing.B, leg string, ticks int) lateness {
	b.Helper()
	const period, looks = 10 * time.Millisecond, 500 * time.Millisecond
	came := make([]time.Duration, 0, ticks)
	from := time.Now()
	arm := sway{limit: time.Duration(ticks) * period, questions: swayQuestions, watch: func(time.Duration) {
		if len(came) < ticks {
			came = append(came, time.Since(from))
		}
	}}
	srv := modeltest.Listen(b, modeltest.Decisions(), modeltest.Rules{NoKey: true}, modeltest.Step{
		Answers: []modeltest.Answer{modeltest.Chose("progress", "going", 0.95)},
	})
	o := Options{Conf: twoEyed(b), Scene: "battery", Time: "real", Record: b.TempDir(), NoFilm: true, Monitor: "none", Skills: arm.skills()}
	if leg == "on" {
		o.Monitor, o.MonitorURL = "", srv.URL
	}
	r := made(b, &o, batteryTask)
	r.reasoner = func(agent.Reasoner) agent.Reasoner { return &script{rounds: [][]model.Part{{call("sway", `{}`)}}} }
	ctx, over := context.WithCancel(b.Context())
	var g sync.WaitGroup
	if leg == "drawn" {
		r.body = func(body robot.Robot) robot.Robot {
			g.Go(func() { takePictures(ctx, body, looks) })
			return body
		}
	}
	res, err := r.run(ctx)
	over()
	g.Wait()
	if err := errors.Join(err, r.log.Close()); err != nil || len(came) < ticks/2 {
		b.Fatalf("%d ticks, %+v, %v", len(came), res, err)
	}
	if n := len(srv.Requests()); (n > 0) != (leg == "on" && ticks > 200) && ticks > 200 {
		b.Errorf("%s: %d requests", leg, n)
	}
	return lateBy(came, period)
}

// wristCloseUp is the part of the wrist camera's picture that is seen.
func wristCloseUp() map[string][4]float64 {
	return map[string][4]float64{"right_wrist_camera": {0.25, 0.5, 0.75, 0.9}}
}

// twoEyed is the configuration of an arm that sways before two cameras.
func twoEyed(b *testing.B) string {
	const settings = "period_s: 0.5, mark_target: true, close_ups: {right_wrist_camera/image: [0.25, 0.5, 0.75, 0.9]}"
	both := [3]string{"controller.yaml", "cameras: [front_camera/image]", "cameras: [front_camera/image, right_wrist_camera/image]"}
	return swayConf(b, settings, both)
}

// takePictures has both cameras take the pictures that a monitor looks at, for nobody.
func takePictures(ctx context.Context, body robot.Robot, every time.Duration) {
	shown := frames.Settings{CloseUps: wristCloseUp()}
	beat := time.NewTicker(every)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		for _, m := range body.Description().Modules {
			if m.Camera != nil { // one that is asked for too late is not missed
				_, _ = body.Frame(ctx, robot.FrameRequest{Camera: m.Name, Quality: robot.Fine, Region: shown.Region(m.Name, m.Camera.Intrinsics)})
			}
		}
	}
}

// lateBy is how late ticks came, against the earliest of them. A loop that fell behind by more than its clock makes up for
// goes on from there.
func lateBy(came []time.Duration, period time.Duration) (out lateness) {
	const catchUp = 100 * time.Millisecond
	base := came[0]
	for i, c := range came {
		base = min(base, c-time.Duration(i)*period)
	}
	for i, c := range came {
		late := c - time.Duration(i)*period - base
		out = append(out, late)
		if late > catchUp {
			base += late
		}
	}
	return out
}
