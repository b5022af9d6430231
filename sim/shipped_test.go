package sim_test

import (
	"os"
	"testing"

	"github.com/rein-robotics/rein/sim"
)

// TestShippedScenes: the scenes of the repo's configurations load without a warning and can be arranged for many seeds.
func TestShippedScenes(t *testing.T) {
	for _, conf := range []string{"tabletop", "wrist"} {
		files := os.DirFS("../conf/" + conf)
		names := sim.SceneNames(files)
		if len(names) < 5 {
			t.Fatalf("%s has scenes %v, want at least five", conf, names)
		}
		for _, name := range names {
			t.Run(conf+"/"+name, func(t *testing.T) {
				s, err := sim.LoadScene(files, name)
				if err != nil {
					t.Fatal(err)
				}
				if s.Name != name {
					t.Errorf("scene %q is in the file %s.yaml", s.Name, name)
				}
				for _, w := range s.Warnings {
					t.Error(w)
				}
				if len(s.Tasks) == 0 {
					t.Error("no tasks")
				}
				for seed := uint64(0); seed <= 60; seed++ {
					if err := sim.ArrangeForTest(s, seed); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}
