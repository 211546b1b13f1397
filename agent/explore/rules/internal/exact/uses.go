package exact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// usages finds the callers and the tests of a name.
type usages struct{ *Search }

// A use is a place that uses a name: a function, or a line outside of all functions.
type use struct {
	path, symbol string
	start, end   int
	line         int // the first line that uses the name
	text         string
	sites        int   // how often it uses the name as surely as here
	more         []int // lines of those after the first
	rank         int   // less is better
	outside      bool  // of all functions
	suite        bool  // in a function that holds many tests
	doubt        doubt
}

// at says on which lines a use is.
func (u use) at() string {
	if len(u.more) == 0 {
		return fmt.Sprintf("line %d", u.line)
	}
	at := fmt.Sprintf("lines %d", u.line)
	for i, n := range u.more {
		if i == maxMore {
			return fmt.Sprintf("%s and %d more", at, len(u.more)-i)
		}
		at += fmt.Sprintf(", %d", n)
	}
	return at
}

const maxMore = 6 // lines of one function that are named

// mention reports whether a use names a thing without calling it.
func (u use) mention() bool { return u.rank/rankUse%2 == 1 }

// definitions returns those of the search. If one is a function, a type of the same name is left out: only the function
// is called, and in C a struct may have its name.
func (s usages) definitions() ([]codebase.Symbol, string) {
	all, meant := s.Search.definitions()
	function := func(d codebase.Symbol) bool { return isFunction([]codebase.Symbol{d}) }
	free := func(d codebase.Symbol) bool { return function(d) && leafOf(ownerOf(d.Name)) != leafOf(d.Name) }
	if s.in.Symbols == nil && slices.ContainsFunc(all, free) {
		all = slices.DeleteFunc(all, func(d codebase.Symbol) bool { return !function(d) })
	}
	return all, meant
}

// spellings returns the names to look up the uses of: those of the definitions, or else the one of the question.
func (s usages) spellings() []string {
	var all []string
	defs, _ := s.definitions()
	asked := func(d codebase.Symbol) bool { return leafOf(d.Name) == leafOf(s.in.Name) && sideOf(d.Path) == source }
	if slices.ContainsFunc(defs, asked) {
		return []string{leafOf(s.in.Name)}
	}
	for _, d := range defs {
		if n := leafOf(d.Name); !slices.Contains(all, n) && len(all) < maxSpellings {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		all = []string{camel(s.in.Name)}
	}
	return all
}

const maxSpellings = 2

func (s usages) lookUpUses() []rulemodel.Call {
	var calls []rulemodel.Call
	if defs, _ := s.definitions(); len(defs) == 0 && !s.occurs() {
		return nil
	}
	for _, n := range s.spellings() {
		calls = append(calls, usesCall(n, "", maxUses))
	}
	if s.in.Kind == intent.Tests {
		for _, name := range suitesOf(s.spellings()[0]) {
			calls = append(calls, symbolCall(name))
		}
	}
	return calls
}

// Ranks of uses. Within a rank, source comes before examples and tests.
const (
	rankCall    = iota
	rankLoaded  = 3  // in the source, when a file is loaded
	rankForeign = 5  // of another type or module, as the text before the name says
	rankUse     = 10 // the name without a call, as of a type or a callback
	rankOutside = 20 // outside of all functions
	rankOwn     = 40 // in a definition of the same name, which may only pass the call on
)

// uses returns the places that use the name, best first: of tests only, or of the rest first. If something calls it,
// what only names it is left out.
func (s usages) uses() []use {
	all := s.everyUse()
	defs, _ := s.definitions()
	if isFunction(defs) && len(all) > 0 && all[0].rank < rankUse { // a mention of a function is no call
		all = slices.DeleteFunc(all, func(u use) bool { return u.mention() })
	}
	return all
}

// handedOn returns the functions of the source that name the function without calling it: they may hand it on to others
// that call it.
func (s usages) handedOn() (all []use) {
	for _, u := range s.everyUse() {
		if u.rank == rankUse {
			all = append(all, u)
		}
	}
	return all
}

// everyUse returns the places that use the name in any way, best first.
func (s usages) everyUse() []use {
	var all []use
	defs, _ := s.definitions()
	for _, name := range s.spellings() {
		r, _ := decoded[codebase.ReferenceResult](s.Search, usesCall(name, "", maxUses))
		for _, g := range r.Items {
			fn := g.Kind == "func" || g.Kind == "method"
			for _, ref := range g.References {
				u := use{path: g.Path, symbol: g.Symbol, start: g.Start, end: g.End, line: ref.Line, text: ref.Text,
					sites: 1}
				u.rank = int(sideOf(g.Path))
				if strings.HasSuffix(g.Path, ".rs") && testSymbol.MatchString(g.Symbol) { // beside the source
					u.rank = int(tests)
				}
				switch {
				case atDefinition(defs, g.Path, ref.Line), marks(ref.Text, name):
					continue
				case ref.Kind == "import", ref.Kind == "use" && isFunction(defs) && keyForm(ref.Text, name):
					continue
				case !fn && declares(ref.Text, name):
					continue
				case ref.Kind == "use" && !(isFunction(defs) && calledBare(g.Path, ref.Text, name)):
					u.rank += rankUse
				}
				if u.doubt = u.doubtOf(name, defs, r.Definitions); u.doubt == other || foreign(ref.Text, name, defs) {
					u.rank += rankForeign
				}
				if u.outside = !fn; !fn {
					u.rank += rankOutside
					if u.rank == rankOutside {
						u.rank = rankLoaded
					}
					u.start, u.end = ref.Line, ref.Line
				} else if leafOf(g.Symbol) == name && !(s.in.Kind == intent.Tests && sideOf(g.Path) == tests) {
					u.rank += rankOwn
				}
				if s.in.Kind == intent.Tests && fn && sideOf(g.Path) == tests && inSuite(u) { // each may be a test
					u.start, u.end, u.suite = ref.Line, ref.Line, true
				}
				all = add(all, u)
			}
		}
	}
	home := func(u use) int { // a call beside the definition is surest to mean it
		return truth(!slices.ContainsFunc(defs, func(d codebase.Symbol) bool { return d.Path == u.path }))
	}
	near := func(u use) int {
		if len(defs) == 0 {
			return 0
		}
		return shared(u.path, defs[0].Path)
	}
	slices.SortStableFunc(all, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.doubt, b.doubt), cmp.Compare(home(a), home(b)),
			cmp.Compare(near(b), near(a)))
	})
	return all
}

