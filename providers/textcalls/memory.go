package textcalls

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
)

// Bounds on the file that remembers how models call.
const (
	maxFile    = 1 << 20 // bytes
	maxEntries = 500
)

// formOf returns the form of a name, nil if there is none.
func formOf(name string) *form {
	for i := range forms {
		if forms[i].name == name {
			return &forms[i]
		}
	}
	return nil
}

// recall returns what file holds for key, if this version knows it.
func recall(file, key string) string {
	way := load(file)[key]
	if way == Native || way == Text || way == Schema || formOf(way) != nil {
		return way
	}
	return ""
}

// load reads a file. One that is missing, damaged or too large holds nothing.
func load(file string) map[string]string {
	known := map[string]string{}
	if file == "" {
		return known
	}
	f, err := os.Open(file)
	if err != nil {
		return known
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil || json.Unmarshal(raw, &known) != nil {
		return map[string]string{}
	}
	return known
}

// remember writes way for key into file, whole or not at all. It is only an optimisation, so errors are ignored.
func remember(file, key, way string) {
	if file == "" || key == "" {
		return
	}
	known := load(file)
	if known == nil || len(known) >= maxEntries {
		known = map[string]string{}
	}
	if known[key] == way {
		return
	}
	next := maps.Clone(known)
	next[key] = way
	raw, err := json.MarshalIndent(next, "", "\t")
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return
	}
	_, err = f.Write(append(raw, '\n'))
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), file) != nil {
		os.Remove(f.Name())
	}
}
