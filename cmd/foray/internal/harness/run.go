package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/page"
	"github.com/forayhq/foray/evals/subject"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// runFlags are the flags of eval run.
type runFlags struct {
	open    Opener
	models  map[string]providers.Model // that are open
	judging providers.Model            // nil without --judge

	subjects, tags, retry   []string
	trials, jobs, limit     int
	out, judge, format, set string
	on                      string // where the trials run; "": here
	resume                  bool
	timeout                 time.Duration
	subjectsGiven           bool
	again                   string // what a hint to resume adds: the flags that run.json does not keep
}

func newRun(m Models) *cobra.Command {
	f := runFlags{models: newModels()}
	cmd := &cobra.Command{
		Use:   "run TASKS",
		Short: "Run a task set with one or more subjects",
		Long: `Run the tasks of a set, and check each result. TASKS is a file of JSON lines, a
folder of such files or of Harbor tasks, or the name of a set that is part of
foray:
` + cli.List(setNames()) + `

A subject is one of:
  ` + strings.Join(subject.Usage(), "\n  ") + `
Without --subject, the explorer runs (rules); it needs no model.

Every trial has a working copy of its own. Results are appended to the folder
as trials end, so a run that is interrupted or killed continues with --resume,
which also reruns trials that failed in the harness. --resume needs no
--subject, --trials, --timeout and --judge: it takes those of the run.

With --on temporal, the workers of a Temporal server run the trials, on as many
machines as you like: see docs/scale.md.

Exit codes: 0 all trials ended, whether they passed or not, 2 bad usage, 3 tasks
that cannot be read, trials that failed in the harness, an error, or a signal.
See foray eval gate for a result that depends on what passed.`,
		Example: `  foray eval run smoke
  foray eval run mytasks.jsonl --subject rules,model:ollama/qwen3@16000+lean
  foray eval run mytasks/ --subject "exec:./agent --fast" --trials 3 --jobs 4
  foray eval run mytasks/ --out results --resume`,
		Args: oneSet,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.subjects, "subject", nil, "run the subjects `NAME[,NAME]` (repeatable; default: rules)")
	cli.NumberFlag(cmd, &f.trials, "trials", 1, 1, "run each task `N` times with each subject")
	cli.NumberFlag(cmd, &f.jobs, "jobs", 0, 1,
		"run `N` trials in parallel (default: one per CPU; 1 with a model; 64 with --on)")
	f.limits(cmd)
	flags.StringVar(&f.on, "on", "", "let the program foray-`NAME` run the trials elsewhere (default: run them here)")
	flags.StringSliceVar(&f.tags, "tag", nil, "run the tasks with the tag `T` only (repeatable)")
	cli.NumberFlag(cmd, &f.limit, "limit", 0, 1, "run the first `N` tasks only (default: all)")
	flags.StringVar(&f.out, "out", "", "keep the results in `DIR` (default: a new folder in "+runsFolder+")")
	flags.BoolVar(&f.resume, "resume", false, "continue the run in the folder that --out names")
	cli.ChoicesFlag(cmd, &f.retry, "retry", cli.Names(classes),
		"with --resume, rerun trials whose failure is of `CLASS`: "+cli.Either(cli.Names(classes))+
			" (repeatable; harness always)")
	cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
	f.open = m(cmd)
	cli.InGroup(cmd, cli.RunGroup, "subject", "trials", "jobs", "timeout", "tag", "limit", "judge", "resume", "retry",
		"on")
	cli.InGroup(cmd, cli.OutputGroup, "out", "format")
	return cmd
}

// newModels returns no model that is open.
func newModels() map[string]providers.Model { return make(map[string]providers.Model) }

// limits defines the flags that a trial has on each machine.
func (f *runFlags) limits(cmd *cobra.Command) {
	cli.TimeoutFlag(cmd, &f.timeout, 10*time.Minute, "stop a trial after `DURATION`, unless the task sets budget.seconds")
	cmd.Flags().StringVar(&f.judge, "judge", "", "let the model `PROVIDER/NAME` judge where checks ask for one")
}

