// Package planted looks for sentences that were said early in what a model is shown late.
//
// Start with [Statement.Judge].
package planted

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Statement is a sentence that somebody says. It is alive while one line holds all of its words.
type Statement struct {
	Text  string
	Value string   // what it says about its subject
	Words []string // that must stay, value included
}

// A Line is one line of a view.
type Line struct {
	Text    string // without marks
	marks   []string
	Message int  // index in the view
	live    bool // the message itself, not something written about it
}

// Lines splits a view into lines. The function says whether a message was said, unlike something written about others.
func Lines(view []transcript.Message, live func(*transcript.Message) bool) (lines []Line) {
	for i := range view {
		said, whole := live(&view[i]), ""
		for part := range strings.SplitSeq(view[i].Text, "\n") {
			// A line that was wrapped continues with an indented one.
			if whole != "" && strings.HasPrefix(part, "  ") {
				lines = append(lines, newLine(whole+" "+strings.TrimSpace(part), i, said))
			}
			lines = append(lines, newLine(part, i, said))
			whole = part
		}
	}
	return lines
}

// mark finds a note that the runtime put into a line: that it replaces something, or was replaced.
var mark = regexp.MustCompile(`(?i)\[[^\[\]\n]*(?:replace|supersede)[^\[\]\n]*\]`)

// replaced finds in a mark that its own line is the older one.
var replaced = regexp.MustCompile(`(?i)replaced|superseded`)

func newLine(text string, message int, live bool) Line {
	l := Line{Text: text, Message: message, live: live}
	if strings.Contains(text, "[") {
		l.marks = mark.FindAllString(text, -1)
		l.Text = mark.ReplaceAllString(text, "")
	}
	return l
}

// A Verdict says how a statement fares in a view.
type Verdict struct {
	Alive    bool
	Stale    bool    // a digest shows the older value as if it held
	OnlyOld  bool    // the older value is shown, and the newer nowhere after it
	Wrong    bool    // it is marked as replaced, and nothing superseded it
	Distance float64 // share of its words that its line lacks; 0 to 1, if alive
}

// Judge looks for the statement, and for the one that it superseded; nil if it superseded none.
func (s *Statement) Judge(old *Statement, lines []Line) Verdict {
	v := Verdict{Distance: 1}
	last, lastLive := -1, -1
	for at, l := range lines {
		if s.In(l.Text) {
			v.Alive = true
			v.Distance = min(v.Distance, s.distance(l.Text))
			last = at
			if l.live {
				lastLive = l.Message
			}
		}
		if old == nil && s.wronglyMarked(&l) {
			v.Wrong = true
		}
	}
	if old == nil {
		return v
	}
	for at, l := range lines {
		if !old.In(l.Text) || HasToken(l.Text, s.Value) || l.replaced() {
			continue
		}
		v.Stale = v.Stale || !l.live && lastLive < 0
		v.OnlyOld = v.OnlyOld || last < at
	}
	return v
}

// replaced reports whether a mark says that the line was replaced.
func (l *Line) replaced() bool {
	return slices.ContainsFunc(l.marks, replaced.MatchString)
}

// wronglyMarked reports whether a line says that an item was replaced which nothing superseded.
func (s *Statement) wronglyMarked(l *Line) bool {
	for _, m := range l.marks {
		if HasToken(m, s.Value) {
			return true
		}
	}
	return len(l.marks) > 0 && l.replaced() && s.In(l.Text)
}

// nearBytes may come between the words of a statement besides its own, so that words of other sentences, or a list of
// names, do not make it.
const nearBytes = 24

// In reports whether a line holds all words of a statement close to its value, in any order.
func (s *Statement) In(text string) bool {
	for from := 0; ; {
		at := IndexToken(text[from:], s.Value)
		if at < 0 {
			return false
		}
		at += from
		reach := len(s.Text) + nearBytes
		if hasAll(text[max(0, at-reach):min(len(text), at+reach)], s.Words) {
			return true
		}
		from = at + len(s.Value)
	}
}

func hasAll(text string, words []string) bool {
	for _, word := range words {
		if !HasToken(text, word) {
			return false
		}
	}
	return true
}

// HasToken reports whether a text has a token: see [IndexToken].
func HasToken(text, token string) bool { return IndexToken(text, token) >= 0 }

// IndexToken returns where a token is in a text, but not within a longer ASCII word, or -1. Case counts only
// after the first letter, because a sentence that loses its lead may gain a capital.
func IndexToken(text, token string) int {
	for from := 0; from <= len(text); {
		at := strings.Index(text[from:], token[1:])
		if at < 0 {
			return -1
		}
		at += from - 1
		end := at + len(token)
		if at >= 0 && text[at]|0x20 == token[0]|0x20 && !(isWordAt(token, 0) && isWordAt(text, at-1)) &&
			!(isWordAt(token, len(token)-1) && isWordAt(text, end)) {
			return at
		}
		from = at + 2
	}
	return -1
}

func isWordAt(text string, at int) bool {
	return at >= 0 && at < len(text) && IsWord(rune(text[at])) && text[at] < 0x80
}

// distance returns the share of a statement's words that a line lacks or has in another order.
func (s *Statement) distance(text string) float64 {
	want, have := wordsOf(s.Text), wordsOf(text)
	row := make([]int, len(have)+1) // longest common subsequence
	for _, w := range want {
		diagonal := 0
		for j, h := range have {
			above := row[j+1]
			if w == h {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return float64(len(want)-row[len(have)]) / float64(len(want))
}

// wordsOf splits a text into words: runs of ASCII word characters, and every other character but blanks.
func wordsOf(text string) (words []string) {
	from := -1
	for i, c := range text {
		if IsWord(c) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 {
			words = append(words, strings.ToLower(text[from:i]))
			from = -1
		}
		if c > ' ' && !strings.ContainsRune(".,;:!?。，；：", c) {
			words = append(words, string(c))
		}
	}
	if from >= 0 {
		words = append(words, strings.ToLower(text[from:]))
	}
	return words
}

// IsWord reports whether a rune belongs to an ASCII word.
func IsWord(c rune) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
