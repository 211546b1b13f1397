package main

import (
	"context"
	_ "embed" // the prompts
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/toollimit/line"
)

// exploreFlags are the flags of explore as they were typed.
type exploreFlags struct {
	modelFlags
	repo, rev             string
	maxSteps, budget      int
	profile               string
	timeout               time.Duration
	format, out, trace    string
	mermaid, allowSecrets bool
	explainContext        bool
	quiet, verbose        bool
}

var exploreFormats = []string{"md", "json", "text"}

// defaultSteps is how often the model is asked at most when --max-steps is not given.
const defaultSteps = 24

func newExplore() *cobra.Command {
	f := &exploreFlags{}
	cmd := &cobra.Command{
		Use:   "explore [flags] [QUESTION...]",
		Short: "Answer a question about the code in a directory",
		Long: `explore answers a question about the code in a directory and cites the lines that show it. Without a QUESTION it gives
an overview; with - it reads the question from standard input. The report goes to standard output, progress to standard
error.

Without --model and FORAY_MODEL the offline planner explores: rules, no language model, no network, no key. PROVIDER is
` + wrapped(providerNames(), 120) + `.
Keys come from the provider's own variables, such as OPENAI_API_KEY; foray doctor says which are set and what answers.
A recording holds the model's answers, without keys; replayed with the same question, directory and flags it gives the
same report with no network.

What is found in files is kept for the next run, by their content, below the user's cache directory: at most 256 MiB.
FORAY_CACHE=DIR keeps it elsewhere, FORAY_CACHE=off nowhere.

Exit codes: 0 found, 1 nothing relevant found, 2 bad usage, 3 partial (a limit, a signal or an error came first).`,
		Example: `  foray explore "where are requests retried?"
  foray explore --repo ../service --format json -o report.json "how does login work?"
  foray explore --repo service.git --rev v1.2.0 "what did login do then?"
  git log -1 --format=%B | foray explore -
  foray explore --trace run.jsonl --explain-context "what fills a window?"
  OPENAI_API_KEY=… foray explore --model openai/gpt-4.1 --max-cost 0.50 "who calls Close, and when?"
  foray explore --model ollama/qwen3 --window 32768 "what does main wire?"
  foray explore --model gemini/gemini-2.5-flash --fallback deepseek/deepseek-chat --record run.rec "what is cached?"`,
		RunE: func(cmd *cobra.Command, args []string) error { return explore(cmd, f, args) },
	}
	f.define(cmd)
	return cmd
}

func (f *exploreFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	f.modelFlags.define(cmd)
	flags.StringVar(&f.repo, "repo", ".", "explore `DIR`")
	flags.StringVar(&f.rev, "rev", "", "explore the commit `REV`, not the files as they are; default of a bare repository: HEAD")
	flags.IntVar(&f.maxSteps, "max-steps", defaultSteps, "ask the model at most `N` times")
	flags.DurationVar(&f.timeout, "timeout", 0, "stop after this `DURATION`, such as 90s, and report what there is; default: none")
	flags.IntVar(&f.budget, "budget", 0, "let one request take at most `TOKENS`; default: by model and profile")
	flags.StringVar(&f.profile, "profile", "", "compact by `PROFILE`: "+strings.Join(profileNames(), ", ")+"; default: lean with a language model, off without")
	flags.BoolVar(&f.allowSecrets, "allow-secrets", false, "read files with a secret's name, and do not redact tokens")
	flags.StringVar(&f.format, "format", "md", "write the report as `FORM`: md, json or text")
	flags.StringVarP(&f.out, "output", "o", "", "write the report to `FILE`, whole or not at all")
	flags.BoolVar(&f.mermaid, "mermaid", false, "add a Mermaid graph of what calls what")
	flags.StringVar(&f.trace, "trace", "", "write each event of the run to `FILE` as a line of JSON, enough to rebuild every request")
	flags.BoolVar(&f.explainContext, "explain-context", false, "say what the context held at the end: by section and by tool; to standard error, or in the json form")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print no progress")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each tool call")
	inGroup(cmd, runGroup, "repo", "rev", "max-steps", "timeout", "budget", "profile", "allow-secrets")
	inGroup(cmd, outputGroup, "format", "output", "mermaid", "trace", "explain-context", "quiet", "verbose")
	cmd.SetUsageFunc(groupedUsage)
	complete(cmd, "format", words(exploreFormats))
	complete(cmd, "profile", words(profileNames()))
	if err := cmd.MarkFlagDirname("repo"); err != nil {
		panic(err) // a flag that is not defined above
	}
}

