package exact

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
)

// share returns how much of the words of a message a line holds, in order, in its best literal or in its whole text. A
// hole holds any words if the line reads like the message, unless the question is the bare message.
func (s messages) share(want []string, text string, reads bool) float64 {
	best := 0.0
	texts := []string{text}
	joined := ""
	for _, m := range literal.FindAllStringSubmatch(text, -1) {
		texts = append(texts, m[1]+m[2]+m[3])
		joined += " " + m[1] + m[2] + m[3]
	}
	texts = append(texts, joined)
	for i, t := range texts {
		holes := len(hole.FindAllString(t, -1))
		have := wordsOf(hole.ReplaceAllString(t, " "))
		if len(have) == 0 {
			continue
		}
		if i > 0 && len(want) > 2 && (!s.in.Weak || s.in.Quoted) && inRun(have, want) { // however long the literal is
			return 1
		}
		n := float64(common(want, have))
		filled := min(float64(len(want))-n, float64(3*holes))
		if s.in.Weak && !s.in.Quoted || !reads {
			filled = 0
		}
		got := (n + filledShare*filled) / max(1, float64(len(want)))
		if i > 0 {
			got -= .3 * (1 - n/float64(len(have))) // words that the message lacks
		} else {
			got -= .1
		}
		if n < 2 && len(want) > 2 {
			got = 0
		}
		best = max(best, got)
	}
	return best
}

// inRun reports whether the words of b are in a, side by side.
func inRun(a, b []string) bool {
	return strings.Contains(" "+strings.Join(a, " ")+" ", " "+strings.Join(b, " ")+" ")
}

// common is the length of the longest common sequence of words, where a long word may have a typo.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			up := row[j+1]
			if sameWord(x, y) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

// maxFilled is how many words of a message the value in one hole of a literal has at most.
const maxFilled = 8

// fewWords is how many words of a message its literal has at least: what has fewer reads like any message.
const fewWords = 2

// reads reports whether a literal of a line reads like the message, or like a part of it: with the same words in the
// same order, and any words in its holes.
func reads(want []string, text string) bool {
	var all, chain []string // chain: the words of literals that are joined, with "" for each value between them
	var end int             // of the literal before
	for _, at := range literal.FindAllStringSubmatchIndex(text, -1) {
		inner, between := text[at[0]+1:at[1]-1], text[end:at[0]]
		all = append(all, inner)
		switch {
		case end > 0 && strings.TrimSpace(between) == "", end > 0 && joint.MatchString(between):
		case joinsAfter.MatchString(between) && joinsBefore.MatchString(between) && end > 0:
			chain = append(chain, "")
		default:
			chain = nil
			if joinsBefore.MatchString(between) {
				chain = []string{""}
			}
		}
		chain = append(chain, withHoles(inner)...)
		end = at[1]
		if readsLike(want, chain) || joinsAfter.MatchString(text[end:]) && readsLike(want, append(chain, "")) {
			return true
		}
	}
	return readsLike(want, withHoles(strings.Join(all, " "))) || readsLike(want, withHoles(text))
}

// joint matches what joins two literals without a value between them, joinsAfter what joins a literal with a value
// after it, and joinsBefore with one before it.
var (
	joint       = lazyregexp.New(`^\s*(?:\+|<<|<>|\.\.?|\\)\s*$`)
	joinsAfter  = lazyregexp.New(`^\s*(?:\+|<<|<>|\.\.|\.\s*\$|\.\s)\s*[^\s"']`)
	joinsBefore = lazyregexp.New(`[\w)\]]\s*(?:\+|<<|<>|\.\.|\s\.)\s*$`)
)

// begins reports whether a literal of a line, of most of the message if that is short, is how the message begins.
func begins(want []string, text string) bool {
	for _, m := range literal.FindAllStringSubmatch(text, -1) {
		have := wordsOf(m[1] + m[2] + m[3])
		if len(have) >= fewWords && float64(len(have)) >= beginShare*float64(len(want)) && len(have) <= len(want) &&
			slices.Equal(have, want[:len(have)]) {
			return true
		}
	}
	return false
}

