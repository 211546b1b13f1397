package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// The limits of what one call returns, in lines and in runes.
const (
	defaultLines = 200
	maxLines     = 2_000
	maxRunes     = 20_000
)

// ReadWorkingMemory returns the tool that reads a text again that the window of the calling run truncated. If the
// text has expired, the error names the call that returned it.
func ReadWorkingMemory(w *working.Memory) tools.Tool {
	return tools.New(toollimit.ReadTool,
		"Read again a text that was cut or folded away, by the id in its place, such as s12.1. "+
			"Use it only for results marked \"offloaded\": true, and ids that a [… cut …] mark, "+
			"a \"_cut\" field or a <record> names. Give find to get only the lines that hold a text.",
		func(ctx context.Context, in readInput) (excerpt, error) { return read(w, tools.RunFrom(ctx).Scope, in) })
}

type readInput struct {
	ID        string `json:"id" jsonschema:"minLength=1" doc:"the id that the mark names"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"minimum=1" doc:"first line; default 1"`
	Limit     int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=2000" doc:"lines to return; default 200"`
	Offset    int    `json:"offset,omitempty" jsonschema:"minimum=0" doc:"for one very long line: leave out so many characters of the whole text; then lines do not count"`
	Find      string `json:"find,omitempty" doc:"return only the lines that hold this text in any case"`
}

// An excerpt is a part of a stored text, by lines.
type excerpt struct {
	ID         string `json:"id"`
	Start      int    `json:"start"`                 // first line, from 1
	End        int    `json:"end"`                   // last line; 0: none
	Total      int    `json:"total"`                 // lines of the whole text
	Next       int    `json:"next,omitempty"`        // start_line of the next excerpt
	NextOffset int    `json:"next_offset,omitempty"` // of a reading by characters
	Partial    bool   `json:"is_partial"`
	Found      int    `json:"found,omitempty"` // lines that hold the text to find
	Content    string `json:"content"`
}

// Text returns the excerpt with a footer that says how to read on.
func (e excerpt) Text() (toollimit.Kind, string) {
	footer := fmt.Sprintf("lines %d-%d of %d of %s", e.Start, e.End, e.Total, e.ID)
	if e.Found > 0 {
		footer = fmt.Sprintf("%d lines found, of %d of %s", e.Found, e.Total, e.ID)
	}
	switch {
	case e.Next > 0:
		footer += fmt.Sprintf("; next: start_line=%d", e.Next)
	case e.NextOffset > 0:
		footer += fmt.Sprintf("; next: offset=%d", e.NextOffset)
	}
	return toollimit.File, e.Content + "[" + footer + "]\n"
}

func read(w *working.Memory, scope string, in readInput) (excerpt, error) {
	body, err := w.Get(scope, in.ID)
	if err != nil {
		return excerpt{}, problemOf(in.ID, err)
	}
	body = strings.ToValidUTF8(body, "\uFFFD")
	lines := strings.SplitAfter(body, "\n")
	if lines[len(lines)-1] == "" && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	if in.Limit <= 0 {
		in.Limit = defaultLines
	}
	in.StartLine, in.Limit = max(in.StartLine, 1), min(in.Limit, maxLines)
	if in.Offset > 0 || utf8.RuneCountInString(lines[min(in.StartLine, len(lines))-1]) > maxRunes && in.Find == "" {
		return readRunes(in, body, len(lines))
	}
	if in.StartLine > len(lines) {
		try := fmt.Sprintf("give a start_line of at most %d", len(lines))
		return excerpt{}, tools.Problemf("past_end", try, "%s has %d lines", in.ID, len(lines))
	}
	e := excerpt{ID: in.ID, Start: in.StartLine, Total: len(lines)}
	if err := e.fill(lines, in); err != nil {
		return excerpt{}, err
	}
	return e, nil
}

// again says which call returns the text of an entry again.
func again(e working.Entry) string {
	switch {
	case e.Tool == "":
		return "make the call again whose result it was"
	case e.Args == "":
		return "call " + e.Tool + " again, with the arguments that it had"
	}
	return "call " + e.Tool + " " + e.Args + " again"
}

// problemOf says why an id has no text, and what to do.
func problemOf(id string, err error) error {
	var expired *working.ExpiredError
	switch {
	case errors.As(err, &expired):
		return tools.Problemf("expired", again(expired.Entry), "the text of %s has expired: %s", id, expired.Entry.Gone)
	case errors.Is(err, working.ErrNotFound):
		const try = "take an id from a mark in the conversation, such as s12.1"
		return tools.Problemf("unknown_id", try, "nothing was ever stored under %q here", id)
	}
	return tools.Problemf("no_memory", "make the call again whose result was cut", "%v", err)
}

// readRunes returns a piece of a text by characters, for lines that are too long for paging by lines.
func readRunes(in readInput, body string, lines int) (excerpt, error) {
	runes := []rune(body)
	if in.Offset >= len(runes) {
		try := fmt.Sprintf("give an offset below %d", len(runes))
		return excerpt{}, tools.Problemf("past_end", try, "%s has %d characters", in.ID, len(runes))
	}
	end := min(in.Offset+maxRunes, len(runes))
	text := string(runes[in.Offset:end]) + "\n"
	e := excerpt{ID: in.ID, Start: 1, End: lines, Total: lines, Partial: true, Content: text}
	if end < len(runes) {
		e.NextOffset = end
	}
	return e, nil
}

// fill takes lines up to the limit of lines and of runes. A single line that exceeds the limit of runes is truncated.
func (e *excerpt) fill(lines []string, in readInput) error {
	var b strings.Builder
	taken, size := 0, 0
	find := strings.ToLower(in.Find)
	for i := in.StartLine - 1; i < len(lines); i++ {
		if find != "" && !strings.Contains(strings.ToLower(lines[i]), find) {
			continue
		}
		line := lines[i]
		if find != "" {
			line = fmt.Sprintf("L%d %s", i+1, line)
		}
		n := utf8.RuneCountInString(line)
		if taken == in.Limit || taken > 0 && size+n > maxRunes {
			e.Next = i + 1
			break
		}
		if n > maxRunes {
			line = string([]rune(line)[:maxRunes]) + "… [line cut]\n"
		}
		b.WriteString(line)
		taken, size, e.End = taken+1, size+n, i+1
	}
	if find != "" && taken == 0 {
		const try = "find a shorter text, or read by start_line"
		return tools.Problemf("not_found", try, "no line of %s from %d on holds %q", e.ID, e.Start, in.Find)
	}
	if find != "" {
		e.Found = taken
	}
	e.Partial = e.Next > 0 || e.Start > 1 || find != ""
	e.Content = b.String()
	if e.Content != "" && !strings.HasSuffix(e.Content, "\n") {
		e.Content += "\n"
	}
	return nil
}
