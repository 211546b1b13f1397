package rules

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/files"
	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/listing"
	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/agent/explore/rules/internal/pages"
	"github.com/forayhq/foray/agent/explore/rules/internal/passages"
	"github.com/forayhq/foray/agent/explore/rules/internal/testtitles"
	"github.com/forayhq/foray/agent/explore/rules/internal/trust"
	"github.com/forayhq/foray/agent/explore/rules/internal/units"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/report"
)

// An answerer answers questions of one kind: with exact tools, or from documents.
type answerer interface {
	Calls(step int) []rulemodel.Call
	Report() *report.Report // nil: it does not answer the question
}

// withIntent puts the steps of lookups before the stages of a question: those of an exact search if its intent is
// recognised, then those of documents. What comes after a lookup that answers the question is left out.
func (r *run) withIntent() {
	var stages []stage
	add := func(l answerer, steps int, aim string) {
		for _, s := range lookUps(l, steps, aim) {
			s.calls = unless(r.lookups, s.calls)
			stages = append(stages, s)
		}
		r.lookups = append(slices.Clip(r.lookups), l)
	}
	documents := !r.q.overview && !r.q.issue
	if documents {
		r.rankDocuments()
	}
	if s, ok := files.Ask(r.q.text); ok {
		add(files.New(s, r.talk.results), files.Steps, "the file or directory that the question names")
	}
	in, _ := r.q.intent()
	if s := exact.New(in, exactWords(r.q), r.talk.results); s != nil && !r.q.overview {
		add(s, exact.Steps, "exact tools for a question about: "+string(in.Kind))
	}
	if q, ok := listing.Ask(r.q.text, r.q.english); ok && documents {
		add(listing.New(q, unitWords(r.q.words), r.talk.results), listing.Steps, "what the source lists")
		if name := q.Setting(); name != "" {
			add(setting(name, r.q, r.talk), exact.Steps, "where it is set")
		}
	}
	if r.titles != nil {
		add(r.titles, testtitles.Steps, "tests of what the question describes")
	}
	if t, ok := pages.Ask(r.q.text); ok && (!r.q.overview || r.q.part == overview.Build) {
		t.Text = r.q.english(t.Text)
		s := pages.New(t, r.talk.results)
		if t.Bare() { // most likely an open question: look in the same step
			first := r.stages[0]
			stages = append(stages, stage{first.name, first.aim, unless(r.lookups, func(r *run) []rulemodel.Call {
				return slices.Insert(first.calls(r), 1, s.Calls(1)...)
			})})
			r.stages = r.stages[1:]
		}
		add(sectionsFor(r.q, s), pages.Steps, "the sections of documents on the topic of the question")
		r.page = s
	}
	if r.setting != nil {
		for _, s := range lookUps(r.setting, settingSteps, "settings that the question describes") {
			s.calls = unless(r.lookups, s.calls)
			stages = append(stages, s)
		}
	}
	for _, s := range r.stages {
		if s.name == "report" && documents {
			stages = append(stages, r.readDocuments()...)
		}
		if s.name == "report" && r.tested != nil {
			stages = append(stages, lookUps(r.tested, exact.Steps, "the tests of it")...)
		}
		if s.name != "report" && s.name != "report again" {
			s.calls = unless(r.lookups, s.calls)
		}
		stages = append(stages, s)
	}
	r.stages = stages
}

// setting looks for where a setting gets its value, as the comment there often says which others it may have.
func setting(name string, q *question, t talk) answerer {
	return exact.New(intent.Intent{Kind: intent.Default, Name: name, Weak: true}, exactWords(q), t.results)
}

// lookUps returns the stages of a search.
func lookUps(l answerer, steps int, aim string) (all []stage) {
	for n := range steps {
		all = append(all, stage{"look up", aim, func(*run) []rulemodel.Call { return l.Calls(n + 1) }})
	}
	return all
}

// afterRanking is how many calls of the first stage matter more than documents: the ranking, the list and the names.
const afterRanking = 3

