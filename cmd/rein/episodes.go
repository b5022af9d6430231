package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rein-robotics/rein/app"
)

func (c *cli) episodesCommand() *cobra.Command {
	root := app.DefaultRecord
	cmd := &cobra.Command{
		Use: "episodes", Short: "List, show and verify recorded episodes",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for \"rein episodes\"", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&root, "record", root, "root of the recordings")
	add := func(use, short string, do func(cmd *cobra.Command, id string) error) {
		args := cobra.ExactArgs(1)
		if use == "list" {
			args = cobra.NoArgs
		}
		cmd.AddCommand(&cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, a []string) error {
			id := ""
			if len(a) == 1 {
				id = a[0]
			}
			return do(cmd, id)
		}})
	}
	add("list", "List the episodes", func(cmd *cobra.Command, _ string) error {
		return app.ListEpisodes(cmd.OutOrStdout(), root)
	})
	add("show ID", "Show what happened in an episode", func(cmd *cobra.Command, id string) error {
		return app.ShowEpisode(cmd.OutOrStdout(), root, id)
	})
	add("verify ID", "Say what is missing or altered in an episode", func(cmd *cobra.Command, id string) error {
		sound, err := app.VerifyEpisode(cmd.OutOrStdout(), root, id)
		if err == nil && !sound {
			c.code = exitFailed
		}
		return err
	})
	add("repair ID", "Write what can be saved of an episode", func(cmd *cobra.Command, id string) error {
		return app.RepairEpisode(cmd.OutOrStdout(), root, id)
	})
	return cmd
}
