package main

import (
	"cmp"
	"context"
	_ "embed" // the prompts
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/otel"
	durable "github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/inspect"
	"github.com/forayhq/foray/cmd/foray/internal/servers"
	"github.com/forayhq/foray/cmd/foray/internal/telemetry"
	"github.com/forayhq/foray/cmd/foray/internal/tui"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// exploreFlags are the flags of explore.
type exploreFlags struct {
	modelFlags
	repoFlags
	sessionFlags
	progressFlags
	telemetry.Flags
	mcp              servers.Flags
	maxSteps, budget int
	profile          string
	timeout          time.Duration
	format           string
	out, trace       string
	mermaid, long    bool
	explainContext   bool
	inspect          bool
	plain            bool
	embed            string
	more             string // what a short report says to ask for; "": --long
}

// minBudget is the smallest --budget, in tokens. A run needs more, for the schemas of its tools: then the error says
// how much.
const minBudget = 1_000

// exploreHelp is the help of explore after the names of the providers.
const exploreHelp = `The API key comes from the provider's environment variable, such as
OPENAI_API_KEY; foray doctor lists the variables that are set.

The report is short: the answer with the code that it is about, the calls that
lead to it, at most five places and how sure it is. --long adds all places,
excerpts, tests, commits and what is not covered. strong means that at least 85
of 100 first places were right for questions like it, likely 60; one of these,
fewer: look at each.

Without a model, in English, German or Chinese, mistyped or not (right: first
places of 100, in the worse of two sets of questions):

  question                        answered from                       right
  where is NAME defined?          definitions                         95
  who calls NAME?                 uses by name                        93
  which tests cover NAME?         uses by name in tests               80
  which tests check that …?       titles and code of tests            21
  who implements NAME?            declarations; in Go methods         88
  what does PATH do? what is in   its head, README, definitions       86
    the folder PATH?
  where does "a message" come     string literals                     89
    from?
  why do I get ERROR? when is     lines that raise it, and what       93
    it raised?                    decides whether they run
  what is the difference between  definitions of both                 70
    NAME and NAME?
  which methods, fields, values   the definition; tables, lists and   44
    does NAME have? which error   folders of that name; manifests;
    codes, flags, environment     lines that declare or read one
    variables are there?
  what does --flag do?            the line that declares it           55
  what is NAME's default?         assignments, parameter defaults     96
  how many X are allowed? which   settings, by words                  44
    port by default?
  what do the docs say about …?   headings of Markdown, RST,          87
                                  AsciiDoc, RDoc, manual pages
  how do I …?                     headings, then sections of          63
                                  documents, options and code
  what is this? which license?    README, licence files, manifests,   98
    where does it start? what     conventions of the language
    are the main packages?
  where and how is … done?        files and definitions, by words     77
    (right: the file)
  why …? can I …? what happens    sections of documents, and code,    22
    if …? does it …?              by words

A log, code or an error may be pasted before or after the question. Of several
questions it answers the first and names the others.

It quotes lines and judges nothing. It cannot say why code is as it is, what
happens when it runs, what would be better, or combine several places into an
explanation; for these, use a model. It compares names, not types, so another
thing of the same name counts too. Tables, and how each figure was measured:
docs/figures.md in the source, section "Answering questions".

A recording holds the model's answers and no keys. A replay with the same
question, directory and flags gives the same report without a network.

Definitions and words of files, and which commits changed them, are cached in
the user's cache directory, at most 256 MiB. Set FORAY_CACHE to another
directory, or to off to disable the cache.

A run of a language model is a session: it is saved after each step, and an
interrupted one continues with foray sessions resume. The heuristic explorer
takes half a second and keeps nothing, unless --session names a session.

On a terminal, a run of a language model is drawn while it is in progress: each
call folds out, what you type joins the run, Ctrl-C ends it early. --plain
and a pipe leave one line of progress. NO_COLOR turns colours off.

A language model begins with evidence: the code that the heuristic explorer
found. If the model gives no usable answer, the report is the one that the
heuristic explorer made, and says so.

Exit codes:
  0  found
  1  nothing relevant found
  2  bad usage
  3  partial: a limit, a signal or an error ended the run early, or the model
     gave no usable answer`

func newExplore() *cobra.Command {
	f := &exploreFlags{}
	cmd := &cobra.Command{
		Use:   "explore [flags] [QUESTION...]",
		Short: "Answer a question about the code in a directory",
		Long: `Answer a question about the code in a directory, and cite the lines that show
it. Without a QUESTION, give an overview; with -, read the question from
standard input. The report goes to standard output, progress to standard error.

Without --model and FORAY_MODEL, or with --model rules, the heuristic explorer
answers: no language model, no network, no key. PROVIDER is one of:
` + cli.List(providerNames()) + "\n" + exploreHelp,
		Example: `  foray explore "where are requests retried?"
  foray explore --repo ../service --format json "how does login work?"
  foray explore --long "who calls Close?"
  foray explore --repo service.git --rev v1.2.0 "what did login do then?"
  git log -1 --format=%B | foray explore -
  OPENAI_API_KEY=… foray explore --model openai/gpt-4.1 "who calls Close?"
  foray explore --model ollama/qwen3 --window 32768 "what does main wire?"`,
		RunE: func(cmd *cobra.Command, args []string) error { return runExplore(cmd, f, args) },
	}
	f.define(cmd)
	f.sessionFlags.define(cmd)
	return cmd
}

func (f *exploreFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.modelFlags.define(cmd)
	embedFlag(cmd, &f.embed, ranksFiles)
	cli.InGroup(cmd, cli.ModelGroup, "embed")
	f.repoFlags.define(cmd, true)
	cli.NumberFlag(cmd, &f.maxSteps, "max-steps", defaultSteps, 1, "ask the model at most `N` times")
	cli.TimeoutFlag(cmd, &f.timeout, 0, "stop after `DURATION`, such as 90s, with a partial report (default: unlimited)")
	cli.TokensFlag(cmd, &f.budget, "budget", minBudget, "limit a request to `TOKENS` (default: by model and profile)")
	profiles := cli.Names(contextwindow.Profiles())
	cli.ChoiceFlag(cmd, &f.profile, "profile", "", profiles,
		"compact the context by `PROFILE`: "+cli.Either(profiles)+" (default: lean with a language model, off without)")
	cli.FormatFlag(cmd, &f.format, []string{"md", "json", "text", "html"})
	cli.OutputFlag(cmd, &f.out)
	flags.BoolVar(&f.long, "long", false, "print all places, relations, excerpts, tests, commits and what is not covered")
	flags.BoolVar(&f.mermaid, "mermaid", false, "add a Mermaid graph of the relations found (with --format md)")
	flags.StringVar(&f.trace, "trace", "",
		"write the events of the run to `FILE` as JSON lines, enough to rebuild every request")
	flags.BoolVar(&f.explainContext, "explain-context", false,
		"report what the model saw of its tools' results and what the context held at the end "+
			"(on standard error, or in JSON)")
	flags.BoolVar(&f.inspect, "inspect", false,
		"show the window in a browser, from the start of the run until Ctrl-C")
	f.progressFlags.define(cmd)
	flags.BoolVar(&f.plain, "plain", false, "show progress in one line, as for a screen reader "+
		"(default on a terminal, with a language model: draw the run)")
	f.Flags.Define(cmd)
	f.mcp.Define(cmd)
	cli.InGroup(cmd, cli.RunGroup, "max-steps", "timeout", "budget", "profile")
	cli.InGroup(cmd, cli.OutputGroup, "format", "output", "long", "mermaid", "trace", "explain-context", "inspect",
		"plain")
}

// check refuses flags that contradict each other, before anything is opened.
func (f *exploreFlags) check(cmd *cobra.Command) error {
	if f.mermaid && f.format != "md" {
		return cli.Usage("--format md --mermaid", "--mermaid needs --format md")
	}
	if err := cmp.Or(f.progressFlags.check(), f.modelFlags.check(cmd)); err != nil {
		return err
	}
	if f.compaction == compactServer && f.budget > 0 {
		return cli.Usage("--compaction server, without --budget",
			"--budget and --compaction server exclude each other: the server's size for a request decides the budget")
	}
	return cli.DistinctFiles(cli.SideFile{Flag: "trace", Path: f.trace}, cli.SideFile{Flag: "record", Path: f.record},
		cli.SideFile{Flag: "replay", Path: f.replay}, cli.SideFile{Flag: "output", Path: f.out})
}

// runExplore runs the command: read the question, open the tree, choose the model, run, print.
func runExplore(cmd *cobra.Command, f *exploreFlags, args []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	question, err := readQuestion(cmd.InOrStdin(), args)
	if err != nil {
		return err
	}
	kept, err := f.openSession(cmd, question)
	if err != nil {
		return err
	}
	return errors.Join(f.explore(cmd, question, kept), kept.close())
}

// explore answers a question, in a session unless that is nil.
func (f *exploreFlags) explore(cmd *cobra.Command, question string, kept *keptRun) error {
	boundHeap()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	cmd.SetContext(ctx)
	root, err := openFiles(cmd.Context(), &f.repoFlags)
	if err != nil {
		return err
	}
	defer root.Close()
	p := ui.NewProgress(cmd.ErrOrStderr(), f.quiet, f.verbose)
	if root.Similar, err = similarity(f.embed, p.Say); err != nil {
		return err
	}
	f.patience = f.timeout
	choice, err := chooseModel(cmd.Context(), &f.modelFlags, p.Notice)
	if err != nil {
		return err
	}
	out := cli.Output{Path: f.out, Std: cmd.OutOrStdout()}
	if err := out.Check(); err != nil {
		return err
	}
	x := &exploration{flags: f, question: question, root: root, choice: choice, kept: kept, cancel: cancel}
	if kept != nil && kept.resume {
		x.question = kept.kept.Question
	}
	if x.session, err = kept.session(cmd, choice); err != nil {
		return err
	}
	kept.carry(x)
	x.trace, err = cli.SideFile{Flag: "trace", Path: f.trace, What: "trace", Suggested: "trace.jsonl"}.Open()
	if err != nil {
		return err
	}
	if err := x.startRecording(p); err != nil {
		return errors.Join(err, x.trace.Close())
	}
	if x.sender, err = f.Flags.Start(cmd.Context(), p.Say); err != nil {
		return errors.Join(err, x.trace.Close(), choice.recorded.close())
	}
	if x.servers, err = f.openServers(cmd.Context(), root, choice, p.Say); err != nil {
		return errors.Join(err, x.trace.Close(), choice.recorded.close())
	}
	defer x.servers.Close()
	if choice.rules {
		p.Notice(rulesNotice)
	}
	if kept != nil {
		p.Notice("session " + kept.id)
	}
	defer x.page.Close()
	if err := x.openPage(cmd.Context(), p); err != nil {
		return errors.Join(err, x.trace.Close(), choice.recorded.close())
	}
	result, runErr := x.show(cmd, p)
	x.closeFiles(p, result)
	return x.keepPage(cmd, x.print(cmd.Context(), out, result, runErr))
}

// startRecording begins the recording of --record. It warns if searches find that file, as a replay finds another text
// in it.
func (x *exploration) startRecording(p *ui.Progress) error {
	f := x.flags
	err := x.choice.startRecording(f.record)
	if err == nil && f.record != "" && f.rev == "" && below(x.root.Dir, f.record) {
		p.Notice("warning: the recording is in the directory that is explored, so a replay may differ: record elsewhere")
	}
	return err
}

// maxShown is how much of the trace of a run the page of --inspect keeps, in bytes.
const maxShown = 256 << 20

// openPage serves the page of the run, if it is asked for.
func (x *exploration) openPage(ctx context.Context, p *ui.Progress) error {
	if !x.flags.inspect {
		return nil
	}
	x.page.Most, x.page.Title, x.page.Price = maxShown, x.title(), x.flags.list.Price
	address, err := x.page.Open(ctx)
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("serving the page of the run: %w", err)}
	}
	p.Say("the window of the run: " + address)
	return nil
}

