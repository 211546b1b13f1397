package sessionfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// A Report says what reading a file changed and left out.
type Report struct {
	Format   string // the format that was read; several are joined with a comma
	Runs     int
	Messages int       // of all runs
	Findings []Finding // by kind, in the order in which the kinds appeared
	Skipped  []Skip    // parts of the file that could not be read: the first thousand
	Unread   int       // how many parts of the file could not be read
}

// A Finding is a kind of change to the messages of a file.
type Finding struct {
	Effect Effect
	What   string   // in words: "missing results"
	Count  int      // how often it happened
	Places []string // where it happened first, such as "line 12": at most five different ones
}

// An Effect says what happened to messages.
type Effect string

// The effects.
const (
	Mended  Effect = "mended"  // changed so that the messages are valid; no text is lost
	Dropped Effect = "dropped" // left out
	Noted   Effect = "noted"   // kept in another form
)

// A Skip is a part of a file that could not be read.
type Skip struct {
	Place  string // such as "line 12"
	Reason string
}

const (
	maxPlaces  = 5    // of a finding
	maxSkipped = 1000 // that a report lists
)

// A kind of finding, in words.
type kind string

// What was mended by moving or losing a result, as [Finding] says it.
const (
	Late      = "results after a later assistant message, treated as missing and orphaned"
	Orphan    = "results without a call"
	Duplicate = "duplicate results"
)

// What was mended.
const (
	missing     kind = "missing results"
	disordered  kind = "results out of the order of their calls, or not directly after them"
	callID      kind = "calls with a duplicate or empty id"
	merged      kind = "assistant messages merged with the previous one"
	empty       kind = "messages without a text"
	promptless  kind = "recordings without a prompt"
	parentless  kind = "session lines whose parent is missing, joined to the line before"
	unknownRole kind = "messages of an unknown role, quoted as the user's"
	lateSystem  kind = "system messages after the first answer, quoted as the user's"
)

// What was dropped.
const (
	branch     kind = "session messages on abandoned branches, left out"
	encrypted  kind = "encrypted reasoning, which only the account that made it can send"
	signatures kind = "signatures of reasoning, which only the account that made it can send"
	excluded   kind = "messages that the session kept from the model"
	undone     kind = "messages that the user took back"
	repeated   kind = "session lines with the id of an earlier line"
	unanswered kind = "sessions without an answer"
	elsewhere  kind = "messages in another file, which this one names"
	foreign    kind = "items of the service without a text"
	attached   kind = "reminders that the program attached for the model"
	program    kind = "messages that the program wrote, not the model"
	unspoken   kind = "reasoning without an answer after it"
)

// picture notes what a line with the type and the size replaces.
const picture kind = "pictures and files, replaced by their type and size"

var dropped = map[kind]bool{branch: true, encrypted: true, signatures: true, excluded: true, undone: true,
	repeated: true, unanswered: true, foreign: true, unspoken: true, program: true, elsewhere: true, attached: true}

func (k kind) effect() Effect {
	switch {
	case k == picture:
		return Noted
	case dropped[k]:
		return Dropped
	}
	return Mended
}

// A place is where in a file something is: a line, a message of it, or what has an id.
type place struct {
	line, message int // from 1; 0: none
	id            string
}

func (p place) String() string {
	switch {
	case p.id != "":
		return line.Truncate(line.Single(line.Printable(p.id)), maxTitle)
	case p.message > 0 && p.line > 1:
		return fmt.Sprintf("line %d, message %d", p.line, p.message)
	case p.message > 0:
		return fmt.Sprintf("message %d", p.message)
	}
	return fmt.Sprintf("line %d", p.line)
}

func (r *Report) add(k kind, at place) {
	i := 0
	for i < len(r.Findings) && r.Findings[i].What != string(k) {
		i++
	}
	if i == len(r.Findings) {
		r.Findings = append(r.Findings, Finding{Effect: k.effect(), What: string(k)})
	}
	f := &r.Findings[i]
	f.Count++
	if where := at.String(); len(f.Places) < maxPlaces && at != (place{}) && !slices.Contains(f.Places, where) {
		f.Places = append(f.Places, where)
	}
}

func (r *Report) skip(at place, err error) {
	if r.Unread++; len(r.Skipped) < maxSkipped {
		r.Skipped = append(r.Skipped, Skip{at.String(), err.Error()})
	}
}

// String writes the report for a person, a line each: the totals, every finding, and the first parts that could not be
// read.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", r.Format, line.Count(r.Runs, "run"), line.Count(r.Messages, "message"))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s: %s: %s", f.Effect, f.What, line.Number(f.Count))
		if len(f.Places) > 0 {
			b.WriteString(" (" + strings.Join(f.Places, ", "))
			if len(f.Places) == maxPlaces && f.Count > maxPlaces {
				b.WriteString(", …")
			}
			b.WriteString(")")
		}
	}
	for _, s := range r.Skipped[:min(len(r.Skipped), maxPlaces)] {
		fmt.Fprintf(&b, "\nnot read: %s: %s", s.Place, s.Reason)
	}
	if more := r.Unread - maxPlaces; more > 0 {
		fmt.Fprintf(&b, "\nnot read: %s more", line.Number(more))
	}
	return b.String()
}
