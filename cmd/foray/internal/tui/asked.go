package tui

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/forayhq/foray/internal/line"
)

// A shownLine is a line of a call's arguments: removed by it, added by it, or neither.
type shownLine struct {
	sign rune // '-', '+' or ' '
	text string
}

// A field is a member of a call's arguments.
type field struct {
	name  string
	value json.RawMessage
	text  string // of a string
}

// The names that tools give to the text that a call replaces and to the new one, in pairs, and to a diff.
var (
	replacements = [][2]string{{"old_string", "new_string"}, {"old_text", "new_text"}, {"old_str", "new_str"}}
	diffs        = []string{"diff", "patch"}
)

// contextLines is how many lines around a replacement that stay as they are show where it is.
const contextLines = 3

// asked writes the arguments of a call for the person who decides about it: what it replaces as a diff, and texts of
// several lines as they are.
func asked(args json.RawMessage) []shownLine {
	fields, ok := fieldsOf(args)
	if !ok || len(fields) == 0 {
		return plainLines("", arguments(args))
	}
	var lines []shownLine
	for _, f := range fields {
		name := line.Flat(clean(f.name))
		switch before, after, role := replaced(fields, f.name); {
		case role == 0:
			lines = append(append(lines, shownLine{' ', name + " becomes"}), difference(before, after)...)
		case role == 1: // it is shown with the old text
		case slices.Contains(diffs, f.name) && f.text != "":
			lines = append(lines, shownLine{' ', name + ":"})
			for _, l := range plainLines("", clean(f.text)) {
				if l.text != "" && (l.text[0] == '-' || l.text[0] == '+') {
					l.sign, l.text = rune(l.text[0]), l.text[1:]
				}
				lines = append(lines, l)
			}
		case strings.Contains(strings.TrimRight(f.text, "\n"), "\n"):
			lines = append(append(lines, shownLine{' ', name + ":"}), plainLines("  ", clean(f.text))...)
		default:
			lines = append(lines, plainLines("", name+": "+arguments(f.value))...)
		}
	}
	return lines
}

// fieldsOf returns the members of an object in their order, and whether all of it could be read.
func fieldsOf(args json.RawMessage) (all []field, ok bool) {
	d := json.NewDecoder(bytes.NewReader(args))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		f := field{}
		if f.name, ok = name.(string); err != nil || !ok || d.Decode(&f.value) != nil {
			return nil, false
		}
		_ = json.Unmarshal(f.value, &f.text) // fails unless it is a string
		all = append(all, f)
	}
	_, err := d.Token()
	return all, err == nil && !d.More()
}

// replaced returns the two texts of a replacement and which of them has the name, or -1. A name that occurs twice
// gets -1, so that both its values are shown.
func replaced(fields []field, name string) (before, after string, role int) {
	for _, pair := range replacements {
		if role = slices.Index(pair[:], name); role < 0 {
			continue
		}
		var texts [2]string
		for i, of := range pair {
			var found []field
			for _, f := range fields {
				if f.name == of && bytes.HasPrefix(f.value, []byte(`"`)) {
					found = append(found, f)
				}
			}
			if len(found) != 1 {
				return "", "", -1
			}
			texts[i] = found[0].text
		}
		return texts[0], texts[1], role
	}
	return "", "", -1
}

// difference shows what becomes of a text, with some of the lines around that stay.
func difference(before, after string) []shownLine {
	was, is := strings.Split(clean(before), "\n"), strings.Split(clean(after), "\n")
	head, tail := 0, 0
	for head < min(len(was), len(is)) && was[head] == is[head] {
		head++
	}
	for tail < min(len(was), len(is))-head && was[len(was)-1-tail] == is[len(is)-1-tail] {
		tail++
	}
	var lines []shownLine
	add := func(sign rune, texts []string) {
		for _, t := range texts {
			lines = append(lines, shownLine{sign, t})
		}
	}
	add(' ', was[max(head-contextLines, 0):head])
	add('-', was[head:len(was)-tail])
	add('+', is[head:len(is)-tail])
	add(' ', was[len(was)-tail:][:min(tail, contextLines)])
	return lines
}

func plainLines(indent, text string) []shownLine {
	var lines []shownLine
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, shownLine{' ', indent + l})
	}
	return lines
}

// draw returns the line for a width.
func (l shownLine) draw(t *theme, width int) []string {
	ink := map[rune]lipgloss.Style{'-': t.bad, '+': t.good, ' ': t.plainText}[l.sign]
	return styled(ink.Render, indented(Wrap(l.text, width-2), string(l.sign)+" "))
}
