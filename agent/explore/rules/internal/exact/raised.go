package exact

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// raised finds where an error is raised, and when.
type raised struct{ *Search }

// maxRaisers is how many places are quoted that raise an error.
const maxRaisers = 3

// Ranks of lines that may raise an error.
const (
	rankLeaves  = iota // leaves the function with it
	rankRaises         // hands it to what raises it
	rankMakes          // makes it
	rankNoOwner = 4    // outside of all functions
)

var (
	// raises matches what comes, in a line, before an error that it raises or hands on.
	raises = lazyregexp.New(`\b(?:raise|throw|return|panic|reject|fail|abort|halt|cancel|new|exit|yield)\b|\bErr\(|` +
		`(?i:error)\(|=>`)
	// thrown is the same for a name that need not be that of an error: nothing else is thrown there.
	thrown = lazyregexp.New(`(?:\braise|\bthrow(?:\s+new)?|\bErr\()\s*[\w.:\\(]*$`)
	// sentinel matches a line of Go that hands on the value of an error, up to its end.
	sentinel = lazyregexp.New(`[=(,:]\s*(?:\w+\.)?\w+[,);}]*$`)
	// making matches what follows the type of an error in a line of Rust that makes one, and arm what follows a pattern.
	making = lazyregexp.New(`^(?:::\w+)*\s*[({]|^\.into\(`)
	arm    = lazyregexp.New(`^[^=]*=>`)
	// head matches a line that declares something, and asked one that raises another error if this one is met.
	head = lazyregexp.New(`^\s*(?:(?:pub(?:\([^)]*\))?|export|async|public|private|protected|static|override)\s+)*` +
		`(?:type|impl|fn|func|fun|def|class|struct|enum|use|where|trait|interface)\b`)
	asked = lazyregexp.New(`\b(?:raise|throw|return)\b.*\b(?:if|unless|isinstance|instanceof)\b`)
)

// rankOf returns how surely a line raises the error; false if it does not.
func rankOf(path, kind, text, name string) (int, bool) {
	before, after, _ := strings.Cut(text, name)
	switch {
	case sideOf(path) != source, kind == "import", comments(text) > 0, compares.MatchString(before),
		head.MatchString(text), asked.MatchString(before), arm.MatchString(after),
		!intent.IsError(name) && !thrown.MatchString(before):
		return 0, false
	case leave.MatchString(before):
		return rankLeaves, true
	case raises.MatchString(before):
		return rankRaises, true
	}
	text = strings.TrimSpace(text)
	return rankMakes, kind == "call" || strings.HasSuffix(path, ".go") && sentinel.MatchString(text) ||
		strings.HasSuffix(path, ".rs") && making.MatchString(after)
}