// oneSet refuses a command line without exactly one task set.
func oneSet(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "":
		return cli.Usage(cmd.CommandPath()+" mytasks.jsonl", "%s needs a task set", cmd.CommandPath())
	case len(args) > 1:
		return cli.Usage(cmd.CommandPath()+" "+cli.Quote(args[0]), "%s takes one task set, not %d", cmd.CommandPath(),
			len(args))
	}
	return nil
}

func (f *runFlags) run(cmd *cobra.Command, name string) error {
	f.set = name
	f.subjectsGiven = cmd.Flags().Changed("subject")
	f.again = typed(cmd, "tag", "limit", "jobs", "on", "base-url", "allow-http")
	if err := errors.Join(f.checkResume(cmd), f.validOn()); err != nil {
		return err
	}
	set, err := f.load(cmd, name)
	if err != nil {
		return err
	}
	for _, p := range set.Problems {
		cli.Notice(cmd, "skipped: %s", p)
	}
	if err := f.choose(set); err != nil {
		return err
	}
	subjects, err := f.openSubjects(cmd, f.specs())
	if err != nil {
		return err
	}
	if f.out == "" {
		if f.out, err = newFolder(set.Name); err != nil {
			return err
		}
	}
	show := newMeter(cmd.ErrOrStderr())
	begun := func(p trial.Progress) {
		before := ""
		if p.Kept > 0 {
			before = fmt.Sprintf(", %s ended before", line.Number(p.Kept))
		}
		cli.Notice(cmd, "%s × %s × %s = %s%s: results in %s", line.Count(len(set.Tasks), "task"),
			line.Count(len(subjects), "subject"), line.Count(f.trials, "trial"),
			line.Count(len(set.Tasks)*len(subjects)*f.trials, "trial"), before, f.out)
	}
	p := f.plan(set, subjects)
	p.Begun, p.Progress = begun, show.progress
	ctx, end, err := f.elsewhere(cmd, &p)
	if err != nil {
		return err
	}
	summary, err := trial.Run(ctx, p)
	end()
	show.clear()
	if summary == nil {
		return f.refused(err)
	}
	if summary.Trials > 0 {
		if failed := f.finish(cmd, summary); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	return f.end(set, summary, err)
}

// plan returns what to run, as the flags say.
func (f *runFlags) plan(set *task.Set, subjects []trial.Subject) trial.Plan {
	return trial.Plan{
		Set: set, Subjects: subjects, Trials: f.trials, Jobs: f.jobs, Dir: f.out, Resume: f.resume, Timeout: f.timeout,
		Foray: cli.Version(), Retry: classesOf(f.retry), Judge: f.judge,
	}
}

// classesOf returns the classes with these names.
func classesOf(names []string) (chosen []trial.Class) {
	for _, name := range names {
		chosen = append(chosen, trial.Class(name))
	}
	return chosen
}

// interruptedTime is how long an interrupted run may still write its report.
const interruptedTime = 10 * time.Second

// finish prints the totals, and writes what is made of the results for others, which takes long for long runs. A run
// that was interrupted leaves the report only, if that is quick: foray eval report and export make all of them later.
func (f *runFlags) finish(cmd *cobra.Command, s *trial.Summary) error {
	if err := cli.PrintAs(cmd, f.format, s, summaryWriter(s)); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), interruptedTime)
		defer cancel()
		if writeExtra(ctx, f.out, filepath.Join(f.out, page.File), page.Write) == nil {
			cli.Notice(cmd, "wrote %s", filepath.Join(f.out, page.File))
		}
		return nil
	}
	cli.Notice(cmd, "writing %s and logs for Inspect", filepath.Join(f.out, page.File))
	return writeExtras(cmd.Context(), f.out, s.Info.Subjects)
}

// refused words the error of a run that could not begin.
func (f *runFlags) refused(err error) error {
	if errors.Is(err, trial.ErrExists) {
		return cli.Usage("--resume to continue it, or another --out", "%w", err)
	}
	return &cli.Exit{Code: cli.ExitUsage, Err: err, Hint: "--out with a new folder"}
}