// maxTitle is the longest title of a page, in runes.
const maxTitle = 200

// title names the run: the first words of the question.
func (x *exploration) title() string {
	return line.Truncate(line.Flat(cmp.Or(x.question, "Overview")), maxTitle)
}

// keepPage keeps the page of a run that has ended until a signal, and returns how the command ends.
func (x *exploration) keepPage(cmd *cobra.Command, err error) error {
	if !x.flags.inspect || cmd.Context().Err() != nil {
		return err
	}
	code := cli.PrintError(cmd.ErrOrStderr(), err)
	cli.Notice(cmd, "the page of the run stays up until Ctrl-C")
	<-cmd.Context().Done()
	if err != nil {
		err = &cli.Exit{Code: code} // it is printed already
	}
	return err
}

// openServers connects to the servers of --mcp.
func (f *exploreFlags) openServers(
	ctx context.Context, root *guide.Tree, c *choice, say func(string),
) (*servers.Servers, error) {
	base := root.Agent(c.model, &guide.RunOptions{Profile: contextwindow.Profile(f.profile), Budget: f.budget})
	if c.rules && f.mcp.Given() {
		return nil, cli.Usage("--model PROVIDER/NAME", "--mcp needs a model: rules use foray's own tools only")
	}
	return f.mcp.Open(ctx, base.Tools, base.Budget.Limit, say)
}

