// Package words finds in texts what an agent must remember to write it again: identifiers, paths and lines.
//
// Start with [All] and [IsIdentifier].
package words

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Lower bounds of what counts, in bytes.
const (
	minWord = 4
	MinLine = 8 // for Lines
)

// Shell lists common commands and words of a shell. They occur in calls without being remembered from anywhere.
var Shell = []string{
	"alias", "apt_get", "bash", "bin", "cargo", "chmod", "chown", "clang", "curl", "diff", "docker", "done", "dpkg",
	"echo", "else", "env", "exec", "exit", "export", "false", "find", "grep", "head", "home", "jest", "kill", "local",
	"make", "mkdir", "mypy", "node", "null", "pip3", "printf", "pytest", "python", "python2", "python3", "rsync", "ruby",
	"ruff", "source", "sudo", "tail", "test", "then", "time", "timeout", "touch", "true", "uniq", "unzip", "wget", "which",
	"while", "xargs", "yarn", "perl", "sleep",
}

// IsWord reports whether a byte belongs to a word: a letter, a digit or an underscore.
func IsWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isPath(c byte) bool { return IsWord(c) || c == '/' || c == '.' || c == '-' }

// All yields the words of a text, maximal runs of [IsWord], and whether each is part of a path: a run of path
// characters with a slash.
func All(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for i := 0; i < len(text); {
			if !isPath(text[i]) {
				i++
				continue
			}
			end := i
			for end < len(text) && isPath(text[end]) {
				end++
			}
			inPath := strings.IndexByte(text[i:end], '/') >= 0
			for i < end {
				from := i
				for i < end && IsWord(text[i]) {
					i++
				}
				if i-from >= minWord && !yield(text[from:i], inPath) {
					return
				}
				if i == from {
					i++
				}
			}
		}
	}
}

// IsIdentifier reports whether a word must be remembered to be written: it is not a number, and it has an inner
// underscore, a change from lower to upper case or a digit, or is part of a path.
func IsIdentifier(word string, inPath bool) bool {
	number, marked := true, inPath
	for i := range len(word) {
		c := word[i]
		digit := c >= '0' && c <= '9'
		number = number && (digit || c == '_')
		switch {
		case digit,
			c == '_' && i > 0 && i < len(word)-1,
			i > 0 && c >= 'A' && c <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z':
			marked = true
		}
	}
	return marked && !number
}

// Paths returns the runs of path characters in a text that contain a slash.
func Paths(text string) []string {
	var found []string
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r >= 0x80 || !isPath(byte(r)) }) {
		if field = strings.Trim(field, "./-"); len(field) >= minWord && strings.Contains(field, "/") {
			found = append(found, field)
		}
	}
	return found
}

// Lines yields the lines of a text of at least [MinLine] bytes, trimmed, without the line numbers that tools print.
func Lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if line = unnumbered(line); len(line) >= MinLine && !yield(line) {
				return
			}
		}
	}
}

// numberMarks separate the number of a line from the line.
var numberMarks = []string{":", "|", "→", "\t"}

// unnumbered trims a line and removes its line number.
func unnumbered(line string) string {
	line = strings.TrimSpace(line)
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 6 {
		return line
	}
	rest := strings.TrimLeft(line[digits:], " ")
	for _, mark := range numberMarks {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			return strings.TrimSpace(after)
		}
	}
	return line
}

// A Leaf is a string in the arguments of a call, with the name of its argument.
type Leaf struct{ Key, Text string }

// Leaves returns the strings of arguments, in the order of the arguments' names, and these names. Arguments that are
// not JSON are one leaf without a name.
func Leaves(args json.RawMessage) (texts []Leaf, names []string) {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return []Leaf{{"", string(args)}}, nil
	}
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, Leaf{key, v})
		case []any:
			for _, item := range v {
				walk(key, item)
			}
		case map[string]any:
			keys := make([]string, 0, len(v))
			for name := range v {
				keys = append(keys, name)
			}
			slices.Sort(keys)
			for _, name := range keys {
				names = append(names, name)
				walk(name, v[name])
			}
		}
	}
	walk("", v)
	return texts, names
}

// FirstRunes returns the first n runes of a text.
func FirstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
