package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
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
` + wrapped(backendNames(), 120) + `.
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
	root, err := openTree(cmd.Context(), f.repo, f.rev)
	if err != nil {
		return err
	}
	defer root.Close()
	p := newProgress(cmd.ErrOrStderr(), f.quiet, f.verbose)
	choice, err := chooseModel(&f.modelFlags, p.notice)
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
		p.notice("offline planner: rules, no language model")
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
func (x *exploration) afterwards(p *progress, result *agent.Result) {
	p.close()
	if err := x.trace.close(); err != nil {
		p.say(fmt.Sprintf("warning: the trace may not be whole: %v", err))
	}
	if err := x.choice.recorded.close(); err != nil {
		p.notice(fmt.Sprintf("warning: the recording is not whole: %v", err))
	}
	if x.choice.recorded.file != nil && x.choice.answered() != nil {
		p.notice("warning: a replay of this recording takes all answers for those of " + x.choice.name() + ", also in what they cost")
	}
	if left := x.choice.left(); left > 0 {
		p.notice(fmt.Sprintf("warning: %s of the recording were not asked for", many(left, "answer")))
	}
	if x.flags.explainContext && x.flags.format != "json" {
		fmt.Fprint(p.w, printable(result.Context.String()))
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