// print writes the report, unless the model cannot be used, and returns how the command ends.
func (x *exploration) print(ctx context.Context, out cli.Output, result *agent.Result, runErr error) error {
	o := x.outcome(result)
	if runErr != nil && result.Steps == 0 && ctx.Err() == nil &&
		(o.Fallback == "" || !o.Found || unusable[providers.ClassOf(runErr)] || errors.Is(runErr, durable.ErrInUse)) {
		x.kept.drop(ctx, x.flags.session != "")
		return x.kept.explain(x.choice.explain(ctx, runErr, result))
	}
	if err := x.draw(ctx, o); err != nil {
		return err
	}
	if err := out.Write(o.render(x.flags)); err != nil {
		return err
	}
	end := x.kept.explain(x.end(ctx, o, result, runErr))
	if again, e := x.kept.resumable(ctx, result), (*cli.Exit)(nil); again != "" && errors.As(end, &e) {
		if e.Hint != "" {
			e.Hint += "; then "
		}
		e.Hint += "continue it: " + again
	}
	return end
}

// closeFiles ends the progress, the trace and the recording, and prints the report on the context.
func (x *exploration) closeFiles(p *ui.Progress, result *agent.Result) {
	p.Close()
	if x.trace != nil {
		if err := x.trace.Close(); err != nil {
			p.Say(fmt.Sprintf("warning: the trace may be incomplete: %v", err))
		}
	}
	x.choice.endRecording(p.Notice)
	x.sender.Close()
	if x.flags.explainContext && x.flags.format != "json" {
		p.Print(line.Printable(result.Context.String()))
	}
}

