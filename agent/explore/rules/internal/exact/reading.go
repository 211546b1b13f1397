package exact

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// share returns how much of the words of a message a line holds, in order, in its best literal or in its whole text. A
// hole holds any words, unless the question is the bare message.
func (s messages) share(want []string, text string) float64 {
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
		if i > 0 && len(want) > 2 && !s.in.Weak && inRun(have, want) { // however long the literal is
			return 1
		}
		n := float64(common(want, have))
		filled := min(float64(len(want))-n, float64(3*holes))
		if s.in.Weak {
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

// reads reports whether a literal of a line reads like the message, or like a part of it: with the same words in the
// same order, and any words in its holes.
func reads(want []string, text string) bool {
	var parts []string
	for _, m := range literal.FindAllStringSubmatch(text, -1) {
		parts = append(parts, m[1]+m[2]+m[3])
	}
	for _, t := range append(parts, strings.Join(parts, " "), text) {
		if tokens := withHoles(t); len(tokens) > 0 && aligned(want, tokens) {
			return true
		}
		if have := wordsOf(t); len(have) > 1 && inRun(want, have) {
			return true
		}
	}
	return false
}

// withHoles returns the words of a literal, with "" for each hole.
func withHoles(text string) (tokens []string) {
	for i, part := range hole.Split(text, -1) {
		if i > 0 {
			tokens = append(tokens, "")
		}
		tokens = append(tokens, wordsOf(part)...)
	}
	return tokens
}

// aligned reports whether the words are a run of the tokens. It begins in no hole but one at the start.
func aligned(want, tokens []string) bool {
	for from := range tokens {
		if from > 0 && tokens[from] == "" {
			continue
		}
		type place struct{ at, filled int } // the next token, and the words in its hole so far
		open := []place{{from, 0}}
		for _, w := range want {
			var next []place
			add := func(p place) {
				if !slices.Contains(next, p) {
					next = append(next, p)
				}
			}
			for i := 0; i < len(open); i++ {
				p := open[i]
				switch {
				case p.at == len(tokens):
				case tokens[p.at] != "":
					if sameWord(w, tokens[p.at]) {
						add(place{p.at + 1, 0})
					}
				default:
					if p.filled < maxFilled {
						add(place{p.at, p.filled + 1})
					}
					open = append(open, place{p.at + 1, 0})
				}
			}
			open = next
		}
		if len(open) > 0 {
			return true
		}
	}
	return false
}

// sameWord reports whether two words are the same, but for a typo in a long one.
func sameWord(a, b string) bool { return a == b || len(a) > 4 && line.Distance(a, b) <= 1 }
