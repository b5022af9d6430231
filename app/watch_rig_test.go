package app

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// stage is a run with everything real in it, in a bubble. At the pace of the real clock the robot then goes on while a
// model takes its time, wall clock goes by in no time, and each control tick waits until everybody else has nothing to do.
type stage struct {
	o      Options
	task   string
	client *http.Client     // of the monitor; nil = there is none
	rounds [][]model.Part   // of the planner; nil = the configuration's plans
	meet   func(r *running) // before it begins; nil = nobody
}

// run carries the run out.
func (s stage) run(t *testing.T) (res Result, log []episode.Entry) {
	t.Helper()
	s.o.Record, s.o.NoFilm = t.TempDir(), true
	if s.client == nil {
		s.o.Monitor = "none"
	}
	synctest.Test(t, func(t *testing.T) {
		r := made(t, &s.o, s.task)
		r.client = s.client
		r.body = func(b robot.Robot) robot.Robot { return exposed{b} }
		if s.rounds != nil {
			r.reasoner = func(agent.Reasoner) agent.Reasoner { return &script{rounds: s.rounds} }
		}
		if s.meet != nil {
			s.meet(r)
		}
		var err error
		res, err = r.run(t.Context())
		if err := errors.Join(err, r.log.Close()); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute) // whoever answers too late has done so
	})
	return res, logOf(t, s.o.Record, res)
}

// made is a run made ready, as Run does it.
func made(tb testing.TB, o *Options, task string) *running {
	tb.Helper()
	s, err := load(o)
	if err != nil {
		tb.Fatal(err)
	}
	if err := runnable(s, o); err != nil {
		tb.Fatal(err)
	}
	now := &simTime{}
	l, err := openLog(o, s, now)
	if err != nil {
		tb.Fatal(err)
	}
	return &running{o: o, setup: s, log: l, task: task, now: now, idled: make(chan control.ActionEnded, 1)}
}

// exposed is a robot whose cameras take a millisecond: a picture that is wanted in the midst of a tick is that of the next
// one, whoever is faster.
type exposed struct{ robot.Robot }

func (e exposed) Frame(ctx context.Context, q robot.FrameRequest) (*robot.Frame, error) {
	<-time.After(time.Millisecond)
	return e.Robot.Frame(ctx, q)
}

// script is a planner that says what is written, and ends the task when there is no more.
type script struct {
	rounds [][]model.Part
	next   int
}

func (*script) Name() string                                    { return "script@1" }
func (*script) Instant() bool                                   { return true }
func (*script) Begin(context.Context, agent.RunInfo) error      { return nil }
func (*script) End(context.Context, agent.RunInfo, *bool) error { return nil }
func (s *script) Deliberate(context.Context, run.View) iter.Seq2[model.Part, error] {
	parts := []model.Part{call("finish_task", `{"success":false,"summary":"Enough."}`)}
	if s.next < len(s.rounds) {
		parts = s.rounds[s.next]
	}
	s.next++
	return func(yield func(model.Part, error) bool) {
		for _, p := range append(slices.Clone(parts), model.Part(model.End{Reason: model.StopEndTurn})) {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// sway is a skill that swings the first joint of the arm to and fro until somebody ends it.
type sway struct {
	limit     time.Duration
	questions string
	watch     func(ran time.Duration) // in each tick; nil = nothing

	arm   string
	ticks int
}

func (*sway) Start(*skill.Body) error { return nil }

func (s *sway) Tick(b *skill.Body) (bool, error) {
	step := 0.002
	if s.ticks/100%2 == 1 {
		step = -step
	}
	s.ticks++
	if s.watch != nil {
		s.watch(time.Duration(s.ticks) * b.Period)
	}
	q := slices.Clone(b.Readings.Arms[s.arm].Targets)
	q[0] += step
	b.Send(robot.Target{Module: s.arm, Joints: q})
	return false, nil
}

// skills makes it a skill of one's own.
func (s sway) skills() map[string]SkillMaker {
	return map[string]SkillMaker{"sway": func(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
		arm, _, err := env.ArmModules(p)
		if err != nil {
			return nil, err
		}
		s.arm = arm.Name
		return &skill.Tool{
			Name: name, Skill: "sway",
			Spec: skill.Spec{
				Description: "Sways.", MaxDuration: s.limit, Commands: []string{arm.Name}, Monitor: json.RawMessage(s.questions),
				Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
			},
			New: func(skill.Call) (skill.Skill, error) {
				one := s
				return &one, nil
			},
		}, nil
	}}
}

// swayConf is the tabletop configuration with that tool and a monitor with these settings besides its address.
func swayConf(t testing.TB, settings string, more ...[3]string) string {
	t.Helper()
	return confWith(t, append(more,
		[3]string{"controller.yaml", "tools:\n", "tools:\n  sway: {skill: sway, params: {arm: right_arm}}\n"},
		[3]string{"controller.yaml", "agent:\n", "agent:\n  monitor: {provider: openai_decisions, model: gpt-6-luna, base_url: \"http://model.test\", " + settings + "}\n"},
	)...)
}

// swayQuestions are the questions of a swaying arm.
const swayQuestions = `[{"name":"progress","type":"choice","instructions":"Which phase the task is in.","choices":{"going":"","holding":"","failed":""},"when":[
	{"do":"finish","value":"holding","threshold":0.8},
	{"do":"escalate","value":"failed","threshold":0.8,"consecutive":2,"after_s":6}]}]`

// always is a server that gives the same answer every time, after a while.
func always(t *testing.T, value string, delay time.Duration) *modeltest.Server {
	return modeltest.New(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, modeltest.Step{
		Delay: delay, Answers: []modeltest.Answer{modeltest.Chose("progress", value, 0.95)}, Reply: modeltest.Reply{Usage: model.Usage{Input: 1000, Output: 10}},
	})
}

// shotAt is when the newest picture of a tick was taken, robot clock.
func shotAt(e episode.Entry, a episode.MonitorAnswer) time.Duration {
	return (e.Sim - time.Duration(a.AgeS*float64(time.Second))).Round(time.Millisecond)
}
