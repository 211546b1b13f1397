package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
)

// maxArgument is how much of an argument a line of progress shows, in columns.
const maxArgument = 60

// callText names a call with the arguments that tell it from others: search "get_queryset" src.
func callText(c contextwindow.ToolCall) string {
	var args struct {
		Pattern, Path, Symbol, ID string
		Name, Query               string
		Patterns, Paths           []string
		StartLine                 int `json:"start_line"`
		EndLine                   int `json:"end_line"`
		Around                    int
	}
	if err := json.Unmarshal(c.Args, &args); err != nil && len(c.Args) > 0 {
		return c.Name
	}
	text := c.Name
	if head := cmp.Or(args.Name, args.Query); head != "" {
		text += " " + strconv.Quote(fit(line(head), maxArgument))
	}
	if args.Pattern != "" {
		args.Patterns = append([]string{args.Pattern}, args.Patterns...)
	}
	if len(args.Patterns) > 0 {
		text += " " + some(args.Patterns, strconv.Quote)
	}
	if args.Path != "" {
		args.Paths = append([]string{args.Path}, args.Paths...)
	}
	if len(args.Paths) > 0 {
		text += " " + some(args.Paths, func(s string) string { return s })
	}
	switch {
	case args.Symbol != "":
		text += " " + fit(args.Symbol, maxArgument)
	case args.Around > 0:
		text += fmt.Sprintf(":%d", args.Around)
	case args.EndLine > 0:
		text += fmt.Sprintf(":%d-%d", args.StartLine, args.EndLine)
	case args.StartLine > 0:
		text += fmt.Sprintf(":%d", args.StartLine)
	case args.ID != "":
		text += " " + fit(args.ID, maxArgument)
	}
	return text
}

// some is the first of a few arguments, and how many more there are.
func some(all []string, write func(string) string) string {
	text := write(fit(all[0], maxArgument))
	if len(all) > 1 {
		text += fmt.Sprintf(" +%d", len(all)-1)
	}
	return text
}

// resultText says in a few words what came of a call.
func resultText(r agent.ToolRecord) string {
	if r.Err != nil {
		first, _, _ := strings.Cut(r.Err.Error(), "\n")
		return "failed: " + first
	}
	switch v := r.Value.(type) {
	case *codebase.SearchResult:
		return many(v.Hits, "hit") + " in " + many(v.FilesMatched, "file")
	case *codebase.FileResult:
		return many(v.Returned, "line")
	case *codebase.Listing:
		return entries(v.Total)
	case *codebase.GlobResult:
		return many(v.Total, "file")
	case *codebase.OutlineResult:
		return many(v.Total, "symbol")
	case *codebase.SymbolResult:
		return many(v.Total, "definition")
	case *codebase.ReferenceResult:
		return many(v.Total, "reference")
	case *codebase.RepoMap:
		return many(v.Returned, "definition") + " in " + many(len(v.Items), "file")
	case *locate.Result:
		return fmt.Sprintf("%d of %s", v.Returned, many(v.Total, "file"))
	case *gitrepo.LogResult:
		return many(v.Returned, "commit")
	case *codebase.ReportReceipt:
		return "accepted, " + many(v.Citations, "citation") + " in " + many(v.Files, "file")
	}
	return many(r.TokensIn, "token")
}

// progressText says how far a call is.
func progressText(p tools.Progress) string {
	if p.Total > 0 {
		return count(p.Done) + " of " + count(p.Total) + " " + p.Unit
	}
	return count(p.Done) + " " + p.Unit
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return count(n) + " entries"
}
