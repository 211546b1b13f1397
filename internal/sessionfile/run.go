package sessionfile

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A Run is one conversation: what one model saw at its end.
type Run struct {
	ID      string    // from the file, or the name of the file; several runs of a file may share it
	Session string    // the id that the agent gave the session, or ""
	Parent  string    // the session that this one began in as a subagent or a fork, or ""
	Source  string    // what the file says that it came from, or the name of its format
	Title   string    // from the file, or the first line of what the user said
	Model   string    // the last model that answered, or ""
	Dir     string    // the working folder, or ""
	Created time.Time // zero if unknown
	System  string    // system messages before the first answer

	// Messages are valid for every provider as soon as a prompt follows them: [transcript.Check] then accepts them
	// for [transcript.AnyProvider]. They begin with the user, and have neither an origin nor provider data.
	Messages []transcript.Message
	// Reasoning is the plain reasoning of assistant messages, by their index in Messages.
	Reasoning map[int]string
}

// A draft is a run as its file has it.
type draft struct {
	Run
	Task  string // the prompt, if the messages lack it
	drops []note // what has no message
	said  []said
}

// A said is a message as its file has it.
type said struct {
	role, text   string
	calls        []called
	callID, name string
	reasoning    string
	notes        []kind // what is left out of it
	at           place
	// Of a result, if the file knows them.
	kind   toollimit.Kind
	failed bool
}

type called struct {
	id, name string
	args     json.RawMessage
}

// A note is something to report once the run is.
type note struct {
	kind kind
	at   place
}

const maxTitle = 80 // runes

// answered reports whether the assistant spoke.
func (d *draft) answered() bool {
	return slices.ContainsFunc(d.said, func(m said) bool { return m.role == "assistant" })
}

// join appends a part of a response.
func (m *said) join(part *said) {
	m.text = joined(m.text, part.text)
	m.reasoning = joined(m.reasoning, part.reasoning)
	m.calls = append(m.calls, part.calls...)
	m.notes = append(m.notes, part.notes...)
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// finish mends the draft.
func (d *draft) finish(r *Report) *Run {
	run := d.Run
	a := &arranger{report: r, await: await{open: -1}, taken: make(map[string]int)}
	for i := range d.said {
		a.add(&d.said[i])
	}
	a.end(d.Task)
	for _, n := range d.drops {
		r.add(n.kind, n.at)
	}
	run.System, run.Messages, run.Reasoning = strings.Join(a.system, "\n\n"), a.messages, a.reasoning
	if run.Title == "" && len(run.Messages) > 0 {
		run.Title = cmp.Or(d.Task, run.Messages[0].Text)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(run.Title), "\n")
	run.Title = line.Truncate(line.Printable(first), maxTitle)
	r.Runs++
	r.Messages += len(run.Messages)
	return &run
}
