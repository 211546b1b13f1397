package asked

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Message is a message, taken apart.
type Message struct {
	Title    string   // its first line, or what asks first
	Question string   // what asks first; the whole message if it is not taken apart
	Others   []string // what else asks, in order
	Rest     string   // what does not ask, in order; "": everything asks, or the message is not taken apart
	Points   bool     // one of the questions points at the rest, as "what does this mean?" does
}

// Bounds of what is read.
const (
	mostSaid    = 200    // bytes that a message says beside its question; one that says more is a report
	mostAsked   = 400    // bytes of a sentence that asks
	wrapped     = 50     // bytes from which a line may be wrapped, so that its sentence continues on the next
	readAtEnds  = 10_000 // bytes at each end of a message in which a question is looked for
	leastAsked  = 3      // words of a question without a mark
	leastTitle  = 3      // words of a title
	leastWords  = 4      // words of another sentence
	mostSeveral = 10     // questions of a message without anything else
	titleWords  = .6     // least share of the words of a title that are no names or values
	plainWords  = .7     // the same of a sentence
)

// Read takes a message apart.
func Read(text string) Message {
	text = strings.TrimSpace(text)
	lines := strings.Split(text, "\n")
	whole := Message{Title: lines[0], Question: text}
	if all := several(lines); len(all) > 1 {
		return Message{Title: all[0], Question: all[0], Others: all[1:]}
	}
	if len(lines) == 1 {
		return inline(whole)
	}
	var questions, rest []string
	kinds, said := kindsOf(lines), 0
	for i, end := 0, 0; i < len(lines); i = end {
		end = i + 1
		if kinds[i] != spoken {
			rest = append(rest, lines[i])
			continue
		}
		for end < len(lines) && kinds[end] == spoken {
			end++
		}
		free := i == 0 || end == len(lines) || kinds[i-1].parts() && kinds[end].parts()
		said += len(strings.Join(lines[i:end], " "))
		if !free {
			rest = append(rest, lines[i:end]...)
			continue
		}
		for _, paragraph := range unwrapped(lines[i:end]) {
			question, others := split(paragraph)
			if question != "" {
				questions = append(questions, question)
			}
			if others != "" {
				rest = append(rest, others)
			}
			said -= len(question)
		}
	}
	m := Message{Rest: strings.TrimSpace(strings.Join(rest, "\n"))}
	if len(questions) == 0 || m.Rest == "" || said > mostSaid || slices.Contains(kinds, headline) ||
		isTitle(lines[0]) && (said > len(lines[0]) || !slices.ContainsFunc(sentences(questions[0]), opens)) {
		return whole
	}
	m.Title, m.Question, m.Others = questions[0], questions[0], questions[1:]
	m.Points = slices.ContainsFunc(questions, points)
	return m
}

// inline takes a message of one line apart if its first or last sentence points at the others.
func inline(m Message) Message {
	isBoth := func(s string) bool { return asks(s) && points(s) }
	if at := strings.IndexAny(m.Title, ":：?？"); at > 0 {
		_, size := utf8.DecodeRuneInString(m.Title[at:])
		first, rest := strings.TrimRight(m.Title[:at+size], ":："), strings.TrimSpace(m.Title[at+size:])
		if rest != "" && isBoth(first) {
			return Message{Title: m.Title, Question: first, Rest: rest, Points: true}
		}
	}
	all := sentences(m.Title)
	if last := len(all) - 1; last > 0 && isBoth(all[last]) {
		return Message{Title: m.Title, Question: all[last], Rest: strings.Join(all[:last], " "), Points: true}
	}
	return m
}

// several returns the questions of a message that asks several and says nothing else, or nil: each can be understood
// without the one before it.
func several(lines []string) (all []string) {
	if len(lines) > 2*mostSeveral { // with blank lines between them
		return nil
	}
	paragraphs := unwrapped(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.TrimSpace(l) == "" }))
	for _, paragraph := range paragraphs {
		for _, s := range sentences(marker.ReplaceAllString(paragraph, "")) {
			if s = label.ReplaceAllString(s, ""); !asks(s) || leaning.MatchString(s) ||
				len(strings.Fields(s)) < leastAsked && !mostlyHan(s) || len(all) == mostSeveral {
				return nil
			}
			all = append(all, s)
		}
	}
	return all
}

// A kind is what a line is.
type kind int

const (
	pasted kind = iota
	spoken
	blank
	fence
	headline
)

// parts reports whether a line parts what is said from what is pasted.
func (k kind) parts() bool { return k == blank || k == fence }

// kindsOf returns the kind of each line. What is in a fence, indented, or far from both ends of the message is pasted.
func kindsOf(lines []string) []kind {
	kinds := make([]kind, len(lines))
	read, whole := 0, len(strings.Join(lines, "\n"))
	open, opened := "", 0
	for i, l := range lines {
		bare := strings.TrimSpace(l)
		mark := fenceMark.FindString(bare)
		switch {
		case bare == "":
			kinds[i] = blank
		case open == "" && mark != "":
			kinds[i], open, opened = fence, mark, i
		case open != "" && strings.HasPrefix(bare, open):
			kinds[i], open = fence, ""
		case open != "", strings.HasPrefix(l, "    "), strings.HasPrefix(l, "\t"),
			read > readAtEnds && read < whole-readAtEnds:
		case heading.MatchString(bare):
			kinds[i] = headline
		case reads(bare) && !prefixed.MatchString(bare), slices.ContainsFunc(sentences(bare), asks):
			kinds[i] = spoken
		}
		read += len(l) + 1
	}
	if open != "" { // never closed: it says nothing
		copy(kinds[opened+1:], kindsOf(lines[opened+1:]))
	}
	return kinds
}

