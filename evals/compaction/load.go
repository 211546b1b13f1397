package compaction

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
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
type Unit []contextwindow.Message

// A Collection is what Load read.
type Collection struct {
	Trajectories []*Trajectory
	Skipped      []string       // lines that do not parse, as "file:line: why"
	Repairs      map[string]int // what was put in order, by kind of repair
}

// maxLine is the longest line that Load takes, in bytes.
const maxLine = 256 << 20

// Load reads recordings: files of JSON lines, compressed if their name ends in .gz, or folders of them, which are
// searched for *.jsonl and *.jsonl.gz. A line that does not parse is named in Skipped, and the rest is read. The
// error is the file system's, or the context's.
func Load(ctx context.Context, paths ...string) (*Collection, error) {
	c := &Collection{Repairs: make(map[string]int)}
	for _, path := range paths {
		files, err := recordings(path)
		if err != nil {
			return nil, fmt.Errorf("finding recordings: %w", err)
		}
		for _, file := range files {
			if err := c.readFile(ctx, file); err != nil {
				return nil, fmt.Errorf("reading %s: %w", file, err)
			}
		}
	}
	c.unique()
	return c, nil
}

// recordings returns the file itself, or the files of recordings below a folder, sorted.
func recordings(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")) {
			files = append(files, name)
		}
		return err
	})
	slices.Sort(files)
	return files, err
}

func (c *Collection) readFile(ctx context.Context, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := c.readLine(lines.Bytes(), strings.SplitN(filepath.Base(file), ".", 2)[0]); err != nil {
			c.Skipped = append(c.Skipped, fmt.Sprintf("%s:%d: %v", filepath.Base(file), n, err))
		}
	}
	return lines.Err()
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
