// Command foray-temporal runs the trials of foray eval run --on temporal as Temporal workflows:
//
//	foray-temporal work     on each machine: runs trials, until a signal
//	foray-temporal trials   is called by foray: starts a workflow for each trial, and waits for it
//
// Both find the server as Temporal's own command does: by the variables TEMPORAL_ADDRESS (localhost:7233),
// TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS and so on, or by a profile in its file of configuration.
//
// A trial is one activity: it runs foray eval trial, which leaves the result in the folder that all machines see. The
// history holds its command line and directory, and of a trial that could not run the end of what it printed. Who may
// start workflows in the namespace may run foray eval trial on the workers, and thereby the programs that subjects and
// checks name.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
)

// The exit codes are those of foray.
const (
	exitUsage   = 2
	exitPartial = 3
)

const usage = `foray-temporal runs trials of foray eval run --on temporal.

Usage:
  foray-temporal work [--jobs N] [--foray PATH] [--queue NAME]
      Run trials on this machine, until a signal. Every machine needs the same
      foray, and the task set, the directory in which foray eval run was called
      and the folder of its results under the same paths.
  foray-temporal trials [--queue NAME]
      foray eval run --on temporal calls this.

The server is that of TEMPORAL_ADDRESS (default: localhost:7233), with
TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and the other variables and the profiles of
Temporal's own command. Without a server, start one:
  temporal server start-dev

Flags:
`

// queueEnv is the variable with the name of the task queue, for the trials command, which foray calls without flags.
const queueEnv = "FORAY_TEMPORAL_QUEUE"

// options are the flags of both commands.
type options struct {
	jobs         int
	foray, queue string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("foray-temporal", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	queue := os.Getenv(queueEnv)
	if queue == "" {
		queue = "foray-trials"
	}
	flags.IntVar(&o.jobs, "jobs", 1, "with work: run `N` trials at a time")
	flags.StringVar(&o.foray, "foray", "foray", "with work: the `PATH` of foray")
	flags.StringVar(&o.queue, "queue", queue, "the `NAME` of the task queue; $"+queueEnv+" sets the default")
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	if command == "help" || command == "-h" || command == "--help" {
		flags.SetOutput(out)
		stderr = out
		flags.Usage()
		return 0
	}
	do := map[string]func(context.Context, client.Client, *options, io.Reader, io.Writer, io.Writer) error{
		"work": work, "trials": trials,
	}[command]
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	case do == nil || flags.NArg() > 0 || o.jobs < 1:
		flags.Usage()
		return exitUsage
	}
	if err := connected(ctx, &o, in, out, stderr, do); err != nil {
		fmt.Fprintf(stderr, "foray-temporal: error: %v\n", err)
		return exitPartial
	}
	return 0
}

// connected calls a command with a client of the server.
func connected(ctx context.Context, o *options, in io.Reader, out, stderr io.Writer,
	do func(context.Context, client.Client, *options, io.Reader, io.Writer, io.Writer) error) error {
	settings, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return fmt.Errorf("reading Temporal's configuration: %w", err)
	}
	settings.Logger = log.NewStructuredLogger(slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{
		Level: slog.LevelError,
	})))
	c, err := client.DialContext(ctx, settings)
	if err != nil {
		return fmt.Errorf("no Temporal server answers: %w; TEMPORAL_ADDRESS names one, and temporal server start-dev "+
			"starts one", err)
	}
	defer c.Close()
	return do(ctx, c, o, in, out, stderr)
}
