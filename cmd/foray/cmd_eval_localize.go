package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals/localize"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
)

// localizeFlags are how eval localize was typed.
type localizeFlags struct {
	data                []string
	repos               string
	mode, split, format string
	methods             []string
	k                   []int
	jobs                int
	ablate, calibrate   bool
}

func newEvalLocalize() *cobra.Command {
	var f localizeFlags
	cmd := &cobra.Command{
		Use:   "localize",
		Short: "Find the code that issues and questions are about",
		Long: `localize ranks the files of repositories for issues or questions, each at the commit that it is about, and prints in how
many all of the right files, any of them, and all of the right functions are among the first k: for plain BM25 with and
without tests, for the ranking of the tool locate, and for explore with the offline planner.

The data are JSON lines, one instance a line, compressed or not:
  {"instance_id","repo","mirror","base_commit","problem_statement","gold_files","gold_functions","sets"}
DIR holds the repositories, bare or not, each as owner+name/repo by its mirror, else its repo. Instances whose commit is
not there are named in the report.`,
		Example: `  foray eval localize --data localize_issues.jsonl.gz --repos mirrors/ --k 1,3,5,10 --jobs 2
  foray eval localize --data localize_questions.jsonl.gz --repos mirrors/ --mode question --format json
  foray eval localize --data localize_issues.jsonl.gz --repos mirrors/ --split test --method locate,planner`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.data, "data", nil, "`PATH`s of instances (default: localize_issues.jsonl.gz, or localize_questions.jsonl.gz, in "+dataVariable+")")
	flags.StringVar(&f.repos, "repos", "", "`DIR` of repositories, each as owner+name/repo")
	flags.StringVar(&f.mode, "mode", string(locate.Issue), "take the texts for `WHAT`: issue or question")
	flags.StringSliceVar(&f.methods, "method", nil, "only these `METHODS`: "+fmt.Sprint(methods(localizeSubjects()))+" (default: all)")
	flags.IntSliceVar(&f.k, "k", []int{1, 3, 5, 10}, "`NUMBER`s of files and functions that accuracy is taken at")
	flags.StringVar(&f.split, "split", "all", "`PART` of the instances, by a hash of their ids: dev, three quarters; test, the rest; or all")
	flags.StringVar(&f.format, "format", "md", "print as `FORM`: md or json")
	flags.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "`NUMBER` of instances that are worked on at a time")
	flags.BoolVar(&f.ablate, "ablate", false, "also rank without each signal of locate")
	flags.BoolVar(&f.calibrate, "calibrate", false, "also print how often a file is right by its rank and score")
	complete(cmd, "mode", words(localizeModes))
	complete(cmd, "method", words(methods(localizeSubjects())))
	complete(cmd, "split", words(localizeSplits))
	complete(cmd, "format", words(markdownOrJSON))
	return cmd
}

func localizeSubjects() []localize.Subject { return append(localize.Subjects(), planned) }

func methods(subjects []localize.Subject) (names []string) {
	for _, s := range subjects {
		names = append(names, s.Name)
	}
	return names
}

// localizeModes and localizeSplits are the values of --mode and --split.
var (
	localizeModes  = []string{string(locate.Issue), string(locate.Question)}
	localizeSplits = []string{"dev", "test", "all"}
)

func (f *localizeFlags) check() error {
	checks := []error{oneOf("mode", f.mode, localizeModes), oneOf("split", f.split, localizeSplits), oneOf("format", f.format, markdownOrJSON)}
	for _, m := range f.methods {
		checks = append(checks, oneOf("method", m, methods(localizeSubjects())))
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	slices.Sort(f.k)
	if f.jobs < 1 || len(f.k) == 0 || f.k[0] < 1 {
		return usage("foray eval localize --k 1,3,5,10", "--k %v and --jobs %d must be at least 1", f.k, f.jobs)
	}
	return nil
}

func (f *localizeFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	name := "localize_issues.jsonl.gz"
	if f.mode == string(locate.Question) {
		name = "localize_questions.jsonl.gz"
	}
	paths := recorded(cmd.ErrOrStderr(), f.data, name)
	if paths == nil {
		return nil
	}
	if f.repos == "" {
		return usage("--repos DIR", "the repositories are not named: --repos is the directory that holds them as owner+name/repo")
	}
	if info, err := os.Stat(f.repos); err != nil || !info.IsDir() {
		return usage("--repos DIR", "--repos %q is not a directory of repositories", f.repos)
	}
	instances, skipped, err := localize.Load(cmd.Context(), paths...)
	if err != nil {
		return usage("foray eval localize --help", "%w", err)
	}
	subjects := localizeSubjects()
	if len(f.methods) > 0 {
		subjects = slices.DeleteFunc(subjects, func(s localize.Subject) bool { return !slices.Contains(f.methods, s.Name) })
	}
	options, clear := evalOptions(cmd.ErrOrStderr(), f.jobs, "locating")
	report, err := localize.Run(cmd.Context(), instances, localize.Config{
		Dir: f.repos, Mode: locate.Mode(f.mode), K: slices.Compact(f.k), Split: f.split, Subjects: subjects, Options: options,
		Ablate: f.ablate, Calibrate: f.calibrate,
	})
	clear()
	if err != nil {
		return &exit{code: exitPartial, err: err}
	}
	report.Skipped = append(report.Skipped, skipped...)
	if f.format == "json" {
		return ui.JSON(cmd.OutOrStdout(), report)
	}
	return report.WriteMarkdown(cmd.OutOrStdout())
}

// planned is explore with the offline planner, over the tree of a commit.
var planned = localize.Subject{Name: "planner", Locate: explorePlanned}

// explorePlanned runs an exploration and takes the places of its report, the best first.
func explorePlanned(ctx context.Context, c *localize.Checkout) (*localize.Answer, error) {
	t := &guide.Tree{Files: c.Tree, Revision: c.Commit, Repo: c.Repo}
	start := time.Now()
	result, err := t.Run(ctx, nil, c.Text, nil)
	if err != nil {
		return nil, err
	}
	answer := &localize.Answer{Cold: time.Since(start)}
	if result.Report != nil {
		take(answer, result.Report)
		answer.Citations, answer.Resolved = citationsOf(t, result.Report)
	}
	return answer, nil
}

// take adds the files and functions of a report's places.
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

// citationsOf counts what a report cites, and how much of it is there when it is read again.
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
