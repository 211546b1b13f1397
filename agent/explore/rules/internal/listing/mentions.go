package listing

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/symbols"
)

// Mentions is the search for lines at an edge of the project.
type mentions struct {
	*Search
	edge
}

const (
	maxLines   = 2000
	maxPlaces  = 5
	usualShare = .6 // of all, above which a name of the question that they have narrows nothing: that of the project
)

func linesCall(why string, patterns ...string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": patterns, "before": 0, "after": 0, "limit": maxLines,
		"max_per_file": maxLines}, why)
}

func (s mentions) linesCall() rulemodel.Call {
	return linesCall("lines that declare or read one", s.patterns...)
}

func (s mentions) calls(step int) (all []rulemodel.Call) {
	if step > 1 {
		return nil
	}
	if all = append(all, s.linesCall()); s.group == flags {
		all = append(all, commandsCall())
	}
	return all
}

func commandsCall() rulemodel.Call {
	return linesCall("which command a flag belongs to", atCommand.String())
}

// A mention is a line that declares or reads something of the surroundings.
type mention struct {
	path, symbol, name string
	line               int
	score              int // how many words of the question are in its name, its path or what is around it
}

// found returns the lines of the source, those to which the names of the question narrow them.
func (s mentions) found() (all []mention) {
	var res []*regexp.Regexp
	for _, p := range s.patterns {
		res = append(res, regexp.MustCompile(p))
	}
	commands := s.declarations()
	r, _ := lookup.Decode[codebase.SearchResult](s.results, s.linesCall())
	for _, item := range r.Items {
		if !exact.IsSource(item.Path) || symbols.Language(item.Path) == "" {
			continue
		}
		for _, m := range item.Matches {
			for _, re := range res {
				for _, at := range re.FindAllStringSubmatchIndex(m.Text, -1) {
					name := m.Text[at[2]:at[3]]
					if !s.fits(item.Path, m.Text[at[0]:at[1]], name) || comment.MatchString(m.Text[:at[0]]) ||
						s.group == variables && written.MatchString(m.Text[at[1]:]) {
						continue
					}
					one := mention{item.Path, m.Symbol, s.prefix + strings.TrimSuffix(name, "_"), m.Line, 0}
					one.score = s.score(one, commandAt(commands[item.Path], m.Line))
					if one.score > 0 || !built.MatchString(one.path) {
						all = append(all, one)
					}
				}
			}
		}
	}
	return s.narrowed(all)
}

// fits reports whether a match declares or reads something where it is.
func (s mentions) fits(file, hit, name string) bool {
	if s.not != nil && s.not.MatchString(name) {
		return false
	}
	for _, l := range loose {
		if l.match.MatchString(hit) && !l.file.MatchString(file) {
			return false
		}
	}
	return true
}

// score returns how many words of the names of the question are in the name of a variable, or where a line is: the
// command to which a flag belongs counts twice.
func (s mentions) score(m mention, command string) (n int) {
	of, place := partsOf(m.name), partsOf(m.path+"/"+m.symbol)
	for _, asked := range s.names {
		if joined := strings.ReplaceAll(asked, "-", ""); joined != asked {
			n += 2 * truth(command == asked || slices.Contains(place, joined))
		}
		for _, w := range partsOf(asked) {
			switch {
			case command != "" && w == command:
				n += 2
			case s.group == variables:
				n += truth(slices.Contains(of, w))
			default:
				n += truth(slices.Contains(place, w))
			}
		}
	}
	return n
}

// declarations returns the lines that begin the declaration of a command, by file.
func (s mentions) declarations() map[string][]mention {
	all := make(map[string][]mention)
	r, _ := lookup.Decode[codebase.SearchResult](s.results, commandsCall())
	for _, item := range r.Items {
		for _, m := range item.Matches {
			if hit := atCommand.FindStringSubmatch(m.Text); hit != nil {
				all[item.Path] = append(all[item.Path], mention{name: hit[1] + hit[2] + hit[3], line: m.Line})
			}
		}
	}
	return all
}

// commandAt returns the command whose declaration begins before a line, as the nearest.
func commandAt(declared []mention, line int) string {
	byLine := func(m mention, line int) int { return cmp.Compare(m.line, line) }
	next, _ := slices.BinarySearchFunc(declared, line+1, byLine)
	if next == 0 {
		return ""
	}
	return declared[next-1].name
}

// narrowed returns the lines with the most words of the question; of variables all, those with the most first. It
// returns none if the question names something that none of them has.
func (s mentions) narrowed(all []mention) []mention {
	most, some := 0, 0
	for _, m := range all {
		most, some = max(most, m.score), some+truth(m.score > 0)
	}
	switch {
	case s.group == variables:
		slices.SortStableFunc(all, func(a, b mention) int { return cmp.Compare(b.score, a.score) })
		return all
	case most == 0 && s.sure > 0:
		return nil
	case most == 1 && float64(some) > usualShare*float64(len(all)):
		return all
	}
	return slices.DeleteFunc(all, func(m mention) bool { return m.score < most })
}

// report says what the lines declare or read, in all and by file, nil if they are too few. There may be more: a name
// may be a constant, or be made of parts.
func (s mentions) report() *report.Report {
	var files []*list
	whole := &list{cut: true}
	for _, m := range s.found() {
		at := slices.IndexFunc(files, func(l *list) bool { return l.path == m.path })
		if at < 0 {
			at, files = len(files), append(files, &list{path: m.path, start: m.line, symbol: m.symbol, cut: true})
		}
		l := files[at]
		l.start, l.end, l.score = min(l.start, m.line), max(l.end, m.line), max(l.score, m.score)
		l.add(m.name)
	}
	slices.SortStableFunc(files, func(a, b *list) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(b.names), len(a.names)))
	})
	for _, l := range files {
		for _, name := range l.names {
			whole.add(name)
		}
	}
	if len(whole.names) < s.fewest {
		return nil
	}
	rep := newReport()
	for _, l := range files[:min(len(files), maxPlaces)] {
		l.why = fmt.Sprintf("%s %s", s.verb, l.count(s.what))
		l.says = l.path + " " + l.why + ":"
		l.addTo(rep)
	}
	if len(files) > 1 {
		whole.says = fmt.Sprintf("The source %s %s in %s:", s.verb, whole.count(s.what),
			line.Count(len(files), "file"))
		says := report.Statement{Text: whole.text()}
		for _, one := range rep.Summary {
			says.Citations = append(says.Citations, one.Citations...)
		}
		rep.Summary = []report.Statement{says}
	}
	return rep
}