// raisers returns the lines of the source that raise or make the error, the surest first.
func (s raised) raisers() (all []use) {
	for _, name := range usages(s).spellings() {
		r, _ := decoded[codebase.ReferenceResult](s.Search, usesCall(name, "", maxUses))
		for _, g := range r.Items {
			for _, ref := range g.References {
				rank, ok := rankOf(g.Path, ref.Kind, ref.Text, name)
				if ok && !ofTests.MatchString(g.Symbol) && !(g.Symbol == "" && declares(ref.Text, name)) {
					all = append(all, use{path: g.Path, symbol: g.Symbol, start: g.Start, end: g.End, line: ref.Line,
						text: ref.Text, rank: rank + rankNoOwner*truth(g.Symbol == "")})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(s.isAbout(b), s.isAbout(a)))
	})
	return all
}

// isAbout returns the weight of the words of the question, besides the name, that a line and what is around it have.
func (s raised) isAbout(u use) (weight float64) {
	for _, w := range s.words {
		if !w.Re.MatchString(s.in.Name) && w.Re.MatchString(u.text+" "+u.path+" "+u.symbol) {
			weight += w.Weight
		}
	}
	return weight
}

// setAt returns the line of a table, an object or an enumeration that gives the name a value where nothing defines it.
func (s raised) setAt() (use, bool) {
	if defs, _ := s.definitions(); len(defs) > 0 {
		return use{}, false
	}
	gives := regexp.MustCompile(`^\s*["']?` + regexp.QuoteMeta(leafOf(s.in.Name)) + `["']?\s*(?::|=>|=)\s*[^=:\s]`)
	return s.firstUse(func(_, text string) bool { return gives.MatchString(text) })
}

// imported returns the first line of the source that imports the name.
func (s raised) imported() (use, bool) {
	return s.firstUse(func(kind, _ string) bool { return kind == "import" })
}

// firstUse returns the first line of the source with the name that is as wanted.
func (s raised) firstUse(wanted func(kind, text string) bool) (use, bool) {
	r, _ := decoded[codebase.ReferenceResult](s.Search, usesCall(usages(s).spellings()[0], "", maxUses))
	for _, g := range r.Items {
		for _, ref := range g.References {
			if sideOf(g.Path) == source && wanted(ref.Kind, ref.Text) {
				return use{path: g.Path, symbol: g.Symbol, line: ref.Line, text: ref.Text}, true
			}
		}
	}
	return use{}, false
}

// place returns the line of a use as a place.
func (u use) place(why string) report.Place {
	return report.Place{Path: u.path, Start: u.line, End: u.line, Symbol: u.symbol, Why: why}
}

// lookElsewhere looks up the uses of a name without a definition, as code writes it.
func (s raised) lookElsewhere() []rulemodel.Call {
	if defs, _ := s.definitions(); len(defs) > 0 || !intent.IsCode(s.in.Name) && !intent.IsName(s.in.Name) || !s.occurs() {
		return nil
	}
	return []rulemodel.Call{usesCall(usages(s).spellings()[0], "", maxUses)}
}

// elsewhereTrust is the confidence in the line that sets or imports a name without a definition.
const elsewhereTrust = .6

// elsewhereReport says where a name gets its value that nothing defines, or from where it is imported; nil if no line
// does either.
func (s raised) elsewhereReport() *report.Report {
	if len(s.lookElsewhere()) == 0 {
		return nil
	}
	says, place, ok := s.madeAt()
	says.Text = strings.Replace(says.Text, "It", "`"+s.in.Name+"`", 1)
	if u, imported := s.imported(); !ok && imported {
		said := fmt.Sprintf("Nothing here defines `%s`: it is imported in %s, line %d", s.in.Name, u.path, u.line)
		as := regexp.MustCompile(`(\w+) as ` + regexp.QuoteMeta(s.in.Name) + `\b`).FindStringSubmatch(u.text)
		if as != nil {
			said = fmt.Sprintf("`%s` is another name of `%s`, which %s, line %d gives it", s.in.Name, as[1], u.path, u.line)
		}
		says, place = quoting(said, u.path, u.line, u.text), u.place("imports it")
	} else if !ok {
		return nil
	}
	place.Confidence = elsewhereTrust
	return &report.Report{Found: true, NotCovered: []string{}, Summary: []report.Statement{says},
		Places: []report.Place{place}}
}

// readRaisers reads the functions around the lines to quote, and what defines the error.
func (s raised) readRaisers() (calls []rulemodel.Call) {
	all := s.raisers()
	for _, u := range all[:min(len(all), maxRaisers)] {
		calls = append(calls, functionCall(u.path, u.line))
	}
	for _, d := range s.functions() {
		calls = append(calls, wholeCall(d), commentCall(d))
	}
	return append(calls, s.readMade()...)
}

// functions returns the functions of the source with the name, those first that the question is about.
func (s raised) functions() []codebase.Symbol {
	defs, _ := s.definitions()
	none := func(d codebase.Symbol) bool { return !isFunction([]codebase.Symbol{d}) }
	other := func(d codebase.Symbol) bool { return none(d) || sideOf(d.Path) != source }
	if all := slices.DeleteFunc(slices.Clone(defs), other); len(all) > 0 { // else the product is for tests
		defs = all
	} else {
		defs = slices.DeleteFunc(slices.Clone(defs), none)
	}
	defs = append(defs, s.constructors()...)
	about := func(d codebase.Symbol) float64 { return s.isAbout(use{path: d.Path, symbol: ownerOf(d.Name)}) }
	slices.SortStableFunc(defs, func(a, b codebase.Symbol) int { return cmp.Compare(about(b), about(a)) })
	return defs[:min(len(defs), maxRaisers)]
}

// constructor is the name of the method that makes a value of a class, by language.
var constructor = map[string]string{
	".py": "__init__", ".ts": "constructor", ".tsx": "constructor", ".js": "constructor", ".mjs": "constructor",
	".php": "__construct", ".rb": "initialize",
}

// constructorCalls looks up the constructors of classes with the name.
func (s raised) constructorCalls() (calls []rulemodel.Call) {
	defs, _ := s.definitions()
	for _, d := range defs {
		if name := constructor[path.Ext(d.Path)]; name != "" && d.Kind == "class" && sideOf(d.Path) == source {
			calls = append(calls, symbolCall(leafOf(d.Name)+"."+name))
		}
	}
	return calls[:min(len(calls), maxRaisers)]
}

// constructors returns the constructors of classes with the name.
func (s raised) constructors() (all []codebase.Symbol) {
	for _, c := range s.constructorCalls() {
		r, _ := decoded[codebase.SymbolResult](s.Search, c)
		for _, d := range r.Items {
			if d.End > d.Start && leafOf(ownerOf(d.Name)) == leafOf(s.in.Name) {
				all = append(all, d)
			}
		}
	}
	return all
}

// lookUpUses looks up the uses of the name, and the constructors of classes with it.
func (s raised) lookUpUses() []rulemodel.Call {
	return append(usages(s).lookUpUses(), s.constructorCalls()...)
}

// ofFunction says where the functions with the name raise an error, and on what that depends; nil if they raise none.
func (s raised) ofFunction() *report.Report {
	rep := &report.Report{Found: true, NotCovered: []string{"what functions elsewhere raise that it calls"}}
	for _, d := range s.functions() {
		r, _ := decoded[codebase.FileResult](s.Search, wholeCall(d))
		if len(r.Items) == 0 {
			continue
		}
		st, n := report.Statement{}, 0
		for i, text := range r.Items[0].Lines {
			if comments(text) > 0 || !s.raisesAsIn(text) {
				continue
			}
			if n++; n > maxOwn {
				continue
			}
			at := r.Items[0].StartLine + i
			st.Text += fmt.Sprintf(" Line %d: `%s`", at, line.Truncate(strings.TrimSpace(text), maxLineText))
			st.Citations = append(st.Citations, lookup.Cite(d.Path, at, at))
			if g, ok := guardOf(r.Items[0], at); ok {
				st.Text += ", which " + g.says()
				st.Citations = append(st.Citations, lookup.Cite(d.Path, g.at, g.at))
			}
			st.Text += "."
		}
		if n > 0 {
			does := "itself raises errors"
			if s.in.Of == intent.Nothing {
				does = "returns no value"
			}
			says := fmt.Sprintf("`%s` in %s %s in %s.", d.Name, d.Path, does, line.Count(n, "place"))
			st.Text = says + st.Text
			rep.Summary = append(rep.Summary, st)
			rep.Places = append(rep.Places, placeOf(d, "raises errors", .8))
			rep.Excerpts = append(rep.Excerpts, excerptOf(d))
		}
	}
	if rep = s.withCalled(rep); len(rep.Summary) == 0 {
		return s.documentedOnly()
	}
	return rep
}

// raisesAsIn reports whether a line raises an error as the question says: who asks for panics does not mean errors
// that are returned.
func (s raised) raisesAsIn(text string) bool {
	if s.in.Of == intent.Nothing {
		return returnsNothing.MatchString(text)
	}
	panics := slices.ContainsFunc(s.words, func(w Word) bool { return w.Re.MatchString("panic") })
	return raisesHere.MatchString(text) && !(panics && handedBack.MatchString(text))
}

// returnsNothing matches a line that returns no value.
var returnsNothing = lazyregexp.New(`\breturn\b\s*\(?\s*(?:NULL|nil|null|None|undefined|nullptr)\b`)

// handsBack matches a line that returns an error, as handedBack does.
const handsBack = `\bbail!|\breturn\b.*\b(?:Err\(|(?:fmt\.Errorf|errors\.New)\()`

var handedBack = lazyregexp.New(handsBack)

// lookUpCalled searches the files beside the functions for lines that raise an error, in what they may call.
func (s raised) lookUpCalled() (calls []rulemodel.Call) {
	if len(s.raisers()) > 0 && intent.IsError(s.in.Name) || s.in.Of == intent.Nothing {
		return nil
	}
	for _, d := range s.functions() {
		calls = append(calls, raisingCall(d))
	}
	return calls
}

func raisingCall(d codebase.Symbol) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": raisesHere.String(), "case": "sensitive",
		"include": []string{path.Join(path.Dir(d.Path), "*"+path.Ext(d.Path))}, "context": 0,
		"limit": maxRaising, "max_per_file": maxRaising}, "errors of what it calls")
}

