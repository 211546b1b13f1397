package ui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
)

// maxArgument limits an argument on the progress line, in columns.
const maxArgument = 60

// Call names a tool call with its main arguments: search "get_queryset" src.
func Call(c transcript.ToolCall) string {
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
		text += " " + strconv.Quote(Fit(Line(head), maxArgument))
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
		text += " " + Fit(args.Symbol, maxArgument)
	case args.Around > 0:
		text += fmt.Sprintf(":%d", args.Around)
	case args.EndLine > 0:
		text += fmt.Sprintf(":%d-%d", args.StartLine, args.EndLine)
	case args.StartLine > 0:
		text += fmt.Sprintf(":%d", args.StartLine)
	case args.ID != "":
		text += " " + Fit(args.ID, maxArgument)
	}
	return text
}

// some writes the first of several arguments and how many follow: "a" +2.
func some(all []string, write func(string) string) string {
	text := write(Fit(all[0], maxArgument))
	if len(all) > 1 {
		text += fmt.Sprintf(" +%d", len(all)-1)
	}
	return text
}

// Result sums up the result of a call in a few words.
func Result(r agent.ToolRecord) string {
	if r.Err != nil {
		first, _, _ := strings.Cut(r.Err.Error(), "\n")
		return "failed: " + first
	}
	switch v := r.Value.(type) {
	case *codebase.SearchResult:
		return line.Count(v.Hits, "hit") + " in " + line.Count(v.FilesMatched, "file")
	case *codebase.FileResult:
		return line.Count(v.Returned, "line")
	case *codebase.Listing:
		return Entries(v.Total, "entry", "entries")
	case *codebase.GlobResult:
		return line.Count(v.Total, "file")
	case *codebase.OutlineResult:
		return line.Count(v.Total, "symbol")
	case *codebase.SymbolResult:
		return line.Count(v.Total, "definition")
	case *codebase.ReferenceResult:
		return line.Count(v.Total, "reference")
	case *codebase.RepoMap:
		return line.Count(v.Returned, "definition") + " in " + line.Count(len(v.Items), "file")
	case *locate.Result:
		return fmt.Sprintf("%d of %s", v.Returned, line.Count(v.Total, "file"))
	case *gitrepo.LogResult:
		return line.Count(v.Returned, "commit")
	case *codebase.Receipt:
		return "accepted, " + line.Count(v.Citations, "citation") + " in " + line.Count(v.Files, "file")
	}
	return line.Count(r.TokensIn, "token")
}

// ProgressOf says how far a call is.
func ProgressOf(p tools.Status) string {
	if p.Total > 0 {
		return line.Number(p.Done) + " of " + line.Number(p.Total) + " " + p.Unit
	}
	return line.Number(p.Done) + " " + p.Unit
}

// Reading says what a server reads, and for how much longer: reading 4,100 tokens, about 80 s.
func Reading(r providers.Reading) string {
	text := "reading " + line.Count(r.Tokens, "token")
	if r.Done > 0 {
		text = "reading, " + line.Number(r.Done) + " of " + line.Count(r.Tokens, "token")
	}
	switch left := r.Left.Round(time.Second); {
	case left >= 3*time.Minute:
		text += fmt.Sprintf(", about %.0f min", left.Minutes())
	case left > 0:
		text += fmt.Sprintf(", about %.0f s", left.Seconds())
	}
	if r.Done > 0 && r.Left > 0 {
		text += " left"
	}
	return text
}
