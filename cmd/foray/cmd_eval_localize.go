package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/suites"
	"github.com/forayhq/foray/evals/answers"
	"github.com/forayhq/foray/evals/localize"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
)

// localizeFlags are the flags of eval localize.
type localizeFlags struct {
	suites.Flags
	repos, mode, split string
	methods            []string
	k                  []int
	ablate, calibrate  bool
	embed              string
}

// The default data, by mode.
const (
	issueData    = "localize_issues.jsonl.gz"
	questionData = "localize_questions.jsonl.gz"
)

func newEvalLocalize() *cobra.Command {
	var f localizeFlags
	cmd := &cobra.Command{
		Use:   "localize",
		Short: "Find the code that issues and questions are about",
		Long: `Rank the files of repositories for issues or questions, each at its commit.
Print how often the first K files include all of the right files, any of them,
and all of the right functions: for BM25 with and without tests, for the tool
locate, and for the heuristic explorer (method planner).

The data are JSON lines, one instance a line, plain or compressed:
  {"instance_id","repo","mirror","base_commit","problem_statement",
   "gold_files","gold_functions","sets"}
--repos holds the repositories, bare or not, each as owner+name/repo by its
mirror, else its repo. The report lists instances whose commit is missing, or
whose tree cannot be read whole.`,
		Example: `  foray eval localize --data localize_issues.jsonl.gz --repos mirrors/
  foray eval localize --repos mirrors/ --mode question --format json
  foray eval localize --repos mirrors/ --split test --method locate,planner`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.repos, "repos", "", "search the repositories in `DIR`")
	cli.ChoiceFlag(cmd, &f.mode, "mode", string(locate.Issue), []string{string(locate.Issue), string(locate.Question)},
		"read the texts as `MODE`: issue or question")
	methods := cli.NamesBy(localizeSubjects(nil), func(s localize.Subject) string { return s.Name })
	cli.ChoicesFlag(cmd, &f.methods,
		"method", methods, "use `METHOD` only: "+cli.Either(methods)+" (repeatable; default: all)")
	cli.NumbersFlag(cmd, &f.k, "k", []int{1, 3, 5, 10}, 1, "measure accuracy among these `NUMBERS` of files and functions")
	cli.ChoiceFlag(cmd, &f.split, "split", "all", suites.Splits,
		"use `PART` of the instances, by a hash of their ids: dev (three quarters), test (the rest) or all")
	f.Define(cmd, issueData+", or "+questionData+",", "instances")
	f.DefineOut(cmd)
	embedFlag(cmd, &f.embed, ranksFiles)
	flags.BoolVar(&f.ablate, "ablate", false, "rank without each signal of locate too")
	flags.BoolVar(&f.calibrate, "calibrate", false, "print how often a file is right by rank, score and confidence too")
	return cmd
}

// localizeSubjects returns what can be measured, with the heuristic explorer over trees that similar helps to rank.
func localizeSubjects(similar locate.Similarity) []localize.Subject {
	planner := func(ctx context.Context, c *localize.Checkout) (*localize.Answer, error) {
		return exploreCheckout(ctx, c, similar)
	}
	return append(localize.Subjects(), localize.Subject{Name: "planner", Locate: planner})
}

func (f *localizeFlags) run(cmd *cobra.Command) error {
	slices.Sort(f.k)
	data := issueData
	if f.mode == string(locate.Question) {
		data = questionData
	}
	paths := f.Recordings(cmd.ErrOrStderr(), data)
	if paths == nil {
		return nil
	}
	if err := checkRepos(f.repos); err != nil {
		return err
	}
	instances, skipped, err := localize.Load(cmd.Context(), paths...)
	if err != nil {
		return cli.Usage("foray eval localize --help", "%w", err)
	}
	similar, err := similarity(f.embed, func(warning string) { fmt.Fprintln(cmd.ErrOrStderr(), warning) })
	if err != nil {
		return err
	}
	subjects := localizeSubjects(similar)
	if len(f.methods) > 0 {
		subjects = slices.DeleteFunc(subjects, func(s localize.Subject) bool { return !slices.Contains(f.methods, s.Name) })
	}
	options, clear := f.Options(cmd.ErrOrStderr(), "locating")
	report, err := localize.Run(cmd.Context(), instances, localize.Config{
		Dir: f.repos, Mode: locate.Mode(f.mode), K: slices.Compact(f.k), Split: f.split, Subjects: subjects, Options: options,
		Ablate: f.ablate, Calibrate: f.calibrate,
	})
	clear()
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	report.Skipped = append(report.Skipped, skipped...)
	if err := f.Print(cmd, report); err != nil || len(report.Rows) > 0 || len(report.Partial) == 0 {
		return err
	}
	return &cli.Exit{Code: cli.ExitPartial, Err: errors.New("no instance could be counted: " + report.Partial[0])}
}

