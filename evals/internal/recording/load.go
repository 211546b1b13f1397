package recording

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/sessionfile"
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

// Load reads recordings from files of JSON lines or folders of them with [evals.EachLine], in the formats of package
// sessionfile: see [sessionfile.Formats]. Besides, a line may be a run of its own:
// {"id","source","task","messages"}, with calls as {"id","name","args"} or as OpenAI has them.
//
// Lines that do not parse, and runs with messages of unknown roles, are listed in Skipped. Load returns errors of the
// file system and of the context.
func Load(ctx context.Context, paths ...string) (*Collection, error) {
	c := &Collection{Repairs: make(map[string]int)}
	f := &file{c: c}
	skipped, err := evals.EachLine(ctx, paths, func(path string, line []byte) error {
		if path != f.path {
			f.end()
			f = c.file(path)
		}
		err := f.Line(line)
		f.found = f.found || err != nil
		return err
	})
	if err != nil {
		return nil, err
	}
	f.end()
	c.Skipped = append(skipped, c.Skipped...)
	c.unique()
	return c, nil
}

// A file is one whose lines are being read.
type file struct {
	*sessionfile.Reader
	c     *Collection
	path  string
	found bool // a line that does not parse
}

func (c *Collection) file(path string) *file {
	reader, err := sessionfile.NewReader(path, &sessionfile.Options{Strict: true}, func(r *sessionfile.Run) bool {
		c.Trajectories = append(c.Trajectories, &Trajectory{ID: r.ID, Source: r.Source, System: r.System,
			Units: units(r.Messages)})
		return true
	})
	if err != nil {
		panic(err) // only for an unknown format
	}
	return &file{Reader: reader, c: c, path: path}
}

// end adds the runs that the lines of the file make together.
func (f *file) end() {
	if f.Reader == nil {
		return
	}
	report := f.End()
	for _, finding := range report.Findings {
		f.c.Repairs[finding.What] += finding.Count
	}
	if !f.found && report.Runs == 0 {
		f.c.Skipped = append(f.c.Skipped, filepath.Base(f.path)+": no messages")
	}
}

// New returns the trajectory of one valid conversation.
func New(id, system string, messages []transcript.Message) *Trajectory {
	return &Trajectory{ID: id, System: system, Units: units(messages)}
}

// units splits valid messages.
func units(all []transcript.Message) (units []Unit) {
	start := 0
	for i := range all {
		if i+1 == len(all) || all[i+1].Role != transcript.Tool {
			units = append(units, all[start:i+1:i+1])
			start = i + 1
		}
	}
	return units
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
