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

// Load reads recordings from files of JSON lines or folders of them with [evals.EachLine]. Lines that do not parse are
// listed in Skipped. Load returns errors of the file system and of the context.
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

// The form of a recorded run.
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
