package mujoco_test

import (
	"testing"

	"github.com/rein-robotics/rein/sim/mujoco"
)

// BenchmarkStep measures single scenes here; the comparison with Node and the native build is made by the compare command.
func BenchmarkStep(b *testing.B) {
	e := openEngine(b)
	for _, name := range []string{"box.xml", "table.xml", "table_sleep.xml"} {
		b.Run(name, func(b *testing.B) {
			s := load(b, e, name)
			i := 0
			for b.Loop() {
				if i%10 == 0 {
					drive(s, i)
				}
				step(b, s, 1)
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()*s.Timestep(), "×real-time")
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	e := openEngine(b)
	for _, name := range []string{"box.xml", "mesh.xml", "table.xml"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := e.Load(b.Context(), scenes(b), name)
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, warm := range []string{"cold", "warm"} {
		b.Run(warm, func(b *testing.B) {
			o := mujoco.Options{CacheDir: b.TempDir(), Path: cachedEngine(b)}
			if warm == "warm" {
				open(b, o)
			}
			for b.Loop() {
				open(b, o)
				if warm == "cold" {
					b.StopTimer()
					o.CacheDir = b.TempDir()
					b.StartTimer()
				}
			}
		})
	}
}

func open(b *testing.B, o mujoco.Options) {
	b.Helper()
	e, err := mujoco.Open(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	if err := e.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkQueries(b *testing.B) {
	s := load(b, openEngine(b), "table.xml")
	step(b, s, 300)
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			_ = s.QPos()
		}
	})
	b.Run("contacts", func(b *testing.B) {
		var dst []mujoco.Contact
		for b.Loop() {
			dst = s.Contacts(dst[:0])
		}
	})
	b.Run("ray", func(b *testing.B) {
		for b.Loop() {
			s.Ray([3]float64{0.2, 0, 1}, [3]float64{0, 0, -1}, -1)
		}
	})
}
