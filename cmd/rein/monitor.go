package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rein-robotics/rein/app"
)

func (c *cli) monitorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "monitor", Short: "Measure monitor questions on recorded ticks", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.labelCommand(), c.evalCommand())
	return cmd
}

// measureFlags are those that choose a question, its labels and the recordings.
func measureFlags(f *pflag.FlagSet, m *app.Measure) {
	f.StringVar(&m.Record, "record", app.DefaultRecord, "root of the recordings")
	f.StringVar(&m.Tool, "tool", "", "the tool whose question it is (default: the only one)")
	f.StringVar(&m.Question, "question", "", "the question (default: the only one)")
	f.StringVar(&m.Name, "name", "", "name of the labels: evals/NAME.jsonl (default: TOOL_QUESTION)")
	f.StringVar(&m.Evals, "evals", "", "folder of labels and report cards (default: evals beside the configuration)")
}

func (c *cli) labelCommand() *cobra.Command {
	var o app.Labelling
	page, addr := false, ""
	cmd := &cobra.Command{
		Use: "label", Short: "Label recorded ticks, from the first that misses a label on", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.In, o.Out, o.Say = cmd.InOrStdin(), cmd.OutOrStdout(), c.errs.say
			if page {
				o.Page = addr
			}
			return failed(cmd.Context(), app.Label(cmd.Context(), o))
		},
	}
	measureFlags(cmd.Flags(), &o.Measure)
	cmd.Flags().StringVar(&o.Conf, "conf", "", confUsage)
	cmd.Flags().StringVar(&o.CloseUp, "close-up", "", "the camera whose pictures are compared (default: the one with a close-up)")
	cmd.Flags().BoolVar(&page, "page", false, "label on a page of this machine instead of in the terminal")
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:7334", "where the page is served, on this machine only")
	return cmd
}

func (c *cli) evalCommand() *cobra.Command {
	var o app.Evaluation
	var confs []string
	cmd := &cobra.Command{
		Use: "eval", Short: "Ask models about each labelled tick as the robot would, and count", Args: cobra.NoArgs,
		Example: "  rein monitor eval --repeats 3 --model gpt-6-luna --model gpt-6.1-sol --reasoning medium",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out, o.Say = cmd.OutOrStdout(), c.errs.say
			if len(confs) > 0 {
				o.Conf, o.Beside = confs[0], confs[1:]
			}
			return failed(cmd.Context(), app.Evaluate(cmd.Context(), o))
		},
	}
	measureFlags(cmd.Flags(), &o.Measure)
	f := cmd.Flags()
	f.StringArrayVar(&confs, "conf", nil, confUsage+"; several are set side by side, on the labels of the first")
	f.BoolVar(&o.Resume, "resume", false, "do not ask again what the file of answers holds")
	f.IntVar(&o.Repeats, "repeats", 1, "how often each tick is asked")
	f.StringArrayVar(&o.Models, "model", nil, "a model, or provider:model; several are set side by side (default: the configuration's)")
	f.StringVar(&o.URL, "monitor-url", "", "root of the monitor's server, before /v1 (default: the configuration's)")
	f.StringVar(&o.Reasoning, "reasoning", "", "how hard the model thinks (default: the configuration's)")
	f.BoolVar(&o.NoTarget, "no-target", false, "do not mark the target, whatever the configuration says")
	f.Float64Var(&o.MostFalse, "max-false-stops", 0.05, "propose floors for at most this rate of false stops, 0 to 1")
	return cmd
}

const confUsage = "configuration folder, or the name of an embedded one (default: tabletop)"

// failed gives an error that is no mistake of the caller's its exit code.
func failed(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return &failure{err: errors.New("cancelled"), code: exitCancelled}
	}
	if err == nil || app.IsUsage(err) {
		return err
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{err: err, code: exitError}
}
