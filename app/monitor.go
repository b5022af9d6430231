package app

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/openai"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/assess"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/monitor/sight"
	"github.com/rein-robotics/rein/robot"
)

// monitors are the providers of a monitor.
func monitors() []string {
	return []string{config.ProviderRules, "anthropic", "openai", "openai_responses", "openai_decisions"}
}

// monitorFlags puts --monitor and --monitor-url over the configuration's monitor.
func monitorFlags(a *config.Agent, o *Options) error {
	if o.Monitor == "none" {
		a.Monitor = nil
	}
	if o.Monitor != "" && o.Monitor != "none" {
		provider, name, _ := strings.Cut(o.Monitor, ":")
		if !slices.Contains(monitors(), provider) || (name == "") != (provider == config.ProviderRules) {
			return usage(fmt.Errorf("--monitor %s: wanted `none`, `rules`, or provider:model", o.Monitor),
				"providers are "+strings.Join(monitors()[1:], ", "))
		}
		m := &config.Monitor{}
		m.SetDefaults()
		if a.Monitor != nil {
			*m = *a.Monitor
		}
		if provider != m.Provider {
			m.Endpoint = config.Endpoint{}
		}
		m.Provider, m.Model = provider, name
		a.Monitor = m
	}
	switch {
	case o.MonitorURL == "":
	case a.Monitor == nil:
		return usage(errors.New("--monitor-url: there is no monitor"), "leave it out, or choose a model with --monitor")
	case a.Monitor.Provider == config.ProviderRules:
		return usage(errors.New("--monitor-url: the monitor `rules` is at no address"), "leave it out, or choose a model with --monitor")
	default:
		if _, err := model.Root(o.MonitorURL); err != nil {
			return usage(fmt.Errorf("--monitor-url: %w", err), "")
		}
		m := *a.Monitor
		m.BaseURL = o.MonitorURL
		a.Monitor = &m
	}
	return nil
}

// judge is an assessor, and what of its settings the model does not take.
type judge struct {
	monitor.Assessor
	notes []string
}

// assessor makes the assessor of an agent's settings, nil when there is no monitor. lookup reads an environment variable;
// nothing else of the environment is read. client nil = one of its own.
func assessor(a *config.Agent, body *robot.Description, lookup func(name string) (string, bool), client *http.Client) (*judge, error) {
	m := a.Monitor
	if m == nil {
		return nil, nil
	}
	if m.Provider == config.ProviderRules {
		return &judge{Assessor: assess.NewRules(body)}, nil
	}
	e, err := endpoint(&m.Endpoint, lookup)
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	cfg := assess.Config{
		Name: m.Provider + ":" + m.Model, System: shownTo(m).System(m.Instructions), Body: body, Fields: stateFields(a), Price: priceOf(a, m.Model),
	}
	if m.Provider == openai.DecisionsName {
		d, err := openai.NewDecisions(e, client)
		if err != nil {
			return nil, fmt.Errorf("monitor: %w", err)
		}
		return &judge{Assessor: assess.NewDecisions(d, cfg)}, nil
	}
	w, err := newWire(e, client)
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	form := assess.Free
	if l, _ := w.Limits(); l.Structured {
		form = assess.BySchema
	}
	return &judge{Assessor: assess.NewJSON(w, form, cfg), notes: w.Notes()}, nil
}

// shownTo is what a monitor sees.
func shownTo(m *config.Monitor) frames.Settings {
	s := frames.Settings{History: m.History, MaxSide: m.ImageMaxSide, CloseUps: map[string][4]float64{}, Reference: m.Reference, MarkTarget: m.MarkTarget}
	for field, region := range m.CloseUps {
		camera, _, _ := strings.Cut(field, "/")
		s.CloseUps[camera] = region
	}
	return s
}

// monitorCameras are the agent's cameras, and those that have a close-up besides.
func monitorCameras(a *config.Agent, body *robot.Description) []string {
	out := cameras(body, a.Cameras)
	for _, camera := range slices.Sorted(maps.Keys(shownTo(a.Monitor).CloseUps)) {
		if !slices.Contains(out, camera) {
			out = append(out, camera)
		}
	}
	return out
}

// watcher makes the monitor of the run, nil when there is none. name is its model's.
func (r *running) watcher(body robot.Robot, see *eyes, rec recorder) (w agent.Watcher, name string, err error) {
	a := r.setup.agent
	j, err := assessor(a, r.setup.body, os.LookupEnv, r.client)
	if err != nil || j == nil {
		return nil, "", err
	}
	for _, n := range j.notes {
		r.o.say("monitor: " + n)
	}
	for _, w := range r.setup.monitorWarnings(r.o) {
		r.o.say("monitor: " + w)
	}
	shown := shownTo(a.Monitor)
	sights := sight.New(sight.Config{
		Robot: body, Settings: shown, Cameras: monitorCameras(a, r.setup.body), Limit: config.Seconds(a.Waits.FrameS),
		Live: see.Live, Tracks: see.tracks, Keep: rec.SaveMonitored,
	})
	set := monitor.Settings{Instant: a.Monitor.Provider == config.ProviderRules, Compares: shown.History > 1}
	return monitor.New(set, sights, j.Assessor), j.Name(), nil
}

// stateFields are the readings that the agent sees, "module/field"; none = all.
func stateFields(a *config.Agent) []string {
	var out []string
	for _, m := range slices.Sorted(maps.Keys(a.StateFields)) {
		for _, f := range a.StateFields[m] {
			out = append(out, m+"/"+f)
		}
	}
	return out
}
