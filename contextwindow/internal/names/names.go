// Package names numbers the identifiers in the texts of a window, so that each text is scanned once, and counts where
// they occur. Start with [Table.Lines].
package names

import (
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/identifier"
)

// A Table knows the identifiers of a window by number. The zero value is empty. One goroutine may use it at a time.
type Table struct {
	words identifier.Vocabulary
	known []known // by number
	text  int32   // the text that is being scanned
	lines []identifier.Line
	names []int32

	plain identifier.Vocabulary // any words, not only identifiers
	in    []int32               // kept for its memory
}

// A known identifier.
type known struct {
	shown   int32 // texts of the view that hold it
	scanned int32 // the last text in which it was found
	unit    int32 // the last unit that was counted
	units   uint8 // in how many units it occurs, up to mostWeight
	written bool  // the agent wrote it in arguments
}

// Names returns the identifiers of a text, each once and in the order of their first occurrence.
func (t *Table) Names(text string) []int32 {
	t.begin()
	for name := range identifier.All(text) {
		t.add(t.words.Number(name))
	}
	return t.end()
}

func (t *Table) begin() { t.names, t.text = t.names[:0], t.text+1 }

// add adds an identifier to the names of the text that is being scanned.
func (t *Table) add(number int32) {
	if n := t.words.Len(); n > len(t.known) {
		t.known = append(t.known, make([]known, max(n, 2*len(t.known))-len(t.known))...)
	}
	if k := &t.known[number]; k.scanned != t.text {
		k.scanned = t.text
		t.names = append(t.names, number)
	}
}

func (t *Table) end() []int32 { return append(make([]int32, 0, len(t.names)), t.names...) }

// Lines are the lines of a text that are not blank.
type Lines struct {
	Names   []identifier.Line
	Texts   []string // without white space around them
	Indexes []int32  // in the text, from 0
}

// Lines returns the lines of a text and, as [Table.Names] does, its identifiers.
func (t *Table) Lines(text string) (Lines, []int32) {
	t.lines, t.names = t.lines[:0], t.names[:0]
	n := strings.Count(text, "\n") + 1
	x := Lines{Texts: make([]string, 0, n), Indexes: make([]int32, 0, n)}
	index := int32(-1)
	for line := range strings.SplitSeq(text, "\n") {
		index++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var l identifier.Line
		l, t.names = t.words.Line(line, t.names)
		t.lines = append(t.lines, l)
		x.Texts, x.Indexes = append(x.Texts, line), append(x.Indexes, index)
	}
	all := make([]int32, 0, len(t.names))
	x.Names = append(make([]identifier.Line, 0, len(t.lines)), t.lines...)
	for i := range x.Names {
		from := len(all)
		all = append(all, x.Names[i].Names...)
		x.Names[i].Names = all[from:len(all):len(all)]
	}
	t.begin()
	for _, number := range all {
		t.add(number)
	}
	return x, t.end()
}

// wordLetters is the least length of a word that can set a line apart, in letters.
const wordLetters = 3

// Words are the words of lines by number.
type Words struct {
	numbers []int32
	ends    []int // of lines, in numbers
}

// Words returns the words of lines. Words are letters only, since numbers nearly always differ.
func (t *Table) Words(lines []string) Words {
	t.begin()
	ends := make([]int, 0, len(lines))
	for _, line := range lines {
		start, letters := 0, 0
		for i, r := range line {
			switch {
			case !unicode.IsLetter(r):
				t.addWord(line[start:i], letters)
				letters = 0
			case letters == 0:
				start, letters = i, 1
			default:
				letters++
			}
		}
		t.addWord(line[start:], letters)
		ends = append(ends, len(t.names))
	}
	return Words{t.end(), ends}
}

// addWord adds a word to those that are being collected, unless it is short.
func (t *Table) addWord(word string, letters int) {
	if letters < wordLetters {
		return
	}
	number, met := t.plain.Find(word)
	if !met {
		number = t.plain.Number(strings.Clone(word)) // a part of the line would keep its text in memory
	}
	t.names = append(t.names, number)
}

// Unlike returns for each text the line with the most words that no other text has, the last of equal ones, or -1: what
// sets one of many similar results apart, such as the verdict of a check.
func (t *Table) Unlike(texts []Words) []int {
	const none, many = 0, -1
	t.in = append(t.in[:0], make([]int32, t.plain.Len())...) // by word: 1 + the text that has it, or many
	for i, text := range texts {
		for _, n := range text.numbers {
			switch t.in[n] {
			case none:
				t.in[n] = int32(i + 1)
			case int32(i + 1):
			default:
				t.in[n] = many
			}
		}
	}
	chosen := make([]int, len(texts))
	for i, text := range texts {
		chosen[i] = -1
		most, from := 1, 0
		for k, end := range text.ends {
			own := 0
			for _, n := range text.numbers[from:end] {
				if t.in[n] == int32(i+1) {
					own++
				}
			}
			if from = end; own >= most {
				chosen[i], most = k, own
			}
		}
	}
	return chosen
}

// Only returns the lines with the given indexes, which are ascending.
func (x Lines) Only(indexes []int) Lines {
	var some Lines
	for i, index := range x.Indexes {
		for len(indexes) > 0 && indexes[0] < int(index) {
			indexes = indexes[1:]
		}
		if len(indexes) > 0 && indexes[0] == int(index) {
			some.Names, some.Texts = append(some.Names, x.Names[i]), append(some.Texts, x.Texts[i])
			some.Indexes = append(some.Indexes, index)
		}
	}
	return some
}

// Show counts n texts more or fewer that show identifiers. Each identifier occurs once in names.
func (t *Table) Show(names []int32, n int32) {
	for _, number := range names {
		t.known[number].shown += n
	}
}

// Shown reports whether a text of the view shows an identifier.
func (t *Table) Shown(number int32) bool { return t.known[number].shown > 0 }

// Visible is [Table.Shown] for any identifier.
func (t *Table) Visible(name string) bool {
	number, met := t.words.Find(name)
	return met && t.Shown(number)
}

// Name returns an identifier.
func (t *Table) Name(number int32) string { return t.words.Name(number) }

// Cover is [identifier.Vocabulary.Cover] for lines of the table.
func (t *Table) Cover(texts [][]identifier.Line, weigh func(int32) int, fits func(text, line int) bool) {
	t.words.Cover(texts, weigh, fits)
}

// The weight of an identifier grows with the units it occurs in, up to mostWeight. One that the agent wrote weighs
// writtenWeight more.
const (
	mostWeight    = 4
	writtenWeight = 2
)

// Count counts identifiers in a unit; the numbers of units ascend from 1. Written ones are in the arguments of calls.
func (t *Table) Count(unit int, names []int32, written bool) {
	for _, number := range names {
		k := &t.known[number]
		if k.written = k.written || written; k.unit != int32(unit) {
			k.unit, k.units = int32(unit), min(k.units+1, mostWeight)
		}
	}
}

// Weight returns what showing an identifier is worth: 0 for a visible one, more for one that occurs often or that a
// call needed, since that is likely to be needed again.
func (t *Table) Weight(number int32) int {
	k := &t.known[number]
	if k.shown > 0 {
		return 0
	}
	weight := max(int(k.units), 1)
	if k.written {
		weight += writtenWeight
	}
	return weight
}
