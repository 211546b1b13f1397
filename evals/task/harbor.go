package task

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A manifest is the task.toml of a task in the form of Harbor, as far as it says what to do without a container.
type manifest struct {
	Metadata struct {
		Tags       []string `toml:"tags"`
		Difficulty string   `toml:"difficulty"`
		Category   string   `toml:"category"`
	} `toml:"metadata"`
	Verifier struct {
		Seconds float64 `toml:"timeout_sec"`
	} `toml:"verifier"`
	Agent struct {
		Seconds float64 `toml:"timeout_sec"`
	} `toml:"agent"`
	Environment struct {
		Image string `toml:"docker_image"`
	} `toml:"environment"`
}

// Names of the files of a task.
const (
	instructionFile = "instruction.md"
	manifestFile    = "task.toml"
	testsFolder     = "tests"
	composeFile     = "environment/docker-compose.yaml"
	dockerFile      = "environment/Dockerfile"
)

// harbor reads the task that a folder is, or those that its folders are.
func (r *reader) harbor(ctx context.Context, at string) error {
	if r.has(at, instructionFile, manifestFile) {
		return r.harborTask(ctx, at)
	}
	entries, err := fs.ReadDir(r.files, at)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := path.Join(at, e.Name()); e.IsDir() && r.has(name, instructionFile, manifestFile) {
			if err := r.harborTask(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// has reports whether a folder has one of the files.
func (r *reader) has(folder string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := fs.Stat(r.files, path.Join(folder, name))
		return err == nil
	})
}

// harborTask adds the task of a folder, or what is wrong with it. It returns an error if the set is too large.
func (r *reader) harborTask(ctx context.Context, folder string) error {
	for _, name := range []string{instructionFile, manifestFile, "environment", testsFolder} {
		err := fs.WalkDir(r.files, path.Join(folder, name), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // what is missing is found when it is needed
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return r.sum(name)
		})
		if err != nil {
			return err
		}
	}
	t, err := r.harborRead(folder)
	if err == nil {
		err = r.add(t, folder)
	}
	if parse := (toml.ParseError{}); errors.As(err, &parse) {
		r.problem(path.Join(folder, manifestFile), parse.Position.Line, parse.Position.Col, parse.Message)
	} else if err != nil {
		r.problem(folder, 0, 0, err.Error())
	}
	return nil
}

// sum adds a file to the hash of the set.
func (r *reader) sum(name string) error {
	data, err := fs.ReadFile(r.files, name)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.hash, "%s %d\n", name, len(data))
	r.hash.Write(data)
	return r.take(len(data))
}

// inContainer finds the folder in which the container of a task has its working copy, in a prompt.
var inContainer = regexp.MustCompile(`/app(/?)\b`)

func (r *reader) harborRead(folder string) (*Task, error) {
	prompt, err := fs.ReadFile(r.files, path.Join(folder, instructionFile))
	if err != nil {
		return nil, err
	}
	var m manifest
	text, err := fs.ReadFile(r.files, path.Join(folder, manifestFile))
	if err == nil {
		_, err = toml.Decode(string(text), &m)
	}
	if err != nil {
		return nil, err
	}
	tests := path.Join(folder, testsFolder)
	raw, err := json.Marshal(map[string]any{"kind": "harbor", "tests": tests, "seconds": m.Verifier.Seconds})
	if err != nil {
		return nil, err
	}
	t := &Task{
		ID:     path.Base(folder),
		Prompt: inContainer.ReplaceAllString(string(prompt), ".$1"),
		Checks: []json.RawMessage{raw},
		Budget: Budget{Seconds: m.Agent.Seconds},
		Tags: slices.DeleteFunc(append(m.Metadata.Tags, m.Metadata.Category, m.Metadata.Difficulty),
			func(tag string) bool { return tag == "" }),
		Files: map[string]string{}, // so that it has a copy
	}
	if folder == "." {
		t.ID = r.Name
	}
	switch {
	case m.Environment.Image != "":
		return nil, fmt.Errorf("needs a container: the image %s", m.Environment.Image)
	case r.has(folder, composeFile):
		return nil, fmt.Errorf("needs containers: %s", composeFile)
	}
	if t.Dir, err = r.built(folder); err != nil {
		return nil, err
	}
	return t, r.installs(path.Join(tests, "test.sh"))
}

// copied finds an instruction that copies a folder as the working copy.
var copied = regexp.MustCompile(`^COPY\s+(\S+)\s+(?:\.|\./|/app|/app/)$`)

// built returns the folder of files that the image of a task gets, or an error if building it runs programs.
func (r *reader) built(folder string) (dir string, err error) {
	text, err := fs.ReadFile(r.files, path.Join(folder, dockerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		n++
		line := strings.TrimSpace(lines.Text())
		word, _, _ := strings.Cut(line, " ")
		switch word = strings.ToUpper(word); {
		case line == "" || line[0] == '#' || slices.Contains([]string{"FROM", "WORKDIR", "LABEL", "ARG", "ENV"}, word):
		case dir == "" && copied.MatchString(line):
			dir = path.Join(folder, "environment", copied.FindStringSubmatch(line)[1])
		default:
			return "", fmt.Errorf("needs a container: %s:%d: %s", dockerFile, n, line)
		}
	}
	return dir, nil
}

// installer finds programs that change a machine.
var installer = regexp.MustCompile(`(?m)^[^#\n]*\b(apt-get|apt|apk|yum|dnf)\s+(?:-\S+\s+)*(?:install|update|add)\b`)

// installs returns an error if a script installs packages.
func (r *reader) installs(script string) error {
	text, err := fs.ReadFile(r.files, script)
	if err != nil {
		return err
	}
	if m := installer.FindSubmatch(text); m != nil {
		return fmt.Errorf("needs a container: tests/test.sh runs %s", m[1])
	}
	return nil
}
