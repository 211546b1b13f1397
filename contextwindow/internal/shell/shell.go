// Package shell says what a shell command does with files, by the programs that it runs.
//
// Start with [ActionOf].
package shell

import (
	"path"
	"slices"
	"strings"
)

// An Action is what a command does.
type Action int

// The actions. Other is anything that is not known to read or to search only.
const (
	Other Action = iota
	Read
	Search
)

// The programs of each action, and those that neither read, search nor change anything: a command that also runs one
// of these has the action of the rest.
var (
	readers   = []string{"cat", "head", "tail", "sed", "nl", "less", "more", "bat", "awk", "type", "get-content"}
	searchers = []string{"grep", "egrep", "fgrep", "rg", "ag", "find", "fd", "ls", "tree", "dir"}
	neutral   = []string{"cd", "echo", "printf", "pwd", "true", "set", "export", "wc", "file", "stat"}
	wrappers  = []string{"sudo", "time", "timeout", "env", "command", "nice"}
	shells    = []string{"bash", "sh", "zsh"}
)

// ActionOf returns the action of a command line: Search if each of its pipelines reads or searches and at least one
// searches, Read if each reads, else Other. A pipeline acts as its first program does, and one that reads and then
// greps is a search. A command that writes to a file is Other.
func ActionOf(command string) Action {
	whole := Other
	for _, pipeline := range split(command, "\n", ";", "&&", "||") {
		action, neutral := pipelineAction(pipeline)
		switch {
		case neutral:
		case action == Other:
			return Other
		default:
			whole = max(whole, action)
		}
	}
	return whole
}

// pipelineAction returns the action of a pipeline, and whether it has none of its own.
func pipelineAction(pipeline string) (action Action, none bool) {
	for i, stage := range split(pipeline, "|") {
		if writes(stage) {
			return Other, false
		}
		name, args := program(stage)
		switch {
		case i > 0 && action == Read && slices.Contains(searchers, name):
			action = Search
		case i > 0:
		case name == "" || slices.Contains(neutral, name):
			none = true
		case slices.Contains(shells, name) && len(args) == 2 && strings.HasSuffix(args[0], "c"):
			action = ActionOf(unquote(args[1]))
		default:
			action = actionOfProgram(name, args)
		}
	}
	return action, none
}

func actionOfProgram(name string, args []string) Action {
	switch {
	case name == "sed" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-i") }):
		return Other
	case name == "git" && len(args) > 0 && slices.Contains([]string{"grep", "ls-files"}, args[0]):
		return Search
	case name == "find" && slices.ContainsFunc(args, func(a string) bool {
		return a == "-delete" || strings.HasPrefix(a, "-exec")
	}):
		return Other
	case slices.Contains(readers, name):
		return Read
	case slices.Contains(searchers, name):
		return Search
	}
	return Other
}

// program returns the program that a stage of a pipeline runs, without its path, and its arguments.
func program(stage string) (name string, args []string) {
	fields := split(stage, " ", "\t")
	for len(fields) > 0 {
		name = strings.ToLower(path.Base(fields[0]))
		fields = fields[1:]
		assigns := strings.Contains(name, "=")
		if !assigns && !slices.Contains(wrappers, name) {
			return name, fields
		}
		for !assigns && len(fields) > 0 && (strings.HasPrefix(fields[0], "-") || isNumber(fields[0])) {
			fields = fields[1:]
		}
	}
	return "", nil
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789.smh") == "" }

// writes reports whether a stage redirects its output to a file.
func writes(stage string) bool {
	for _, field := range split(stage, " ", "\t") {
		if field[0] == '"' || field[0] == '\'' {
			continue
		}
		if i := strings.IndexByte(field, '>'); i >= 0 && !strings.HasPrefix(field[i+1:], "&") &&
			!strings.HasSuffix(field, "/dev/null") && !strings.HasPrefix(field, "2") {
			return true
		}
		if strings.Contains(field, "<<") {
			return true
		}
	}
	return false
}

func unquote(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// split divides a text at separators outside quotes, and drops blank parts. A separator that begins another one must
// follow it.
func split(text string, separators ...string) []string {
	var parts []string
	quote, from := byte(0), 0
	add := func(to int) {
		if part := strings.TrimSpace(text[from:to]); part != "" {
			parts = append(parts, part)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		default:
			for _, sep := range separators {
				if strings.HasPrefix(text[i:], sep) {
					add(i)
					from = i + len(sep)
					i = from - 1
					break
				}
			}
		}
	}
	add(len(text))
	return parts
}
