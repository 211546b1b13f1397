package exact

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// Bounds and worths of the numbers that are named where no line is likely enough.
const (
	nearNumbers  = 5
	leastNear    = .5
	fittingShare = .2 // of the words of the question
	nearShare    = .6 // least share of the best worth
	rankedWorth  = .4 // in the first file of the answer; in a later one less
	halfRank     = 8  // files after which that is half
	guessTrust   = .06
	blockLines   = 24 // lines read of a block of defaults
)

// blocks matches the line that opens what has the defaults: a function, a table, a type or an implementation.
const blocks = `(?i)^\s*(?:[\w<>*&\[\].,()]+\s+){0,6}\w*default\w*\b[^;]*[({\[:=|]\s*$`

var (
	ofDefaults  = lazyregexp.New(`(?i)\w*default\w*`)
	alternative = lazyregexp.New(`(?:\|\||\?\?|\bor)\s*[1-9]`) // a number if something else is not set
)

func blocksCall() rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": blocks, "before": 0, "after": blockLines,
		"limit": maxAmounts, "max_per_file": maxAmountsEach}, "blocks of defaults")
}

// Near names numbers of the code that may be meant where no line is likely enough: defaults, limits and the like, first
// those with words of the question and in the files of its answer, which are ranked. It reports whether the first has
// enough such words to lead the answer, and returns nil without any.
func (s *Search) Near(ranked []string) (rep *report.Report, fits bool) {
	if s.in.Kind != intent.Amount {
		return nil, false
	}
	all := amounts{s}.near(ranked)
	if len(all) == 0 {
		return nil, false
	}
	st := report.Statement{Quote: lookup.Quotable(strings.TrimSpace(all[0].text), maxLineText)}
	rep = &report.Report{Found: true, NotCovered: []string{}}
	var says []string
	for _, a := range all {
		within := ""
		if a.symbol != "" && leafOf(a.symbol) != a.name {
			within = fmt.Sprintf(" (in `%s`)", a.symbol)
		}
		says = append(says, fmt.Sprintf("`%s`%s is `%s`", a.name, within, a.value))
		st.Citations = append(st.Citations, lookup.Cite(a.path, a.line, a.line))
		p := report.Place{Path: a.path, Start: cmp.Or(a.first, a.line), End: cmp.Or(a.last, a.line),
			Symbol: cmp.Or(a.symbol, a.name), Why: "sets a number that may be meant", Confidence: guessTrust}
		if !slices.Contains(rep.Places, p) {
			rep.Places = append(rep.Places, p)
		}
	}
	st.Text = "Numbers that may be meant: " + strings.Join(says, ", ")
	rep.Summary = []report.Statement{st}
	return rep, amounts{s}.share(&all[0]) >= fittingShare
}

// share returns the share of the words of the question that a line has.
func (s amounts) share(a *amount) float64 {
	whole := 0.0
	weights := make([]float64, len(s.words))
	for i, w := range s.words {
		weights[i], whole = w.Weight, whole+w.Weight
	}
	return s.covered(a, weights) / max(whole, 1e-9)
}

// near returns the numbers that may be meant, best first.
func (s amounts) near(ranked []string) (best []amount) {
	within := s.inTexts(s.possible())
	for _, a := range s.byNearness(append(s.scored(), s.inBlocks()...), ranked) {
		if len(best) == nearNumbers || len(best) > 0 && a.score < nearShare*best[0].score {
			break
		}
		known := func(o amount) bool { return normal(o.name) == normal(a.name) }
		if !within(a.assignment) && !slices.ContainsFunc(best, known) {
			best = append(best, a)
		}
	}
	return best
}

// possible returns the lines that may be among the near ones, of whatever file.
func (s amounts) possible() (some []assignment) {
	for _, a := range s.byNearness(s.scored(), nil) {
		some = append(some, a.assignment)
	}
	return some
}

// byNearness returns the numbers that may be meant with what speaks for each as their score, best first.
func (s amounts) byNearness(all []amount, ranked []string) []amount {
	weights, whole := s.weights(all), 0.0
	for _, w := range weights {
		whole += w
	}
	for i := range all {
		a := &all[i]
		a.score = s.nearness(a, s.covered(a, weights)/max(whole, 1e-9), slices.Index(ranked, a.path))
	}
	all = slices.DeleteFunc(all, func(a amount) bool { return a.score < leastNear })
	slices.SortStableFunc(all, func(a, b amount) int { return cmp.Compare(b.score, a.score) })
	return all
}

// nearness returns what speaks for a number that has this share of the words of the question, in a file of this rank,
// which is negative for files that are not in the answer. It is 0 for what sets no default and no limit, and for what
// has no such word in such a file.
func (s amounts) nearness(a *amount, covered float64, rank int) (worth float64) {
	number := plain.MatchString(a.value) || made.MatchString(a.value) || alternative.MatchString(a.value)
	digits := noDigits.ReplaceAllLiteralString(a.value, "")
	if !number || strings.Trim(digits, "0") == "" || a.numbered || a.documented || !s.fits(a) || s.identifies(a) {
		return 0
	}
	if covered == 0 && rank < 0 {
		return 0
	}
	if s.measured.MatchString(a.name) {
		worth += measureWorth
	}
	if a.declared || isDefault.MatchString(a.name+" "+a.owner()) {
		worth += defaultWorth
	}
	if worth == 0 {
		return 0
	}
	if constant.MatchString(a.text) {
		worth += measureWorth
	}
	if s.measure.Units.MatchString(a.about + " " + a.help) {
		worth += unitWorth
	}
	if rank >= 0 {
		worth += rankedWorth / (1 + float64(rank)/halfRank)
	}
	return worth + coveredWorth*covered - a.cost()
}

// follows reports whether one of the lines before a value gives the number before it: 2, 3.
func follows(before []string, value string) bool {
	n, err := strconv.Atoi(value)
	if err != nil {
		return false
	}
	last := strconv.Itoa(n - 1)
	return slices.ContainsFunc(before, func(text string) bool {
		at := given.FindStringIndex(text)
		return at != nil && firstValue(text[at[1]:]) == last
	})
}

// inBlocks returns the numbers of what is called the defaults, whatever they are called themselves.
func (s amounts) inBlocks() (all []amount) {
	r, _ := decoded[codebase.SearchResult](s.Search, blocksCall())
	for _, f := range r.Items {
		if (assignment{path: f.Path}).part() != source || noSettings.MatchString(f.Path) {
			continue
		}
		for _, m := range f.Matches {
			if comments(m.Text) == 0 && !ofTests.MatchString(m.Symbol) {
				all = append(all, s.inBlock(f.Path, m)...)
			}
		}
	}
	return all
}

// inBlock returns the numbers that are set in the lines after the one that opens a block.
func (s amounts) inBlock(path string, m search.Match) (all []amount) {
	outside := func(text string) bool { return strings.TrimSpace(text) != "" && indent(text) <= indent(m.Text) }
	n := slices.IndexFunc(m.After, outside)
	if n < 0 {
		n = len(m.After)
	}
	for i, text := range m.After[:n] {
		if comments(text) > 0 {
			continue
		}
		for _, a := range s.givenIn(text, []*lazyregexp.Regexp{given}) {
			a.path, a.symbol, a.line = path, ofDefaults.FindString(m.Text), m.Line+1+i
			a.first, a.last = m.Line, m.Line+n
			a.about += " " + commentAbove(m.After[:i])
			if !a.empty(a.name) {
				all = append(all, a)
			}
		}
	}
	return all
}
