package ui

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// A Progress shows what a run is doing: one line that is redrawn in place on a terminal, nothing elsewhere, or one line
// a tool call if verbose. [Progress.Close] ends its goroutine.
type Progress struct {
	w         io.Writer
	columns   func() int // of the terminal; nil without a live line
	verbose   bool
	quiet     bool
	reasoning bool // print reasoning, a line each, if verbose
	limit     int  // steps
	model     string
	chars     int  // received of the current answer
	calls     int  // in flight
	announced bool // a line said how long reading the request takes

	mu     sync.Mutex   // guards the rest, which the run writes and the goroutine draws
	said   []string     // permanent lines
	kept   int          // of these, the last ones, that Close prints
	pass   func(string) // takes permanent lines while another display shows the run; else nil
	text   string
	next   string // what the run waits for, shown after silentUntil
	far    string // how far that is
	since  time.Time
	drawn  string
	ended  chan struct{}
	joined chan struct{}
}

const (
	drawEvery   = 100 * time.Millisecond
	longReading = 10 * time.Second // is announced where no line moves
	silentUntil = time.Second      // then the line says what the run waits for, and for how long
	clearLine   = "\r\x1b[2K"
)

// NewProgress returns a progress that writes to w. Quiet shows warnings only; verbose replaces the live line.
func NewProgress(w io.Writer, quiet, verbose bool) *Progress {
	p := &Progress{w: w, quiet: quiet, verbose: verbose}
	if !quiet && !verbose {
		p.columns = Columns(w)
	}
	return p
}