// Bounds of what functions call.
const (
	maxRaising  = 500 // lines that raise an error
	maxCalled   = 6   // such lines of functions that are called
	maxEach     = 2   // of each
	leastCalled = 6   // letters of the name of a function in another file
	aboveRaise  = 4   // lines shown above
)

// withCalled adds which functions of their own files the functions call that raise errors, or of files beside them by a
// long name.
func (s raised) withCalled(rep *report.Report) *report.Report {
	known := make(map[string]bool)
	for _, d := range s.functions() {
		again := func(c calledRaiser) bool { return known[lookup.Cite(c.path, c.Line, c.Line)] }
		called := slices.DeleteFunc(s.calledRaisers(d), again)
		if len(called) == 0 {
			continue
		}
		says := report.Statement{Text: fmt.Sprintf("`%s` in %s calls functions that raise errors:", d.Name, d.Path)}
		if len(rep.Summary) > 0 {
			says.Text = fmt.Sprintf("Functions that `%s` calls raise errors as well:", leafOf(d.Name))
		}
		var said []string
		for _, m := range called {
			known[lookup.Cite(m.path, m.Line, m.Line)] = true
			said = append(said, fmt.Sprintf(" `%s` (%s, line %d): `%s`", leafOf(m.Symbol), m.path, m.Line,
				line.Truncate(strings.TrimSpace(m.Text), maxLineText)))
			says.Citations = append(says.Citations, lookup.Cite(m.path, m.Line, m.Line))
			rep.Places = append(rep.Places, report.Place{Path: m.path, Start: m.Line, End: m.Line, Symbol: m.Symbol,
				Why: "is called and raises errors", Confidence: nearTrust})
			above := max(1, m.Line-aboveRaise)
			rep.Excerpts = append(rep.Excerpts, report.Excerpt{Path: m.path, Start: above, End: m.Line})
		}
		says.Text += strings.Join(said, ";")
		if len(rep.Summary) == 0 {
			rep.Summary = []report.Statement{says}
		} else {
			rep.Summary[0].Text += " " + says.Text
			rep.Summary[0].Citations = append(rep.Summary[0].Citations, says.Citations...)
		}
	}
	return rep
}