// pasted returns the literal of a line that is whole in a message of these words, with values in its holes, or "":
// people paste a message with what a program writes around it. A short literal may be there by chance, and so may single
// words with values between them.
func pasted(words []string, text string) string {
	for _, m := range literal.FindAllStringSubmatch(text, -1) {
		said := m[1] + m[2] + m[3]
		var runs [][]string
		n, longest := 0, 0
		for _, part := range hole.Split(escape.ReplaceAllString(said, " "), -1) {
			if run := wordsOf(part); len(run) > 0 {
				runs, n, longest = append(runs, run), n+len(run), max(longest, len(run))
			}
		}
		if n >= fewestPasted && n < len(words) && longest >= pieceWords && follow(words, runs) {
			return strings.TrimSpace(escape.ReplaceAllString(said, " "))
		}
	}
	return ""
}

// fewestPasted is how many words a literal in a longer message has at least.
const fewestPasted = 4

// follow reports whether runs of words are in others one after another, with a value between each two.
func follow(words []string, runs [][]string) bool {
	for from := range words {
		at := from
		for i, run := range runs {
			last := min(len(words), at+maxFilled)
			if i == 0 {
				last = at
			}
			for at <= last && (at+len(run) > len(words) || !slices.Equal(words[at:at+len(run)], run)) {
				at++
			}
			if at > last {
				at = -1
				break
			}
			at += len(run)
		}
		if at >= 0 {
			return true
		}
	}
	return false
}

// readsLike reports whether the words are a run of the tokens. Either half of them are words of the literal, or the run
// is the whole literal, which has two words side by side: single words with values between them are in any long text.
func readsLike(want, tokens []string) bool {
	least := min(fewWords, len(want))
	whole, part := aligned(want, tokens)
	if least == fewWords && !sideBySide(tokens) {
		whole = 0
	}
	return whole >= least || part >= least && 2*part >= len(want)
}

func sideBySide(tokens []string) bool {
	for i := range tokens {
		if i > 0 && tokens[i-1] != "" && tokens[i] != "" {
			return true
		}
	}
	return false
}

// withHoles returns the words of a literal, with "" for each hole.
func withHoles(text string) (tokens []string) {
	for i, part := range hole.Split(escape.ReplaceAllString(text, " "), -1) {
		if i > 0 {
			tokens = append(tokens, "")
		}
		tokens = append(tokens, wordsOf(part)...)
	}
	return tokens
}

// escape matches what a literal has for white space.
var escape = lazyregexp.New(`\\[nrt]`)

// aligned lays the words over a run of the tokens of a literal, and returns how many of them are words of the literal
// and in no hole, at most: if the run is the whole literal, and if it may be a part. It returns -1 without such a run.
func aligned(want, tokens []string) (whole, part int) {
	whole, part = -1, -1
	for from := range tokens {
		if from > 0 && tokens[from] == "" {
			continue // any word would begin there
		}
		type place struct{ at, filled int } // the next token, and the words in its hole so far
		open := map[place]int{{from, 0}: 0}
		for _, w := range want {
			next := make(map[place]int)
			add := func(p place, literal int) {
				if before, ok := next[p]; !ok || before < literal {
					next[p] = literal
				}
			}
			for p, n := range open {
				for at := p.at; at < len(tokens); at++ { // past holes, which may be empty
					if tokens[at] != "" {
						if sameWord(w, tokens[at]) {
							add(place{at + 1, 0}, n+1)
						}
						break
					}
					if filled := p.filled * truth(at == p.at); filled < maxFilled {
						add(place{at, filled + 1}, n)
					}
				}
			}
			open = next
		}
		for p, n := range open {
			part = max(part, n)
			rest := tokens[p.at:]
			if from == 0 && !slices.ContainsFunc(rest, func(t string) bool { return t != "" }) {
				whole = max(whole, n)
			}
		}
	}
	return whole, part
}

// sameWord reports whether two words are the same, but for a typo in a long one.
func sameWord(a, b string) bool { return a == b || len(a) > 4 && line.Distance(a, b) <= 1 }
