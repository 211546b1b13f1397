package recording

import (
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

// A Trajectory is one recorded run, put in order for feeding.
type Trajectory struct {
	ID     string
	Source string
	System string // system messages of the recording
	Units  []Unit
}

// A Unit is an atomic group of messages: one of the user, or one of the assistant with the results of its calls, in
// the order of the calls.
type Unit []transcript.Message

// A Collection is what Load read.
type Collection struct {
	Trajectories []*Trajectory
	Skipped      []string       // lines that do not parse, as "file:line: why"
	Repairs      map[string]int // what was put in order, by kind of repair
}

// Load reads recordings: files of JSON lines, or folders of them, as evals.EachLine does. A line that does not parse is
// named in Skipped, and the rest is read. The error is the file system's, or the context's.
func Load(ctx context.Context, paths ...string) (*Collection, error) {
	c := &Collection{Repairs: make(map[string]int)}
	var err error
	c.Skipped, err = evals.EachLine(ctx, paths, func(file string, line []byte) error {
		source, _, _ := strings.Cut(filepath.Base(file), ".")
		return c.readLine(line, source)
	})
	if err != nil {
		return nil, err
	}
	c.unique()
	return c, nil
}

// The recorded form of a trajectory.
type (
	recordedRun struct {
		ID       string            `json:"id"`
		Source   string            `json:"source"`
		Task     string            `json:"task"`
		Messages []recordedMessage `json:"messages"`
	}
	recordedMessage struct {
		Role    string         `json:"role"`
		Content string         `json:"content"`
		Calls   []recordedCall `json:"tool_calls"`
		CallID  string         `json:"tool_call_id"`
		Name    string         `json:"name"`
	}
	recordedCall struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
)

func (c *Collection) readLine(line []byte, source string) error {
	var run recordedRun
	if err := json.Unmarshal(line, &run); err != nil {
		return err
	}
	if len(run.Messages) == 0 {
		return errors.New("no messages")
	}
	for i, m := range run.Messages {
		if !slices.Contains(roles, m.Role) {
			return fmt.Errorf("message %d has the role %q", i, m.Role)
		}
	}
	if run.Source == "" {
		run.Source = source
	}
	t := &Trajectory{ID: run.ID, Source: run.Source}
	t.arrange(run, c.Repairs)
	c.Trajectories = append(c.Trajectories, t)
	return nil
}

var roles = []string{"system", "developer", "user", "assistant", "tool"}

// unique gives each trajectory an id of its own within its source, so that outcomes can be told apart.
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
