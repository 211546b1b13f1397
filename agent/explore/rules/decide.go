package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
)

// decisions are forms of lines by how much they say about what happens: most a condition, a loop or an outcome, least a
// parameter and the head of a function. The first form that matches a line counts; any other line has plainLine.
var decisions = []struct {
	weight float64
	re     *lazyregexp.Regexp
}{
	{.2, lazyregexp.New(`^\s*[)\]]|^\s*(?:[\w*&]+\s+)*[\w*&]+\s*(?::\s*[^=:]+)?,$|` +
		`^\s*(?:import|from|use|#include)\b`)},
	{.2, lazyregexp.New(`^\s*(?:return\s+|[\w.]+\s*:?=\s*)?(?:async\s+)?(?:func|function|fn|fun|def|lambda)\b[^;]*[{:]\s*$|` +
		`(?:=|return|\(|,)\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>\s*\{?\s*$`)}, // opens a function
	{.4, lazyregexp.New(`^\s*\}?\s*(?:else\s+)?(?:if|elif|while)\b.{0,40}(?:` +
		`[!=]==?\s*(?:nil|null|None|0|""|'')|\bis (?:not )?None|[<>]=?\s*0\b)`)},
	{dullLine, lazyregexp.New(`(?i)^\s*(?:\w+\.)*(?:log\w*|print\w*|console|debug|trace\w*)\b.*\(`)},
	{dullLine, lazyregexp.New(`^\s*return\b(?:.*,)?\s*(?:\w+\.)*(?:err|\w+(?:Err|_err))\s*;?\s*(?://.*)?$`)},
	{dullLine, lazyregexp.New(`\bNotImplemented\w*|\b(?:unimplemented|todo)!|(?i:\b(?:un)?lock\(\)\s*;?\s*$)`)},
	{1, lazyregexp.New(`^\s*\}?\s*(?:(?:else\s+)?if|elif|elsif|switch|match|while|for|foreach|unless|case|when|until|` +
		`return|raise|throw|panic|yield|except|catch|rescue)\b|\b(?:bail|panic|ensure)!`)},
	{.1, lazyregexp.New(`^\s*(?:[\w'’/-]+,?\s){4,}[\w'’/-]+[.,]?\s*(?:[\w'’/,-]+\s*)*\.?,?$`)}, // prose
}

const (
	plainLine = .6
	dullLine  = .3 // logs, passes an error on, is not implemented, or locks
)

// decides returns how much a line says about what happens, from 0 to 1.
func decides(text string) float64 {
	for _, d := range decisions {
		if d.re.MatchString(text) {
			return d.weight
		}
	}
	return plainLine
}

// A failing line says how something goes wrong, which is the answer to what happens but not to how something is done.
var failing = lazyregexp.New(`(?i)^\s*(?:raise|throw|panic|die|abort|croak)\b|\b(?:bail|panic|ensure|anyhow)!|` +
	`^\s*return\b.*\b(?:err|errors?\.\w+|\w*errorf?)\b`)

// nothing matches the words for a missing value.
var nothing = lazyregexp.New(`(?i)\b(?:null|nil|none|undefined|empty)\b`)

// failingShare is the share of a failing line, and of a word in a string, in the answer to how something is done.
const failingShare = .4

// decides returns how much a line says about what is asked, from 0 to 1.
func (q *question) decides(text string) float64 {
	if nothing.MatchString(text) && nothing.MatchString(q.text) {
		return 1 // what is a guard for other questions
	}
	if q.how && failing.MatchString(text) {
		return failingShare * decides(text)
	}
	return decides(text)
}

// inStrings matches what a line quotes.
var inStrings = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// returns matches the word that only ends a function, in a line that returns something.
var returns = lazyregexp.New(`^\s*(?:return|yield)\s+`)

