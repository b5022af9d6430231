package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rein-robotics/rein/app"
	"github.com/rein-robotics/rein/internal/terminal"
)

func (c *cli) warn(lines []string) {
	for _, l := range lines {
		c.errs.say(terminal.Line("warning: " + l))
	}
}

func (c *cli) toolsCommand() *cobra.Command {
	var o app.Options
	cmd := &cobra.Command{
		Use: "tools", Short: "Print the tool specs exactly as the planner receives them (JSON)", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			specs, warnings, err := app.ToolSpecs(o)
			if err != nil {
				return err
			}
			c.warn(warnings)
			_, err = fmt.Fprintln(cmd.OutOrStdout(), string(specs))
			return err
		},
	}
	confFlags(cmd.Flags(), &o)
	monitorFlags(cmd.Flags(), &o)
	return cmd
}

func (c *cli) checkCommand() *cobra.Command {
	var o app.Options
	cmd := &cobra.Command{
		Use: "check", Short: "Check a configuration: every file, key, tool, camera and scene", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			warnings, err := app.Check(o)
			c.warn(warnings)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "the configuration is sound")
			return err
		},
	}
	confFlags(cmd.Flags(), &o)
	monitorFlags(cmd.Flags(), &o)
	cmd.Flags().StringVar(&o.Scene, "scene", "", "also check this scene file")
	return cmd
}

func (c *cli) initCommand() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use: "init DIR", Short: "Write a copy of an embedded configuration to start from", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := app.Init(args[0], from); err != nil {
				if app.IsUsage(err) {
					return err
				}
				return &failure{err: err, code: exitError}
			}
			at := args[0]
			if filepath.Base(at) == at { // with a separator it is never taken for an embedded one's name
				at = "." + string(filepath.Separator) + at
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), terminal.Line(fmt.Sprintf("wrote %s; try: rein run --conf %s \"press the button\"", args[0], at)))
			return err
		},
	}
	cmd.Flags().StringVar(&from, "from", "tabletop", "tabletop or wrist, or a configuration folder")
	return cmd
}

func (c *cli) doctorCommand() *cobra.Command {
	var o app.Options
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check this machine: processor, physics engine, disk", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Progress = c.errs.say
			bad := false
			for _, f := range app.Doctor(cmd.Context(), o) {
				mark := "ok  "
				if !f.OK {
					mark, bad = "FAIL", true
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s: %s\n", mark, f.What, terminal.Line(f.Says)); err != nil {
					return err
				}
			}
			if bad {
				return &failure{err: errors.New("this machine is not ready"), code: exitError}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Engine, "engine", "", "the physics engine's package (.tgz) or file (.wasm)")
	cmd.Flags().StringVar(&o.Record, "record", app.DefaultRecord, "root of the recordings")
	return cmd
}
