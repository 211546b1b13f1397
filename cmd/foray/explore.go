package main

import (
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
	repo, model, baseURL  string
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

Without --model and FORAY_MODEL the offline planner explores: rules, no language model, no network, no key.

Exit codes: 0 found, 1 nothing relevant found, 2 bad usage, 3 partial (a limit, a signal or an error came first).`,
		Example: `  foray explore "where are requests retried?"
  foray explore --repo ../service --format json -o report.json "how does login work?"
  git log -1 --format=%B | foray explore -
  foray explore --trace run.jsonl --explain-context "what fills a window?"
  OPENAI_API_KEY=… foray explore --model openai/gpt-4.1 "who calls Close, and when?"
  foray explore --model openai/qwen3 --base-url http://localhost:11434/v1 "what does main wire?"`,
		RunE: func(cmd *cobra.Command, args []string) error { return explore(cmd, f, args) },
	}
	f.define(cmd)
	return cmd
}

func (f *exploreFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.repo, "repo", ".", "explore `DIR`")
	flags.StringVar(&f.model, "model", "", "explore with `PROVIDER/NAME`; default: $FORAY_MODEL, else the offline planner")
	flags.StringVar(&f.baseURL, "base-url", "", "ask the server at `URL`, which speaks OpenAI's dialect; default: $OPENAI_BASE_URL, else OpenAI")
	flags.IntVar(&f.maxSteps, "max-steps", defaultSteps, "ask the model at most `N` times")
	flags.IntVar(&f.budget, "budget", 0, "let one request take at most `TOKENS`; default: by model and profile")
	flags.StringVar(&f.profile, "profile", "", "compact by `PROFILE`: "+strings.Join(profileNames(), ", ")+"; default: lean with a language model, off without")
	flags.DurationVar(&f.timeout, "timeout", 0, "stop after this `DURATION`, such as 90s, and report what there is; default: none")
	flags.StringVar(&f.format, "format", "md", "write the report as `FORM`: md, json or text")
	flags.StringVarP(&f.out, "output", "o", "", "write the report to `FILE`, whole or not at all")
	flags.StringVar(&f.trace, "trace", "", "write each event of the run to `FILE` as a line of JSON, enough to rebuild every request")
	flags.BoolVar(&f.explainContext, "explain-context", false, "say what the context held at the end: by section and by tool; to standard error, or in the json form")
	flags.BoolVar(&f.mermaid, "mermaid", false, "add a Mermaid graph of what calls what")
	flags.BoolVar(&f.allowSecrets, "allow-secrets", false, "read files with a secret's name, and do not redact tokens")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print no progress")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each tool call")
	complete(cmd, "format", words(exploreFormats))
	complete(cmd, "profile", words(profileNames()))
	complete(cmd, "model", completeModelFlag)
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
	return nil
}

// minBudget is the smallest window that can hold the tools' schemas and a question, in tokens.
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
	root, err := openRoot(f.repo)
	if err != nil {
		return err
	}
	defer root.Close()
	choice, err := chooseModel(f.model, f.baseURL)
	if err != nil {
		return err
	}
	out := sink{path: f.out, std: cmd.OutOrStdout()}
	if err := out.check(); err != nil {
		return err
	}
	trace, err := openTrace(f.trace, f.out)
	if err != nil {
		return err
	}
	x := &exploration{flags: f, question: question, root: root, choice: choice, trace: trace}
	p := newProgress(cmd.ErrOrStderr(), f.quiet, f.verbose)
	if choice.rules && !f.quiet {
		p.say("offline planner: rules, no language model")
	}
	result, runErr := x.run(cmd.Context(), p)
	x.afterwards(p, result)
	if runErr != nil && result.Steps == 0 && cmd.Context().Err() == nil {
		return choice.explain(runErr, result.Steps)
	}
	o := x.outcome(result)
	if err := out.write(o.render(f)); err != nil {
		return err
	}
	return x.end(o, runErr)
}

// afterwards ends what accompanied the run: the progress, the trace, and the report on its context.
func (x *exploration) afterwards(p *progress, result *agent.Result) {
	p.close()
	if err := x.trace.close(); err != nil {
		p.say(fmt.Sprintf("warning: the trace may not be whole: %v", err))
	}
	if x.flags.explainContext && x.flags.format != "json" {
		fmt.Fprint(p.w, printable(result.Context.String()))
	}
}

// end is how the command ends after its report is written.
func (x *exploration) end(o *outcome, runErr error) error {
	switch {
	case o.Partial != "" && runErr != nil && o.Stop != "cancelled":
		return x.choice.explain(runErr, o.Run.Steps)
	case o.Partial != "":
		return &exit{code: exitPartial, err: fmt.Errorf("the report is partial: %s", o.Partial), hint: x.more(o.Stop)}
	case !o.Found:
		return &exit{code: exitNothing}
	}
	return nil
}
