package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/chat/httpapi"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	talkFlags
	addr, token string
}

// tokenVariable keeps the token out of the list of processes, unlike --token.
const tokenVariable = "FORAY_TOKEN"

// minToken is the shortest token, in bytes: a shorter one can be guessed.
const minToken = 16

func newServe() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve conversations as JSON over HTTP",
		Long: `Serve conversations over HTTP, as JSON and as server-sent events. serve prints
its address on standard output; /openapi.json describes the API. A signal stops
new requests and lets the running ones finish.

Without a token, serve only listens on this machine. With one, every request
needs the header "Authorization: Bearer TOKEN". Set the token with
` + tokenVariable + ` to keep it out of the list of processes. serve has no TLS: put it
behind a proxy that has.

Exit codes: 0 ended by a signal, 2 bad usage, 3 an error.`,
		Example: `  foray serve
  FORAY_TOKEN=… foray serve --addr 0.0.0.0:7777 --model openai/gpt-4.1
  curl http://127.0.0.1:7777/v1/threads -H 'Content-Type: application/json' \
    -d '{"id":"plans"}'
  curl -N http://127.0.0.1:7777/v1/threads/plans/messages \
    -H 'Content-Type: application/json' -H 'Accept: text/event-stream' \
    -d '{"text":"where are requests retried?"}'`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, f) },
	}
	f.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:7777", "listen on `HOST:PORT`; port 0 takes a free one")
	flags.StringVar(&f.token, "token", "", "require `TOKEN` in every request (default: $"+tokenVariable+")")
	cli.InGroup(cmd, cli.OutputGroup, "addr", "token")
	return cmd
}

// secret returns the token, "" without one. Errors never contain it.
func (f *serveFlags) secret(cmd *cobra.Command) (string, error) {
	const hint = tokenVariable + "=$(openssl rand -hex 16)"
	token, given := f.token, cmd.Flags().Changed("token")
	if !given {
		token, given = os.LookupEnv(tokenVariable)
	}
	visible := strings.IndexFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
	switch {
	case given && len(token) < minToken:
		return "", cli.Usage(hint, "the token is shorter than %d characters", minToken)
	case !visible:
		return "", cli.Usage(hint, "the token has a character that no header can hold")
	}
	return token, nil
}

// listen opens the address. Without a token it refuses one that other machines can reach.
func (f *serveFlags) listen(cmd *cobra.Command, token string) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", f.addr)
	if err != nil {
		return nil, cli.Usage("--addr 127.0.0.1:7777", "--addr %q is not an address: %v", f.addr, err)
	}
	if token == "" && !addr.IP.IsLoopback() {
		return nil, cli.Usage("--addr 127.0.0.1:7777, or "+tokenVariable+"=$(openssl rand -hex 16)",
			"other machines could reach %s: set a token", f.addr)
	}
	var c net.ListenConfig
	l, err := c.Listen(cmd.Context(), "tcp", addr.String())
	if err != nil {
		return nil, cli.Usage("--addr 127.0.0.1:0 for a free port", "%v", err)
	}
	return l, nil
}

func runServe(cmd *cobra.Command, f *serveFlags) (err error) {
	token, err := f.secret(cmd)
	if err != nil {
		return err
	}
	l, err := f.listen(cmd, token)
	if err != nil {
		return err
	}
	defer l.Close() // a second time after Serve, which is harmless
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	say := cli.NoticesTo(cmd.ErrOrStderr())
	t, err := f.open(cmd, log, say)
	if err != nil {
		return err
	}
	defer func() { err = storeError(errors.Join(err, t.close())) }()
	say(t.choice.name() + " answers; database: " + t.store.Path())
	if others := t.background(); others != "" {
		say(others)
	}
	if token == "" {
		say("no token: every program on this machine can use the API")
	}
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "http://%s\n", l.Addr()); err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("printing the address: %w", err)}
	}
	return httpapi.Serve(cmd.Context(), l, t.Chat, &httpapi.Options{Token: token, Log: log})
}