// end returns how the command ends once its report is written.
func (x *exploration) end(ctx context.Context, o *outcome, r *agent.Result, runErr error) error {
	switch {
	case o.Partial != "" && runErr != nil && o.Stop != agent.Cancelled:
		return x.choice.explain(ctx, runErr, r)
	case o.Fallback != "" && o.Stop == stopUnusable:
		return &cli.Exit{Code: cli.ExitPartial, Err: errors.New(o.Partial),
			Hint: "a larger model, or the same question without --model"}
	case o.Partial != "":
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("the report is partial: %s", o.Partial),
			Hint: cmp.Or(remedy(x.root), x.choice.more(o.Stop, x.flags.maxSteps, x.flags.timeout))}
	case !o.Found:
		return &cli.Exit{Code: cli.ExitNothing}
	}
	return nil
}

// An exploration is one run of explore.
type exploration struct {
	flags    *exploreFlags
	question string // empty for an overview
	root     *guide.Tree
	choice   *choice
	sender   *telemetry.Sender // nil without --otel
	servers  *servers.Servers  // nil without --mcp
	trace    *os.File          // nil without --trace
	page     inspect.Page      // of --inspect
	steps    []agent.Step
	kept     *keptRun       // nil: in no session
	session  *agent.Session // nil: in none
	screen   *tui.Screen    // on which the run is drawn; nil: it is not
	inbox    *agent.Inbox   // of messages for the run; nil: none
	cancel   func()         // ends the command as the first Ctrl-C does
}