// check refuses values of flags that cannot work, before anything is opened.
func (f *exploreFlags) check(cmd *cobra.Command) error {
	if err := oneOf("format", f.format, exploreFormats); err != nil {
		return err
	}
	if f.profile != "" {
		if err := oneOf("profile", f.profile, profileNames()); err != nil {
			return err
		}
	}
	switch {
	case f.maxSteps < 1:
		return usage("--max-steps 12", "--max-steps %d is below 1", f.maxSteps)
	case f.budget < minBudget && cmd.Flags().Changed("budget"):
		return usage("--budget 24000", "--budget %d is below %d tokens", f.budget, minBudget)
	case f.timeout < 0, f.timeout == 0 && cmd.Flags().Changed("timeout"):
		return usage("--timeout 90s", "--timeout %v is not above zero", f.timeout)
	case f.quiet && f.verbose:
		return usage("--verbose", "--quiet and --verbose exclude each other")
	case f.mermaid && f.format != "md":
		return usage("--format md --mermaid", "--mermaid draws in Markdown only")
	}
	if err := f.modelFlags.check(cmd); err != nil {
		return err
	}
	return f.checkFiles()
}

// minBudget is what no run can do with less than, in tokens. The schemas of the tools take more: then the run ends with the sizes.
const minBudget = 1_000

func profileNames() []string {
	var names []string
	for _, p := range contextwindow.Profiles() {
		names = append(names, string(p))
	}
	return slices.Clip(names)
}

// explore is the command: read the question, open the tree, choose the model, run, print.
func explore(cmd *cobra.Command, f *exploreFlags, args []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	question, err := readQuestion(cmd.InOrStdin(), args)
	if err != nil {
		return err
	}
	root, err := openTree(cmd.Context(), f.repo, f.rev, f.allowSecrets)
	if err != nil {
		return err
	}
	defer root.Close()
	p := ui.NewProgress(cmd.ErrOrStderr(), f.quiet, f.verbose)
	choice, err := chooseModel(&f.modelFlags, p.Notice)
	if err != nil {
		return err
	}
	out := sink{path: f.out, std: cmd.OutOrStdout()}
	if err := out.check(); err != nil {
		return err
	}
	x := &exploration{flags: f, question: question, root: root, choice: choice}
	if err := x.openFiles(); err != nil {
		return err
	}
	if choice.rules {
		p.Notice("offline planner: rules, no language model")
	}
	result, runErr := x.run(cmd.Context(), p)
	x.afterwards(p, result)
	if runErr != nil && result.Steps == 0 && cmd.Context().Err() == nil {
		return choice.explain(cmd.Context(), runErr, result)
	}
	o := x.outcome(result)
	if err := out.write(o.render(f)); err != nil {
		return err
	}
	return x.end(cmd.Context(), o, result, runErr)
}

// openFiles opens the trace and the recording.
func (x *exploration) openFiles() error {
	trace, err := ownFile{"trace", x.flags.trace, "trace", "trace.jsonl"}.open()
	if err != nil {
		return err
	}
	x.trace = traceFile{trace}
	recording, err := ownFile{"record", x.flags.record, "recording", "run.rec"}.open()
	if err != nil {
		return errors.Join(err, x.trace.close())
	}
	x.choice.record(recording)
	return nil
}