// rankDocuments adds the ranking of sections of documents to the first stage.
func (r *run) rankDocuments() {
	r.stages = slices.Clone(r.stages)
	rank := r.stages[0].calls
	r.stages[0].calls = func(r *run) []rulemodel.Call {
		calls := rank(r)
		return slices.Insert(calls, min(afterRanking, len(calls)), r.passages.Calls(1)...)
	}
}

// readDocuments returns the stages that read what documents and comments say. If the question has a second part, they
// run as well if a lookup answers the first.
func (r *run) readDocuments() (all []stage) {
	for n := range passages.Steps {
		read := func(r *run) []rulemodel.Call { return r.passages.Calls(n + 1) }
		if !r.q.more {
			read = unless(r.lookups, read)
		}
		if r.q.more || n > 0 { // else with the ranking
			all = append(all, stage{"read on it", "find what documents and comments say", read})
		}
	}
	return all
}

// withMore adds what the documents say to a report that answers the first part of a question, if it has a second.
func (r *run) withMore(rep *draft) *draft {
	worths, _ := r.worths()
	all := r.passages.Sections(worths)
	if len(all) == 0 || !rep.Found || !r.q.more {
		return rep
	}
	clear, fair := fitOf(all[0])
	switch in, _ := r.q.intent(); {
	case in.Kind == intent.Difference && !(strings.Contains(all[0].Text, in.Name) && strings.Contains(all[0].Text, in.Of)):
	case in.Kind == intent.Difference && clear:
		return r.sectionsFirst(rep, all[:1], "")
	case fair:
		return rep.addSection(all[0], r.q.sectionSays(all[0]), clear)
	}
	return rep
}

// titlesOf returns the search for the tests of what a question describes, or nil, and the results without its own: the
// lines that it finds are no sign that a file is about the question.
func titlesOf(q *question, results []rulemodel.Result) (*testtitles.Search, []rulemodel.Result) {
	if q.overview || q.issue || !testtitles.Asks(q.text) {
		return nil, results
	}
	words := slices.DeleteFunc(slices.Clone(q.words), func(w word) bool { return testWords[w.text] })
	s := testtitles.New(unitWords(words), results)
	return s, others(results, testtitles.Steps, s.Calls)
}

// testsToo returns the search for the tests of what a question is about that asks for them in its second part, or nil,
// and the results without its own.
func testsToo(q *question, results []rulemodel.Result) (answerer, []rulemodel.Result) {
	if !q.tested || q.overview || q.issue {
		return nil, results
	}
	var s tests
	name := q.testsOf
	if name == "" && len(q.idents) > 0 {
		name = q.idents[0].text
	}
	if name != "" {
		s = append(s, exact.New(intent.Intent{Kind: intent.Tests, Name: name}, nil, results))
	}
	s = append(s, testtitles.New(unitWords(q.words), results))
	return s, others(results, exact.Steps, s.Calls)
}

// tests looks for tests in several ways: by name, if there is one, and by words.
type tests []answerer

func (s tests) Calls(step int) (calls []rulemodel.Call) {
	for _, one := range s {
		if calls = append(calls, one.Calls(step)...); hasTests(one.Report()) {
			break
		}
	}
	return calls
}

func hasTests(rep *report.Report) bool { return rep != nil && rep.Found && len(rep.Summary) > 0 }

// Report returns the first report that has tests, or nil.
func (s tests) Report() *report.Report {
	for _, one := range s {
		if rep := one.Report(); hasTests(rep) {
			return rep
		}
	}
	return nil
}

