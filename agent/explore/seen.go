package explore

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/lazyregexp"
)

// A lookKind is a way to look at a tree.
type lookKind int

const (
	lookOther  lookKind = iota
	lookRead            // a file, or a part of it
	lookList            // a directory
	lookSearch          // for a pattern
	lookAgain           // a text that was shortened
)

// lookTools says how each tool looks at a tree. Other tools count by their arguments.
var lookTools = []struct {
	kind  lookKind
	tools []string
}{
	{lookRead, []string{"read_file", "read", "view", "open_file", "cat", "outline", "git_show", "git_blame"}},
	{lookAgain, []string{"read_working_memory"}},
	{lookList, []string{"list_dir", "ls", "list_files", "repo_map"}},
	{lookSearch, []string{"search", "grep", "rg", "glob", "find", "find_symbol", "references", "locate", "git_log"}},
}

func kindOf(tool string) lookKind {
	for _, row := range lookTools {
		if slices.Contains(row.tools, tool) {
			return row.kind
		}
	}
	return lookOther
}

// The arguments that say what a call looked at.
var (
	pathArguments    = []string{"path", "paths", "file_path", "file"}
	patternArguments = []string{"pattern", "patterns", "query", "symbol", "name", "issue", "question"}
	partArguments    = []string{"start_line", "end_line", "symbol", "around", "rev"}
)

// coverage records what the calls looked at.
type coverage struct {
	files    map[string]bool // files that were read
	parts    map[string]bool // parts of files that were read
	patterns map[string]bool // patterns that were searched
	matched  map[string]bool // files that a search named
	named    []string        // the same, in the order of the searches
	dirs     map[string]bool // directories that were listed
	calls    map[string]bool // other calls, by tool and arguments
}

// add records a call, and counts what it looked at for the first time. A failed call counts nothing.
func (s *coverage) add(c agent.StepCall) int {
	if c.Failed {
		return 0
	}
	var args map[string]json.RawMessage
	if json.Unmarshal(c.Args, &args) != nil {
		args = nil
	}
	switch kindOf(c.Name) {
	case lookRead:
		return s.addRead(args)
	case lookList:
		return once(&s.dirs, cleanPaths(args, ".")...)
	case lookSearch:
		fresh := once(&s.patterns, texts(args, patternArguments)...)
		for _, name := range filesIn(c.Result) {
			n := once(&s.matched, name)
			if fresh += n; n > 0 {
				s.named = append(s.named, name)
			}
		}
		return fresh
	case lookAgain: // the same call reads on: the last line says which part was read
		result := strings.TrimSpace(c.Result)
		return once(&s.calls, c.Name+result[strings.LastIndexByte(result, '\n')+1:])
	case lookOther:
	}
	return once(&s.calls, c.Name+normal(c.Args))
}

// addRead records files and parts of files, and counts those read for the first time.
func (s *coverage) addRead(args map[string]json.RawMessage) int {
	fresh, part := 0, ""
	for _, name := range partArguments {
		part += "\x00" + string(args[name])
	}
	for _, p := range cleanPaths(args, "") {
		once(&s.files, p)
		fresh += once(&s.parts, p+part)
	}
	return fresh
}

// once adds keys to a set, and counts those that are new.
func once(set *map[string]bool, keys ...string) int {
	fresh := 0
	for _, k := range keys {
		if k == "" || (*set)[k] {
			continue
		}
		if *set == nil {
			*set = make(map[string]bool)
		}
		(*set)[k] = true
		fresh++
	}
	return fresh
}

// texts returns the arguments with these names, each a string or an array of strings.
func texts(args map[string]json.RawMessage, names []string) []string {
	var all []string
	for _, name := range names {
		var one string
		var many []string
		switch {
		case args[name] == nil:
		case json.Unmarshal(args[name], &one) == nil:
			all = append(all, strings.TrimSpace(one))
		case json.Unmarshal(args[name], &many) == nil:
			all = append(all, many...)
		}
	}
	return all
}

// cleanPaths returns the paths in the arguments of a call; without any, otherwise unless it is "".
func cleanPaths(args map[string]json.RawMessage, otherwise string) []string {
	all := texts(args, pathArguments)
	for i, p := range all {
		all[i] = path.Clean(p)
	}
	if len(all) == 0 && otherwise != "" {
		return []string{otherwise}
	}
	return all
}

// normal sorts the keys of a JSON text and drops spaces, so that equal arguments compare equal. It keeps other text.
func normal(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(sorted)
}

// pathLine matches a line of a result that begins with a file: "a/b.go (3 hits)", "a/b.go:12: text", "a/b.go".
var pathLine = lazyregexp.New(`^([\w@+~.\-][\w@+~./\-]*)(?::\d+\b.*| \(\d+ .*\)|)$`)

const maxResult = 1 << 18 // bytes of a result that are searched for files

// filesIn returns the files that a search result names: in JSON the values of "path" and the strings under "items", in
// text the lines that begin with a path.
func filesIn(result string) []string {
	result = result[:min(len(result), maxResult)]
	var v any
	if json.NewDecoder(strings.NewReader(result)).Decode(&v) == nil {
		return pathsOf(v, "")
	}
	var files []string
	for line := range strings.Lines(result) {
		m := pathLine.FindStringSubmatch(strings.TrimSpace(line))
		if m != nil && strings.ContainsAny(m[1], "./") {
			files = append(files, m[1])
		}
	}
	return files
}

func pathsOf(v any, key string) []string {
	var all []string
	switch v := v.(type) {
	case string:
		if key == "path" || key == "items" {
			all = append(all, v)
		}
	case []any:
		for _, e := range v {
			all = append(all, pathsOf(e, key)...)
		}
	case map[string]any:
		for k, e := range v {
			all = append(all, pathsOf(e, k)...)
		}
	}
	return all
}