// afterwards ends what accompanied the run: the progress, the trace, the recording, and the report on its context.
func (x *exploration) afterwards(p *ui.Progress, result *agent.Result) {
	p.Close()
	if err := x.trace.close(); err != nil {
		p.Say(fmt.Sprintf("warning: the trace may not be whole: %v", err))
	}
	if err := x.choice.recorded.close(); err != nil {
		p.Notice(fmt.Sprintf("warning: the recording is not whole: %v", err))
	}
	if x.choice.recorded.file != nil && x.choice.answered() != nil {
		p.Notice("warning: a replay of this recording takes all answers for those of " + x.choice.name() + ", also in what they cost")
	}
	if left := x.choice.left(); left > 0 {
		p.Notice(fmt.Sprintf("warning: %s of the recording were not asked for", line.Count(left, "answer")))
	}
	if x.flags.explainContext && x.flags.format != "json" {
		p.Print(ui.Printable(result.Context.String()))
	}
}

// end is how the command ends after its report is written.
func (x *exploration) end(ctx context.Context, o *outcome, r *agent.Result, runErr error) error {
	switch {
	case o.Partial != "" && runErr != nil && o.Stop != "cancelled":
		return x.choice.explain(ctx, runErr, r)
	case o.Partial != "":
		return &exit{code: exitPartial, err: fmt.Errorf("the report is partial: %s", o.Partial), hint: x.more(o.Stop)}
	case !o.Found:
		return &exit{code: exitNothing}
	}
	return nil
}

// An exploration is one run of explore: a question, a tree and a model.
type exploration struct {
	flags    *exploreFlags
	question string // "": an overview
	root     *guide.Tree
	choice   *choice
	trace    traceFile
	steps    []agent.Step
}

// options are those of the run.
func (x *exploration) options() *guide.RunOptions {
	f := x.flags
	return &guide.RunOptions{Steps: f.maxSteps, Time: f.timeout, Profile: contextwindow.Profile(f.profile), Budget: f.budget}
}

// run explores and shows its progress. The result is there also when the error is.
func (x *exploration) run(ctx context.Context, p *ui.Progress) (*agent.Result, error) {
	if x.choice.rules {
		p.ShowReasoning()
	}
	p.Begin(x.flags.maxSteps, x.choice.name())
	for e, err := range x.trace.of(x.root.Stream(ctx, x.choice.model, x.question, x.options())) {
		if e == nil {
			return &agent.Result{Stop: agent.Failed}, err
		}
		p.Show(e)
		if stepped, ok := e.(agent.StepFinished); ok {
			x.steps = append(x.steps, stepped.Step)
		}
		if done, ok := e.(agent.RunFinished); ok {
			return done.Result, err
		}
	}
	return &agent.Result{Stop: agent.Failed}, fmt.Errorf("the run ended without a result")
}

// leastCost is what a run is taken to have cost at least when more is suggested, in dollars: the hint shows whole cents.
const leastCost = .005

// more says how to get the whole report after a limit.
func (x *exploration) more(stop agent.Stop) string {
	switch stop {
	case agent.StepLimit:
		return fmt.Sprintf("--max-steps %d", 2*x.flags.maxSteps)
	case agent.TimeLimit:
		return fmt.Sprintf("--timeout %v", 2*x.flags.timeout)
	case agent.CostLimit:
		return fmt.Sprintf("--max-cost %.2f", 2*max(x.choice.meter.Total().Cost, leastCost))
	case agent.CutOff:
		return "ask for less at once, or another --model"
	case agent.Stalled:
		return "ask in other words, or with another --model"
	case agent.TokenLimit, agent.Cancelled, agent.Failed, agent.Answered, agent.GuideStopped:
	}
	return ""
}

// maxQuestion is the longest question, in bytes: more than an issue with its stack traces, less than a file pasted by
// mistake.
const maxQuestion = 100_000

// readQuestion is the question that the arguments are, or standard input is when the only argument is -.
func readQuestion(in io.Reader, args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		raw, err := io.ReadAll(io.LimitReader(in, maxQuestion+1))
		if err != nil {
			return "", &exit{code: exitUsage, err: errors.New("standard input cannot be read"), hint: "echo 'a question' | foray explore -"}
		}
		if text = string(raw); strings.TrimSpace(text) == "" {
			return "", usage("echo 'a question' | foray explore -", "there is no question on standard input")
		}
	}
	if len(text) > maxQuestion {
		return "", usage("ask in a few sentences, and name the files that matter", "the question is longer than %s bytes", line.Number(maxQuestion))
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")), nil
}
