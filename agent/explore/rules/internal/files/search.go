package files

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// Bounds of an answer.
const (
	maxListed      = 2000 // files of a directory
	readLines      = 400  // lines read of a file
	maxNamed       = 8    // definitions or files in a sentence
	maxPlaces      = 10
	maxQuote       = 220 // runes of a sentence
	excerptLines   = 28
	shortFile      = 16  // lines of a file that is shown whole
	leastSentence  = 5   // words of a sentence on what a document is about
	maxDoc         = 120 // runes of the documentation of a definition
	headLines      = 60  // lines read of each file of a directory
	maxSame        = 4   // other files of the same name, and citations, of a sentence
	maxExcerpts    = 3
	directoryDepth = 2
	maxWhy         = 3 // definitions beside a file of a directory
	maxDepth       = 4
	maxTypos       = 2 // letters
	lettersPerTypo = 4 // of the name without its extension
)

// A Search is the answer to one question in the making.
type Search struct {
	subject Subject
	results lookup.Results
}

// New returns the search for a subject with the results so far.
func New(s Subject, results []rulemodel.Result) *Search {
	return &Search{subject: s, results: lookup.Of(results)}
}

// Steps is how many steps a search has at most.
const Steps = 3

// Calls returns the calls of a step, from 1.
func (s *Search) Calls(step int) []rulemodel.Call {
	if step == 1 {
		return []rulemodel.Call{s.fileCall(), s.directoryCall()}
	}
	if file, _ := s.file(); file != "" && s.subject.Inside {
		return nil
	} else if file != "" && len(s.read(headCall(file))) > 0 {
		return s.usesOf(file)
	} else if file != "" {
		calls := append(mentionsCall(file, false), headCall(file), outlineCall(file, maxDepth))
		if s.subject.Users && !byName.MatchString(file) {
			calls = append(calls, importsCall(file))
		}
		return calls
	}
	dir, all := s.directory()
	if dir == "" && s.subject.Certain {
		return []rulemodel.Call{s.alikeCall()}
	}
	if dir == "" || s.subject.Inside {
		return nil
	}
	return append(mentionsCall(dir, true), headsCall(shown(dir, all)), outlineCall(dir, directoryDepth))
}

// headsCall reads the beginnings of several files.
func headsCall(files []string) rulemodel.Call {
	return rulemodel.Ask("read_file", map[string]any{"paths": files, "limit": headLines}, "what the files say of themselves")
}

// paths returns the path of the question, and that of the module or package if it may be the dotted name of one.
func (s *Search) paths() []string {
	p := s.subject.Path
	if strings.Contains(p, "/") || !strings.Contains(p, ".") || s.subject.Certain {
		return []string{p}
	}
	return []string{p, strings.ReplaceAll(p, ".", "/")}
}

func (s *Search) fileCall() rulemodel.Call {
	p := s.subject.Path
	globs := []string{p, "**/" + p}
	if s.subject.Certain {
		globs = append(globs, "**/"+path.Base(p))
	}
	for _, module := range s.paths()[1:] {
		globs = append(globs, module+moduleExts, "**/"+module+moduleExts)
	}
	return rulemodel.Ask("glob", map[string]any{"pattern": "{" + strings.Join(globs, ",") + "}"},
		"the file that the question names")
}

// moduleExts are the extensions of languages whose modules have dotted names.
const moduleExts = ".{py,java,kt,scala,cs,ex,hs,lua,clj}"

func (s *Search) directoryCall() rulemodel.Call {
	var globs []string
	for _, p := range s.paths() {
		globs = append(globs, p+"/**", "**/"+p+"/**")
	}
	return rulemodel.Ask("glob", map[string]any{"pattern": "{" + strings.Join(globs, ",") + "}", "limit": maxListed},
		"the directory that the question names")
}

// alikeCall lists the files with the extension of the one that is not there.
func (s *Search) alikeCall() rulemodel.Call {
	return rulemodel.Ask("glob", map[string]any{"pattern": "**/*" + path.Ext(s.subject.Path), "limit": maxListed},
		"files with a name like it")
}

func headCall(file string) rulemodel.Call {
	return rulemodel.Ask("read_file", map[string]any{"path": file, "limit": readLines}, "what "+file+" says of itself")
}

func outlineCall(of string, depth int) rulemodel.Call {
	return rulemodel.Ask("outline", map[string]any{"path": of, "depth": depth, "limit": maxListed}, "what "+of+" defines")
}

// file returns the file that is meant, and the others with its name; "" without one.
func (s *Search) file() (file string, others []string) {
	r, _ := lookup.Decode[codebase.GlobResult](s.results, s.fileCall())
	all := slices.Clone(r.Items)
	if len(all) == 0 {
		like, _ := lookup.Decode[codebase.GlobResult](s.results, s.alikeCall())
		all = slices.DeleteFunc(like.Items, func(p string) bool { return !s.mistyped(p) })
	}
	if len(all) == 0 {
		return "", nil
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.apart(a), s.apart(b)), cmp.Compare(aside(a), aside(b)),
			cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	nearest := s.apart(all[0])
	if dir, _ := s.directory(); dir != "" && nearest == 2 {
		return "", nil
	}
	others = slices.DeleteFunc(slices.Clone(all[1:]), func(p string) bool { return s.apart(p) != nearest })
	if nearest == 0 {
		others = nil
	}
	return all[0], others
}

// mistyped reports whether the path of the question may be a typo of a file's: up to two letters differ, but not the
// first one of the name.
func (s *Search) mistyped(p string) bool {
	asked, parts := strings.ToLower(s.subject.Path), strings.Split(strings.ToLower(p), "/")
	tail := strings.Join(parts[max(len(parts)-1-strings.Count(asked, "/"), 0):], "/")
	stem, _, _ := strings.Cut(path.Base(asked), ".")
	return path.Base(asked)[0] == path.Base(tail)[0] && line.Distance(tail, asked) <= min(maxTypos, len(stem)/lettersPerTypo)
}

// apart is 0 for the path of the question, 1 for a path that ends in it or in that of its module, and 2 for one with its
// last name only.
func (s *Search) apart(p string) int {
	if p == s.subject.Path {
		return 0
	}
	for _, named := range s.paths() {
		if whole := strings.TrimSuffix(p, path.Ext(p)); strings.HasSuffix("/"+p, "/"+named) || named != s.subject.Path &&
			strings.HasSuffix("/"+whole, "/"+named) {
			return 1
		}
	}
	return 2
}

// aside is 1 for a file that is rarely meant if another one has its name.
func aside(p string) int {
	if testfile.Is(p) || overview.IsAside(p) {
		return 1
	}
	return 0
}

// Report returns the report on the results so far, or nil if they do not answer the question.
func (s *Search) Report() *report.Report {
	if file, others := s.file(); file != "" {
		if s.subject.Inside {
			return nil
		}
		return s.fileReport(file, others)
	}
	if dir, all := s.directory(); dir != "" && !s.subject.Inside {
		return s.directoryReport(dir, all)
	}
	_, listed := lookup.Decode[codebase.GlobResult](s.results, s.fileCall())
	if !listed || !s.subject.Certain {
		return nil
	}
	return &report.Report{NotCovered: []string{}, Summary: []report.Statement{{Text: fmt.Sprintf(
		"No file or directory of the tree is called `%s`.", line.Truncate(s.subject.Path, maxQuote))}}}
}

// read returns what was read of the first file of a call, and of the others.
func (s *Search) read(c rulemodel.Call) []codebase.FileText {
	r, _ := lookup.Decode[codebase.FileResult](s.results, c)
	return r.Items
}