// addTests adds what is found of the tests to a report that answers the first part of a question.
func (rep *draft) addTests(found *report.Report) {
	if !rep.Found || len(rep.Summary) == 0 {
		return
	}
	if found == nil {
		says := strings.TrimSuffix(rep.Summary[0].Text, ".")
		if !strings.HasSuffix(says, ".”") {
			says += "."
		}
		rep.Summary[0].Text = says + " No test of it was found by name or words"
		return
	}
	at := testsAt
	if rep.Trust() != report.OneOfThese {
		at = 1
	}
	rep.Summary = slices.Insert(rep.Summary, min(at, len(rep.Summary)), found.Summary[0])
	rep.Summary = rep.Summary[:min(len(rep.Summary), maxStatements)]
	places := slices.Clone(found.Places[:min(len(found.Places), fewTests)])
	for i := range places {
		places[i].Confidence = passageTrust
	}
	rep.leaveOut(places)
	rep.Places = slices.Insert(rep.Places, min(testsAt, len(rep.Places)), places...)
	rep.Tests = found.Places
}

// testsAt is after how many sentences and places of an answer its tests come.
const testsAt = 2

// others returns the results but those of the calls of so many steps.
func others(results []rulemodel.Result, steps int, calls func(step int) []rulemodel.Call) []rulemodel.Result {
	own := make(map[string]bool)
	for n := range steps {
		for _, c := range calls(n + 1) {
			own[c.Key()] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(results), func(x rulemodel.Result) bool { return own[x.Key()] })
}

func unitWords(words []word) (all []units.Word) {
	for _, w := range words {
		all = append(all, units.Word{Pattern: w.pattern, Re: w.re, Weight: w.weight})
	}
	return all
}

// intent returns what the question asks for; of one that is about a message, where that comes from.
func (q *question) intent() (intent.Intent, bool) {
	if q.message != "" {
		return intent.Intent{Kind: intent.Message, Name: q.message, Weak: true, Quoted: true}, true
	}
	return intent.Parse(q.text)
}

// settingSteps is how many steps the search for a setting has.
const settingSteps = 2

// settingOf returns the search for the setting that a question describes, by its value or by what it does, or nil, and
// the results without its own: what it searches for is too common to rank files by.
func settingOf(q *question, results []rulemodel.Result) (*exact.Search, []rulemodel.Result) {
	if q.overview || q.issue || testtitles.Asks(q.text) || asksReader.MatchString(q.asked) {
		return nil, results
	}
	may, says, less := intent.OptionOf(q.text)
	if !q.amount && !may {
		return nil, results
	}
	s := exact.NewOption(says, less, exactWords(q), results)
	if q.amount {
		s = exact.NewAmount(q.measure, exactWords(q), results)
	}
	return s, others(results, settingSteps, s.Calls)
}

// exactWords returns the words of a question for the search of an exact tool.
func exactWords(q *question) (words []exact.Word) {
	for _, w := range q.words {
		words = append(words, exact.Word{Text: w.text, Re: w.re, Weight: w.weight,
			Counted: strings.Contains(q.measure.Of, w.text)})
	}
	return words
}

// withSetting puts the setting that the question describes in front of a report. If none is found that has the value
// that is asked for, what the report names instead is rarely right.
func (r *run) withSetting(rep *draft) *draft {
	if r.setting == nil {
		return rep
	}
	first := r.setting.Report()
	if first == nil {
		if r.setting.Kind() == intent.Amount {
			trust.Rate("no amount", rep.Places)
			if rep.Found && len(rep.Summary) > 0 {
				rep.open(closest)
			}
		}
		return rep
	}
	trust.Rate(string(r.setting.Kind()), first.Places)
	return r.before(rep, first)
}

// withNumbers names numbers that may be meant in an answer to a question for one that no setting fits. They come first
// if they have enough words of the question and the answer quotes no number.
func (rep *draft) withNumbers(s *exact.Search) *draft {
	if s == nil || s.Kind() != intent.Amount || s.Report() != nil {
		return rep
	}
	var ranked []string // files
	for _, p := range rep.Places {
		if !slices.Contains(ranked, p.Path) {
			ranked = append(ranked, p.Path)
		}
	}
	near, fits := s.Near(ranked)
	if near == nil || !rep.Found && !fits {
		return rep
	}
	at := 0
	if len(rep.Summary) > 0 && (!fits || saysNumber.MatchString(rep.Summary[0].Quote)) {
		at = 1
	}
	rep.Found = true
	rep.Summary = slices.Insert(rep.Summary, at, near.Summary...)
	rep.Summary = rep.Summary[:min(len(rep.Summary), maxStatements)]
	places := near.Places[:min(len(near.Places), maxNumbers)]
	rep.Places = slices.Insert(rep.Places, min(at, len(rep.Places)), places...)
	return rep
}

// saysNumber matches a number in prose.
var saysNumber = lazyregexp.New(`(?:^|[\s(])\d[\d,.]*(?:[\s%).,]|$)`)

const maxNumbers = 3 // among the places

// withPage puts the sections whose titles are the topic in front of a report, if code answers the question as well.
func (r *run) withPage(rep *draft) *draft {
	if r.page == nil {
		return rep
	}
	first := r.page.First()
	if first == nil {
		return rep
	}
	trust.Rate("docs", first.Places)
	return r.before(rep, first)
}

// before puts the statements and places of another report in front of those of a report.
func (r *run) before(rep *draft, first *report.Report) *draft {
	if !rep.Found {
		rep.Found, rep.Summary, rep.Places = true, nil, nil
	}
	if len(rep.Summary) > 0 {
		rep.Summary[0].Text = openings.Replace(rep.Summary[0].Text)
	}
	rep.Summary = append(first.Summary, rep.Summary...)
	rep.Summary = rep.Summary[:min(len(rep.Summary), maxStatements)]
	rep.Places = append(first.Places, rep.Places...)
	rep.Excerpts = append(first.Excerpts, rep.Excerpts...)
	rep.Excerpts = rep.Excerpts[:min(len(rep.Excerpts), maxExcerpts)]
	return rep
}

// unless leaves out the calls of a stage if one of the lookups answers the question.
func unless(answered []answerer, calls func(*run) []rulemodel.Call) func(*run) []rulemodel.Call {
	return func(r *run) []rulemodel.Call {
		if reportOf(answered) != nil {
			return nil
		}
		return calls(r)
	}
}

// reportOf returns the report of the first lookup that has one, or nil.
func reportOf(all []answerer) *report.Report {
	for _, l := range all {
		if rep := l.Report(); rep != nil {
			return rep
		}
	}
	return nil
}

// exactReport returns the report of the first lookup that answers the question, or nil if none does.
func (r *run) exactReport() *draft {
	for _, l := range r.lookups {
		rep := l.Report()
		if rep == nil {
			continue
		}
		trust.Rate(intentOf(l), rep.Places)
		rep.Question = line.Truncate(r.q.asked, 500)
		rep.NotCovered = append(rep.NotCovered, r.e.gaps()...)
		return r.withMore(&draft{*rep})
	}
	return nil
}

// runsTests matches the title of a section that says how tests are run.
var runsTests = lazyregexp.New(`(?i)“[^”]*\b(?:run|running|execut\w+)\b[^”]*\btest|` +
	`“[^”]*\btests?\b[^”]*\brun|“tests?(?:ing)?”`)

// sectionsFor returns what a search for sections has for a question.
func sectionsFor(q *question, s *pages.Search) answerer {
	if q.overview && q.tests {
		return howToTest{s}
	}
	return s
}

// howToTest are the sections of documents that say how the tests are run: many others have "test" in their title.
type howToTest struct{ *pages.Search }

func (s howToTest) Report() *report.Report {
	if rep := s.Search.Report(); rep != nil && runsTests.MatchString(rep.Summary[0].Text) {
		return rep
	}
	return nil
}

// intentOf returns the name of the kind of questions that a lookup answers, as package trust knows it.
func intentOf(l any) string {
	switch l := l.(type) {
	case *exact.Search:
		return string(l.Kind())
	case *pages.Search, howToTest:
		return "docs"
	case *files.Search:
		return "file"
	case *listing.Search:
		return "list"
	case *testtitles.Search:
		return "described tests"
	}
	return "overview"
}
