package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mostKept is the size in bytes of the largest input to keep: a large one slows every run that changes it.
const mostKept = 4 << 10

// keepInputs copies to testdata/fuzz each found input that covers a statement which nothing kept covers.
func keepInputs(all []*pkg, dir string) error {
	for n, p := range all {
		binary := filepath.Join(dir, fmt.Sprintf("cover%d.test", n))
		args := []string{"test", "-c", "-cover", "-coverpkg=" + modulePath + "/...", "-o", binary, p.path}
		if _, err := output(exec.Command("go", args...)); err != nil {
			return err
		}
		for _, target := range p.targets {
			k := keeper{pkg: p, target: target, binary: binary, profile: filepath.Join(dir, "profile")}
			if err := k.keep(); err != nil {
				return err
			}
			_ = os.Remove(k.testdata()) // if it is empty
			fmt.Printf("kept %d inputs of %s.%s\n", k.kept, p.name(), target)
		}
	}
	return nil
}

// A keeper chooses inputs of one target.
type keeper struct {
	*pkg
	target, binary, profile string
	covered                 map[string]bool // blocks of statements, as in a profile
	kept                    int
}

func (k *keeper) keep() (err error) {
	if k.covered, err = k.covers(); err != nil {
		return err
	}
	names, err := k.candidates()
	if err != nil || len(names) == 0 {
		return err
	}
	return k.choose(names)
}

// testdata is the folder of the committed inputs.
func (k *keeper) testdata() string { return filepath.Join(k.dir, "testdata", "fuzz", k.target) }

// candidates copies the found inputs to the committed ones, and returns their names: first those that were given a name
// since they are real, then the small.
func (k *keeper) candidates() ([]string, error) {
	from := filepath.Join(k.found, k.target)
	entries, err := os.ReadDir(from)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err := os.MkdirAll(k.testdata(), 0o777); err != nil {
		return nil, err
	}
	rank := map[string]int{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return nil, err
		}
		to := filepath.Join(k.testdata(), e.Name())
		if _, err := os.Stat(to); err == nil || len(data) > mostKept {
			continue
		}
		rank[e.Name()] = len(data)
		if !drawn.MatchString(e.Name()) {
			rank[e.Name()] -= mostKept
		}
		if err := os.WriteFile(to, data, 0o666); err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Keys(rank), func(a, b string) int {
		return cmp.Or(rank[a]-rank[b], strings.Compare(a, b))
	}), err
}

// drawn is the name of an input that the fuzzer found.
var drawn = regexp.MustCompile(`^[0-9a-f]{16}$`)

// choose removes the inputs that cover nothing more. It halves them until a half adds nothing or is one.
func (k *keeper) choose(names []string) error {
	blocks, err := k.covers(names...)
	if err != nil {
		return err
	}
	more := false
	for b := range blocks {
		more = more || !k.covered[b]
	}
	switch {
	case !more:
		for _, name := range names {
			if err := os.Remove(filepath.Join(k.testdata(), name)); err != nil {
				return err
			}
		}
		return nil
	case len(names) == 1:
		maps.Copy(k.covered, blocks)
		k.kept++
		return nil
	}
	if err := k.choose(names[:len(names)/2]); err != nil {
		return err
	}
	return k.choose(names[len(names)/2:])
}

// covers returns the blocks of statements that the named inputs cover, or all seeds.
func (k *keeper) covers(names ...string) (map[string]bool, error) {
	pattern := "^" + k.target + "$"
	if len(names) > 0 {
		pattern += "/^(" + strings.Join(names, "|") + ")$"
	}
	cmd := exec.Command(k.binary, "-test.run="+pattern, "-test.coverprofile="+k.profile)
	cmd.Dir = k.dir
	if _, err := output(cmd); err != nil {
		return nil, err
	}
	profile, err := os.ReadFile(k.profile)
	if err != nil {
		return nil, err
	}
	blocks := map[string]bool{}
	for line := range strings.Lines(string(profile)) {
		if block, count, ok := strings.Cut(line, " "); ok && !strings.HasSuffix(count, " 0\n") {
			blocks[block] = true
		}
	}
	return blocks, nil
}
