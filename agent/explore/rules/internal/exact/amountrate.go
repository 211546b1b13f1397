package exact

import (
	"path"
	"regexp"
	"slices"
	"strings"

	docs "github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// Worths of what speaks for a line that may set what the question describes, and costs of what speaks against it. They
// were set by hand on evals/answers/testdata/amounts_chosen.jsonl.
const (
	coveredWorth = 1.5 // of all words of the question
	measureWorth = .25 // the name says what is measured
	defaultWorth = .3  // something says that it is a default
	unitWorth    = .15 // the value has a unit of what is measured
	fixedWorth   = .3  // the value is a number and nothing else
	madeWorth    = .2  // it is made of a number
	elseWorth    = .1  // it is a number unless something else is set

	genericCost = .3  // no word of the question is in the name
	restCost    = .24 // a part of the name that nothing explains
	maxRestCost = 1.  // of all such parts
	startCost   = .4  // 1, where counters begin
	passedCost  = .4  // an argument of a call
	localCost   = .15 // a variable of a function

	leastAmount  = 1.2 // of the best line
	leastGuessed = 1.3 // of one that is only a guess
	leastCovered = .5  // of the question's words
	leastPlain   = .4  // the same for a default whose name says nothing else: DefaultTimeout is that of all there is
	rivalShare   = .9  // of the best score
)

// Weights of the words of the question, and of where a line has them. In the name a word counts in full.
const (
	happensWeight = .6  // of a word about what happens with what is counted
	unnamedWeight = .3  // of a word that no name has
	helpedWeight  = .6  // of one that only help texts have
	helpShare     = .8  // in the help text of the very setting
	longAbout     = 240 // words of a help text that halve that
	aboutShare    = .6  // in a comment, or in the name of what is around the line
	folderShare   = .3
)

// rate scores lines. Those that do not answer have no score above 0.
func (s amounts) rate(all []amount) {
	weights, whole := s.weights(all), 0.0
	for _, w := range weights {
		whole += w
	}
	for i := range all {
		a := &all[i]
		least := leastCovered
		if named, rest := s.explained(a.name); named && rest == 0 && isDefault.MatchString(a.name) {
			least = leastPlain
		}
		if covered := s.covered(a, weights) / max(whole, 1e-9); covered >= least && s.counts(a) {
			a.score = max(0, coveredWorth*covered+s.worth(a))
		}
		if may, likely := s.guessed(a); may && a.score < leastGuessed || likely {
			a.score = 0
		}
	}
}

// guessed reports whether a line has so few words of the question that it may be about something else. If so, it also
// reports whether it has most likely nothing to do with it.
func (s amounts) guessed(a *amount) (may, likely bool) {
	parts, n, others, rest := partsOf(a.name), 0, 0, 0.0 // words that it has and lacks, and the weight of these
	counted := slices.ContainsFunc(s.words, func(w Word) bool { return w.Counted && slices.ContainsFunc(parts, w.names) })
	for _, w := range s.words {
		if slices.ContainsFunc(parts, w.names) || slices.ContainsFunc(a.within, w.names) || a.helped(w.Re) ||
			w.Re.MatchString(a.about+" "+a.owner()) {
			n++
		} else if rest += w.Weight; w.Weight >= happensWeight {
			others++
		}
	}
	named, more := s.explained(a.name)
	if n > 1 || counted || more == 0 && (isDefault.MatchString(a.name) || named && isDefault.MatchString(a.symbol)) {
		return false, false
	}
	return rest >= 1, n+others >= 3 && more > 0 && !isDefault.MatchString(a.name)
}

// counts reports whether a line has a word for what is counted: an exit code is no password, whatever is said of both.
func (s amounts) counts(a *amount) bool {
	counted := slices.DeleteFunc(slices.Clone(s.words), func(w Word) bool { return !w.Counted })
	parts := partsOf(a.name)
	return len(counted) == 0 || isDefault.MatchString(a.name) || slices.ContainsFunc(counted, func(w Word) bool {
		return slices.ContainsFunc(parts, w.names) || w.Re.MatchString(a.about) || w.Re.MatchString(a.owner()) ||
			a.helped(w.Re)
	})
}

// weights returns how much each word says: little if no name has it.
func (s amounts) weights(all []amount) []float64 {
	weights := make([]float64, len(s.words))
	for k, w := range s.words {
		weights[k] = w.Weight
		switch {
		case slices.ContainsFunc(all, func(a amount) bool { return slices.ContainsFunc(partsOf(a.name), w.names) }):
		case slices.ContainsFunc(all, func(a amount) bool { return a.helped(w.Re) }):
			weights[k] *= helpedWeight
		default:
			weights[k] *= unnamedWeight
		}
	}
	return weights
}

// covered returns the weight of the words of the question that a line has.
func (s amounts) covered(a *amount, weights []float64) (sum float64) {
	parts := partsOf(a.name)
	for k, w := range s.words {
		switch {
		case slices.ContainsFunc(parts, w.names), slices.ContainsFunc(a.within, w.names):
			sum += weights[k]
		case a.helped(w.Re) && w.Re.MatchString(a.owner()): // not only what is said of another setting of this name
			sum += weights[k]
		case a.helped(w.Re):
			sum += helpShare * weights[k] / (1 + float64(len(strings.Fields(a.help)))/longAbout)
		case w.Re.MatchString(a.about), w.Re.MatchString(a.owner()):
			sum += aboutShare * weights[k]
		case w.Re.MatchString(path.Dir(a.path)):
			sum += folderShare * weights[k]
		}
	}
	return sum
}

// owner returns the names of what is around a line.
func (a *amount) owner() string {
	return a.symbol + " " + strings.TrimSuffix(path.Base(a.path), path.Ext(a.path))
}

var (
	// configures matches the paths and names of what holds settings.
	configures = lazyregexp.New(`(?i)conf|setting|option|default|\.(?:ini|properties)$`)
	zero       = lazyregexp.New(`^0[uUlL]*$`)
	// unbounded matches what a description says of a zero that is no amount.
	unbounded = lazyregexp.New(`(?i)\b(?:forever|unlimited|infinite\w*|indefinite\w*|never|no (?:limit|timeout|maximum)|` +
		`disable[sd]?)\b`)

	// made matches a value that is made of a number: Retry(3), 10.seconds, timedelta(days=1).
	made = lazyregexp.New(`^(?:[\w.:]+\()+(?:\w+\s*=\s*)?[\d_.]+(?:\s*,\s*\w+\s*=[^()]*)?\)+$|^\d[\d_]*\.\w+$|` +
		`^\(?\d[\d_.]*\s*(?:<<|\*)\s*[\w.() *]+$`)
	// otherwise matches a value that something else may replace: ENV["X"] || 128.
	otherwise = lazyregexp.New(`(?:\|\||\bor\b|\?\?|\?.*:|,)\s*["']?\d[\d_]*["']?\)*(?:\.\w+)?$`)
)

// worth returns what speaks for a line besides the words of the question; very little if it can be any variable.
func (s amounts) worth(a *amount) (worth float64) {
	const none = -10
	if b := s.measure.Bound; b != nil && !b.MatchString(a.name+" "+a.about+" "+a.help) {
		return none
	}
	unset := strings.HasPrefix(a.value, "-") && !a.declared && !isDefault.MatchString(a.name+" "+a.owner())
	if !s.fits(a) || s.identifies(a) || unset && !s.measure.Text {
		return none
	}
	if s.measured.MatchString(a.name) {
		worth += measureWorth
	}
	if a.declared || isDefault.MatchString(a.name+" "+a.owner()+" "+a.about) {
		worth += defaultWorth
	} else if zero.MatchString(a.value) {
		return none // where counters begin
	}
	if zero.MatchString(a.value) && unbounded.MatchString(a.help+a.about) {
		return none
	}
	if worth == 0 && !s.measure.Text && !configures.MatchString(a.path+" "+a.symbol) {
		return none
	}
	switch {
	case plain.MatchString(a.value):
		worth += fixedWorth
	case made.MatchString(a.value):
		worth += madeWorth
	case otherwise.MatchString(a.value):
		worth += elseWorth
	case !s.measure.Text:
		return none
	}
	if s.measure.Units.MatchString(a.about + " " + a.help) {
		worth += unitWorth
	}
	named, rest := s.explained(a.name)
	switch {
	case named, s.explains(a):
	case isDefault.MatchString(a.name + " " + a.symbol):
		worth -= genericCost
	default:
		return none
	}
	return worth - min(restCost*float64(rest), maxRestCost) - a.cost()
}

// fits reports whether a value may be of the measure that is asked for: a length of time is no size, and no number of
// things, as the size of one thing is not.
func (s amounts) fits(a *amount) bool {
	if s.measure.Count && s.ofOne(partsOf(a.name)) {
		return false
	}
	name := strings.Join(partsOf(a.name), " ")
	if s.measure.Against != nil && s.measure.Against.MatchString(name) {
		return false
	}
	if needs := s.measure.Needs; needs != nil {
		return needs.MatchString(name) || needs.MatchString(a.about+" "+a.help) &&
			!s.measure.Other.MatchString(name) && !numberOf.MatchString(a.help+" "+a.text)
	}
	return s.measure.Other == nil || !s.measure.Other.MatchString(name+" "+a.value)
}

// ofOne reports whether a name is that of the size of one of the things that are counted: maxLineLength, of lines.
func (s amounts) ofOne(parts []string) bool {
	for i := range len(parts) - 1 {
		counted := func(w Word) bool { return w.Counted && w.names(parts[i]) }
		if sizeOf.MatchString(parts[i+1]) && slices.ContainsFunc(s.words, counted) {
			return true
		}
	}
	return false
}

var sizeOf = lazyregexp.New(`^(?:len|lengths?|sizes?|bytes|width|height)$`)

// numberOf matches what a help text says of a number of things.
var numberOf = lazyregexp.New(`(?i)\b(?:number|count) of\b`)

// identifier matches a part of a name whose number is one of many for different things, and measures nothing.
var identifier = lazyregexp.New(`^(?:ids?|ports?|err(?:or)?s?|invalid|version|mask|index|idx|opcode|magic|kind)$`)

// kindOf matches the type of a constant that is one of many.
var kindOf = lazyregexp.New(`^\s*(?:const\s+)?\w+\s+(\w*(?:Err(?:or)?|Code|Kind|Type|Status|State))\s*=`)

// identifies reports whether a number only identifies something, and no word of the question asks for such.
func (s amounts) identifies(a *amount) bool {
	if m := kindOf.FindStringSubmatch(a.text); m != nil && m[1] != a.name {
		return true
	}
	return slices.ContainsFunc(partsOf(a.name), func(p string) bool {
		return identifier.MatchString(p) && !slices.ContainsFunc(s.words, func(w Word) bool { return w.names(p) })
	})
}

// explained reports whether a name has a word of the question, and returns how many of its parts say something else.
func (s amounts) explained(name string) (named bool, rest int) {
	for _, p := range partsOf(name) {
		switch {
		case slices.ContainsFunc(s.words, func(w Word) bool { return w.names(p) }):
			named = true
		case !s.measured.MatchString(p) && !isDefault.MatchString(p):
			rest++
		}
	}
	return named, rest
}

// explains reports whether the help text of a line has two words of the question, or the only one.
func (s amounts) explains(a *amount) bool {
	n := 0
	for _, w := range s.words {
		if a.helped(w.Re) {
			n++
		}
	}
	return n > 0 && n >= min(2, len(s.words))
}

// cost returns what speaks against a line by its form.
func (a *amount) cost() (cost float64) {
	if a.value == "1" && !a.declared {
		cost += startCost
	}
	if local.MatchString(a.text) {
		cost += localCost
	}
	if a.passed && !isDefault.MatchString(a.text) {
		cost += passedCost
	}
	return cost
}

// partsOf returns the words of a name in lower case. It splits maxclients as well.
func partsOf(name string) (parts []string) {
	var s textsearch.Splitter
	s.Split([]byte(name), func(part []byte) {
		p := string(part)
		for _, before := range []string{"max", "min", "num", "default"} {
			if rest := strings.TrimPrefix(p, before); rest != p && len(rest) > longestEnding {
				parts, p = append(parts, before), rest
			}
		}
		parts = append(parts, p)
	})
	return parts
}

const longestEnding = 3 // letters

const leastMisspelled = 6 // letters of a word that a part of a name may misspell, so that a side is no size

// names reports whether a part of a name is a form of the word, misspelled but for its last letter, and no longer word.
func (w Word) names(part string) bool {
	at := w.Re.FindStringIndex(part)
	if at == nil || at[0] > 0 {
		n := len(w.Text)
		return n >= leastMisspelled && strings.HasSuffix(part, w.Text[n-1:]) && docs.Alike(w.Text, part)
	}
	ending := longestEnding
	if at[1] <= longestEnding { // a table is no form of tab
		ending = 1
	}
	stem := w.Text[:max(0, len(w.Text)-longestEnding)]
	return len(part)-at[1] <= ending || len(stem) >= at[1] && strings.HasPrefix(part, stem)
}

// helped reports whether the help text of a line has a word.
func (a *amount) helped(re *regexp.Regexp) bool { return a.help != "" && re.MatchString(a.help) }
