package stated

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
)

// Replaces reports whether a statement gives another value for what an older one says, so that only the newer one
// holds: it [Updates] the older one, or has a word that excludes one of its words.
func Replaces(now, before string) bool {
	newer, older := said.Read(now, false), said.Read(before, false)
	relation := newer.Compare(&older)
	return relation == said.Replacing || relation == said.Unrelated && excludes(now, before) && newer.MayReplace(&older)
}

// Updates reports whether a statement gives another value for what an older one says, so that only the newer one holds.
// The digest of a window decides the same way.
func Updates(now, before string) bool {
	newer, older := said.Read(now, false), said.Read(before, false)
	return newer.Compare(&older) == said.Replacing
}

// Beside reports whether a statement gives another value for what an older one says, and both can hold.
func Beside(now, before string) bool {
	newer, older := said.Read(now, false), said.Read(before, false)
	return newer.Compare(&older) == said.Beside
}

// Names reports whether a statement names all that an older one names, numbers included. Two that look alike otherwise
// say about different things what they say.
func Names(now, before string) bool {
	newer, older := said.Read(now, false), said.Read(before, false)
	return newer.Names(&older)
}

// excludes reports whether a statement has another word than an older one where only one can hold, as Thursday for
// Tuesday, and what is left of one statement is part of what is left of the other. Another number may name another
// thing.
func excludes(now, before string) bool {
	values, rest := book().read(now)
	older, left := book().read(before)
	differs := false
	for class, v := range values {
		if o, ok := older[class]; ok && o != v {
			if class == numbers {
				return false
			}
			differs = true
		}
	}
	if !differs {
		return false
	}
	if len(rest) > len(left) {
		rest, left = left, rest
	}
	for word := range rest {
		if !left[word] {
			return false
		}
	}
	return (len(rest) > 0 || len(left) == 0) && len(left)-len(rest) <= mostExtra
}

// Beyond returns how many words of a statement that say something, values aside, a text does not have.
func Beyond(statement, text string) (n int) {
	_, rest := book().read(statement)
	_, in := book().read(text)
	for word := range rest {
		if !in[word] {
			n++
		}
	}
	return n
}

// Moves reports whether a sentence of a statement moves what an older one says to another day of the week ("we moved
// the Brightwater demo to Friday"): both have at least two other words.
func Moves(now, before string) bool {
	older, left := book().read(before)
	day := book().value["monday"].class
	return slices.ContainsFunc(speech.Sentences(now), func(sentence string) bool {
		m := toDay.FindStringSubmatch(strings.ToLower(sentence))
		if m == nil || book().value[m[1]].class != day || !Changes(sentence) {
			return false
		}
		values, rest := book().read(sentence)
		common := 0
		for word := range rest {
			if left[word] {
				common++
			}
		}
		return common >= leastCommon && older[day] != "" && older[day] != values[day]
	})
}

// toDay matches the day that something is moved to.
var toDay = regexp.MustCompile(`(?:^|\s)(?:to|until|auf|bis)\s(?:(?:next|this|the|den|nächsten|diesen)\s)?(\pL+)`)

// leastCommon is how many words two statements about one thing share.
const leastCommon = 2

// mostExtra is how many words one of two statements about the same may have more than the other.
const mostExtra = 2

// token matches a word, or one sign of a script without spaces.
var token = regexp.MustCompile(`\p{Han}|[\pL\pN]+`)

// numbers is the class of numbers.
const numbers = 0

// read returns the values in a statement, by their class, and its other words that say something.
func (b *ruleBook) read(text string) (values map[int]string, rest map[string]bool) {
	text = strings.ToLower(text)
	values, rest = make(map[int]string), make(map[string]bool)
	add := func(v value) {
		if name := fmt.Sprint(v.number, " "); !strings.Contains(values[v.class], name) {
			values[v.class] += name
		}
	}
	if hasHan(text) {
		for _, word := range b.hanValues {
			if strings.Contains(text, word) {
				add(b.value[word])
				text = strings.ReplaceAll(text, word, " ")
			}
		}
	}
	for _, word := range token.FindAllString(text, -1) {
		v, ok := b.value[word]
		switch {
		case ok:
			add(v)
		case word[0] >= '0' && word[0] <= '9':
			values[numbers] += " " + word
		case !b.empty[word]:
			rest[word] = true
		}
	}
	return values, rest
}

// withValue returns a statement with another value of the same class, as Friday for Tuesday, if a text has nothing but
// that value and the statement has one of that class; and otherwise as it is.
func (b *ruleBook) withValue(statement, text string) string {
	values, rest := b.read(text)
	if len(values) != 1 || len(rest) > 0 {
		return statement
	}
	for class := range values {
		old, now := b.valuesOf(statement, class), b.valuesOf(text, class)
		if len(old) == 1 && len(now) == 1 {
			statement = strings.Replace(statement, old[0], now[0], 1)
		}
	}
	return statement
}

// valuesOf returns the words of a text that are values of a class, as they are written.
func (b *ruleBook) valuesOf(text string, class int) (all []string) {
	for _, word := range b.hanValues {
		if b.value[word].class == class && strings.Contains(text, word) {
			all = append(all, word)
		}
	}
	for _, word := range token.FindAllString(text, -1) {
		if v, ok := b.value[strings.ToLower(word)]; ok && v.class == class && !hasHan(word) ||
			class == numbers && word[0] >= '0' && word[0] <= '9' {
			all = append(all, word)
		}
	}
	return all
}

// SameWords reports whether two statements have the same words that say something, and the same values.
func SameWords(now, before string) bool {
	values, rest := book().read(now)
	older, left := book().read(before)
	return maps.Equal(values, older) && maps.Equal(rest, left)
}

// Supersedes reports whether a statement takes the place of an older one: it [Refills] a slot, or it [Replaces] a
// value.
func Supersedes(now, before string) bool {
	return Refills(Slots(now), now, before) || Replaces(now, before)
}

// Refills reports whether a statement with these slots fills one of an older statement with another value. A
// statement about a change need not name the thing: "the deadline moved to Monday" fills the slot of any deadline.
func Refills(slots map[string]string, now, before string) bool {
	if len(slots) == 0 {
		return false
	}
	for name, value := range Slots(before) {
		filled, ok := slots[name]
		if bare, _, of := strings.Cut(name, " "); !ok && of && Changes(now) {
			filled, ok = slots[bare]
		}
		if ok && filled != value {
			return true
		}
	}
	return false
}

// Changes reports whether a statement speaks of a change.
func Changes(text string) bool { return speech.HasAny(text, changeWords) }

var changeWords = []string{
	"no longer", "not anymore", "anymore", "instead of", "switched", "switching", "changed", "moved", "now use",
	"now live", "now work", "replaced", "migrated", "pushed", "postponed", "nicht mehr", "umgestiegen", "verschoben",
	"gewechselt", "stattdessen",
	"不再", "改成", "改用", "改到", "换成", "换到", "搬到", "改为", "现在用", "迁移到", "推迟到", "提前到",
}
