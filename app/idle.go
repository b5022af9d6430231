package app

import (
	"context"
	"fmt"
	"time"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// idleAction is the id of the action that runs when a run has ended.
const idleAction = "idle"

// idleLimit is how long the idle skill may take on the wall clock.
const idleLimit = time.Minute

// idleTool builds the skill of agent.on_idle, nil when none is configured.
func idleTool(f *config.Folder, env *skill.Env, own map[string]SkillMaker) (*skill.Tool, error) {
	a := f.Controller.Agent
	if a == nil || a.OnIdle == nil {
		return nil, nil
	}
	t, err := bind("on_idle", *a.OnIdle, env, own)
	if err != nil {
		return nil, f.Errorf("agent.on_idle", "", "%v", err)
	}
	return t, nil
}

// idle runs the skill of agent.on_idle after the run's measured stops, and waits for its end.
func (r *running) idle(ctx context.Context) error {
	t := r.setup.idle
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, idleLimit)
	defer cancel()
	call := skill.Call{Args: []byte("{}"), Now: r.robot.Readings()}
	s, err := t.New(call)
	if err != nil {
		return fmt.Errorf("agent.on_idle: %w", err)
	}
	err = r.loop.StartAction(ctx, control.Start{
		Owner: robot.OwnerHarness, Generation: r.loop.Generation(), Action: idleAction, Tool: t, Call: call, Skill: s,
	})
	if err != nil {
		return fmt.Errorf("agent.on_idle: %w", err)
	}
	r.stand() // the world goes on
	select {
	case e := <-r.idled:
		if e.Outcome != control.Succeeded {
			return fmt.Errorf("agent.on_idle: it %s: %s", e.Outcome, e.Reason)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("agent.on_idle: not done after %v", idleLimit)
	}
}

// heard takes the news of the control loop: to the agent, and the end of the idle skill to whom waits for it.
func (r *running) heard(e control.Event) {
	if end, ok := e.(control.ActionEnded); ok && end.Action == idleAction {
		r.stand = r.robot.Clock().Hold("the run has ended")
		r.idled <- end
		return
	}
	r.agent.Heard(e)
}
