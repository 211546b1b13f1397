// Package keep remembers small facts about servers between processes, in files of JSON. Start with [Load] and [Save].
//
// A file is only an optimisation: a missing, damaged or unwritable one is not an error.
package keep

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
)

// Bounds on a file.
const (
	maxFile    = 1 << 20 // bytes
	maxEntries = 500
)

// Load reads a file. One that is missing, damaged or too large holds nothing, and so does the name "".
func Load[T any](file string) map[string]T {
	known := map[string]T{}
	if file == "" {
		return known
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() { // to open a pipe would wait
		return known
	}
	f, err := os.Open(file)
	if err != nil {
		return known
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil || json.Unmarshal(raw, &known) != nil {
		return map[string]T{}
	}
	return known
}

// Save writes a value for key into file, whole or not at all. It writes nothing for an empty name or key.
func Save[T comparable](file, key string, value T) {
	if file == "" || key == "" {
		return
	}
	known := Load[T](file)
	if known == nil || len(known) >= maxEntries {
		known = map[string]T{}
	}
	if old, ok := known[key]; ok && old == value {
		return
	}
	next := maps.Clone(known)
	next[key] = value
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
