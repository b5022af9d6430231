package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rein-robotics/rein/app/film"
	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/internal/terminal"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

// Size of the film's pictures, without the text below.
const (
	filmWide = 320
	filmHigh = 240
)

// filming is the film of a run; nil when none is made.
type filming struct {
	film  *film.Film
	path  string
	stop  func()
	story *story
	err   error // why there is no film although one was wanted
}

// filmable refuses a file for the film that cannot be made, before anything moves.
func filmable(o *Options) error {
	if o.NoFilm || o.Film == "" {
		return nil
	}
	if st, err := os.Stat(filepath.Dir(o.Film)); err != nil || !st.IsDir() {
		return usage(fmt.Errorf("--film %s: its folder does not exist", o.Film), "make the folder, or use --no-film")
	}
	if st, err := os.Stat(o.Film); err == nil && st.IsDir() {
		return usage(fmt.Errorf("--film %s is a folder", o.Film), "name a file")
	}
	return nil
}

// startFilm begins the film of the run, nil when none is wanted. That it cannot be made is told by close: the run goes on.
func (r *running) startFilm() *filming {
	path := r.filmPath()
	if path == "" {
		return nil
	}
	busy := film.Wait
	if pace(r.o) == clock.Real {
		busy = film.Skip
	}
	f, err := film.Start(film.Options{Path: path, Camera: filmCamera(r.setup.body), Busy: busy})
	if err != nil {
		return &filming{err: err}
	}
	stop := r.robot.Film(film.Every, func(at time.Duration, s *render.Scene) {
		s.Background = render.Room()
		f.Shoot(film.Shot{At: at, Scene: s, Lines: r.story.lines(at, r.loop.Snapshot())})
	})
	return &filming{film: f, path: path, stop: stop, story: &r.story}
}

// filmPath is where the film goes, "" when none is made.
func (r *running) filmPath() string {
	switch dir := r.log.EpisodeDir(); {
	case r.o.NoFilm:
		return ""
	case r.o.Film != "":
		return r.o.Film
	case dir != "":
		return filepath.Join(dir, "logs", "film.gif")
	}
	return ""
}

// close ends the film when nothing moves any more and gives its file, "" when there is none.
func (f *filming) close() (path string, err error) {
	switch {
	case f == nil:
		return "", nil
	case f.err != nil:
		return "", f.err
	}
	f.stop()
	if err := f.film.Close(f.story.ending()); err != nil {
		return "", err
	}
	return f.path, nil
}

// filmCamera is the robot's first fixed camera in the film's size, or a view of the table from beside it.
func filmCamera(d *robot.Description) render.Camera {
	for i := range d.Modules {
		c := d.Modules[i].Camera
		if c == nil || c.Mount != robot.MountFixed {
			continue
		}
		in := c.Intrinsics
		f := min(filmWide/float64(in.Width), filmHigh/float64(in.Height))
		return render.Camera{Pose: c.InWorld, Intrinsics: geom.Intrinsics{
			Width: filmWide, Height: filmHigh, Fx: f * in.Fx, Fy: f * in.Fy,
			Cx: filmWide/2 + f*(in.Cx-float64(in.Width)/2), Cy: filmHigh/2 + f*(in.Cy-float64(in.Height)/2),
		}}
	}
	return Beside(filmWide, filmHigh)
}

// Beside is a camera that sees arm and table from the far right, for people.
func Beside(width, height int) render.Camera {
	return render.Camera{
		Intrinsics: geom.Pinhole(width, height, geom.Rad(40)),
		Pose:       geom.LookAt(geom.Vec{X: 0.85, Y: -0.55, Z: 0.55}, geom.Vec{X: 0.17, Y: 0.02, Z: 0.06}, geom.Vec{Z: 1}),
	}
}

// story is what a run is at, told by the agent's events. In simulated time it changes only while time stands still.
type story struct {
	mu    sync.Mutex
	task  string
	texts map[string]string // of the plan's steps, by id
	step  string            // text of the step that is being carried out
	end   string
}

func (s *story) hear(e episode.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case episode.RunStarted:
		s.task = e.Task
	case episode.PlanUpdated:
		s.texts = make(map[string]string, len(e.Steps))
		for _, step := range e.Steps {
			s.texts[step.ID] = step.Text
		}
	case episode.ActionStarted:
		s.step = s.texts[e.Step]
	case episode.RunEnded:
		s.end = e.Status + ": " + e.Summary
	}
}

// lines are the two below a picture: the time and what the action does; the plan's step, or the task while there is none.
func (s *story) lines(at time.Duration, now *control.Snapshot) [2]string {
	above := []string{fmt.Sprintf("%.1f s", at.Seconds())}
	for _, a := range now.Running {
		doing := a.Tool
		if a.Doing != "" {
			doing += ": " + a.Doing
		}
		above = append(above, terminal.Cell(doing))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	below := s.step
	if below == "" || len(now.Running) == 0 {
		below = s.task
	}
	return [2]string{strings.Join(above, "  "), terminal.Cell(below)}
}

// ending is how the run ended.
func (s *story) ending() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == "" {
		return "the run broke off"
	}
	return terminal.Cell(s.end)
}
