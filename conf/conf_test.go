package conf_test

import (
	"testing"

	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/config"
)

func TestEmbeddedFoldersLoad(t *testing.T) {
	for _, name := range conf.Names() {
		t.Run(name, func(t *testing.T) {
			fsys, err := conf.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := config.Load(fsys)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := f.Robot.Name, name; got != want {
				t.Errorf("robot: got %q, want %q", got, want)
			}
			if err := f.Supports([]string{config.ProviderRules}, nil); err != nil {
				t.Error(err)
			}
			if err := f.CheckEnv(func(string) (string, bool) { return "", false }); err != nil {
				t.Error(err)
			}
			if f.Controller.Agent.PlannerHeartbeatS != nil {
				t.Error("the heartbeat is on")
			}
		})
	}
	if _, err := conf.Open("nowhere"); err == nil {
		t.Error("a configuration that is not there was opened")
	}
}