// show explores and shows its progress. It returns a result even with an error.
func (x *exploration) show(cmd *cobra.Command, p *ui.Progress) (*agent.Result, error) {
	if x.choice.rules {
		p.ShowReasoning()
	}
	p.Begin(x.flags.maxSteps, x.choice.name())
	if x.watched(cmd) {
		return x.watch(cmd, p)
	}
	return x.run(cmd.Context(), p)
}

// run explores. It returns a result even with an error.
func (x *exploration) run(ctx context.Context, p *ui.Progress) (*agent.Result, error) {
	f := x.flags
	traced := otel.Run{Session: x.session}
	events := x.sender.Observe(ctx, traced, func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return x.root.Stream(ctx, x.choice.model, x.question, &guide.RunOptions{
			Steps: f.maxSteps, Time: f.timeout, Profile: contextwindow.Profile(f.profile), Budget: f.budget,
			Session: x.session, Resume: x.kept != nil && x.kept.resume,
			Tools: x.servers.Tools(), Approve: x.servers.Approve(nil), Inbox: x.inbox,
		})
	})
	if x.trace != nil {
		events = trace.Write(events, x.trace)
	}
	if f.inspect {
		events = trace.Write(events, &x.page)
	}
	return x.finish(events, func(e agent.Event) { x.display(e, p) })
}

// finish plays a run to its result, keeps its steps, and shows each event.
func (x *exploration) finish(events iter.Seq2[agent.Event, error], show func(agent.Event)) (*agent.Result, error) {
	for e, err := range events {
		if e == nil {
			return &agent.Result{Stop: agent.Failed}, err
		}
		show(e)
		switch e := e.(type) {
		case agent.StepFinished:
			x.steps = append(x.steps, e.Step)
		case agent.RunFinished:
			return e.Result, err
		}
	}
	return &agent.Result{Stop: agent.Failed}, errors.New("the run ended without a result")
}

// display shows an event. The progress says warnings, on the screen, too.
func (x *exploration) display(e agent.Event, p *ui.Progress) {
	p.Show(e)
	if _, warned := e.(agent.WarningRaised); x.screen != nil && !warned {
		x.screen.Ran(e)
	}
	if call, ok := e.(agent.ToolFinished); ok && call.Step == 0 && x.screen == nil {
		p.Notice(fmt.Sprintf("evidence gathered by the heuristic explorer: %s, %s",
			line.Count(call.Record.TokensOut, "token"), ui.Seconds(call.Record.Duration)))
	}
}

// maxQuestion limits a question, in bytes: more than an issue with stack traces, less than a file pasted by mistake.
const maxQuestion = 100_000

// readQuestion returns the question in the arguments, or on standard input if the only argument is -.
func readQuestion(in io.Reader, args []string) (string, error) {
	text := strings.Join(args, " ")
	switch {
	case len(args) > 0 && strings.TrimSpace(text) == "":
		return "", cli.Usage("foray explore, without an argument, for an overview", "the question is empty")
	case text == "-":
		raw, err := io.ReadAll(io.LimitReader(in, maxQuestion+1))
		if err != nil {
			return "", &cli.Exit{Code: cli.ExitUsage, Err: errors.New("standard input is not readable"),
				Hint: "echo 'a question' | foray explore -"}
		}
		if text = string(raw); strings.TrimSpace(text) == "" {
			return "", cli.Usage("echo 'a question' | foray explore -", "standard input holds no question")
		}
	}
	if len(text) > maxQuestion {
		return "", cli.Usage("ask in a few sentences, and name the files that matter", "the question is longer than %s bytes",
			line.Number(maxQuestion))
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")), nil
}
