package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

// tests runs the tests and leaves no program behind.
type tests struct{ *testing.M }

// Run gives the exit code.
func (m tests) Run() int {
	defer os.RemoveAll(built())
	return m.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"rein": func() { os.Exit(run(os.Args[1:])) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			// The engine is cached for the user, not for each script.
			for _, name := range []string{"HOME", "XDG_CACHE_HOME", "PATH"} {
				if v, ok := os.LookupEnv(name); ok {
					e.Setenv(name, v)
				}
			}
			return nil
		},
	})
}