// A calledRaiser is a line of a function that raises an error.
type calledRaiser struct {
	path string
	search.Match
}

// calledRaisers returns the functions that raise an error and that a definition calls by name alone, or as its own.
func (s raised) calledRaisers(d codebase.Symbol) (all []calledRaiser) {
	body, _ := decoded[codebase.FileResult](s.Search, wholeCall(d))
	r, _ := decoded[codebase.SearchResult](s.Search, raisingCall(d))
	if len(body.Items) == 0 || len(body.Items[0].Lines) == 0 {
		return nil
	}
	called := make(map[string]bool)
	for _, m := range ownCall.FindAllStringSubmatch(strings.Join(body.Items[0].Lines[1:], "\n"), -1) {
		called[m[1]] = true
	}
	lines := make(map[string]int) // by symbol
	for _, f := range r.Items {
		for _, m := range f.Matches {
			name := leafOf(m.Symbol)
			far := f.Path != d.Path && len(name) < leastCalled
			if !called[name] || far || m.Symbol == d.Name || comments(m.Text) > 0 || !s.raisesAsIn(m.Text) {
				continue
			}
			if lines[m.Symbol]++; lines[m.Symbol] <= maxEach && len(all) < maxCalled {
				all = append(all, calledRaiser{f.Path, m})
			}
		}
	}
	return all
}

// ownCall matches a call by name alone, or of something of the same type.
var ownCall = lazyregexp.New(`(?:^|[^\w.>:]|\b(?:self|this|cls|super|Self|static)(?:\.|::|` +
	`->))(\w+[!?]?)(?:::<[^()]*>)?\(`)

// commentCall reads the comment above a definition, however long it is.
func commentCall(d codebase.Symbol) rulemodel.Call {
	return readCall(d.Path, d.Start-commentLines, d.Start-1)
}

const commentLines = 60

