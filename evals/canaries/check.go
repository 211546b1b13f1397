package canaries

import (
	"regexp"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// A line is one line of a view.
type line struct {
	text    string // without marks
	marks   []string
	message int  // index in the view
	live    bool // the message itself, not something written about it
}

// mark finds a note that the runtime put into a line: that it replaces something, or was replaced.
var mark = regexp.MustCompile(`(?i)\[[^\[\]\n]*(?:replace|supersede)[^\[\]\n]*\]`)

// replaced finds in a mark that its own line is the older one.
var replaced = regexp.MustCompile(`(?i)replaced|superseded`)

// headBytes of a message tell whether it is still in the view.
const headBytes = 24

// A checker looks for the items of a session in its views.
type checker struct {
	*session
	heads map[string]bool // of the messages so far
	fed   int
}

// read splits a view into lines.
func (c *checker) read(view []transcript.Message, fed int) []line {
	for ; c.fed < fed; c.fed++ {
		c.heads[head(c.units[c.fed][0].Text)] = true
	}
	var lines []line
	for i, m := range view {
		live := m.Role == transcript.Tool || m.Origin != transcript.Runtime && c.heads[head(m.Text)]
		whole := ""
		for part := range strings.SplitSeq(m.Text, "\n") {
			// A line that was wrapped continues with an indented one.
			if whole != "" && strings.HasPrefix(part, "  ") {
				lines = append(lines, newLine(whole+" "+strings.TrimSpace(part), i, live))
			}
			lines = append(lines, newLine(part, i, live))
			whole = part
		}
	}
	return lines
}

func head(text string) string { return text[:min(len(text), headBytes)] }

func newLine(text string, message int, live bool) line {
	l := line{text: text, message: message, live: live}
	if strings.Contains(text, "[") {
		l.marks = mark.FindAllString(text, -1)
		l.text = mark.ReplaceAllString(text, "")
	}
	return l
}

// A verdict says how an item fares in a view.
type verdict struct {
	alive    bool
	stale    bool    // a digest shows the older value as if it held
	onlyOld  bool    // the older value is shown, and the newer nowhere after it
	wrong    bool    // it is marked as replaced, and nothing superseded it
	distance float64 // share of its words that its line lacks; 0 to 1, if alive
}

// judge looks for an item.
func (i *item) judge(lines []line) verdict {
	v := verdict{distance: 1}
	last, lastLive := -1, -1
	for at, l := range lines {
		if i.in(l.text) {
			v.alive = true
			v.distance = min(v.distance, i.distance(l.text))
			last = at
			if l.live {
				lastLive = l.message
			}
		}
		if i.old == nil && i.wronglyMarked(l) {
			v.wrong = true
		}
	}
	if i.old == nil {
		return v
	}
	for at, l := range lines {
		if !i.old.in(l.text) || hasToken(l.text, i.value) || l.replaced() {
			continue
		}
		v.stale = v.stale || !l.live && lastLive < 0
		v.onlyOld = v.onlyOld || last < at
	}
	return v
}

// replaced reports whether a mark says that the line was replaced.
func (l *line) replaced() bool {
	for _, m := range l.marks {
		if replaced.MatchString(m) {
			return true
		}
	}
	return false
}

// wronglyMarked reports whether a line says that an item was replaced which nothing superseded.
func (i *item) wronglyMarked(l line) bool {
	for _, m := range l.marks {
		if hasToken(m, i.value) {
			return true
		}
	}
	return len(l.marks) > 0 && l.replaced() && i.in(l.text)
}

// nearBytes may come between the words of a statement besides its own, so that words of other sentences, or a list of
// names, do not make it.
const nearBytes = 24

// in reports whether a line holds all words of a statement close to its value, in any order.
func (s *statement) in(text string) bool {
	for from := 0; ; {
		at := indexToken(text[from:], s.value)
		if at < 0 {
			return false
		}
		at += from
		reach := len(s.text) + nearBytes
		if hasAll(text[max(0, at-reach):min(len(text), at+reach)], s.words) {
			return true
		}
		from = at + len(s.value)
	}
}

func hasAll(text string, words []string) bool {
	for _, word := range words {
		if !hasToken(text, word) {
			return false
		}
	}
	return true
}

func hasToken(text, token string) bool { return indexToken(text, token) >= 0 }

// indexToken returns where a token is in a text, but not within a longer ASCII word, or -1. Case counts only
// after the first letter, because a sentence that loses its lead may gain a capital.
func indexToken(text, token string) int {
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
	return at >= 0 && at < len(text) && isWord(rune(text[at])) && text[at] < 0x80
}

// distance returns the share of a statement's words that a line lacks or has in another order.
func (s *statement) distance(text string) float64 {
	want, have := wordsOf(s.text), wordsOf(text)
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
		if isWord(c) {
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