// lineWorth returns the worth of the words of the question in a line.
func (r *links) lineWorth(text string) float64 {
	text = returns.ReplaceAllString(text, "")
	worth := r.nameWorth(text)
	if r.q.how && worth > 0 {
		worth += (failingShare - 1) * (worth - r.nameWorth(inStrings.ReplaceAllString(text, "")))
	}
	return worth
}

// printers are methods that only write what a value is.
var printers = set(`String GoString Format MarshalJSON MarshalText UnmarshalJSON __repr__ __str__ toString inspect
to_s fmt Debug Display describe hashCode equals __eq__ __hash__ LogValue`)

// Shares of the evidence that a block answers a question. They were set by hand on twenty
// questions about eight projects.
const (
	rankShare    = 1.2 // its rank, against the best
	proofShare   = 1.0 // the words of the question in its name, documentation and lines
	nameShare    = .3  // the part of its name that the question has
	decidesShare = .6  // its lines that decide, by the words of the question in them
	printerShare = .3  // factor of a method that prints
	classShare   = .9  // factor of a class, whose lines are those of its methods
	holderShare  = .6  // factor of any other type and of a constant
	tinyShare    = .7  // factor of a definition of one line; a definition of fullLines lines has 1
	fullLines    = 14

	contending = .5 // least share of the best rank
)

// errorType matches the name of a type of errors.
var errorType = lazyregexp.New(`(?:Error|Exception)$`)

// wordsError reports whether a block only says what an error reads, and not when it comes: it is a method of a type of
// errors that the question does not name.
func (q *question) wordsError(b *block) bool {
	owner := ownerOf(b.Name)
	return errorType.MatchString(owner) &&
		!slices.ContainsFunc(q.idents, func(id ident) bool { return id.last == owner })
}

// whatHappens matches a question for the effect of something.
var whatHappens = lazyregexp.New(`(?i)\bwhat (?:happens|does it do|will happen)\b|\bwas (?:passiert|geschieht)\b|` +
	`会(?:发生|怎)`)

// effect returns the first function that uses the name of a question for what happens with it, if what ranks before
// only words an error about it; or nil.
func (r *links) effect(blocks []*block) *block {
	if len(blocks) == 0 || !r.q.wordsError(blocks[0]) || !whatHappens.MatchString(r.q.text) {
		return nil
	}
	for _, b := range blocks {
		if b.uses != "" && (b.Kind == "func" || b.Kind == "method") && b.factor == 1 && !r.q.wordsError(b) {
			return b
		}
	}
	return nil
}

// howTo matches a question about what the user has to do, which is not about what the code does.
var howTo = lazyregexp.New(`(?i)\bhow (?:to|(?:do|can|could|should|would|must) (?:i|we|you|one))\b|` +
	`\bwie (?:\pL+ )(?:ich|man|wir)\b`)

// decider returns the block whose lines say most about what happens, or nil without a block in code. The first sentence
// of an answer quotes it, and it is the first place.
func (r *links) decider() *block {
	var best *block
	most := 0.0
	if len(r.best) == 0 || r.q.issue || len(r.q.idents) > 0 || howTo.MatchString(r.q.text) {
		return nil
	}
	worths, whole := r.worths()
	for _, b := range r.pick(maxPlaces) {
		if b.factor < 1 || b.Name == "" || b.rank < contending*r.best[0].rank || testName.MatchString(b.Name) {
			continue
		}
		value := rankShare*b.rank/r.best[0].rank + proofShare*b.proof + nameShare*b.density(r.q) +
			decidesShare*r.decided(b, worths)/max(whole, 1e-9)
		value *= min(1, tinyShare+(1-tinyShare)*float64(b.End-b.Start)/fullLines)
		switch {
		case printers[lastPart(b.Name)], r.q.wordsError(b):
			value *= printerShare
		case b.Kind == "class":
			value *= classShare
		case b.Kind != "func" && b.Kind != "method":
			value *= holderShare
		}
		if value > most {
			best, most = b, value
		}
	}
	return best
}