// Columns returns a func that reports the current width of the terminal w, nil if w cannot redraw a line.
func Columns(w io.Writer) func() int {
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

// ShowReasoning prints the model's reasoning as well, if the progress is verbose.
func (p *Progress) ShowReasoning() { p.reasoning = true }

// Begin shows the first line and starts redrawing it.
func (p *Progress) Begin(limit int, model string) {
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

// Close clears the live line and ends its goroutine. It prints what came since [Progress.Yield].
func (p *Progress) Close() {
	p.still()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.said[len(p.said)-p.kept:] {
		fmt.Fprintf(p.w, "foray: %s\n", text)
	}
	p.kept, p.pass = 0, nil
}

// still clears the live line and ends its goroutine.
func (p *Progress) still() {
	if p.ended == nil {
		return
	}
	close(p.ended)
	<-p.joined
	fmt.Fprint(p.w, clearLine)
	p.ended = nil
}

// Yield leaves the terminal to another display of the run until [Progress.Close]. Say gets the permanent lines so far,
// and then each as it comes; the terminal gets those at the end.
func (p *Progress) Yield(say func(string)) {
	p.still()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass, p.drawn = say, ""
	for _, text := range p.said {
		say(text)
	}
}

// Notice prints a permanent line unless the progress is quiet.
func (p *Progress) Notice(text string) {
	if !p.quiet {
		p.Say(Line(text))
	}
}

// Say prints a permanent line.
func (p *Progress) Say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text = line.Printable(text)
	p.said = append(p.said, text)
	if p.pass != nil { // with the lock, so that the lines keep their order
		p.kept++
		p.pass(text)
		return
	}
	if p.drawn != "" {
		fmt.Fprint(p.w, clearLine)
		p.drawn = ""
	}
	fmt.Fprintf(p.w, "foray: %s\n", text)
}

func (p *Progress) set(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.next, p.far, p.since = Line(text), "", "", time.Now()
}

// draw redraws the live line if it changed.
func (p *Progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, suffix := p.text, ""
	if waited := time.Since(p.since); waited >= silentUntil {
		if p.next != "" {
			text = p.next
		}
		suffix = fmt.Sprintf("%s (%.0fs)", p.far, waited.Seconds())
	}
	if text = fitWithSuffix(text, suffix, p.columns()-1); text != p.drawn {
		fmt.Fprint(p.w, clearLine+text)
		p.drawn = text
	}
}

// Show shows one event of a run.
func (p *Progress) Show(e agent.Event) {
	if p.quiet {
		return
	}
	switch e := e.(type) {
	case agent.ToolStarted:
		p.calls++
		p.set(fmt.Sprintf("[%d/%d] %s", e.Step, p.limit, Call(e.Call)))
	case agent.ToolProgressed:
		p.advance(fmt.Sprintf("[%d/%d] %s", e.Step, p.limit, Call(e.Call)), e.Progress)
	case agent.ToolFinished:
		text := fmt.Sprintf("[%d/%d] %s → %s (%s)", e.Step, p.limit, Call(e.Record.Made), Result(e.Record),
			Seconds(e.Record.Duration))
		p.set(text)
		p.Detail(text)
		if p.calls = max(0, p.calls-1); p.calls > 0 {
			p.wait(e.Step, line.Count(p.calls, "call"))
		}
	case agent.Text:
		p.chars += len([]rune(e.Text))
		p.set(fmt.Sprintf("[%d/%d] answering, %s characters", e.Step, p.limit, line.Number(p.chars)))
	case agent.Reasoning:
		p.set(fmt.Sprintf("[%d/%d] thinking", e.Step, p.limit))
		if p.reasoning {
			p.Detail(fmt.Sprintf("[%d/%d] %s", e.Step, p.limit, e.Text))
		}
	case agent.RequestSent:
		p.announced = false
	case agent.ReadingProgressed:
		p.read(e.Step, e.Reading)
	case agent.WindowCompacted:
		p.Detail(fmt.Sprintf("[%d/%d] compacted: %v", e.Step, p.limit, e.Compaction))
	case agent.RequestRetried:
		p.chars = 0
		p.Detail(fmt.Sprintf("[%d/%d] asked again: %s", e.Step, p.limit, e.Reason))
	case agent.SummaryFinished:
		text := fmt.Sprintf("[%d/%d] summarized %s", e.Step, p.limit, line.Count(e.Units, "step"))
		if e.Err != nil {
			text += fmt.Sprintf(", but the summary was rejected: %v", e.Err)
		}
		p.Detail(text)
	case agent.StepFinished:
		p.wait(e.Step.Number+1, p.model)
	case agent.WarningRaised:
		p.Say("warning: " + e.Warning)
	case agent.RunStarted, agent.RunResumed, agent.NoteWritten, agent.MessageInjected, agent.EntriesAppended,
		agent.RequestFinished, agent.SubagentFinished, agent.RunFinished:
	}
}

// Print writes text as it is, after the progress was closed.
func (p *Progress) Print(text string) { fmt.Fprint(p.w, text) }

// Detail prints a permanent line if the progress is verbose.
func (p *Progress) Detail(text string) {
	if p.verbose {
		fmt.Fprintln(p.w, Line(text))
	}
}

// wait sets what the line shows once nothing has happened for a while.
func (p *Progress) wait(step int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chars = 0
	p.next, p.far = fmt.Sprintf("[%d/%d] waiting for %s", min(step, p.limit), p.limit, what), ""
	p.since = time.Now()
}

// advance says how far the running call is, without restarting its clock.
func (p *Progress) advance(what string, at tools.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.far = Line(what), ": "+Line(ProgressOf(at))
}

// read says how far the server is with reading the request, without restarting the clock. Where no line moves, it
// announces a long reading once.
func (p *Progress) read(step int, r providers.Reading) {
	text := Reading(r)
	if r.Done > 0 && r.Done >= r.Tokens {
		text = "waiting for " + p.model
	}
	next := fmt.Sprintf("[%d/%d] %s", min(step, p.limit), p.limit, text)
	p.mu.Lock()
	p.next, p.far = next, ""
	p.mu.Unlock()
	switch {
	case p.columns != nil || p.announced || r.Left <= longReading:
		return
	case p.verbose:
		p.Detail(next)
	default:
		p.Say(text)
	}
	p.announced = true
}