// checkRepos checks the flag --repos.
func checkRepos(dir string) error {
	if dir == "" {
		return cli.Usage("--repos DIR", "--repos is missing: name the directory with the repositories")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cli.Usage("--repos DIR", "--repos %q is not a directory of repositories", dir)
	}
	return nil
}

// exploreCheckout runs an exploration of a commit's tree and returns the places of its report, the best first.
func exploreCheckout(
	ctx context.Context, c *localize.Checkout, similar locate.Similarity,
) (*localize.Answer, error) {
	t := &guide.Tree{Files: c.Tree, Revision: c.Commit, Repo: c.Repo, Similar: similar}
	start := time.Now()
	result, err := t.Run(ctx, nil, c.Text, nil)
	if err != nil {
		return nil, err
	}
	answer := &localize.Answer{Cold: time.Since(start)}
	if result.Report != nil {
		take(answer, result.Report)
		if len(result.Report.Places) > 0 {
			answer.Confidence = result.Report.Places[0].Confidence
		}
		answer.Citations, answer.Resolved = citationsOf(t, result.Report)
	}
	return answer, nil
}

func take(a *localize.Answer, report *report.Report) {
	for _, p := range report.Places {
		if !slices.Contains(a.Files, p.Path) {
			a.Files = append(a.Files, p.Path)
		}
		if p.Symbol != "" {
			a.Functions = append(a.Functions, p.Path+":"+p.Symbol)
		}
	}
}

// citationsOf counts the citations of a report, and how many of them resolve.
func citationsOf(t *guide.Tree, report *report.Report) (all, resolved int) {
	check := func(citation string) {
		all++
		if _, err := t.Resolve(citation); err == nil {
			resolved++
		}
	}
	for _, s := range report.Summary {
		for _, citation := range s.Citations {
			check(citation)
		}
	}
	for _, p := range slices.Concat(report.Places, report.Tests) {
		check(p.Citation().String())
	}
	for _, e := range report.Edges {
		check(e.Citation)
	}
	return all, resolved
}

// answersFlags are the flags of eval answers.
type answersFlags struct {
	suites.Flags
	modelFlags
	repos, split, keep, rows, language string
	families, modes                    []string
	sample                             int
	timeout                            time.Duration
}

// answersData is the default data.
const answersData = "answers.jsonl.gz"

// The modes in which a question is asked.
const (
	modeRules    = "rules"
	modeTools    = "tools"
	modeEvidence = "evidence"
)

var answerModes = []string{modeRules, modeTools, modeEvidence}

