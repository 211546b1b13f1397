package listing

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Question asks for a list.
type Question struct {
	group     group    // what is listed
	names     []string // what it may belong to, the likeliest first
	within    bool     // it asks for what a part of the project needs
	implement bool     // it asks what has to be implemented
	sure      int      // how many of these are written as names
	noun      string   // the word for what is listed
	alone     bool     // the question is nothing but that, so it is about the whole program
}

// A group is what a question asks to list.
type group int

const (
	anything   group = iota // what the question calls it may be in the code
	methods                 // of a type
	fields                  // of a type
	parameters              // of a function or a constructor
	values                  // of an enumeration, or constants
	bases                   // what a type extends
	variables               // of the environment
	flag                    // what one of the command line does
	flags                   // of the command line
	commands                // of the command line
	packages                // that the project needs
	events                  // that it emits
	endpoints               // of HTTP
	features                // that can be switched on when it is built or installed
)

// maxQuestion is the longest question for a list, in bytes. A longer one is a story.
const maxQuestion = 240

// Ask reports whether a question asks for a list. English translates what is listed.
func Ask(text string, english func(string) string) (q Question, ok bool) {
	if len(text) > maxQuestion || strings.Contains(text, "\n") || procedure.MatchString(text) {
		return q, false
	}
	if m := twoFlags.FindStringSubmatch(text); m != nil && differ.MatchString(text) {
		return Question{group: flag, names: m[1:], sure: len(m) - 1}, true
	}
	if m := aFlag.FindStringSubmatch(text); m != nil && strings.Count(text, " -") < 2 && !whichMay.MatchString(text) {
		return Question{group: flag, names: []string{m[1]}, sure: 1}, asksFlag.MatchString(text)
	}
	rest, whole := text, false
	ownList, programs := ownNoun.FindStringSubmatch(text), ofTheProgram.FindStringSubmatch(text)
	switch {
	case programs != nil:
		q.noun, rest, q.alone = programs[1], "", true
	case ownList != nil:
		q.noun, rest = ownList[2], ownList[1]
	case callsOn.MatchString(text):
		q.group, rest = methods, callsOn.ReplaceAllString(text, "")
	case extends.MatchString(text):
		q.group = bases
	case passes.MatchString(text):
		q.group = parameters
	case depends.MatchString(text):
		q.group = packages
		q.within = !itself.MatchString(depends.FindStringSubmatch(text)[1])
	case q.listed(text, &rest):
	case becomes.MatchString(text):
		q.group = values
	case whichMay.MatchString(text) && !asking.MatchString(text):
		q.noun, rest = whichMay.FindStringSubmatch(text)[1], ""
	case nounOnly.MatchString(text) && !maybeDone.MatchString(text):
		q.noun, rest = nounOnly.FindStringSubmatch(text)[1], ""
	default:
		if whole = holds.MatchString(text); !whole {
			return q, false
		}
	}
	if g, others := groupOf(q.noun); g != anything {
		q.group, rest = g, others+" "+rest
	}
	if isOptions.MatchString(q.noun) && (programs != nil || ofProgram.MatchString(text)) {
		q.group = flags
	}
	if programs != nil && strings.HasSuffix(strings.ToLower(q.noun), "commands") {
		q.group = commands
	}
	if q.group == variables {
		rest = reader.ReplaceAllString(rest, " ")
	}
	q.implement = implements.MatchString(text)
	q.names, q.sure = namesIn(rest)
	q.noun = english(q.noun)
	return q, q.group != anything || isPlural(q.noun) || whole && q.sure > 0
}

// Setting returns the name of the setting whose values a question asks for, "" if it names none, or something else.
func (q *Question) Setting() string {
	if q.group != values || q.sure != 1 || isType.MatchString(q.names[0]) {
		return ""
	}
	return q.names[0]
}

// NamesFlag reports whether a question names a flag of the command line.
func NamesFlag(text string) bool { return aFlag.MatchString(text) }