// unwrapped joins lines that are long enough to be wrapped with the next, unless only that one asks.
func unwrapped(lines []string) (all []string) {
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if n := len(all) - 1; n >= 0 && len(lines[i-1]) >= wrapped && (asks(all[n]) || !asks(l)) {
			all[n] += " " + l
		} else {
			all = append(all, l)
		}
	}
	return all
}

// split returns the sentences of a text that ask, and the others. One of a single word asks for what was said before.
func split(text string) (question, others string) {
	var questions, rest []string
	for _, s := range sentences(text) {
		if n := len(rest); asks(s) && n > 0 && len(strings.Fields(s)) == 1 && !mostlyHan(s) {
			questions, rest = append(questions, rest[n-1], s), rest[:n-1]
		} else if asks(s) {
			questions = append(questions, label.ReplaceAllString(s, ""))
		} else {
			rest = append(rest, s)
		}
	}
	return strings.Join(questions, " "), strings.Join(rest, " ")
}

// sentences splits a text.
func sentences(text string) (all []string) {
	from := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		all = append(all, strings.TrimSpace(text[from:m[1]]))
		from = m[1]
	}
	if rest := strings.TrimSpace(text[from:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

// reads reports whether a line reads like a sentence that somebody wrote: most of it is words, and many of them are
// those of every sentence.
func reads(l string) bool {
	l = marker.ReplaceAllString(l, "")
	if !isText(l) {
		return false
	}
	words, small, strong := strings.Fields(l), 0, false
	for _, w := range words {
		if only, known := smallWords[strings.ToLower(strings.Trim(w, marks))]; known {
			small++
			strong = strong || only
		}
	}
	return mostlyHan(l) || len(words) >= leastWords && strong && plain(words) >= plainWords && 4*small >= len(words)
}

// asks reports whether a sentence asks: it ends with a question mark, or begins as a question or a request does.
func asks(s string) bool {
	s = label.ReplaceAllString(s, "")
	if len(s) > mostAsked || !isText(s) || prefixed.MatchString(s) || suggestion.MatchString(s) {
		return false
	}
	words, bare := strings.Fields(s), quoted.ReplaceAllString(s, "")
	switch {
	case closed.MatchString(s):
		return len(words) > 1 || opening.MatchString(s)
	case strings.ContainsAny(bare, "()<>=$"):
		return false
	}
	return opens(s) && (!strings.HasSuffix(s, ".") || request.MatchString(s)) &&
		(len(words) >= leastAsked || pointing.MatchString(s) || request.MatchString(s) || mostlyHan(s))
}

// points reports whether what a sentence asks points at something: not what it says before, as in "the log is below,
// where is it written?".
func points(s string) bool {
	asking := slices.DeleteFunc(clause.Split(s, -1), func(c string) bool {
		return !opens(strings.TrimSpace(c)) || len(strings.Fields(c)) < leastAsked && !mostlyHan(c)
	})
	return slices.ContainsFunc(asking, pointing.MatchString) || len(asking) == 0 && pointing.MatchString(s)
}

// opens reports whether a sentence begins as a question that yes or no does not answer, or as a request.
func opens(s string) bool { return opening.MatchString(s) || request.MatchString(s) }

// isTitle reports whether the first line of a message is the title of what follows. A question at the end of that is a
// part of it: mostly for an opinion, if yes or no answers it.
func isTitle(l string) bool {
	l = strings.TrimSpace(l)
	words := strings.Fields(l)
	return len(words) >= leastTitle && plain(words) >= titleWords && isText(l) && !asks(l) && !prefixed.MatchString(l) &&
		!strings.ContainsAny(l[len(l)-1:], ".:,!")
}

// plain returns the share of words in a line that are written as words, not as names or values.
func plain(words []string) float64 {
	n := 0
	for _, w := range words {
		if plainWord.MatchString(strings.Trim(w, marks)) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// marks are what may be around a word.
const marks = "\"'`*“”„()[].,;:!?…"

// isText reports whether a line may be a sentence: it begins as one does, not as a line of a log, and has no marks of
// code outside of quotes.
func isText(l string) bool {
	return begins.MatchString(l) && !logged.MatchString(l) && !codeMarks.MatchString(quoted.ReplaceAllString(l, ""))
}

// mostlyHan reports whether half of the letters are Chinese.
func mostlyHan(s string) bool {
	han, others := 0, 0
	for _, c := range s {
		switch {
		case unicode.Is(unicode.Han, c):
			han++
		case unicode.IsLetter(c):
			others++
		}
	}
	return han > 0 && 2*han >= others // a name in letters is as long as several words in characters
}
