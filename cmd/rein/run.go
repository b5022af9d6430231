package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rein-robotics/rein/app"
	"github.com/rein-robotics/rein/internal/terminal"
)

func (c *cli) runCommand() *cobra.Command {
	var o app.Options
	cmd := &cobra.Command{
		Use: "run TASK", Short: "Carry one task out, then end",
		Example: `  rein run "put all the batteries in the white box"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || strings.TrimSpace(args[0]) == "" {
				return errors.New("run wants one task, in quotes")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := someBudget(cmd.Flags(), "max-minutes", "max-turns", "max-cost"); err != nil {
				return err
			}
			o.Progress = c.errs.say
			res, err := app.Run(cmd.Context(), strings.TrimSpace(args[0]), o)
			return c.finish(res, err)
		},
	}
	f := cmd.Flags()
	confFlags(f, &o)
	sceneFlags(f, &o)
	f.StringVar(&o.Time, "time", "fast", "fast: simulated time as fast as it goes; real: at the wall clock's rate")
	f.StringVar(&o.Planner, "planner", "", "rules, or provider:model (default: the configuration's)")
	f.StringVar(&o.PlannerURL, "planner-url", "", "base URL of the planner's provider")
	monitorFlags(f, &o)
	f.StringVar(&o.Record, "record", app.DefaultRecord, "root of the recordings")
	f.BoolVar(&o.NoRecord, "no-record", false, "record nothing")
	f.StringVar(&o.Film, "film", "", "file of the film (default: film.gif beside the log)")
	f.BoolVar(&o.NoFilm, "no-film", false, "make no film")
	f.Float64Var(&o.MaxMinutes, "max-minutes", 0, "budget: minutes of the robot's clock")
	f.IntVar(&o.MaxTurns, "max-turns", 0, "budget: planner rounds")
	f.Float64Var(&o.MaxCost, "max-cost", 0, "budget: US dollars")
	f.BoolVar(&o.DryRun, "dry-run", false, "plan and point, start nothing")
	f.BoolVar(&c.json, "json", false, "print the result as one JSON object")
	return cmd
}

func confFlags(f *pflag.FlagSet, o *app.Options) {
	f.StringVar(&o.Conf, "conf", "", "configuration folder, or the name of an embedded one (default: tabletop)")
}

func monitorFlags(f *pflag.FlagSet, o *app.Options) {
	f.StringVar(&o.Monitor, "monitor", "", "none, rules, or provider:model (default: the configuration's)")
	f.StringVar(&o.MonitorURL, "monitor-url", "", "root of the monitor's server, before /v1")
}

func sceneFlags(f *pflag.FlagSet, o *app.Options) {
	f.StringVar(&o.Scene, "scene", "", "scene file, or the name of one of the configuration's scenes")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the scene and of everything random")
	f.StringVar(&o.Engine, "engine", "", "the physics engine's package (.tgz) or file (.wasm)")
}

// finish prints the result and sets the exit code.
func (c *cli) finish(res app.Result, err error) error {
	if err != nil && res.Status == "" {
		if app.IsUsage(err) {
			return err
		}
		return &failure{err: err, code: exitError}
	}
	c.errs.flush(errorsWait) // on a terminal the result comes last
	text, perr := c.resultText(res)
	if perr == nil {
		c.said = true
		perr = writeWithin(os.Stdout, text, resultWait)
	}
	if perr != nil {
		return &failure{err: fmt.Errorf("writing the result: %w", perr), code: exitError}
	}
	if err != nil {
		return &failure{err: err, code: exitError}
	}
	c.code = exitCode(res)
	return nil
}

func exitCode(r app.Result) int {
	switch r.Status {
	case "succeeded":
		return exitOK
	case "unchecked":
		if r.Claimed != nil && *r.Claimed {
			return exitOK
		}
		return exitFailed
	case "cancelled", "stopped":
		return exitCancelled
	case "budget":
		return exitBudget
	case "error":
		return exitError
	}
	return exitFailed
}

// resultText is the result as it is printed.
func (c *cli) resultText(r app.Result) ([]byte, error) {
	if c.json {
		data, err := json.Marshal(r)
		return append(data, '\n'), err
	}
	var b strings.Builder
	fmt.Fprintln(&b, terminal.Line(r.Status+": "+r.Summary))
	fmt.Fprintf(&b, "claimed %s, checked %s · %d planner rounds, %d actions, %d refused · %.1f s simulated in %.1f s\n",
		word(r.Claimed), word(r.Checked), r.Turns, r.Actions, r.Refused, r.SimS, r.WallS)
	if r.Episode != nil {
		fmt.Fprintln(&b, terminal.Line("episode "+*r.Episode))
	}
	if r.Film != "" {
		fmt.Fprintln(&b, terminal.Line("film "+r.Film))
	}
	return []byte(b.String()), nil
}

func word(b *bool) string {
	switch {
	case b == nil:
		return "nothing"
	case *b:
		return "true"
	}
	return "false"
}

// printError keeps stdout parsable under --json whatever happened.
func (c *cli) printError(err error, hint string) {
	data, _ := json.Marshal(map[string]string{"status": "error", "error": strings.Join(app.Lines(err), "\n"), "hint": hint}) // texts always encode
	_ = writeWithin(os.Stdout, append(data, '\n'), resultWait)                                                               // stderr says it, too
}
