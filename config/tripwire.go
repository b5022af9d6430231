package config

import "strings"

// Tripwire is a check of running actions by the robot's own readings: it needs no camera and no model, and fires in the
// control period in which it comes true.
type Tripwire struct {
	// Its name, by which the planner and the log know it.
	Name string `yaml:"name" check:"required,name"`
	// `stalled`: arms and grippers have stayed where they are. `gripper_empty`: a gripper that was open has closed on
	// nothing, by its own feedback. `overload`: a force or torque is over its limit.
	Kind string `yaml:"kind" check:"required,oneof=stalled|gripper_empty|overload"`
	// The tools whose actions it judges. Left out: all.
	Tools []string `yaml:"tools"`
	// The arm or gripper that it reads. Left out: those that the action commands.
	Module string `yaml:"module" check:"name"`
	// How long it must hold, seconds. Left out: 5 of `stalled`, 0.3 of `gripper_empty`, 0 of `overload`.
	ForS *float64 `yaml:"for_s" check:"min=0,max=600"`
	// Of `stalled`: a way up to this is no motion, millimetres; a turn of 0.01 rad counts as one. Left out: 3.
	WithinMM *float64 `yaml:"within_mm" check:"above=0,max=100"`
	// Of `gripper_empty`: fingers this close have nothing between them, millimetres. Left out: 1.
	BelowMM *float64 `yaml:"below_mm" check:"above=0,max=100"`
	// Of `overload`: newtons of a gripper, newton metres of any joint of an arm.
	Above *float64 `yaml:"above" check:"above=0"`
	// `finish` stops the action as succeeded, `fail` as failed, `escalate` leaves it running and wakes the planner.
	Do string `yaml:"do" check:"oneof=finish|fail|escalate"`
	// A tool that starts, without arguments, as soon as the action has stopped.
	Then string `yaml:"then"`
}

// SetDefaults gives the values of keys that are left out.
func (w *Tripwire) SetDefaults() { w.Do = "fail" }

// Validate checks that the keys are those of the kind.
func (w *Tripwire) Validate(c *Check) {
	if w.Kind == "overload" && w.Above == nil {
		c.Errorf("", "add above: the limit in newtons or newton metres", "overload has no limit")
	}
	only := func(key, kind string, set bool) {
		if set && w.Kind != kind {
			c.Errorf(key, "remove it", "%s has no %s, only %s has", w.Kind, key, kind)
		}
	}
	only("within_mm", "stalled", w.WithinMM != nil)
	only("below_mm", "gripper_empty", w.BelowMM != nil)
	only("above", "overload", w.Above != nil)
	if w.Then != "" && w.Do == "escalate" {
		c.Errorf("then", "write do: finish or do: fail", "an action that goes on has no follow-up")
	}
}

// checkTripwires checks the names in agent.checks.
func (f *Folder) checkTripwires() Errors {
	var errs Errors
	tools := sortedKeys(f.Controller.Tools)
	seen := map[string]bool{}
	for i, w := range f.Controller.Agent.Checks {
		at := item("agent.checks", i)
		if seen[w.Name] {
			errs = append(errs, f.controller.Errorf(at+".name", "choose another name", "there are two checks called %q", w.Name))
		}
		seen[w.Name] = true
		for j, name := range w.Tools {
			if _, ok := f.Controller.Tools[name]; !ok {
				errs = append(errs, f.controller.Errorf(item(at+".tools", j), "tools are "+strings.Join(tools, ", "), "there is no tool %q%s", name, didYouMean(name, tools)))
			}
		}
		errs = append(errs, f.checkThen(f.controller, at+".then", w.Then)...)
		errs = append(errs, f.checkReads(at, w)...)
	}
	return errs
}

// checkReads checks that a tripwire's module has what its kind reads.
func (f *Folder) checkReads(at string, w Tripwire) Errors {
	if w.Module == "" {
		return nil
	}
	var known []string
	for _, m := range f.Robot.Modules {
		if k := m.kind(); k == "gripper" || k == "arm" && w.Kind != "gripper_empty" {
			if m.Name == w.Module {
				return nil
			}
			known = append(known, m.Name)
		}
	}
	return Errors{f.controller.Errorf(at+".module", "there are "+strings.Join(known, ", "), "%s cannot read %q%s", w.Kind, w.Module, didYouMean(w.Module, known))}
}
