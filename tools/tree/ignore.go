package tree

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
)

// The strongest list with a rule that matches a name decides on it, by its last matching rule. From strong to weak, the
// lists are: .ignore files, from the deepest directory up; .gitignore files, in the same order; builtin. A rule that
// re-includes a name ("!name") also makes a hidden name visible. A directory that is left out is not entered.

// builtin are names that tools generate or fetch, and that people do not give to their own sources.
var builtin = parseIgnore("", []byte(`
node_modules/
bower_components/
jspm_packages/
__pycache__/
__pypackages__/
*.egg-info/
.DS_Store
`))

// markers maps the name of a directory to the file that marks it as generated, by go mod vendor or python -m venv.
var markers = map[string]string{"vendor": "modules.txt", "venv": "pyvenv.cfg", "env": "pyvenv.cfg"}

// repositories are the directories of version control: never entered, listed or counted.
var repositories = []string{".git", ".hg", ".svn", ".bzr", ".jj"}

func isRepository(name string) bool {
	return slices.ContainsFunc(repositories, func(r string) bool { return strings.EqualFold(name, r) })
}

// A verdict is the decision of rules on a name.
type verdict int

const (
	undecided verdict = iota
	leaveOut
	reinclude
)

// An ignoreRule is one line of an ignore file.
type ignoreRule struct {
	pattern string
	negated bool
	dirOnly bool
	base    bool   // pattern has no slash, so it matches base names at any depth
	literal bool   // pattern has no wildcard
	head    string // what comes before its first wildcard
	tail    string // what every match ends in: the pattern after its last wildcard or slash
}

// An ignoreFile holds the rules of one file, which apply below its directory dir ("" is the root).
type ignoreFile struct {
	dir   string
	rules []ignoreRule
}

// parseIgnore reads an ignore file as git does. It drops a byte order mark, comments, and at the end of a line CR and
// unescaped blanks.
func parseIgnore(dir string, data []byte) *ignoreFile {
	f := &ignoreFile{dir: dir}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for len(data) > 0 {
		line, rest, terminated := bytes.Cut(data, []byte("\n"))
		data = rest
		if terminated {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if r, ok := parseRule(trimBlanks(string(line))); ok {
			f.rules = append(f.rules, r)
		}
	}
	return f
}

// trimBlanks drops blanks at the end, except one that a backslash escapes.
func trimBlanks(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}

// parseRule reads one line. A line that is longer than any path has no effect.
func parseRule(s string) (r ignoreRule, ok bool) {
	if len(s) > maxPath {
		return ignoreRule{}, false
	}
	s, r.negated = strings.CutPrefix(s, "!")
	s, r.dirOnly = strings.CutSuffix(s, "/")
	r.base = !strings.Contains(s, "/")
	s = strings.TrimPrefix(s, "/")
	r.pattern = s
	first := strings.IndexAny(s, `*?[\`)
	if r.literal = first < 0; !r.literal {
		r.head, r.tail = s[:first], s[strings.LastIndexAny(s, `*?[]\/`)+1:]
	}
	return r, s != ""
}

// checkEvery is after how many rules the time is checked.
const checkEvery = 32

// verdict returns what the last matching rule says about rel, a path from the file's directory. It is undecided when
// the time is up.
func (f *ignoreFile) verdict(ctx context.Context, rel string, isDir bool) verdict {
	name := path.Base(rel)
	for i := len(f.rules) - 1; i >= 0; i-- {
		if i%checkEvery == checkEvery-1 && ctx.Err() != nil {
			return undecided
		}
		r := &f.rules[i]
		if (r.dirOnly && !isDir) || !r.matches(rel, name) {
			continue
		}
		if r.negated {
			return reinclude
		}
		return leaveOut
	}
	return undecided
}

func (r *ignoreRule) matches(rel, name string) bool {
	if r.base {
		rel = name
	}
	switch {
	case r.literal:
		return rel == r.pattern
	case !strings.HasSuffix(rel, r.tail) || !strings.HasPrefix(rel, r.head):
		return false
	case r.base:
		return matchPart(r.pattern, rel)
	}
	// git compares the part before the first wildcard separately, so that "**" after it acts as at the start of a pattern.
	return wildmatch(r.pattern[len(r.head):], rel[len(r.head):])
}

// rules are the ignore files that apply in a directory: its own and those above.
type rules struct {
	ignore    []*ignoreFile // .ignore, deepest last
	gitignore []*ignoreFile
	bytes     int // of all files
}

// maxRules bounds the ignore files that apply in a directory, in bytes: parsed, they take up to 40 times as much.
const maxRules = 1 << 20

func (rs rules) verdict(ctx context.Context, p string, isDir bool) verdict {
	for _, list := range [][]*ignoreFile{rs.ignore, rs.gitignore} {
		for i := len(list) - 1; i >= 0; i-- {
			rel := p
			if dir := list[i].dir; dir != "" {
				rel = p[len(dir)+1:]
			}
			if v := list[i].verdict(ctx, rel, isDir); v != undecided {
				return v
			}
		}
	}
	return builtin.verdict(ctx, p, isDir)
}