// listed finds the noun phrase for what is listed, and cuts it out of the question: that of a known group, if there are
// several.
func (q *Question) listed(text string, rest *string) bool {
	take := func(from, to int) {
		q.noun = strings.TrimSpace(text[from:to])
		*rest = text[:from] + " " + text[to:]
	}
	for _, at := range asks.FindAllStringIndex(text, -1) {
		m := phrase.FindStringSubmatchIndex(text[at[1]:])
		if m == nil {
			continue
		}
		noun, rest := text[at[1]+m[2]:at[1]+m[3]], text[at[1]+m[3]:]
		if limits.MatchString(rest) && !states.MatchString(rest) {
			continue
		}
		if g, _ := groupOf(noun); g != anything || q.noun == "" && isPlural(noun) {
			take(at[1]+m[2], at[1]+m[3])
			if g != anything {
				return true
			}
		}
	}
	if q.noun != "" {
		return true
	}
	if m := bare.FindStringSubmatchIndex(text); m != nil {
		if g, _ := groupOf(text[m[2]:m[3]]); g != anything {
			take(m[2], m[3])
			return true
		}
	}
	for _, chinese := range []*lazyregexp.Regexp{afterWhich, beforeWhich} {
		if m := chinese.FindStringSubmatchIndex(text); m != nil {
			take(m[2], m[3])
			return true
		}
	}
	return false
}

// groupOf returns the group of a noun phrase, and what else the phrase says.
func groupOf(noun string) (group, string) {
	for _, n := range nouns {
		if at := n.re.FindStringIndex(noun); at != nil {
			return n.group, noun[:at[0]]
		}
	}
	return anything, noun
}

// isPlural reports whether a noun phrase may be for several things.
func isPlural(noun string) bool {
	words := strings.Fields(strings.ToLower(noun))
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return !small[last] && singular(last) != last || han.MatchString(last)
}

// maxNames is how many words of a question are looked up as names.
const maxNames = 6

// namesIn returns the words that may be names: those that are written as code first, and those beside a word for a
// type. Of these it returns how many there are.
func namesIn(text string) (all []string, sure int) {
	type candidate struct {
		name string
		rank int
	}
	var found []candidate
	words := word.FindAllString(text, -1)
	for i, w := range words {
		name := strings.TrimRight(strings.TrimSuffix(strings.Trim(w, "`\"'"), "'s"), ".:'-")
		near := i+1 < len(words) && aType.MatchString(words[i+1]) || i > 0 && aType.MatchString(words[i-1])
		low := strings.ToLower(name)
		switch {
		case aType.MatchString(name) || small[low] || len(name) < 2 || strings.Contains(name, "/"):
		case strings.HasPrefix(w, "`") || code.MatchString(name):
			found = append(found, candidate{name, 0})
		case near:
			found = append(found, candidate{name, 1})
		case name != low:
			found = append(found, candidate{name, 2})
		default:
			found = append(found, candidate{name, 3})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.rank - b.rank })
	for _, c := range found {
		if !slices.Contains(all, c.name) && len(all) < maxNames {
			all = append(all, c.name)
			if c.rank < 3 {
				sure++
			}
		}
	}
	return all, sure
}

// small are words that are not looked up as names.
var small = set(`why other its werden wird a all am an and any are as at be been by can could do does did else exist
	for from gets give get had has have hey hi how i if in inherit inherits is it its just know list
	like may me might must my name no not of on one or our out pass please possible public private set
	should so some take takes tell than that the their them then there they thing this to too understand
	us use used uses using valid want was we what when where which will with would you your accept
	accepts expect expects support supports supported extend extends derive derives class constructor
	values define defined available allowed enum hat haben kann ist sind gibt es der die das den dem ein
	eine von im in am für und ich man welche was erbt wovon here okay ok`)

func set(list string) map[string]bool {
	all := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}
