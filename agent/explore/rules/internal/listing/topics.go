package listing

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/entries"
	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/agent/explore/rules/internal/units"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/symbols"
)

// Topics is the search for a list by the words of a question for what is listed.
type topics struct{ *Search }

const (
	maxHits    = 1000
	maxRead    = 8 // candidates: a step has eight calls, and those for an owner come first
	listLines  = 400
	leastNames = 3 // in a list
	maxLists   = 3 // in a report, that fit equally well
)

// What a list is worth, by its name: 1 is a list whose name has all words of the question.
const (
	needed      = .4  // least worth of an answer
	neededNouns = .5  // least share of the words of what is listed
	nounShare   = .7  // of the words of what is listed, beside the other words of the question
	pathShare   = .6  // of a word that only the path has
	wholeShare  = .2  // more for a name that is nothing but what is listed
	extraShare  = .05 // less for each part of a name that says something else
	asideShare  = .1  // less for an example, or a copy of something else
	lengthShare = .1  // more for twice as many names as usual, less for half as many
	usualNames  = 4.
	similar     = .9 // of the worth of the best, from which another list is named as well
)

// head returns the last word of what is listed.
func (s *Search) head() string {
	parts := partsOf(s.noun)
	switch {
	case s.group == commands:
		return "command"
	case len(parts) == 0:
		return ""
	}
	return parts[len(parts)-1]
}

// headWord returns the word of the question that the last word of what is listed is.
func (s *Search) headWord() (units.Word, bool) {
	i := slices.IndexFunc(s.words, func(w units.Word) bool { return w.Re.MatchString(s.head()) })
	if i < 0 {
		return units.Word{}, false
	}
	return s.words[i], true
}

// isHead reports whether a part of a name is the last word of what is listed, or another word for that.
func (s *Search) isHead(part string) bool {
	w, ok := s.headWord()
	return part == s.head() || ok && w.Re.FindString(part) == part
}

// linesCall looks for lines that begin a list with the last word of what is listed in its name: a value in brackets,
// an enumeration, constants in a group of their own.
func (s topics) linesCall() rulemodel.Call {
	form := regexp.QuoteMeta(s.head())
	if w, ok := s.headWord(); ok {
		form += "|" + w.Pattern
	}
	if base, ok := strings.CutSuffix(s.head(), "y"); ok {
		form += "|" + regexp.QuoteMeta(base) + "ies"
	}
	name := `[\w$]*(?i:` + form + `)[\w$]*`
	return rulemodel.Ask("search", map[string]any{"patterns": []string{
		`^[^=({"'#]*\b` + name + entries.Begins,
		`\b(?:enum|enum class|enum struct|class|object|module|mod)\s+` + name,
		`\btype\s+` + name + `\s*(?:=|u?int\d*$|string$|byte$)`,
	}, "before": 0, "after": 0, "limit": maxHits, "max_per_file": 20},
		"lists with the words of the question in their name")
}

// filesCall looks for files of such a name, which may have constants.
func (s topics) filesCall() rulemodel.Call {
	first, n := utf8.DecodeRuneInString(s.head())
	return rulemodel.Ask("glob", map[string]any{
		"pattern": fmt.Sprintf("**/*[%c%c]%s*.*", first, unicode.ToUpper(first), s.head()[n:]), "limit": maxHits},
		"files with the words of the question in their name")
}

// calls looks for lists and reads the likeliest.
func (s topics) calls(step int) (all []rulemodel.Call) {
	switch {
	case s.head() == "":
	case step == 1:
		return []rulemodel.Call{s.linesCall(), s.filesCall()}
	case step == 2:
		for _, c := range s.candidates() {
			all = append(all, c.call())
		}
	}
	return all
}

// A candidate is a line that begins a list, or a file that may be one.
type candidate struct {
	path, name, kind string
	line             int
	worth            float64
}

// The kinds of candidates that package symbols does not have.
const (
	ofFile = "file"    // with constants
	ofType = "of type" // a type of Go, whose values are constants elsewhere
)

func (c candidate) call() rulemodel.Call {
	if c.kind == ofType {
		return valuesCall(c.path, c.name)
	}
	return readCall(c.path, c.line, c.line+listLines)
}

var (
	listName = lazyregexp.New(`\b(enum|class|object|module|mod|type)\s+(?:class\s+|struct\s+)?([\w$]+)|([\w$]+)` +
		entries.Begins)
	// isConstant matches the name of a constant in a class of these.
	isConstant = lazyregexp.New(`^[A-Z][A-Z0-9_]*$`)
)

// candidates are what may be the list, the likeliest first.
func (s topics) candidates() (all []candidate) {
	consider := func(c candidate, around string) {
		named := slices.ContainsFunc(partsOf(c.name), s.isHead) && s.isAbout(around+" "+c.name+" "+c.path)
		if c.worth = s.worth(c, around); exact.IsCode(c.path) && named && c.worth >= needed {
			all = append(all, c)
		}
	}
	r, _ := lookup.Decode[codebase.SearchResult](s.results, s.linesCall())
	for _, item := range r.Items {
		for _, m := range item.Matches {
			if found := listName.FindStringSubmatch(m.Text); found != nil {
				c := candidate{path: item.Path, name: found[2] + found[3], kind: cmp.Or(found[1], "const"), line: m.Line}
				if c.kind == "type" && strings.HasSuffix(item.Path, ".go") {
					c.kind = ofType
				}
				consider(c, m.Symbol)
			}
		}
	}
	files, _ := lookup.Decode[codebase.GlobResult](s.results, s.filesCall())
	for _, p := range files.Items {
		name := strings.TrimSuffix(path.Base(p), path.Ext(p))
		if symbols.Language(p) != "" && len(s.otherParts(name)) == 0 {
			consider(candidate{path: p, name: name, kind: ofFile, line: 1}, "")
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(len(a.name), len(b.name)))
	})
	return all[:min(len(all), maxRead)]
}

