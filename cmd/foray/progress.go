package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
)

// A progress tells what a run is doing: on a terminal one line that is rewritten in place, elsewhere nothing, with
// --verbose a line for each call. It owns one goroutine, which ends with close.
type progress struct {
	w       io.Writer
	columns func() int // of the terminal; nil: no live line
	verbose bool
	reasons bool // with verbose: what the model says of its calls, a line each
	quiet   bool
	limit   int
	model   string
	chars   int // of the answer that is coming
	calls   int // that have started and not ended

	mu     sync.Mutex // guards all below: the run writes, the goroutine draws
	text   string
	next   string // what the run waits for since the last step or call
	far    string // how far that is
	since  time.Time
	drawn  string
	ended  chan struct{}
	joined chan struct{}
}

const (
	drawEvery   = 100 * time.Millisecond // soon enough to be live, seldom enough to be read
	silentUntil = time.Second            // from then on the line says what is waited for, and how long
	clearLine   = "\r\x1b[2K"
)

func newProgress(w io.Writer, quiet, verbose bool) *progress {
	p := &progress{w: w, quiet: quiet, verbose: verbose}
	if !quiet && !verbose {
		p.columns = terminal(w)
	}
	return p
}

// terminal returns how to ask for the width of a terminal, nil if w is none that can rewrite a line.
func terminal(w io.Writer) func() int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func() int {
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil || columns <= 0 {
			return 80
		}
		return columns
	}
}

// begin shows the first line at once and keeps it alive.
func (p *progress) begin(limit int, model string) {
	p.limit, p.model = limit, model
	if p.columns == nil {
		return
	}
	p.set(fmt.Sprintf("[1/%d] waiting for %s", limit, model))
	p.draw()
	p.ended, p.joined = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(p.joined)
		ticker := time.NewTicker(drawEvery)
		defer ticker.Stop()
		for {
			select {
			case <-p.ended:
				return
			case <-ticker.C:
				p.draw()
			}
		}
	}()
}

// close clears the live line and ends the goroutine.
func (p *progress) close() {
	if p.ended == nil {
		return
	}
	close(p.ended)
	<-p.joined
	fmt.Fprint(p.w, clearLine)
}

// notice prints a line that stays, unless nothing is to be printed.
func (p *progress) notice(text string) {
	if !p.quiet {
		p.say(line(text))
	}
}

// say prints a line that stays.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn != "" {
		fmt.Fprint(p.w, clearLine)
		p.drawn = ""
	}
	fmt.Fprintf(p.w, "foray: %s\n", printable(text))
}

func (p *progress) set(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.next, p.far, p.since = line(text), "", "", time.Now()
}

// draw rewrites the live line if it changed.
func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, behind := p.text, ""
	if waited := time.Since(p.since); waited >= silentUntil {
		if p.next != "" {
			text = p.next
		}
		behind = fmt.Sprintf("%s (%.0fs)", p.far, waited.Seconds())
	}
	if text = fitBefore(text, behind, p.columns()-1); text != p.drawn {
		fmt.Fprint(p.w, clearLine+text)
		p.drawn = text
	}
}

// show tells one event of a run.
func (p *progress) show(e agent.Event) {
	if p.quiet {
		return
	}
	switch e := e.(type) {
	case agent.ToolStarted:
		p.calls++
		p.set(fmt.Sprintf("[%d/%d] %s", e.Step, p.limit, callText(e.Call)))
	case agent.ToolProgressed:
		p.advance(fmt.Sprintf("[%d/%d] %s", e.Step, p.limit, callText(e.Call)), e.Progress)
	case agent.ToolFinished:
		text := fmt.Sprintf("[%d/%d] %s → %s (%s)", e.Step, p.limit, callText(e.Record.Call), resultText(e.Record), seconds(e.Record.Duration))
		p.set(text)
		p.detail(text)
		if p.calls = max(0, p.calls-1); p.calls > 0 {
			p.wait(e.Step, many(p.calls, "call"))
		}
	case agent.Text:
		p.chars += len([]rune(e.Text))
		p.set(fmt.Sprintf("[%d/%d] answering, %s characters", e.Step, p.limit, count(p.chars)))
	case agent.Reasoning:
		p.set(fmt.Sprintf("[%d/%d] thinking", e.Step, p.limit))
		if p.reasons {
			p.detail(fmt.Sprintf("[%d/%d] %s", e.Step, p.limit, e.Text))
		}
	case agent.WindowCompacted:
		p.detail(fmt.Sprintf("[%d/%d] compacted: %v", e.Step, p.limit, e.Compaction))
	case agent.RequestRetried:
		p.chars = 0
		p.detail(fmt.Sprintf("[%d/%d] asked again: %s", e.Step, p.limit, e.Reason))
	case agent.SummaryFinished:
		text := fmt.Sprintf("[%d/%d] summarized %s", e.Step, p.limit, many(e.Units, "step"))
		if e.Err != nil {
			text += fmt.Sprintf(", which is not taken: %v", e.Err)
		}
		p.detail(text)
	case agent.StepFinished:
		p.wait(e.Step.Number+1, p.model)
	case agent.WarningRaised:
		p.say("warning: " + e.Warning)
	case agent.RunStarted, agent.NoteWritten, agent.MessageInjected, agent.EntriesAppended, agent.RequestSent, agent.SubagentFinished, agent.RunFinished:
	}
}

// detail prints a line with --verbose.
func (p *progress) detail(text string) {
	if p.verbose {
		fmt.Fprintln(p.w, line(text))
	}
}

// wait says what the line shows when nothing happens for a while.
func (p *progress) wait(step int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chars = 0
	p.next, p.far = fmt.Sprintf("[%d/%d] waiting for %s", min(step, p.limit), p.limit, what), ""
	p.since = time.Now()
}

// advance says how far the call is that the line waits for. It is not the first thing that is said of the call, and does
// not begin the time anew.
func (p *progress) advance(what string, at tools.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.far = line(what), ": "+line(progressText(at))
}

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
