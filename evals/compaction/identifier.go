package compaction

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// The least lengths of what is looked for, in characters.
const (
	minIdentifier = 4
	minLine       = 8
)

// shellWords are common commands and words of a shell: they stand in calls without being remembered from anywhere.
var shellWords = []string{
	"alias", "apt_get", "bash", "bin", "cargo", "chmod", "chown", "clang", "curl", "diff", "docker", "done", "dpkg", "echo", "else",
	"env", "exec", "exit", "export", "false", "find", "grep", "head", "home", "jest", "kill", "local", "make", "mkdir", "mypy",
	"node", "null", "pip3", "printf", "pytest", "python", "python2", "python3", "rsync", "ruby", "ruff", "source", "sudo", "tail",
	"test", "then", "time", "timeout", "touch", "true", "uniq", "unzip", "wget", "which", "while", "xargs", "yarn", "perl", "sleep",
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isPath(c byte) bool { return isWord(c) || c == '/' || c == '.' || c == '-' }

// words are the whole tokens of a text: its maximal runs of letters, digits and underscores. Each comes with whether
// it stands in a path, a run of path characters with a slash.
func words(text string) iter.Seq2[string, bool] {
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
				for i < end && isWord(text[i]) {
					i++
				}
				if i-from >= minIdentifier && !yield(text[from:i], inPath) {
					return
				}
				if i == from {
					i++
				}
			}
		}
	}
}

// isIdentifier reports whether a word is one that must be remembered to be written: it has an inner underscore, a
// change from lower to upper case or a digit, or is a segment of a path, and is not a number.
func isIdentifier(word string, inPath bool) bool {
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

// paths are the runs of path characters in a text that have a slash and are long enough to tell something.
func paths(text string) []string {
	var found []string
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r >= 0x80 || !isPath(byte(r)) }) {
		if field = strings.Trim(field, "./-"); len(field) >= minIdentifier && strings.Contains(field, "/") {
			found = append(found, field)
		}
	}
	return found
}

// lines are the lines of a text that are long enough to be told apart, trimmed, without the numbers that tools set
// before them.
func lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if line = bare(line); len(line) >= minLine && !yield(line) {
				return
			}
		}
	}
}

// numberMarks are what stands between the number of a line and the line.
var numberMarks = []string{":", "|", "→", "\t"}

// bare is a line without surrounding blanks and without its number.
func bare(line string) string {
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

// A leaf is a string inside of a call's arguments, with the name of the argument that it stands under.
type leaf struct{ key, text string }

// leaves returns the strings of arguments, in the order of the arguments' names, and these names.
func leaves(args json.RawMessage) (texts []leaf, names []string) {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return []leaf{{"", string(args)}}, nil
	}
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, leaf{key, v})
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
