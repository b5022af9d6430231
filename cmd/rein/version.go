package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/rein-robotics/rein/app"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "rein %s (%s, %s/%s, MuJoCo 3.12.0)\n", app.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