// end returns how the command ends.
func (f *runFlags) end(set *task.Set, s *trial.Summary, err error) error {
	again := "foray eval run " + cli.Quote(f.set) + " --out " + cli.Quote(f.out) + " --resume" + f.again
	broken := 0
	for _, t := range s.Subjects {
		broken += t.Failures[trial.Harness]
	}
	var unread error
	if n := len(set.Problems); n > 0 {
		unread = fmt.Errorf("%s of the set cannot be read", line.Count(n, "task"))
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &cli.Exit{Code: cli.ExitPartial, Hint: again,
			Err: fmt.Errorf("interrupted: %d of %s ended", s.Trials, line.Count(s.Total, "trial"))}
	case err != nil:
		return &cli.Exit{Code: cli.ExitPartial, Err: err, Hint: again}
	case broken > 0:
		err := fmt.Errorf("%s failed in the harness; --resume reruns what failed", line.Count(broken, "trial"))
		return &cli.Exit{Code: cli.ExitPartial, Hint: again, Err: errors.Join(unread, err)}
	case unread != nil:
		return &cli.Exit{Code: cli.ExitPartial, Hint: "fix the tasks, then run into a new folder (--out)", Err: unread}
	}
	return nil
}

// checkResume completes the flags from the run that they continue.
func (f *runFlags) checkResume(cmd *cobra.Command) error {
	if !f.resume {
		if len(f.retry) > 0 {
			return cli.Usage("--resume --out DIR", "--retry needs --resume")
		}
		return nil
	}
	if f.out == "" {
		hint := "--resume --out DIR"
		if runs, _, err := findRuns(runsFolder); err == nil {
			hint = "--resume --out " + cli.Quote(runs[len(runs)-1].Dir)
		}
		return cli.Usage(hint, "--resume needs --out")
	}
	info, err := trial.ReadInfo(f.out)
	if _, missing := os.Stat(f.out); errors.Is(err, trial.ErrNoRun) && missing == nil {
		return nil // killed before it began
	}
	if err != nil {
		return cli.Usage("--out with the folder of a run; foray eval ls lists them", "%w", err)
	}
	if !f.subjectsGiven {
		f.subjects = info.Subjects
	}
	given := cmd.Flags().Changed
	if !given("trials") {
		f.trials = info.Trials
	}
	if !given("timeout") && info.Timeout > 0 {
		f.timeout = time.Duration(info.Timeout * float64(time.Second))
	}
	if !given("judge") {
		f.judge = info.Judge
	}
	return nil
}

// typed returns these flags as they were typed.
func typed(cmd *cobra.Command, names ...string) (words string) {
	for _, name := range names {
		switch flag := cmd.Flags().Lookup(name); {
		case flag == nil || !flag.Changed:
		case flag.Value.Type() == "bool":
			words += " --" + name
		default:
			value := strings.Trim(flag.Value.String(), "[]") // of a list
			if unsafe.MatchString(value) {
				value = cli.Quote(value)
			}
			words += " --" + name + " " + value
		}
	}
	return words
}

// load reads a task set from a path, or one that is part of foray.
func (f *runFlags) load(cmd *cobra.Command, name string) (*task.Set, error) {
	o := &check.Options{}
	if f.judge != "" {
		m, err := f.model(cmd)(cmd.Context(), f.judge, 0)
		if err != nil {
			return nil, rename(err, "--judge ")
		}
		f.judging, o.Ask = m, judgeWith(m)
	}
	set, err := openSet(cmd.Context(), name, o)
	if err != nil {
		return nil, cli.Usage("foray eval run --help", "%w", err)
	}
	return set, nil
}

// judgeWith returns a function that asks a model for a value of a schema.
func judgeWith(m providers.Model) func(context.Context, string, json.RawMessage) (string, error) {
	return func(ctx context.Context, prompt string, schema json.RawMessage) (string, error) {
		r, err := providers.Ask(ctx, m, &providers.Request{
			Messages: []transcript.Message{{Role: transcript.User, Text: prompt}}, Schema: schema, SchemaName: "verdict",
		})
		if err != nil {
			return "", err
		}
		return r.Message.Text, nil
	}
}