// isAbout reports whether a text has the last part of a name of the question, if the question has some.
func (s *Search) isAbout(text string) bool {
	text = strings.ToLower(text)
	return s.sure == 0 || slices.ContainsFunc(s.names[:s.sure], func(name string) bool {
		return strings.Contains(text, strings.ToLower(leafOf(name)))
	})
}

// worth returns how much of the question a list has in its name, its path or the name of what is around it.
func (s topics) worth(c candidate, around string) float64 {
	var have, all [2]float64 // of the words of what is listed, and of the others
	for _, w := range s.words {
		i := truth(!w.Re.MatchString(s.noun))
		all[i] += w.Weight
		switch {
		case w.Re.MatchString(c.name):
			have[i] += w.Weight
		case w.Re.MatchString(around) || w.Re.MatchString(strings.TrimSuffix(c.path, path.Ext(c.path))):
			have[i] += pathShare * w.Weight
		}
	}
	if all[0] > 0 && have[0] < neededNouns*all[0] {
		return 0
	}
	worth := 1.
	for i, share := range []float64{nounShare, 1 - nounShare} {
		if all[i] > 0 {
			worth -= share * (1 - have[i]/all[i])
		}
	}
	own := slices.DeleteFunc(partsOf(c.name), func(p string) bool { return allOf[p] })
	if slices.Equal(own, partsOf(s.noun)) {
		worth += wholeShare
	}
	return worth - extraShare*float64(len(s.otherParts(c.name))) - asideShare*float64(truth(!exact.IsSource(c.path)))
}

// otherParts returns the parts of a name that say something else than the question.
func (s topics) otherParts(name string) []string {
	return slices.DeleteFunc(partsOf(name), func(p string) bool {
		return allOf[p] || slices.ContainsFunc(s.words, func(w units.Word) bool { return w.Re.MatchString(p) })
	})
}

// allOf are parts of names that say that a list is whole, and nothing of what it lists.
var allOf = set("all supported valid known available default allowed builtin possible")

// listOf returns what a candidate lists, or nil: that is too few, or mostly what does something.
func (s topics) listOf(c candidate) *list {
	if c.kind == ofType {
		l := s.constants(c.path, c.name)
		if len(l.names) < leastNames {
			return nil
		}
		l.says = fmt.Sprintf("`%s` %s has %s:", c.name, where(c.path, c.line), l.count("value"))
		return l
	}
	r, _ := lookup.Decode[codebase.FileResult](s.results, c.call())
	if len(r.Items) == 0 {
		return nil
	}
	l := &list{path: c.path, start: c.line, symbol: c.name, why: "lists " + s.noun}
	text := entries.Of(c.path, r.Items[0].Lines)
	var all []entries.Entry
	switch c.kind {
	case ofFile:
		all, l.symbol = text.Constants(), ""
	case "class", "object", "module", "mod":
		all = text.Entries(c.kind)
		most := len(all)
		all = slices.DeleteFunc(all, func(e entries.Entry) bool { return !isConstant.MatchString(e.Name) })
		if 2*len(all) < most {
			return nil
		}
	default:
		all = text.Entries(c.kind)
	}
	if all = of(all, entries.Value, entries.Field); len(all) < leastNames {
		return nil
	}
	for _, e := range all {
		l.add(e.Name)
	}
	number := line.Number(len(all))
	if l.cut = all[len(all)-1].Line >= listLines-1 || len(all) >= entries.Max; l.cut {
		number = "at least " + number
	}
	l.end = c.line + text.End(all)
	l.says = fmt.Sprintf("`%s` %s lists %s:", c.name, where(c.path, c.line), number)
	if c.kind == ofFile {
		l.start = all[0].Line + 1
		l.says = fmt.Sprintf("%s lists %s:", c.path, number)
	}
	return l
}

// report says which lists have the words of the question in their names, the likeliest first, nil without one.
func (s topics) report() *report.Report {
	if s.head() == "" {
		return nil
	}
	var all []*list
	worth := make(map[*list]float64)
	best := 0.
	for _, c := range s.candidates() {
		if l := s.listOf(c); l != nil {
			longer := lengthShare * math.Log2(float64(len(l.names))/usualNames)
			worth[l] = c.worth + min(max(longer, -lengthShare), 2*lengthShare)
			all, best = append(all, l), max(best, worth[l])
		}
	}
	if len(all) == 0 {
		return nil
	}
	all = slices.DeleteFunc(all, func(l *list) bool { return worth[l] < similar*best })
	slices.SortStableFunc(all, func(a, b *list) int { return cmp.Compare(len(b.names), len(a.names)) })
	rep := newReport()
	for _, l := range all[:min(len(all), maxLists)] {
		l.addTo(rep)
	}
	return rep
}