// shared returns how many directories two paths begin with alike.
func shared(a, b string) (n int) {
	here, there := strings.Split(a, "/"), strings.Split(b, "/")
	for n < min(len(here), len(there))-1 && here[n] == there[n] {
		n++
	}
	return n
}

// ofMeant leaves out uses of another definition of the name, if there are others. The first use is the best.
func ofMeant(all []use) []use {
	if len(all) == 0 || all[0].rank >= rankUse || all[0].doubt == other {
		return all
	}
	return slices.DeleteFunc(all, func(u use) bool { return u.doubt == other })
}

// add adds a use, or lets it improve the one of the same function.
func add(all []use, u use) []use {
	for i := range all {
		if o := &all[i]; o.path == u.path && o.start == u.start && o.end == u.end {
			switch cmp.Or(cmp.Compare(u.rank, o.rank), cmp.Compare(u.doubt, o.doubt)) {
			case -1:
				*o = u
			case 0:
				o.sites++
				if u.line != o.line && !slices.Contains(o.more, u.line) {
					o.more = append(o.more, u.line)
				}
			}
			return all
		}
	}
	return append(all, u)
}

func isFunction(defs []codebase.Symbol) bool {
	return len(defs) > 0 && (defs[0].Kind == "func" || defs[0].Kind == "method")
}

// foreign reports whether the text before a call names a type or module that holds none of the definitions.
func foreign(text, name string, defs []codebase.Symbol) bool {
	m := regexp.MustCompile(`(\w+)(?:::<[^>]*>)?::` + regexp.QuoteMeta(name) + `\b`).FindStringSubmatch(text)
	if m == nil || len(defs) == 0 || slices.Contains([]string{"self", "Self", "super", "crate", "static", "parent"}, m[1]) {
		return false
	}
	return !slices.ContainsFunc(defs, func(d codebase.Symbol) bool {
		return strings.Contains("/"+strings.ReplaceAll(d.Path, ".", "/")+"/", "/"+m[1]+"/") ||
			slices.Contains(strings.FieldsFunc(d.Name, func(c rune) bool { return c == '.' || c == ':' }), m[1])
	})
}

// atDefinition reports whether one of the definitions begins at a line.
func atDefinition(defs []codebase.Symbol, path string, line int) bool {
	return slices.ContainsFunc(defs, func(d codebase.Symbol) bool { return d.Path == path && d.Start == line })
}