// choose leaves the tasks of a set that --tag and --limit select.
func (f *runFlags) choose(set *task.Set) error {
	if len(f.tags) > 0 {
		var known []string
		chosen := slices.DeleteFunc(slices.Clone(set.Tasks), func(t task.Task) bool {
			known = append(known, t.Tags...)
			return !slices.ContainsFunc(f.tags, func(tag string) bool { return slices.Contains(t.Tags, tag) })
		})
		if len(chosen) == 0 {
			slices.Sort(known)
			if known = slices.Compact(known); len(known) == 0 {
				return cli.Usage("the same without --tag", "no task of %s has a tag", set.Name)
			}
			return cli.Usage("--tag "+cli.Suggest(f.tags[0], known), "no task of %s has the tag %s; its tags are %s", set.Name,
				cli.Either(f.tags), strings.Join(known, ", "))
		}
		set.Tasks = chosen
	}
	if f.limit > 0 {
		set.Tasks = set.Tasks[:min(f.limit, len(set.Tasks))]
	}
	for i := range set.Tasks {
		if f.judging == nil && asksJudge(&set.Tasks[i]) {
			return cli.Usage("--judge PROVIDER/NAME", "the task %s has a check that asks a model: name one with --judge",
				set.Tasks[i].ID)
		}
	}
	return nil
}

// asksJudge reports whether a check of a task asks the model that judges.
func asksJudge(t *task.Task) bool {
	return slices.ContainsFunc(t.Checks, func(raw json.RawMessage) bool {
		var c struct{ Kind string }
		return json.Unmarshal(raw, &c) == nil && c.Kind == "judge"
	})
}

// specs returns the subjects that the flags, or the run that they continue, name.
func (f *runFlags) specs() (specs []string) {
	for _, list := range f.subjects {
		if f.resume && !f.subjectsGiven {
			specs = append(specs, list) // one each
			continue
		}
		specs = append(specs, subject.Split(list)...)
	}
	if len(specs) == 0 {
		specs = []string{"rules"}
	}
	return specs
}

// openSubjects opens subjects, and sets --jobs if it is not given.
func (f *runFlags) openSubjects(cmd *cobra.Command, specs []string) (subjects []trial.Subject, err error) {
	env := subject.Env{Model: f.model(cmd)}
	for i, spec := range specs {
		if slices.Contains(specs[:i], spec) {
			return nil, cli.Usage("--trials to run a subject several times", "--subject names %s twice", spec)
		}
		s, err := subject.Open(cmd.Context(), spec, env)
		if err != nil {
			return nil, rename(err, "--subject model:")
		}
		subjects = append(subjects, s)
	}
	switch {
	case f.jobs > 0:
	case f.on != "":
		f.jobs = elsewhereJobs
	case len(f.models) > 0:
		f.jobs = 1
	default:
		f.jobs = runtime.GOMAXPROCS(0)
	}
	return subjects, nil
}

// model returns what opens models, each once: subjects that differ in their profiles share one, and its limits.
func (f *runFlags) model(cmd *cobra.Command) func(context.Context, string, int) (providers.Model, error) {
	return func(ctx context.Context, name string, window int) (providers.Model, error) {
		key := fmt.Sprint(name, "@", window)
		if m, ok := f.models[key]; ok {
			return m, nil
		}
		m, err := f.open(ctx, name, window, cli.NoticesTo(cmd.ErrOrStderr()))
		if err == nil {
			f.models[key] = m
		}
		return m, err
	}
}

// rename makes an error of opening a usage error, whose hint has the flag that was typed instead of --model.
func rename(err error, flag string) error {
	if e := (*cli.Exit)(nil); errors.As(err, &e) {
		return &cli.Exit{Code: e.Code, Err: err, Hint: strings.ReplaceAll(e.Hint, "--model ", flag)}
	}
	return cli.Usage("foray eval run --help", "%w", err)
}

// unsafe are the characters of names that a folder should not have.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// newFolder returns the path of a new folder for a run of a set.
func newFolder(set string) (string, error) {
	base := filepath.Join(runsFolder, unsafe.ReplaceAllString(set, "-")+"-"+time.Now().Format("20060102-150405"))
	for n := 1; ; n++ {
		dir := base
		if n > 1 {
			dir = fmt.Sprint(base, "-", n)
		}
		err := os.MkdirAll(runsFolder, 0o777)
		if err == nil {
			err = os.Mkdir(dir, 0o777)
		}
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, os.ErrExist) || n > 100:
			return "", cli.Usage("--out DIR in a writable directory", "making a folder for the results: %w", err)
		}
	}
}
