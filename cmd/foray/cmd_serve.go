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
)

// serveFlags are how serve was typed.
type serveFlags struct {
	talkFlags
	addr, token string
}

// tokenVariable holds the token where --token would show it to everybody who lists processes.
const tokenVariable = "FORAY_TOKEN"

func newServe() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve conversations as JSON over HTTP",
		Long: `serve answers conversations over HTTP, as JSON and as server-sent events, until a signal ends it: then it takes no more
requests and lets those under way finish. It prints its address on standard output; /openapi.json describes the API.

Without a token only this machine may reach it. With one, every request bears it: "Authorization: Bearer …". The
variable ` + tokenVariable + ` keeps it out of the list of processes. There is no TLS: put a proxy in front of it that has.

Exit codes: 0 ended by a signal, 2 bad usage, 3 an error.`,
		Example: `  foray serve
  FORAY_TOKEN=… foray serve --addr 0.0.0.0:7777 --model openai/gpt-4.1
  curl -H 'Content-Type: application/json' -d '{"id":"plans"}' http://127.0.0.1:7777/v1/threads
  curl -N -H 'Accept: text/event-stream' -H 'Content-Type: application/json' \
    -d '{"text":"where are requests retried?"}' http://127.0.0.1:7777/v1/threads/plans/messages`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd, f) },
	}
	f.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:7777", "listen at `HOST:PORT`; port 0 takes any that is free")
	flags.StringVar(&f.token, "token", "", "ask every request for this `TOKEN`; default: $"+tokenVariable)
	inGroup(cmd, outputGroup, "addr", "token")
	return cmd
}

// leastToken is how long a token is at least, in bytes: a shorter one is found by trying.
const leastToken = 16

// secret returns the token, "" if there is none. No error holds it.
func (f *serveFlags) secret(cmd *cobra.Command) (string, error) {
	const hint = tokenVariable + "=$(openssl rand -hex 16)"
	token, given := f.token, cmd.Flags().Changed("token")
	if !given {
		token, given = os.LookupEnv(tokenVariable)
	}
	visible := strings.IndexFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
	switch {
	case given && len(token) < leastToken:
		return "", usage(hint, "the token has fewer than %d characters", leastToken)
	case !visible:
		return "", usage(hint, "the token has a space or a character that a header cannot hold")
	}
	return token, nil
}

// listen opens the address, unless it is one that others can reach and there is no token.
func (f *serveFlags) listen(cmd *cobra.Command, token string) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", f.addr)
	if err != nil {
		return nil, usage("--addr 127.0.0.1:7777", "--addr %q is no address: %v", f.addr, err)
	}
	if token == "" && !addr.IP.IsLoopback() {
		return nil, usage("--addr 127.0.0.1:7777, or "+tokenVariable+"=$(openssl rand -hex 16)", "others could reach %s: that needs a token", f.addr)
	}
	var c net.ListenConfig
	l, err := c.Listen(cmd.Context(), "tcp", addr.String())
	if err != nil {
		return nil, usage("--addr 127.0.0.1:0 takes a port that is free", "%v", err)
	}
	return l, nil
}

func serve(cmd *cobra.Command, f *serveFlags) (err error) {
	token, err := f.secret(cmd)
	if err != nil {
		return err
	}
	l, err := f.listen(cmd, token)
	if err != nil {
		return err
	}
	defer l.Close() // Serve has closed it unless it never came to that
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	say := tellTo(cmd.ErrOrStderr())
	t, err := f.open(cmd, log, say)
	if err != nil {
		return err
	}
	defer func() { err = storeError(errors.Join(err, t.close())) }()
	say(t.choice.name() + " answers; the database is " + t.store.Path())
	if token == "" {
		say("no token: every program on this machine may ask")
	}
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "http://%s\n", l.Addr()); err != nil {
		return &exit{code: exitPartial, err: fmt.Errorf("printing the address: %w", err)}
	}
	return httpapi.Serve(cmd.Context(), l, t.Chat, &httpapi.Options{Token: token, Log: log})
}