func newEvalAnswers() *cobra.Command {
	var f answersFlags
	cmd := &cobra.Command{
		Use:   "answers",
		Short: "Ask questions whose answers are known",
		Long: `Ask the heuristic explorer questions about repositories, each at its commit.
Print how often the first place, one of five, and the first sentence are what is
asked for, by kind of question, language and style, and whether the confidence
of a place comes true.

With --model, ask each question in three modes: rules (no model), tools (the
model and its tools alone) and evidence (it first reads what the rules found,
as in foray explore). A slow model may take minutes a question: --sample asks
a few of each kind, and --rows keeps what was answered if you stop.

The data are JSON lines, one question a line, plain or compressed:
  {"id","repo","mirror","commit","family","language","question",
   "in":{"de"},"gold":[{"path","start","end","line"}],"notes"}
--repos holds the repositories, bare or not, each as owner+name/repo by its
mirror, else its repo. The report lists questions whose commit is missing.`,
		Example: `  foray eval answers --data answers.jsonl.gz --repos mirrors/
  foray eval answers --repos mirrors/ --family definition,callers --split dev
  foray eval answers --repos mirrors/ --answers kept.jsonl --format json
  foray eval answers --repos mirrors/ --model local --sample 2 --rows rows.jsonl`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags, families := cmd.Flags(), answers.Families()
	flags.StringVar(&f.repos, "repos", "", "search the repositories in `DIR`")
	cli.ChoicesFlag(cmd, &f.families,
		"family", families, "ask `FAMILY` only: "+cli.Either(families)+" (repeatable; default: all)")
	cli.ChoiceFlag(cmd, &f.split, "split", "all", suites.Splits,
		"use `PART` of the questions, by a hash of their ids: dev (three quarters), test (the rest) or all")
	cli.NumberFlag(cmd, &f.sample, "sample", 0, 1, "ask `N` questions of each family only (default: all)")
	flags.StringVar(&f.language, "language", "",
		"ask in `LANGUAGE` the questions that have a text in it, as de or zh (default: as they are)")
	f.Flags.Define(cmd, answersData, "questions")
	f.DefineOut(cmd)
	flags.StringVar(&f.keep, "answers", "", "write the answers to `FILE`, as JSON lines")
	f.defineOne(cmd, "also ask the model `PROVIDER/NAME` (default: none)")
	cli.ChoicesFlag(cmd, &f.modes, "mode", answerModes,
		"ask in `MODE` only: "+cli.Either(answerModes)+" (repeatable; default: all, without --model rules)")
	cli.TimeoutFlag(cmd, &f.timeout, liveTime, "stop a question to the model after `DURATION`")
	flags.StringVar(&f.rows, "rows", "",
		"append each answer to `FILE` as a JSON line; what it holds of the same model and window is not asked again")
	cli.InGroup(cmd, cli.ModelGroup, "mode", "timeout", "rows")
	return cmd
}

func (f *answersFlags) run(cmd *cobra.Command) (err error) {
	model, err := f.chosen(cmd)
	if err != nil {
		return err
	}
	paths := f.Recordings(cmd.ErrOrStderr(), answersData)
	if paths == nil {
		return nil
	}
	if err := checkRepos(f.repos); err != nil {
		return err
	}
	questions, skipped, err := answers.Load(cmd.Context(), paths...)
	if err != nil {
		return cli.Usage("foray eval answers --help", "%w", err)
	}
	if f.language != "" {
		if questions, err = answers.InLanguage(questions, f.language); err != nil {
			return cli.Usage("--language de", "%w", err)
		}
	}
	cfg := answers.Config{Dir: f.repos, Split: f.split, Families: f.families, Sample: f.sample, Ask: askCommit}
	if f.keep != "" {
		file, err := os.Create(f.keep)
		if err != nil {
			return cli.Usage("--answers FILE", "%w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		cfg.Observe = keepAnswers(json.NewEncoder(file))
	}
	if model != nil {
		closeRows, err := f.withModel(cmd, model, &cfg)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeRows()) }()
	}
	options, clear := f.Flags.Options(cmd.ErrOrStderr(), "asking")
	cfg.Options = options
	r, err := answers.Run(cmd.Context(), questions, cfg)
	clear()
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	r.Skipped = append(r.Skipped, skipped...)
	return f.Print(cmd, r)
}

// chosen opens the model of --model; nil without one.
func (f *answersFlags) chosen(cmd *cobra.Command) (*choice, error) {
	if f.model == "" {
		if f.rows != "" || len(f.modes) > 0 {
			return nil, cli.Usage("--model PROVIDER/NAME", "--mode and --rows need a --model")
		}
		return nil, nil
	}
	model, err := chooseModel(cmd.Context(), &f.modelFlags, cli.NoticesTo(cmd.ErrOrStderr()))
	if err == nil && model.rules {
		return nil, cli.Usage("--model llamacpp/NAME",
			"eval answers --model needs a language model; leave it out for the rules alone")
	}
	return model, err
}

// withModel lets a model answer too, one question at a time unless --jobs says otherwise. The function that it returns
// closes the rows.
func (f *answersFlags) withModel(
	cmd *cobra.Command, choice *choice, cfg *answers.Config,
) (closeRows func() error, err error) {
	say := cli.NoticesTo(cmd.ErrOrStderr())
	if !cmd.Flags().Changed("jobs") {
		f.Jobs = 1
	}
	if cfg.Modes = f.modes; len(cfg.Modes) == 0 {
		cfg.Modes = answerModes
	}
	info := choice.model.Info()
	cfg.Model, cfg.Window, cfg.Say, cfg.Now = choice.name(), info.Window, say, time.Now
	cfg.Ask = func(
		ctx context.Context, q *answers.Question, mode string, tree *gitrepo.Tree, repo *gitrepo.Repo,
	) (*report.Report, string, error) {
		return f.ask(ctx, choice.model, q, mode, tree, repo)
	}
	if f.rows == "" {
		return func() error { return nil }, nil
	}
	rows, err := os.OpenFile(f.rows, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, cli.Usage("--rows FILE in a writable directory", "opening the rows: %v", err)
	}
	if cfg.Earlier, err = io.ReadAll(rows); err != nil {
		return nil, errors.Join(cli.Usage("--rows answers.jsonl", "reading the rows: %v", err), rows.Close())
	}
	cfg.Rows = rows
	return rows.Close, nil
}

// ask asks the model, in the modes that have one.
func (f *answersFlags) ask(
	ctx context.Context, model providers.Model, q *answers.Question, mode string, tree *gitrepo.Tree, repo *gitrepo.Repo,
) (*report.Report, string, error) {
	if mode == modeRules {
		return askCommit(ctx, q, mode, tree, repo)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*f.timeout) // in case the run ignores its own bound
	defer cancel()
	t := &guide.Tree{Files: tree, Revision: q.Commit, Repo: repo}
	result, err := t.Run(ctx, model, q.Text, &guide.RunOptions{Time: f.timeout, NoEvidence: mode == modeTools})
	if err != nil && (result == nil || result.Run.Stop == agent.Failed && result.Fallback == "") {
		return nil, "", err
	}
	return result.Answer(), result.Fallback, nil // an error is why rules answered instead
}

// askCommit asks the heuristic explorer, on the tree of a commit.
func askCommit(
	ctx context.Context, q *answers.Question, _ string, tree *gitrepo.Tree, repo *gitrepo.Repo,
) (*report.Report, string, error) {
	t := &guide.Tree{Files: tree, Revision: q.Commit, Repo: repo}
	result, err := t.Run(ctx, nil, q.Text, nil)
	if err != nil {
		return nil, "", err
	}
	return result.Report, "", nil
}

// keepAnswers returns a function that writes each answer as a line, with every list, and found null if it failed.
func keepAnswers(out *json.Encoder) func(q *answers.Question, mode string, answer *report.Report) error {
	type sentence struct {
		Text      string   `json:"text"`
		Quote     string   `json:"quote"`
		Citations []string `json:"citations"`
	}
	type kept struct {
		ID      string         `json:"id"`
		Mode    string         `json:"mode,omitempty"`
		Found   *bool          `json:"found"`
		Summary []sentence     `json:"summary"`
		Places  []report.Place `json:"places"`
		Tests   []report.Place `json:"tests"`
	}
	return func(q *answers.Question, mode string, answer *report.Report) error {
		k := kept{q.ID, mode, nil, []sentence{}, []report.Place{}, []report.Place{}}
		if answer != nil {
			k.Found, k.Places, k.Tests = &answer.Found, append(k.Places, answer.Places...), append(k.Tests, answer.Tests...)
			for _, s := range answer.Summary {
				k.Summary = append(k.Summary, sentence{s.Text, s.Quote, append([]string{}, s.Citations...)})
			}
		}
		return out.Encode(k)
	}
}
