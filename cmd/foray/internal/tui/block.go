package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/report"
)

// A kind says what a block holds.
type kind int

const (
	said    kind = iota // by the person
	waiting             // said, and not read by the model yet
	answer              // Markdown
	thought             // reasoning that the model shows
	call                // of a tool
	note                // of the program
	fault               // an error
	output              // of a command
)

// A block is a part of the transcript. It remembers its lines until it changes.
type block struct {
	kind kind
	text string // clean
	open bool   // folded out
	call *callState

	growing stream
	lines   []string
	width   int // of lines; 0: they are out of date
}

// A callState is what is known of a call.
type callState struct {
	id, agent, title, args string
	progress               string
	ended                  bool
	record                 agent.ToolRecord
}

// changed makes the block render again.
func (b *block) changed() { b.width = 0 }

// folds reports whether the block has more to show than its line.
func (b *block) folds() bool {
	return b.kind == call || b.kind == thought || b.kind == said && strings.Count(b.text, "\n") >= mostSaid
}

// Lines of what a person said: a message with more, such as one with a file, folds, and shows its beginning.
const (
	mostSaid  = 24
	firstSaid = 8
)

// render returns the block's lines for a width.
func (b *block) render(s *style, width int) []string {
	if b.width == width {
		return b.lines
	}
	b.lines, b.width = b.draw(s, width), width
	return b.lines
}

func (b *block) draw(s *style, width int) []string {
	switch b.kind {
	case said:
		return b.drawSaid(s, width)
	case waiting:
		return styled(s.faint.Render, indented(Wrap(b.text+" (sent to the run)", width-2), "> "))
	case answer:
		text := withoutList(b.text)
		if b.growing.done > len(text) { // it was drawn with the beginning of the list
			b.growing = stream{}
		}
		return s.link(text, b.growing.render(s.markdown, text))
	case thought:
		return b.drawThought(s, width)
	case call:
		return b.drawCall(s, width)
	case fault:
		return styled(s.bad.Render, Wrap(b.text, width))
	case output:
		return cutLines(b.text, width)
	}
	return styled(s.faint.Render, Wrap(b.text, width))
}

// withoutList returns an answer without the list of files for programs at its end, if the answer has begun to name
// them: on a screen, the list would push the answer out of view.
func withoutList(text string) string {
	before, _, listed := strings.Cut(text, report.ListHead)
	if !listed || !strings.HasSuffix(strings.TrimRight(before, "#*` "), "\n") {
		return text
	}
	rest, files := report.SplitList(text)
	prose := func(entry string) bool { return strings.ContainsAny(entry, " \t") }
	if len(rest) > len(before) || len(files) == 0 || slices.ContainsFunc(files, prose) || !strings.Contains(rest, files[0]) {
		return text
	}
	return rest
}

func styled(render func(...string) string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = render(l)
	}
	return out
}

// cutLines returns the lines of a text, such as a table, each wrapped only if it is too long.
func cutLines(text string, width int) []string {
	var out []string
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		out = append(out, Wrap(l, width)...)
	}
	return out
}

func (b *block) drawSaid(s *style, width int) []string {
	shown, more := b.text, 0
	if b.folds() && !b.open {
		lines := strings.SplitAfterN(b.text, "\n", firstSaid+1)
		shown, more = strings.Join(lines[:firstSaid], ""), strings.Count(lines[firstSaid], "\n")+1
	}
	drawn := indented(Wrap(strings.TrimSuffix(shown, "\n"), width-2), s.you.Render("> "))
	if more > 0 {
		drawn = append(drawn, s.faint.Render("  … "+line.Count(more, "more line")))
	}
	return drawn
}

func (b *block) drawThought(s *style, width int) []string {
	if !b.open {
		first, _, _ := strings.Cut(strings.TrimSpace(b.text), "\n")
		return []string{s.faint.Render(fit("▸ thinking: "+first, width))}
	}
	return styled(s.faint.Render, indented(Wrap(strings.TrimSpace(b.text), width-2), "▾ "))
}

// drawCall draws a call as a line, and folded out with its arguments and its result.
func (b *block) drawCall(s *style, width int) []string {
	c, mark := b.call, s.accent.Render("▸ ")
	if b.open {
		mark = s.accent.Render("▾ ")
	}
	end := c.ending()
	head := fit(c.title, max(width-2-columns(end)-2, width/2))
	if end != "" {
		head += "  " + s.ended(c, fit(end, max(width-2-columns(head)-2, 0)))
	}
	lines := []string{mark + head}
	if !b.open {
		return lines
	}
	var args []string
	if c.args != "" {
		args = Wrap(c.args, width-4)
	}
	for _, l := range append(args, c.result(width-4)...) {
		lines = append(lines, s.faint.Render("  │ ")+l)
	}
	return lines
}

// ended styles the end of a call's line.
func (s *style) ended(c *callState, text string) string {
	if c.ended && c.record.Err != nil {
		return s.bad.Render(text)
	}
	return s.faint.Render(text)
}

// ending says how a call is going, or how it went.
func (c *callState) ending() string {
	switch {
	case !c.ended && c.progress != "":
		return "… " + c.progress
	case !c.ended:
		return "…"
	}
	var parts []string
	if c.record.Err != nil || c.record.TokensIn > 0 || c.record.Value != nil && !isText(c.record.Value) {
		parts = append(parts, clean(line.Flat(ui.Result(c.record))))
	}
	if c.record.Duration >= 100*time.Millisecond {
		parts = append(parts, ui.Seconds(c.record.Duration))
	}
	if c.record.Cut {
		parts = append(parts, fmt.Sprintf("%s of %s shown to the model", line.Number(c.record.TokensOut),
			line.Count(c.record.TokensIn, "token")))
	}
	return strings.Join(parts, " · ")
}

// isText reports whether a result says nothing of itself but its size, which is known at the end of its step.
func isText(v any) bool {
	_, text := v.(string)
	return text
}

// maxShown is how many lines of a result a folded-out call shows.
const maxShown = 200

// result returns the first lines of the call's result.
func (c *callState) result(width int) []string {
	if !c.ended {
		return nil
	}
	if c.record.Err != nil {
		return Wrap(clean(c.record.Err.Error()), width)
	}
	_, text := tools.Render(c.record.Value)
	if indented := (&bytes.Buffer{}); json.Indent(indented, []byte(text), "", "  ") == nil {
		text = indented.String()
	}
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var lines []string
	for _, l := range all[:min(len(all), maxShown)] {
		lines = append(lines, fit(clean(l), width))
	}
	if more := len(all) - maxShown; more > 0 {
		lines = append(lines, "… "+line.Count(more, "more line"))
	}
	return lines
}

// newCall returns the state of a call that starts.
func newCall(by string, c transcript.ToolCall) *callState {
	title := clean(ui.Call(c))
	if by != "" {
		title = clean(by) + ": " + title
	}
	return &callState{id: c.ID, agent: by, title: line.Flat(title), args: arguments(c.Args)}
}

// arguments writes the arguments of a call so that a person can read them.
func arguments(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, args, "", "  ") != nil {
		return clean(string(args))
	}
	return clean(b.String())
}