// marks reports whether a line only says who may call a method, or defines it for one object, as in Ruby, or gives a
// constant its value.
func marks(text, name string) bool {
	n := regexp.QuoteMeta(name)
	if constantName.MatchString(name) && regexp.MustCompile(`^\s*`+n+`\s*=[^=>~]`).MatchString(text) {
		return true
	}
	return regexp.MustCompile(`^\s*(?:private|protected|public|module_function|private_\w+)\b.*[:"']` + n + `\b|` +
		`\bdef\s+[\w@.]*\b` + n + `\b`).MatchString(text)
}

// calledBare reports whether a line of Ruby calls a method without brackets, which is what its bare name does there.
func calledBare(file, text, name string) bool {
	return strings.HasSuffix(file, ".rb") &&
		regexp.MustCompile(`(?:^|&:|[^:\w"'@$])`+regexp.QuoteMeta(name)+`(?:$|[^\w"':=?!]|\s*==)`).MatchString(text)
}

var constantName = lazyregexp.New(`^\p{Lu}[\p{Lu}\d_]+$`)

// keyForm reports whether a line only gives a value under the name, or gives the name a value.
func keyForm(text, name string) bool {
	return regexp.MustCompile(`(?:^|[{,(\s])` + regexp.QuoteMeta(name) + `\s*(?::[^:]|=[^=>])`).MatchString(text)
}

