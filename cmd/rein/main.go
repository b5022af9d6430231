// Command rein runs robots that are given tasks in words.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rein-robotics/rein/app"
	"github.com/rein-robotics/rein/internal/terminal"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is the whole program; it gives the exit code.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // a lost stdout or stderr stops nothing
	context.AfterFunc(ctx, stop)   // the second signal kills
	c := &cli{args: args, out: &output{to: os.Stdout}, errs: newTeller(os.Stderr), deaf: stop}
	defer c.errs.end()
	root := c.root()
	root.SetArgs(args)
	root.SetOut(c.out)
	err := root.ExecuteContext(ctx)
	return c.exit(err)
}

// Exit codes.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitCancelled = 3
	exitBudget    = 4
	exitError     = 5
)

// cli is one invocation.
type cli struct {
	args []string
	out  *output // stdout
	errs *teller // stderr
	deaf func()  // lets the first signal kill

	json bool
	code int
	said bool // the result is printed
}

// failure is an error that has an exit code of its own.
type failure struct {
	err  error
	code int
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// exit prints what went wrong, one line and a hint, and gives the exit code.
func (c *cli) exit(err error) int {
	if lost := c.out.failed(); lost != nil {
		err = &failure{err: fmt.Errorf("writing to stdout: %w", lost), code: exitError}
	}
	if err == nil {
		return c.code
	}
	code := exitUsage // cobra's own errors are mistakes in the command line
	if f, ok := errors.AsType[*failure](err); ok {
		code, err = f.code, f.err
	}
	hint := ""
	if u, ok := errors.AsType[*app.UsageError](err); ok {
		code, hint = exitUsage, u.Hint
	}
	if (c.json || wantsJSON(c.args)) && !c.said {
		c.printError(err, hint)
	}
	for _, line := range app.Lines(err) {
		c.errs.say("rein: " + line)
	}
	if hint != "" {
		c.errs.say(terminal.Line("hint: " + hint))
	}
	return code
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use: "rein", Short: "Give a robot a task in words, watch it being done, and keep the last word.",
		SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains([]string{"run", "doctor", "label", "eval"}, cmd.Name()) { // the others have nothing to end in good order
				c.deaf()
			}
			return contradictions(cmd.Flags(), [2]string{"record", "no-record"}, [2]string{"film", "no-film"})
		},
	}
	root.SetFlagErrorFunc(badFlag)
	root.AddCommand(c.runCommand(), c.episodesCommand(), c.toolsCommand(), c.checkCommand(), c.initCommand(), c.doctorCommand(), c.monitorCommand(), versionCommand())
	return root
}
