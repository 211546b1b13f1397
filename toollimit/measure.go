package toollimit

import (
	"iter"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit/internal/tokens"
)

// Tokens estimates the number of tokens of s: 0 for "", at least 1 for anything else. It accepts invalid UTF-8 and
// allocates nothing. It is the raw estimate, on the scale of cl100k_base; the caller calibrates it for a model.
//
// Appending never lowers it, Tokens(a+b) is at most Tokens(a)+Tokens(b)+2, and lines add up except for rounding.
func Tokens(s string) int { return (cost(s) + perToken - 1) / perToken }

const perToken = tokens.PerToken

// cost is the token estimate of s in units of 1/perToken.
func cost(s string) int { return tokens.Cost(s) }

// A size is what a text costs, in units of 1/perToken of a token, and its runes.
type size struct{ cost, runes int }

func sizeOf(s string) size { return size{cost(s), line.Runes(s)} }

func (a size) plus(b size) size   { return size{a.cost + b.cost, a.runes + b.runes} }
func (a size) minus(b size) size  { return size{a.cost - b.cost, a.runes - b.runes} }
func (a size) within(b size) bool { return a.cost <= b.cost && a.runes <= b.runes }
func (a size) share(pct int) size { return size{percent(a.cost, pct), percent(a.runes, pct)} }
func (a size) atMost(b size) size { return size{min(a.cost, b.cost), min(a.runes, b.runes)} }
func (a size) tokens() int        { return (a.cost + perToken - 1) / perToken }

func percent(n, pct int) int { return n/100*pct + n%100*pct/100 }

// room returns the bounds of q as a size; an absent bound is the maximum.
func (q Quota) room() size {
	r := size{math.MaxInt, math.MaxInt}
	if q.MaxTokens > 0 && q.MaxTokens < math.MaxInt/perToken {
		r.cost = q.MaxTokens * perToken
	}
	if q.MaxChars > 0 {
		r.runes = q.MaxChars
	}
	return r
}

// A span is one line of a text, from at to end, including its newline.
type span struct{ at, end int }

func (l span) of(s string) string { return s[l.at:l.end] }

// linesOf returns the lines of s. Their costs add up to the cost of s, so a remainder needs no counting.
func linesOf(s string) []span {
	ls := make([]span, 0, strings.Count(s, "\n")+1)
	for at := 0; at < len(s); {
		end := len(s)
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		ls = append(ls, span{at, end})
		at = end
	}
	return ls
}

// take returns how many of the lines, in their order, fit into room, and their size.
func take(s string, ls iter.Seq2[int, span], room size) (n int, used size) {
	for _, l := range ls {
		z := used.plus(sizeWithin(l.of(s), room))
		if !z.within(room) {
			break
		}
		used, n = z, n+1
	}
	return n, used
}

// sizeWithin is sizeOf for a text that may be far too large. It stops counting once the text exceeds room, and then
// returns any size larger than room.
func sizeWithin(s string, room size) size {
	if len(s)/utf8.UTFMax > room.runes {
		return size{0, len(s)}
	}
	sum, all := tokens.CostUpTo(s, room.cost)
	if !all {
		return size{sum, 0}
	}
	return size{sum, line.Runes(s)}
}

func lineSize(s string) size { return size{tokens.LineCost(s), line.Runes(s) + 1} }

// prefix returns the longest start of s within r that ends at a rune boundary.
func prefix(s string, r size) string { return tokens.Prefix(s, r.cost, r.runes) }

// suffix returns a long end of s within r that starts at a rune boundary.
func suffix(s string, r size) string { return tokens.Suffix(s, r.cost, r.runes) }
