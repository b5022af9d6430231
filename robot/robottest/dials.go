package robottest

import "slices"

// dials are the faults that are set.
type dials struct {
	fault   error
	mute    bool
	stuck   map[string][]int
	late    map[string]int
	refuse  map[string]error
	runOn   map[string]bool
	frozen  map[string]bool
	black   map[string]bool
	blind   map[string]error
	stalled map[string]bool
}

// Mend takes every fault back.
func (f *Fake) Mend() { f.turn(func(*dials) { f.mend() }) }

func (f *Fake) mend() {
	f.dials = dials{
		stuck: map[string][]int{}, late: map[string]int{}, refuse: map[string]error{}, runOn: map[string]bool{},
		frozen: map[string]bool{}, black: map[string]bool{}, blind: map[string]error{}, stalled: map[string]bool{},
	}
}

func (f *Fake) turn(dial func(*dials)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dial(&f.dials)
}

// Stick keeps a joint of an arm (or, with joint 0, a gripper) where it is, whatever it is told.
func (f *Fake) Stick(module string, joint int) {
	f.turn(func(d *dials) { d.stuck[module] = append(slices.Clone(d.stuck[module]), joint) })
}

// Delay lets the commands of a module take effect so many periods later.
func (f *Fake) Delay(module string, periods int) {
	f.turn(func(d *dials) { d.late[module] = periods })
}

// Refuse makes Do give err for a module.
func (f *Fake) Refuse(module string, err error) { f.turn(func(d *dials) { d.refuse[module] = err }) }

// RunOn lets a module move on by itself and ignore holds.
func (f *Fake) RunOn(module string) { f.turn(func(d *dials) { d.runOn[module] = true }) }

// Freeze lets a camera give its last picture again and again.
func (f *Fake) Freeze(camera string) { f.turn(func(d *dials) { d.frozen[camera] = true }) }

// Blacken lets a camera give black pictures.
func (f *Fake) Blacken(camera string) { f.turn(func(d *dials) { d.black[camera] = true }) }

// Blind makes Frame give err for a camera.
func (f *Fake) Blind(camera string, err error) { f.turn(func(d *dials) { d.blind[camera] = err }) }

// Stall lets Frame of a camera wait until its context ends.
func (f *Fake) Stall(camera string) { f.turn(func(d *dials) { d.stalled[camera] = true }) }

// Break gives the robot a standing fault: it takes no commands. Nil mends it.
func (f *Fake) Break(err error) { f.turn(func(d *dials) { d.fault = err }) }

// Mute keeps the readings as they are while the world goes on.
func (f *Fake) Mute() { f.turn(func(d *dials) { d.mute = true }) }

// Grip puts something of the given width in metres between the fingers of a gripper; 0 takes it away.
func (f *Fake) Grip(module string, width float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.grips[module].object = width
}
