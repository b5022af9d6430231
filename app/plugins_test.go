package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent/hook"
)

func TestPluginOfOnesOwn(t *testing.T) {
	careful := hook.Plugin{Name: "careful", Deadline: time.Minute, PreToolExecute: func(_ context.Context, c hook.Call) (hook.Ruling, error) {
		if c.Tool == "pick_object" {
			return hook.Ruling{Veto: "nothing is picked on a Sunday"}, nil
		}
		return hook.Ruling{}, nil
	}}
	o := Options{Scene: "battery", NoRecord: true, NoFilm: true, Plugins: []hook.Plugin{careful}}
	res, err := Run(t.Context(), "put the battery in the white box", o)
	if err != nil || res.Actions != 0 || res.Checked == nil || *res.Checked {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestPluginsThatCannotBe(t *testing.T) {
	_, err := Run(t.Context(), "put the battery in the white box", Options{NoRecord: true, NoFilm: true, Plugins: []hook.Plugin{{Name: "a"}, {Name: "a"}}})
	if err == nil || !IsUsage(err) || !strings.Contains(err.Error(), "plugin a") {
		t.Errorf("got %v", err)
	}
}
