package main

import (
	"context"
	"slices"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/localize"
	"github.com/forayhq/foray/providers/planner"
	"github.com/forayhq/foray/tools/codebase"
)

// planned is explore with the offline planner, over the tree of a commit.
var planned = localize.Subject{Name: "planner", Locate: explorePlanned}

// explorePlanned runs an exploration and takes the places of its report, the best first.
func explorePlanned(ctx context.Context, c *localize.Checkout) (*localize.Answer, error) {
	t := &tree{files: c.Tree, revision: c.Commit, repo: c.Repo}
	a, err := agent.New(agent.Config{
		Name:    "explore",
		Model:   planner.New(nil),
		Tools:   t.tools(codebase.Options{JSON: true}),
		Guide:   func() agent.Guide { return untilReported{} },
		Limits:  agent.Limits{Steps: defaultSteps},
		Profile: contextwindow.Off,
		Budget:  contextwindow.BudgetOf(planWindow, contextwindow.Off),
	})
	if err != nil {
		return nil, err
	}
	start := time.Now()
	result, err := a.Run(ctx, c.Text)
	if err != nil {
		return nil, err
	}
	answer := &localize.Answer{Cold: time.Since(start)}
	if report := lastReport(result.Tools); report != nil {
		take(answer, report)
		answer.Citations, answer.Resolved = citationsOf(c, report)
	}
	return answer, nil
}

// take adds the files and functions of a report's places.
func take(a *localize.Answer, report *codebase.Report) {
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
func citationsOf(c *localize.Checkout, report *codebase.Report) (all, resolved int) {
	check := func(citation string) {
		all++
		if len((&answer{}).check(c.Tree, citation, nil)) == 1 {
			resolved++
		}
	}
	for _, s := range report.Summary {
		for _, citation := range s.Citations {
			check(citation)
		}
	}
	for _, p := range slices.Concat(report.Places, report.Tests) {
		check(span(p.Path, p.Start, p.End))
	}
	for _, e := range report.Edges {
		check(e.Citation)
	}
	return all, resolved
}
