package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/process"
)

// Bounds of a command.
const (
	defaultLimit = 60 * time.Second
	maxLimit     = 24 * time.Hour
	keptOutput   = 2_000 // bytes
)

// A command check runs a program in the working copy.
type command struct {
	head
	Argv    []string          `json:"argv"`
	Shell   string            `json:"shell"` // for /bin/sh -c, in place of argv
	Seconds float64           `json:"seconds"`
	Exit    int               `json:"exit"` // the code that passes
	Output  texts             `json:"output"`
	Env     map[string]string `json:"env"`
	Add     string            `json:"add"` // a folder of the set, copied over the working copy first

	add fs.FS
	timed
}

// timed is the time limit of a program.
type timed struct{ limit time.Duration }

func (t *timed) longest() time.Duration { return t.limit }

func (c *command) prepare(o *Options) (err error) {
	switch {
	case (len(c.Argv) == 0) == (c.Shell == ""):
		return errors.New(`give either argv, such as ["go","test","./..."], or shell`)
	case len(c.Argv) > 0 && c.Argv[0] == "":
		return errors.New("argv names no program")
	}
	if c.Shell != "" {
		c.Argv = []string{"/bin/sh", "-c", c.Shell}
	}
	if c.Add != "" {
		if c.add, err = folderOf(o, c.Add); err != nil {
			return fmt.Errorf("add: %w", err)
		}
	}
	c.limit, err = limitOf(c.Seconds)
	return err
}

// folderOf returns a folder of the set.
func folderOf(o *Options, name string) (fs.FS, error) {
	if o.Files == nil {
		return nil, errors.New("the check is not in a set with a folder")
	}
	info, err := fs.Stat(o.Files, path.Clean(name))
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", name)
	}
	return fs.Sub(o.Files, path.Clean(name))
}

// limitOf returns the time limit of so many seconds; 0: the default.
func limitOf(seconds float64) (time.Duration, error) {
	if !(seconds >= 0 && seconds <= maxLimit.Seconds()) {
		return 0, fmt.Errorf("seconds must be from 0 to %v", maxLimit.Seconds())
	}
	return cmp.Or(time.Duration(seconds*float64(time.Second)), defaultLimit), nil
}

func (c *command) judge(ctx context.Context, o *Outcome) (Verdict, error) {
	if err := o.checkCopy(); err != nil {
		return Verdict{}, err
	}
	if c.add != nil {
		if err := overlay(o.Dir, c.add, nil); err != nil {
			return Verdict{}, fmt.Errorf("adding %s to the working copy: %w", c.Add, err)
		}
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, name+"="+c.Env[name])
	}
	r, err := process.Run(ctx, process.Command{Args: c.Argv, Dir: o.Dir, Env: env, Limit: c.limit, Keep: keptOutput})
	switch {
	case err != nil:
		return Verdict{}, err
	case r.Late:
		return no("killed after %v; its output ends: %s", c.limit, r.Output), nil
	case r.Exit != c.Exit:
		return no("exit code %d, not %d; its output ends: %s", r.Exit, c.Exit, r.Output), nil
	}
	for _, text := range c.Output {
		if !strings.Contains(r.Output, text) {
			return no("its output lacks %s; it ends: %s", shown(text), r.Output), nil
		}
	}
	return yes(), nil
}

// overlay copies the regular files of a tree into a directory, in place of what is there, with their texts rewritten.
func overlay(dir string, from fs.FS, rewrite func([]byte) []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := readFile(from, name)
		if err != nil {
			return err
		}
		if rewrite != nil {
			text = rewrite(text)
		}
		return errors.Join(root.RemoveAll(name), root.MkdirAll(path.Dir(name), 0o755),
			root.WriteFile(name, text, 0o644|info.Mode().Perm()&0o111))
	})
}
