package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat/httpapi"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/internal/httpserve"
	insights "github.com/forayhq/foray/pipelines/insight"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/mcp/server"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	talkFlags
	addressFlags
}

// addressFlags say where a server listens, and what its requests must carry.
type addressFlags struct{ addr, token string }

// define defines --addr and --token.
func (f *addressFlags) define(cmd *cobra.Command, addr, usage string) {
	cmd.Flags().StringVar(&f.addr, "addr", addr, usage)
	cmd.Flags().StringVar(&f.token, "token", "", "require `TOKEN` in every request (default: $"+tokenVariable+")")
	cli.InGroup(cmd, cli.OutputGroup, "addr", "token")
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
behind a proxy that has it.

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
	f.talkFlags.define(cmd)
	f.addressFlags.define(cmd, "127.0.0.1:7777", "listen on `HOST:PORT`; port 0 takes a free one")
	return cmd
}

// secret returns the token, "" without one. Errors never contain it.
func (f *addressFlags) secret(cmd *cobra.Command) (string, error) {
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
		return "", cli.Usage(hint, "the token contains a character that is not allowed in an HTTP header")
	}
	return token, nil
}

// listen opens the address. Without a token it refuses one that other machines can reach.
func (f *addressFlags) listen(cmd *cobra.Command, token string) (net.Listener, error) {
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
	say(t.answerer() + "; database: " + t.store.Path())
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

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	modelFlags
	repoFlags
	addressFlags
	maxTokens, maxSteps int
	timeout             time.Duration
}

func newMCP() *cobra.Command {
	f := &mcpFlags{}
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "Offer the tools to other agents, by MCP",
		Long: `Offer foray's tools over a source tree to a client of the Model Context
Protocol: Claude Code, Cursor, VS Code, Zed and others start this command
themselves and talk to it on standard input and output. The tools read, and
change nothing.

explore answers a question in words and cites the lines that show the answer:
without --model and FORAY_MODEL by rules, with no key and no network. Its
reports are resources, too. A result is truncated to --max-tokens; the client
reads the rest with read_working_memory.

With --addr it serves HTTP instead, and prints its address. Without a token it
only listens on this machine. Set the token with ` + tokenVariable + `.

Exit codes: 0 the client left or a signal came, 2 bad usage, 3 an error.`,
		Example: `  claude mcp add foray -- foray mcp --repo .
  foray mcp --repo ../service --rev v1.2.0
  FORAY_TOKEN=… foray mcp --addr 0.0.0.0:7778 --model openai/gpt-4.1`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runMCP(cmd, f) },
	}
	f.modelFlags.define(cmd)
	f.repoFlags.define(cmd, true)
	f.addressFlags.define(cmd, "", "serve HTTP on `HOST:PORT` instead; port 0 takes a free one")
	cli.NumberFlag(cmd, &f.maxTokens, "max-tokens", 8_000, 200, "truncate a result to `N` tokens")
	cli.NumberFlag(cmd, &f.maxSteps, "max-steps", defaultSteps, 1, "let explore ask the model at most `N` times")
	cli.TimeoutFlag(cmd, &f.timeout, 0, "stop explore after `DURATION`, with a partial report (default: unlimited)")
	cli.InGroup(cmd, cli.OutputGroup, "max-tokens")
	cli.InGroup(cmd, cli.RunGroup, "max-steps", "timeout")
	return cmd
}

func runMCP(cmd *cobra.Command, f *mcpFlags) error {
	if err := f.modelFlags.check(cmd); err != nil {
		return err
	}
	token, err := f.secret(cmd)
	if err != nil {
		return err
	}
	boundHeap()
	root, err := openTree(cmd.Context(), &f.repoFlags)
	if err != nil {
		return err
	}
	defer root.Close()
	say := cli.NoticesTo(cmd.ErrOrStderr())
	choice, err := chooseModel(cmd.Context(), &f.modelFlags, say) // so that what is wrong with it shows at once
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := f.toolServer(root, log)
	if err != nil {
		return err
	}
	say(choice.name() + " answers what explore is asked about " + root.Dir)
	if f.addr != "" {
		return f.serveMCP(cmd, s, token, log)
	}
	if ui.Columns(os.Stdin) != nil {
		say("waiting for messages of an MCP client; a client starts this command itself: foray mcp --help")
	}
	return f.talkMCP(cmd, s)
}

// talkMCP serves one client on standard input and output.
func (f *mcpFlags) talkMCP(cmd *cobra.Command, s *server.Server) error {
	err := s.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
	if err == nil || cmd.Context().Err() != nil {
		return nil
	}
	return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("the client: %w", err)}
}

// serveMCP serves any number of clients over HTTP, until a signal.
func (f *mcpFlags) serveMCP(cmd *cobra.Command, s *server.Server, token string, log *slog.Logger) error {
	l, err := f.listen(cmd, token)
	if err != nil {
		return err
	}
	defer l.Close() // a second time after Serve, which is harmless
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "http://%s/mcp\n", l.Addr()); err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("printing the address: %w", err)}
	}
	err = httpserve.Serve(cmd.Context(), l, httpserve.NewGuard(token).Wrap(s.Handler()),
		httpserve.Options{Token: token, Stop: httpserve.DefaultStop, Log: log})
	return errors.Join(err, s.Close())
}

