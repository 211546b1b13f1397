package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
)

const (
	variable = "FORAY_CONFIG" // names the user's file in place of the usual one
	off      = "off"          // its value to read no file
	maxFile  = 64 << 10       // bytes
)

// A file is a file of settings that was read.
type file struct {
	path   string
	values map[string][]string // by name of the setting
	sum    string              // of its bytes, and of the files that it names
	user   bool                // it is the user's, not the project's
}

// userPath returns where the user's file is, "" if there is to be none.
func userPath() string {
	switch at := os.Getenv(variable); at {
	case off:
		return ""
	case "":
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		return filepath.Join(dir, "foray", "config.toml")
	default:
		return at
	}
}

// projectPath returns the settings of the project that a directory belongs to: the nearest .foray/config.toml in it or
// above it, up to the root of its repository; "" for none.
func projectPath(dir string) string {
	if os.Getenv(variable) == off {
		return ""
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		at := filepath.Join(dir, ".foray", "config.toml")
		if info, err := os.Lstat(at); err == nil && info.Mode().IsRegular() {
			return at
		}
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		if parent := filepath.Dir(dir); err != nil && parent != dir {
			dir = parent
			continue
		}
		return ""
	}
}

// read reads a file of settings; nil if it does not exist.
func read(path string, user bool) (*file, error) {
	if path == "" {
		return nil, nil
	}
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, broken(path, err)
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	switch {
	case err != nil:
		return nil, broken(path, err)
	case len(raw) > maxFile:
		return nil, broken(path, fmt.Errorf("it is larger than %d kB", maxFile>>10))
	}
	if err := tooDeep(raw); err != nil {
		return nil, broken(path, err)
	}
	var values map[string]any
	if err := toml.Unmarshal(raw, &values); err != nil {
		return nil, broken(path, err)
	}
	f := &file{path: path, user: user, values: map[string][]string{}}
	for name, value := range values {
		if !slices.Contains(names(), name) {
			return nil, broken(path, fmt.Errorf("no setting %q; the nearest is %q", name, cli.Suggest(name, names())))
		}
		if f.values[name], err = texts(value); err != nil {
			return nil, broken(path, fmt.Errorf("%s: %w", name, err))
		}
	}
	for _, s := range settings {
		if list := f.values[s.name]; s.path && len(list) == 1 && !filepath.IsAbs(list[0]) {
			list[0] = filepath.Join(filepath.Dir(path), list[0])
		}
	}
	if !user {
		f.sum = f.sumWith(raw)
	}
	return f, nil
}

// sumWith returns the sum of the file, whose bytes are raw, and of the files that it names: they say which programs
// start, so a change of one needs a new approval, too.
func (f *file) sumWith(raw []byte) string {
	all := sha256.New()
	all.Write(raw)
	for _, path := range f.named() {
		text, err := readNamed(path)
		fmt.Fprintf(all, "\x00%x %t", sha256.Sum256(text), err == nil)
	}
	return hex.EncodeToString(all.Sum(nil))
}

// named returns the files that settings name.
func (f *file) named() []string {
	var all []string
	for _, s := range settings {
		if s.path {
			all = append(all, f.values[s.name]...)
		}
	}
	return all
}

// maxNamed is the size of the largest file that a setting of a project names, in bytes.
const maxNamed = 16 << 20

// readNamed reads a file that a setting names.
func readNamed(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxNamed:
		return nil, fmt.Errorf("%s is not a file of at most %d MB", path, maxNamed>>20)
	}
	return os.ReadFile(path)
}

// mostNested is how many dots a line may have, and how many tables a file. Settings need far fewer, and the decoder
// takes minutes for a key of thousands of parts.
const mostNested = 500

// tooDeep returns an error for a file that the decoder would take too long to read.
func tooDeep(raw []byte) error {
	n := 0
	for text := range bytes.Lines(raw) {
		if n++; bytes.Count(text, []byte(".")) > mostNested {
			return fmt.Errorf("line %d has more than %d dots", n, mostNested)
		}
	}
	if bytes.Count(raw, []byte("{")) > mostNested {
		return fmt.Errorf("it has more than %d tables, but settings are not tables", mostNested)
	}
	return nil
}

// broken is the error of a file that cannot be used.
func broken(path string, err error) error {
	return cli.Usage("repair the file, or "+variable+"=off to do without", "settings %s: %w", path, err)
}

// texts writes a value as flags take it.
func texts(value any) ([]string, error) {
	switch v := value.(type) {
	case string, int64, float64, bool:
		return []string{fmt.Sprint(v)}, nil
	case []any:
		all := make([]string, len(v))
		for i, one := range v {
			text, ok := one.(string)
			if !ok {
				return nil, errors.New("takes a list of texts")
			}
			all[i] = text
		}
		return all, nil
	}
	return nil, errors.New("takes a text, a number, true or false, or a list of texts")
}