// decided sums up, for each word of the question, how much the best line of a block with the word decides.
func (r *links) decided(b *block, worths []float64) (sum float64) {
	f := r.e.files[b.Path]
	for i, w := range r.q.words {
		most := 0.0
		for _, n := range b.lines {
			if text := f.hits[n].Text; n > b.Start && !comments.Is(text) && w.in(text) {
				most = max(most, r.q.decides(text))
			}
		}
		sum += most * worths[i]
	}
	return sum
}

// withDecider puts the block that decides in front of the others.
func (r *links) withDecider(blocks []*block) []*block {
	d := cmp.Or(r.decider(), r.effect(blocks))
	if d == nil {
		return blocks
	}
	return append([]*block{d}, slices.DeleteFunc(slices.Clone(blocks), func(b *block) bool { return b == d })...)
}

// memberPattern matches a name in code, with the member of it that is used.
var memberPattern = lazyregexp.New(`([A-Za-z_$][\w$]*)(?:(?:\.|::|->)(\w+))?(\s*\()?`)

// notValue matches a line that gives a name a function or a module.
var notValue = lazyregexp.New(`\brequire\b|\bimport\b|=>|\bfunction\b`)

// constants returns the constants of its file that a line of a block names, with the members that it uses.
func (r *prose) constants(b *block, text string) (all []symbol, members []string) {
	for _, m := range memberPattern.FindAllStringSubmatch(inStrings.ReplaceAllString(text, ""), -1) {
		for _, s := range r.defs(m[1]) {
			constant := m[3] == "" && (s.Kind == "const" || s.Kind == "macro")
			outside := s.Path == b.Path && (s.End < b.Start || b.End < s.Start)
			if constant && outside && s.End-s.Start < blockLines {
				all, members = append(all, s), append(members, m[2])
			}
		}
	}
	return all, members
}

// valueIn returns the line that gives the first constant in a line of a block its value, or its member if the line uses
// that; 0 without one.
func (r *prose) valueIn(b *block, text string) (name string, at int, value string) {
	all, members := r.constants(b, text)
	for i, s := range all {
		for n := s.Start; n <= s.End; n++ {
			value, _ := r.e.line(s.Path, n)
			switch {
			case notValue.MatchString(value):
			case members[i] == "" && n == s.Start && s.Start == s.End:
				return s.Name, n, value
			case members[i] != "" && givesValue(value, members[i]):
				return s.Name + "." + members[i], n, value
			}
		}
	}
	return "", 0, ""
}

// givesValue reports whether a line gives a name a value.
func givesValue(text, name string) bool {
	before, after, ok := strings.Cut(text, name)
	after = strings.TrimLeft(after, `"' `)
	return ok && strings.Trim(before, ` "'.`+"\t") == "" &&
		(strings.HasPrefix(after, ":") || strings.HasPrefix(after, "="))
}

// ofConstant returns the line of a block whose constant says more: the one that the answer quotes, or else any of a
// short block, which is shown whole.
func ofConstant(r *prose, b *block, quoted string) string {
	if all, _ := r.constants(b, quoted); len(all) > 0 || b.End-b.Start >= shownWhole {
		return quoted
	}
	for _, l := range r.code(b) {
		if all, _ := r.constants(b, l.Text); len(all) > 0 {
			return l.Text
		}
	}
	return quoted
}

const shownWhole = 12 // lines of a block

// readConstant reads the first constant in a line of a block.
func (r *prose) readConstant(b *block) []rulemodel.Call {
	_, text := r.keyLine(b)
	all, _ := r.constants(b, ofConstant(r, b, text))
	if len(all) == 0 {
		return nil
	}
	args := map[string]any{"path": b.Path, "start_line": all[0].Start, "end_line": all[0].End}
	return []rulemodel.Call{rulemodel.Ask("read_file", args, "the value of "+all[0].Name)}
}
