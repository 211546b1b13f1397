package recording

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
)

// A Trajectory is one recorded run as units, in the order of feeding.
type Trajectory struct {
	ID     string
	Source string
	System string // system messages of the recording
	Units  []Unit
}

// A Unit is an atomic group of messages: one user message, or one assistant message with the results of its calls in
// the order of the calls.
type Unit []transcript.Message

// A Collection is the result of [Load].
type Collection struct {
	Trajectories []*Trajectory
	Skipped      []string       // lines that do not parse, as "file:line: reason"
	Repairs      map[string]int // counts, by kind of repair
}

// Load reads recordings from files of JSON lines or folders of them with [evals.EachLine]. It tells by the content of
// each line what it is:
//
//   - a run of its own: {"id","source","task","messages"}, with calls as {"id","name","args"} or as OpenAI has them;
//   - a chat message of OpenAI, or an array of them: together one run;
//   - a line of a trace of foray, of a session of Claude Code or of Codex. A compaction or a subagent in a session
//     begins another run, because its model saw no more.
//
// Lines that do not parse are listed in Skipped. Load returns errors of the file system and of the context.
func Load(ctx context.Context, paths ...string) (*Collection, error) {
	c := &Collection{Repairs: make(map[string]int)}
	f := &file{c: c}
	skipped, err := evals.EachLine(ctx, paths, func(path string, line []byte) error {
		if path != f.path {
			f.end()
			f = &file{c: c, path: path}
		}
		err := f.line(line)
		f.found = f.found || err != nil
		return plain(err)
	})
	if err != nil {
		return nil, err
	}
	f.end()
	c.Skipped = append(skipped, c.Skipped...)
	c.unique()
	return c, nil
}

// A file collects the runs of one file. Its lines may be whole runs or parts of one.
type file struct {
	c       *Collection
	path    string
	found   bool // a run of its own, or a line that does not parse
	chat    recordedRun
	session claudeSession
	rollout codexSession
	traced  []*tracedRun
}

// plain says of a JSON value of the wrong type where it is and what it is, in the words of JSON.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("%s must not be of the type %s", cmp.Or(wrong.Field, "the line"), wrong.Value)
}

// name returns the name of the file without its extensions.
func (f *file) name() string {
	name, _, _ := strings.Cut(filepath.Base(f.path), ".")
	return name
}

// A probe has the fields by which the kinds of lines differ.
type probe struct {
	Messages  json.RawMessage `json:"messages"`
	Event     string          `json:"event"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	Message   json.RawMessage `json:"message"`
	UUID      string          `json:"uuid"`
	Role      string          `json:"role"`
	Timestamp string          `json:"timestamp"`
	State     string          `json:"record_type"`
}

// line adds one line. A line of a session that no model saw, such as an event, adds nothing.
func (f *file) line(line []byte) error {
	if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("[")) {
		return f.array(line)
	}
	var p probe
	if err := json.Unmarshal(line, &p); err != nil {
		return err
	}
	item := slices.Contains(codexItems, p.Type) && p.UUID == "" && len(p.Message) == 0
	switch {
	case p.Event != "":
		return f.trace(line)
	case len(p.Messages) > 0:
		return f.run(line)
	case p.Type != "" && len(p.Payload) > 0, item:
		return f.codex(line, &p)
	case p.UUID != "", p.Type != "" && len(p.Message) > 0:
		return f.claude(line)
	case p.Role != "":
		return f.chat.line(line)
	case p.Type != "", p.State != "", p.Timestamp != "":
		return nil
	}
	return errors.New("no messages")
}

// end adds the runs that the lines of the file make together.
func (f *file) end() {
	add := func(source string, runs ...recordedRun) {
		for _, run := range runs {
			run.ID = f.name()
			f.add(run, source)
		}
	}
	if len(f.chat.Messages) > 0 {
		add(f.name(), f.chat)
	}
	add("claude-code", f.session.runs(f.c.Repairs)...)
	add("codex", f.rollout.runs()...)
	for _, t := range f.traced {
		if t.run.answered() {
			add("foray", t.run)
		}
	}
	if !f.found && f.path != "" {
		f.c.Skipped = append(f.c.Skipped, filepath.Base(f.path)+": no messages")
	}
}

// add adds a run. Source is that of a run without one.
func (f *file) add(run recordedRun, source string) {
	f.found = true
	t := &Trajectory{ID: run.ID, Source: cmp.Or(run.Source, source)}
	t.arrange(run, f.c.Repairs)
	f.c.Trajectories = append(f.c.Trajectories, t)
}

// unique makes the ids of trajectories unique within their source.
func (c *Collection) unique() {
	seen := make(map[string]int)
	for i, t := range c.Trajectories {
		if t.ID == "" {
			t.ID = fmt.Sprintf("%d", i+1)
		}
		key := t.Source + "/" + t.ID
		if seen[key]++; seen[key] > 1 {
			t.ID = fmt.Sprintf("%s#%d", t.ID, seen[key])
		}
	}
}

// Find returns the trajectory with an id, or with source/id; nil if none has it.
func (c *Collection) Find(id string) *Trajectory {
	for _, t := range c.Trajectories {
		if id == t.Source+"/"+t.ID || id == t.ID {
			return t
		}
	}
	return nil
}