// documentedOnly quotes what the documentation of a function without a line that raises an error says of errors; nil if
// it says nothing.
func (s raised) documentedOnly() *report.Report {
	for _, d := range s.functions() {
		r, _ := decoded[codebase.FileResult](s.Search, commentCall(d))
		if len(r.Items) == 0 {
			continue
		}
		f := r.Items[0]
		own := len(f.Lines) // the first line of the comment right above
		for own > 0 && above.MatchString(f.Lines[own-1]) {
			own--
		}
		at := slices.IndexFunc(f.Lines[own:], saysRaises.MatchString)
		if at < 0 {
			if at = slices.IndexFunc(f.Lines[own:], saysError.MatchString); at < 0 {
				continue
			}
		}
		at += own
		var said []string
		for _, text := range f.Lines[at:] {
			text = commentMark.ReplaceAllString(text, "")
			title, isTitle := strings.CutPrefix(text, "# ")
			switch {
			case isTitle && len(said) == 0:
				said = append(said, title+":")
				continue
			case text == "" && len(said) == 1 && strings.HasSuffix(said[0], ":"): // below its title
				continue
			}
			if text == "" || isTitle {
				break
			}
			said = append(said, text)
		}
		first := f.StartLine + at
		cited := []string{lookup.Cite(d.Path, first, first), lookup.Cite(d.Path, d.Start, d.Start)}
		st := report.Statement{Citations: cited,
			Text: fmt.Sprintf("The documentation of `%s` in %s says: “%s”", d.Name, d.Path,
				line.Truncate(strings.TrimSpace(strings.Join(said, " ")), maxLineText))}
		return &report.Report{Found: true, NotCovered: []string{"what the functions that it calls raise"},
			Summary: []report.Statement{st}, Places: []report.Place{placeOf(d, "is documented to raise errors", .6)},
			Excerpts: []report.Excerpt{excerptOf(d)}}
	}
	return nil
}

var (
	// above matches a line of a comment or an attribute, commentMark what begins it, saysRaises one that says that an
	// error is raised, and saysError one on errors.
	above       = lazyregexp.New(`^\s*(?://|/?\*|#)`)
	saysRaises  = lazyregexp.New(`(?i)\b(?:panics?|throws?|raises?|aborts?)\b`)
	saysError   = lazyregexp.New(`(?i)\b(?:errors?|fails?)\b`)
	commentMark = lazyregexp.New(`^\s*(?://[/!]?|/?\*+/?|#)\s*`)
)

// maxOwn is how many lines of a function are quoted that raise an error.
const maxOwn = 6

// raisesHere matches a line that raises an error, or returns a new one.
var raisesHere = lazyregexp.New(`(?:^|[\s;{(:])(?:throw|raise|panic!?|abort|die|\w*errx|\w*fatal)(?:[\s(]|$)|` +
	`\bassert(?:_eq|_ne)?!\(|` + handsBack)

// readMade reads the definitions of the name, or the lines around the one that gives it a value.
func (s raised) readMade() []rulemodel.Call {
	if u, ok := s.setAt(); ok {
		return []rulemodel.Call{functionCall(u.path, u.line)}
	}
	return s.readDefinitions()
}

// raisedReport says where the error is raised, on what that depends, and what it is; if no line of the source raises
// it, who uses it, or that no file has the name. It returns nil for a name that need not be that of an error.
func (s raised) raisedReport() *report.Report {
	all := s.raisers()
	if len(all) == 0 || leafOf(s.in.Name) == "error" || !intent.IsError(s.in.Name) {
		if rep := s.ofFunction(); rep != nil {
			return rep
		}
	}
	if len(all) == 0 {
		if defs, _ := s.definitions(); len(defs) > 0 && intent.IsError(s.in.Name) {
			return usages(s).callersReport()
		}
		return s.absent("called")
	}
	rep := &report.Report{Found: true, NotCovered: []string{}}
	for i, u := range all[:min(len(all), maxPlaces)] {
		switch st := s.site(all, i); {
		case i == 0:
			rep.Summary = []report.Statement{st}
		case i < maxRaisers:
			rep.Summary[0].Text += ". " + st.Text
			rep.Summary[0].Citations = append(rep.Summary[0].Citations, st.Citations...)
		}
		p := u.place("raises it")
		if p.Confidence = .6; u.start > 0 {
			p.Start, p.End = u.start, u.end
		}
		same := func(o report.Place) bool { return o.Path == p.Path && o.Start == p.Start }
		if !slices.ContainsFunc(rep.Places, same) {
			rep.Places = append(rep.Places, p)
		}
	}
	if says, place, ok := s.madeAt(); ok {
		rep.Summary = slices.Insert(rep.Summary, 1, says)
		rep.Places = slices.Insert(rep.Places, min(len(rep.Places), maxRaisers), place)
	}
	rep.NextQuestion = fmt.Sprintf("Which tests cover %s?", leafOf(s.in.Name))
	return rep
}

