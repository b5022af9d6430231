// Package operator carries out what a person at the robot does: keys, clicks, skills started by hand.
//
// Its one invariant: before an input that changes anything on the robot is carried out, the generation has grown, the
// run is paused, and what the agent ran has been told to stop.
package operator

import (
	"context"
	"fmt"
	"sync"

	"github.com/rein-robotics/rein/episode"
)

// Kind says what an input can change.
type Kind int

// The kinds. The zero Kind is the careful one.
const (
	Motion Kind = iota // may move something: a key, a click, a skill started or stopped
	View               // switches what a screen shows
	Scroll             // moves through text or pictures
	Record             // starts, ends or seals a recording
	Label              // judges what is on the screen
)

// quiet inputs change nothing on the robot.
func (k Kind) quiet() bool { return k != Motion }

// Input is one thing that the operator did.
type Input struct {
	What string // in words, for the log and the planner: "key w", "click on front_camera", "start home"
	Kind Kind
	// Held says whether the input goes on until Release: a key that is down gives one input after the other.
	Held Hold
	// Carry carries the input out; nil = the input is done with the takeover itself.
	Carry func(context.Context) error
}

// Hold says how an input ends.
type Hold int

// The holds.
const (
	Once Hold = iota // it is over when it has been carried out
	Down             // the same input follows until it is released
)

// Controller is the control loop as the desk needs it.
type Controller interface {
	// Takeover raises the generation, pauses the run and stops what the agent runs; it gives back what was stopped once
	// that is measured.
	Takeover(ctx context.Context, input string) (stopped []string, err error)
	// Generation is the current one.
	Generation() uint64
}

// Recorder takes the events of the desk.
type Recorder interface{ Post(episode.Event) }

// Config is what a Desk stands on. Controller and Log are required.
type Config struct {
	Controller Controller
	Log        Recorder
	Paused     func() bool        // whether the run is paused; nil = nobody can say, and a held input ends by its release only
	Strict     bool               // strict_operator: also inputs that change nothing pause the run
	Tell       func(Input, error) // hears how each input came out, after it, on the caller's goroutine; nil = nobody
}

// Desk takes the operator's inputs. Its methods may be called from several goroutines.
type Desk struct {
	cfg Config

	mu   sync.Mutex // guards down; never held over a call
	down *held
}

// held is an input that has not been released.
type held struct {
	what       string
	generation uint64 // that its takeover made
}

// New makes a desk.
func New(c Config) *Desk { return &Desk{cfg: c} }

// Do takes an input: it stops what the agent runs, measured, and pauses the run, carries the input out and logs it.
// An input that is held down is one takeover however often it repeats. ctx bounds all of it; an error of the takeover
// comes before anything was carried out. An input that changes nothing on the robot is only carried out.
func (d *Desk) Do(ctx context.Context, in Input) (err error) {
	if d.cfg.Tell != nil {
		defer func() { d.cfg.Tell(in, err) }()
	}
	if in.Kind.quiet() && !d.cfg.Strict || d.repeats(in) {
		return carry(ctx, in)
	}
	d.end()
	before := d.cfg.Controller.Generation()
	stopped, err := d.cfg.Controller.Takeover(ctx, in.What)
	if err != nil {
		if gen := d.cfg.Controller.Generation(); gen != before { // the run is paused, only its stop was not seen
			d.cfg.Log.Post(episode.OperatorTakeover{Tag: episode.Tag{Generation: gen}, Input: in.What})
		}
		return fmt.Errorf("operator's input %s: %w", in.What, err)
	}
	e := episode.OperatorTakeover{Tag: episode.Tag{Generation: d.cfg.Controller.Generation()}, Input: in.What, Stopped: stopped}
	err = carry(ctx, in)
	if in.Held == Down {
		e.Phase = "begins"
		d.press(held{what: in.What, generation: e.Generation})
	}
	d.cfg.Log.Post(e)
	return err
}

func carry(ctx context.Context, in Input) error {
	if in.Carry == nil {
		return nil
	}
	return in.Carry(ctx)
}

// repeats says that the input belongs to a takeover that goes on: nothing was decided since, and nobody has resumed.
func (d *Desk) repeats(in Input) bool {
	gen := d.cfg.Controller.Generation()
	if d.cfg.Paused != nil && !d.cfg.Paused() {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.down != nil && d.down.what == in.What && d.down.generation == gen
}

func (d *Desk) press(h held) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = &h
}

// Release ends an input that was held down. One that is not held changes nothing.
func (d *Desk) Release(what string) {
	d.mu.Lock()
	is := d.down != nil && d.down.what == what
	d.mu.Unlock()
	if is {
		d.end()
	}
}

// end logs that the input which is held down is over.
func (d *Desk) end() {
	d.mu.Lock()
	was := d.down
	d.down = nil
	d.mu.Unlock()
	if was != nil {
		d.cfg.Log.Post(episode.OperatorTakeover{Tag: episode.Tag{Generation: was.generation}, Input: was.what, Phase: "ends"})
	}
}