// toolServer returns the server of the tools over a tree.
func (f *mcpFlags) toolServer(root *guide.Tree, log *slog.Logger) (*server.Server, error) {
	all := root.Tools(false)
	all = slices.DeleteFunc(all, func(t tools.Tool) bool { return t.Name == "report" }) // is how an agent of ours ends
	for i := range all {
		all[i].Timeout = cmp.Or(all[i].Timeout, toolTime)
	}
	return server.New(server.Config{
		Name: "foray", Version: cli.Version(), MaxTokens: f.maxTokens, Log: log,
		Tools: append(all, f.exploreTool(root), insightTool(root)), Reports: []string{"explore", "insight"},
		Instructions: "Tools over the source tree " + filepath.Base(root.Dir) + ". They read and change nothing. " +
			"Ask explore first, in words: it answers and cites file:line. Then read_file, outline, references and " +
			"search look closer; locate ranks the files that a task is about.",
	})
}

// toolTime bounds a call of a tool that reads. A search of 100,000 files takes seconds.
const toolTime = 2 * time.Minute

type exploreInput struct {
	Question string `json:"question" doc:"what to find out about the code, in a sentence; empty for an overview"`
	Long     bool   `json:"long,omitempty" doc:"all places, excerpts, relations, tests and commits"`
}

// exploreTool returns the tool that answers a question as foray explore does.
func (f *mcpFlags) exploreTool(root *guide.Tree) tools.Tool {
	return tools.New("explore", "Answer a question about this source tree: where and how something is done, who calls "+
		"a function, which tests cover it, where a message comes from, what a default is. The answer cites file:line "+
		"and says how sure it is.",
		func(ctx context.Context, in exploreInput) (string, error) {
			if len(in.Question) > maxQuestion {
				return "", tools.Problemf("too_large", "a question of a few sentences",
					"the question is longer than %d bytes", maxQuestion)
			}
			model := f.modelFlags
			choice, err := chooseModel(ctx, &model, func(string) {})
			if err != nil {
				return "", explained(err)
			}
			x := &exploration{question: in.Question, root: root, choice: choice, flags: &exploreFlags{
				maxSteps: f.maxSteps, timeout: f.timeout, format: "md", long: in.Long, more: "long: true",
			}}
			result, err := x.countSteps(ctx)
			o := x.outcome(result)
			if err != nil && (!o.Found || result.Steps == 0) {
				return "", explained(choice.explain(ctx, err, result))
			}
			return o.render(x.flags), nil
		})
}

// countSteps explores and counts the steps on the progress of the call.
func (x *exploration) countSteps(ctx context.Context) (*agent.Result, error) {
	steps := tools.CountProgress(ctx, "steps", 0)
	defer steps.End()
	o := &guide.RunOptions{Steps: x.flags.maxSteps, Time: x.flags.timeout}
	return x.finish(x.root.Stream(ctx, x.choice.model, x.question, o), func(e agent.Event) {
		if _, ok := e.(agent.StepFinished); ok {
			steps.Add(1)
		}
	})
}

type insightInput struct {
	Dimensions  []string `json:"dimensions,omitempty" doc:"what to look for; default: everything"`
	MaxFindings int      `json:"max_findings,omitempty" jsonschema:"minimum=1,maximum=100" doc:"default 10"`
}

// insightTool returns the tool that finds what foray insight finds by rules.
func insightTool(root *guide.Tree) tools.Tool {
	return tools.New("insight", "Find defects, risks and facts that the maintainers of this source tree should know, "+
		"each with the lines that show it. By rules, for Go, Python, JavaScript, TypeScript and Rust; takes up to some "+
		"minutes.",
		func(ctx context.Context, in insightInput) (string, error) {
			for _, d := range in.Dimensions {
				if !slices.Contains(insights.Dimensions(), d) {
					return "", tools.Problemf("unknown_category", cli.Suggest(d, insights.Dimensions()),
						"no dimension %.80q; there are %s", d, cli.Either(insights.Dimensions()))
				}
			}
			x := &inspection{root: root, choice: &choice{model: insights.Rules(), rules: true},
				flags: &insightFlags{
					dimensions: in.Dimensions, maxFindings: cmp.Or(in.MaxFindings, defaultFindings),
					maxSteps: defaultSteps, timeout: rulesTime,
				}}
			p := ui.NewProgress(io.Discard, true, false)
			defer p.Close()
			err := x.run(ctx, p)
			if err != nil && x.total.Steps == 0 {
				return "", err
			}
			return x.outcome(err).render("md"), nil
		})
}

// explained is how a command would end, as the error of a tool.
func explained(err error) error {
	if e := (*cli.Exit)(nil); errors.As(err, &e) && e.Hint != "" {
		return fmt.Errorf("%w; hint for the user: %s", err, e.Hint)
	}
	return err
}