// verbs say what a line does with an error, by the word before it, and verb matches one of these.
var (
	verbs = map[string]string{"throw": "thrown", "return": "returned", "raise": "raised", "panic": "raised"}
	verb  = lazyregexp.New(`\b(throw|return|raise|panic)\b`)
)

// verbOf returns what a line does with the error.
func (s raised) verbOf(u use) string {
	before, _, _ := strings.Cut(u.text, leafOf(s.in.Name))
	if m := verb.FindStringSubmatch(before); m != nil {
		return verbs[m[1]]
	}
	return "created"
}

// site is the sentence on one of the places that raise the error.
func (s raised) site(all []use, i int) report.Statement {
	u := all[i]
	where := fmt.Sprintf("%s, line %d", u.path, u.line)
	if u.symbol != "" {
		where = fmt.Sprintf("`%s` (%s)", u.symbol, where)
	}
	said := "Also in " + where
	if i == 0 {
		verb, places := s.verbOf(u), ""
		if len(all) > 1 {
			places = line.Count(len(all), "place") + "; first in "
		}
		if slices.ContainsFunc(all, func(o use) bool { return s.verbOf(o) != verb }) {
			verb = "raised or created"
		}
		said = fmt.Sprintf("`%s`%s is %s in %s%s", leafOf(s.in.Name), s.whatItIs(), verb, places, where)
	}
	st := quoting(said, u.path, u.line, u.text)
	for n, g := range s.guards(u) {
		if n > 0 && g.how != reachedAfter {
			g.how = "on"
		}
		st.Text += [...]string{". This ", ", and "}[n] + g.says()
		st.Citations = append(st.Citations, lookup.Cite(u.path, g.at, g.at))
	}
	if more := all[min(len(all), maxRaisers):]; i == min(len(all), maxRaisers)-1 && len(more) > 0 {
		st.Text += ". Then in " + listed(more, maxNamed)
	}
	return st
}

// guards returns what decides whether a line runs: the nearest condition around it, or statement above that leaves the
// function, and before it the next condition around that, if no line is between them or it does not surround the line.
func (s raised) guards(u use) []guard {
	f := messages(s).around(u.path, u.line)
	near, ok := guardOf(f, u.line)
	if !ok || decides(u.text) { // which is quoted
		return nil
	}
	around, ok := guardOf(f, near.at)
	if ok && around.how != reachedAfter && (near.how == reachedAfter || around.at == near.at-1) {
		return []guard{around, near}
	}
	return []guard{near}
}

// whatItIs returns what the documentation of the error says in a sentence, in parentheses; nothing if several have the
// name.
func (s raised) whatItIs() string {
	if defs, _ := s.definitions(); len(defs) == 1 {
		if doc := firstSentence(defs[0].Doc); doc != "" {
			return " (“" + line.Truncate(doc, maxLineText) + "”)"
		}
	}
	return ""
}

// madeAt is the sentence on what defines the error, or gives its name a value, and the place of that.
func (s raised) madeAt() (report.Statement, report.Place, bool) {
	if defs, _ := s.definitions(); len(defs) > 0 {
		return s.defines(defs[0], 0, len(defs), ""), placeOf(defs[0], "defines it", 0), true
	}
	u, ok := s.setAt()
	if !ok {
		return report.Statement{}, report.Place{}, false
	}
	text := u.text
	if f := messages(s).around(u.path, u.line); len(f.Lines) > 0 {
		text = joinedLine(f.Lines, u.line-f.StartLine)
	}
	says := quoting(fmt.Sprintf("It is set in %s, line %d", u.path, u.line), u.path, u.line, text)
	says.Quote = lookup.Quotable(strings.TrimSpace(u.text), maxLineText)
	return says, u.place("gives it its value"), true
}