// declares reports whether a line outside of all functions declares a function with the name, as a header does.
func declares(text, name string) bool {
	n := regexp.QuoteMeta(name)
	form := regexp.MustCompile(`^\s*(?:[\w:<>,*&~\[\]?]+\s+)+[*&]*(?:\w+::)?` + n + `\s*[(<]|` +
		`^\s*` + n + `\s*\([^)]*\)\s*[:;{]`)
	if !form.MatchString(text) {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return !slices.Contains([]string{"return", "throw", "await", "yield", "else", "new", "case", "not"}, first)
}

// inScope returns the uses in the part of the project that the question names, and says which that is; all of them if
// none is in it.
func (s *Search) inScope(all []use) (in []use, where string) {
	in = all
	for _, dir := range s.in.Scope.Dirs {
		outside := func(u use) bool { return !strings.Contains("/"+u.path, "/"+dir+"/") }
		within := slices.DeleteFunc(slices.Clone(in), outside)
		if len(within) > 0 {
			in, where = within, " of `"+dir+"`"
			break
		}
	}
	if s.in.Scope.NoTests {
		outside := slices.DeleteFunc(slices.Clone(in), func(u use) bool { return sideOf(u.path) == tests })
		if len(outside) > 0 {
			in, where = outside, where+" outside of tests"
		}
	}
	return in, where
}

// callersReport says who calls the name.
func (s usages) callersReport() *report.Report {
	defs, meant := s.definitions()
	all := ofMeant(s.uses())
	if len(all) == 0 {
		return s.unused(defs, "uses", meant)
	}
	all, where := s.inScope(all)
	name := s.spellings()[0]
	verb := "used"
	if all[0].rank < rankUse || isFunction(defs) {
		verb = "called"
	}
	subject := name
	if len(defs) > 0 && strings.ContainsAny(s.in.Name, ".:#") {
		subject = defs[0].Name
	}
	opening := fmt.Sprintf("`%s` is %s %s%s", subject, verb, counted(all), where)
	n := s.unclear(name, all)
	if n > 0 {
		opening += fmt.Sprintf(" (%d of them may mean another `%s`: the call does not show the type)", n, name)
	}
	handed, _ := s.inScope(s.handedOn())
	if all[0].mention() {
		handed = nil
	} else if len(handed) > 0 {
		opening += fmt.Sprintf(" (and named without a call in %d more)", len(handed))
	}
	rep := s.usesReport(all, opening, verb, meant)
	if other := listed(handed, maxHanded); other != "" {
		rep.Summary[0].Text += ". Named in " + other
	}
	for _, u := range handed {
		if len(rep.Places) < maxPlaces {
			rep.Places = append(rep.Places, report.Place{Path: u.path, Start: u.start, End: u.end, Symbol: u.symbol,
				Why: "named here", Confidence: .3})
		}
	}
	if n == sitesOf(all) {
		for i := range rep.Places {
			rep.Places[i].Confidence = unclearTrust
		}
	}
	rep.NextQuestion = fmt.Sprintf("Which tests cover %s?", name)
	return rep
}

// counted says at how many places a name is used, and in how many functions if some use it more than once.
func counted(all []use) string {
	sites, functions := sitesOf(all), 0
	for _, u := range all {
		functions += truth(!u.outside)
	}
	switch {
	case functions < len(all) || sites == len(all):
		return "in " + line.Count(sites, "place")
	case functions == 1:
		return "at " + line.Count(sites, "place")
	}
	return fmt.Sprintf("at %s in %s", line.Count(sites, "place"), line.Count(functions, "function"))
}

func sitesOf(all []use) (n int) {
	for _, u := range all {
		n += u.sites
	}
	return n
}

// unclearTrust is the confidence in places that may all mean another definition of the name.
const unclearTrust = .4

// unclear counts the uses that may mean another definition of the name.
func (s usages) unclear(name string, all []use) (n int) {
	r, _ := decoded[codebase.ReferenceResult](s.Search, usesCall(name, "", maxUses))
	differs := func(d codebase.Symbol) bool {
		return d.Path != r.Definitions[0].Path || d.Name != r.Definitions[0].Name
	}
	if !strings.ContainsAny(s.in.Name, ".:#") && !slices.ContainsFunc(r.Definitions, differs) {
		return 0
	}
	for _, u := range all {
		if u.doubt == unsure {
			n += u.sites
		}
	}
	return n
}

// usesReport lists uses. Opening begins the first sentence.
func (s usages) usesReport(all []use, opening, verb, meant string) *report.Report {
	rep := &report.Report{Found: true, NotCovered: []string{}}
	if meant != "" {
		opening = fmt.Sprintf("Nothing is called `%s`; did you mean `%s`? ", s.in.Name, meant) + opening
	}
	for i, u := range all[:min(len(all), maxPlaces)] {
		p := report.Place{Path: u.path, Start: u.start, End: u.end, Symbol: u.symbol, Why: verb + " here",
			Confidence: .6}
		if u.mention() && !all[0].mention() {
			p.Why = "used here"
		}
		if u.rank < rankUse {
			p.Confidence = .85
		}
		rep.Places = append(rep.Places, p)
		where := fmt.Sprintf("in %s, line %d", u.path, u.line)
		if u.symbol != "" {
			where = fmt.Sprintf("in `%s` (%s, %s)", u.symbol, u.path, u.at())
		}
		switch {
		case i == 0 && len(all) == 1:
			rep.Summary = append(rep.Summary, quoting(opening+", "+where, u.path, u.line, u.text))
		case i == 0:
			rep.Summary = append(rep.Summary, quoting(opening+"; first "+where, u.path, u.line, u.text))
		case i <= maxSays:
			rep.Summary = append(rep.Summary, quoting(strings.ToUpper(where[:1])+where[1:], u.path, u.line, u.text))
		}
	}
	if next := listed(all[1:], maxNamed); next != "" {
		rep.Summary[0].Text += ". Then in " + next
	}
	if len(all) > maxPlaces {
		rep.NotCovered = append(rep.NotCovered, line.Count(len(all)-maxPlaces, "further place"))
	}
	rep.NotCovered = append(rep.NotCovered, "names are compared, not types: another thing of the same name counts too")
	return rep
}

// Most uses that a sentence names after the first one, and of those that do not call.
const (
	maxNamed  = 8
	maxHanded = 3
)

// listed names the functions of uses, up to a number, with the file of each unless it is that of the one before.
func listed(all []use, most int) string {
	var names []string
	last := ""
	for _, u := range all {
		if u.symbol == "" || len(names) == most {
			continue
		}
		where := u.at()
		if u.path != last {
			where = u.path + ", " + where
		}
		last = u.path
		names = append(names, fmt.Sprintf("`%s` (%s)", u.symbol, where))
	}
	if more := len(all) - len(names); more > 0 && len(names) > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// unused says that nothing uses a name that is defined. It returns what absent does for one that is not.
func (s usages) unused(defs []codebase.Symbol, verb, meant string) *report.Report {
	if len(defs) == 0 {
		return s.absent("called")
	}
	d := defs[0]
	at, text := s.signatureLine(d)
	if at == 0 {
		at, text = d.Start, d.Signature
	}
	said := fmt.Sprintf("No code %s `%s` by its name. It is defined in %s, line %d", verb, leafOf(d.Name), d.Path, at)
	if meant != "" {
		said = fmt.Sprintf("Nothing is called `%s`; did you mean `%s`? ", s.in.Name, meant) + said
	}
	return &report.Report{Found: true, NotCovered: []string{"calls through another name or by reflection"},
		Summary:  []report.Statement{quoting(said, d.Path, at, text)},
		Places:   []report.Place{placeOf(d, "defines it", .2)},
		Excerpts: []report.Excerpt{excerptOf(d)}}
}
