package toollimit

import (
	"bytes"
	"slices"
	"strings"
)

// plain keeps head and tail, whatever the kind.
func (in *input) plain(room size) string {
	return excerpt(in.text, in.all, room, in.share(), in.quota.Pointer)
}

// share is the share of the kind. If the quota knows what is visible elsewhere, the middle goes to key lines.
func (in *input) share() share {
	sh, known := shares[in.kind]
	if !known {
		sh = shares[Text]
	}
	sh.bare, sh.seen, sh.numbers = in.part, in.quota.Seen, in.quota.Numbers
	if keyed := sh.ends; sh.seen != nil && keyed[0] > 0 {
		sh.head, sh.tail, sh.keyed = keyed[0], keyed[1], true
	}
	return sh
}

// shares holds the share of each kind; ends were tuned on recorded sessions. Error favours the tail, because the cause
// is usually at the end. Search, Listing, Diff and Batch use theirs only if their own form fails.
var shares = map[Kind]share{
	Text:    {head: 60, tail: 40, ends: [2]int{25, 20}},
	File:    {head: 70, tail: 10, ends: [2]int{40, 10}, ranks: byLine(outlineRank), ranked: 25, gap: fileGap, notes: true},
	Output:  {head: 16, tail: 64, ends: [2]int{9, 36}, ranks: errorRanks, ranked: 50},
	JSON:    {head: 60, tail: 40},
	Binary:  {head: 60, tail: 40},
	Error:   {head: 35, tail: 65},
	Receipt: {head: 50, ranks: byLine(func(s string) int { return wordRank(s, receiptWords) }), notes: true},
	Search:  {head: 80, tail: 20, notes: true},
	Listing: {head: 80, tail: 20, notes: true},
	Diff:    {head: 80, tail: 20, notes: true},
	Batch:   {head: 80, tail: 20, notes: true},
}

// errorWords mark output lines worth keeping, by rank. They are compared in lower case.
var errorWords = [][]string{
	{"error", "panic", "fatal", "fail", "exception", "traceback", "undefined", "cannot", "not found", "denied"},
	{"warn", "expected", "assert", "exit status", "timeout", "timed out"},
}

// passed marks lines of a test that passed, whatever its name says.
var passed = []string{"--- pass", "=== run", " passed", " ... ok", "✓", "✔"}

// receiptWords mark the lines of a receipt that say what became of a submission.
var receiptWords = [][]string{
	{"status", "reason", "error", "accepted", "rejected", "refused", "invalid", "failed"},
	{"missing", "required", "must", "duplicate", "expected", "warning"},
}

// errorRanks ranks output lines. If identifiers are tracked, an error of a known form counts only if it names
// something that is visible nowhere else.
func errorRanks(x *layout, missing []span) []uint8 {
	ranks := make([]uint8, len(missing))
	forms := make(map[uint64]bool)
	for i, l := range missing {
		s := l.of(x.text)
		switch rank := wordRank(s, errorWords); {
		case rank > 0 && wordRank(s, [][]string{{"fail"}, passed}) == 2:
		case rank == 2:
			ranks[i] = warning
		case rank == 1 && !forms[formOf(s)]:
			forms[formOf(s)] = true
			ranks[i] = newError
		case rank == 1 && (x.share.seen == nil || x.namesMore(x.h+i)):
			ranks[i] = moreErrors
		}
	}
	for i, rank := range ranks {
		if rank == newError || rank == moreErrors {
			x.rankNear(ranks, missing, i)
		}
	}
	return ranks
}

func (x *layout) rankNear(ranks []uint8, missing []span, i int) {
	for j := max(i-errorReach, 0); j <= min(i+errorReach, len(ranks)-1); j++ {
		near := uint8(nearError)
		if i-j == 1 {
			near = beforeError
		}
		if s := missing[j].of(x.text); (ranks[j] == 0 || ranks[j] > near) && strings.TrimSpace(s) != "" {
			ranks[j] = near
		}
	}
}

// formOf hashes a line without its digits, so that lines that differ only in numbers have one form.
func formOf(s string) uint64 {
	const offset, prime = 14_695_981_039_346_656_037, 1_099_511_628_211 // of the 64-bit FNV-1a hash
	h := uint64(offset)
	for i := range min(len(s), rankedBytes) {
		if s[i] < '0' || s[i] > '9' {
			h = (h ^ uint64(s[i])) * prime
		}
	}
	return h
}

// namesMore reports whether a line contains an identifier that is visible nowhere else.
func (x *layout) namesMore(line int) bool {
	return slices.ContainsFunc(x.line(line).Names, func(number int32) bool { return !x.isSeen(number) })
}

// rankedBytes is how much of a line is searched for words.
const rankedBytes = 256

func wordRank(s string, ranks [][]string) int {
	var low [rankedBytes]byte
	n := copy(low[:], s)
	for i, b := range low[:n] {
		if b >= 'A' && b <= 'Z' {
			low[i] = b | 0x20
		}
	}
	for i, words := range ranks {
		for _, w := range words {
			if bytes.Contains(low[:n], []byte(w)) {
				return i + 1
			}
		}
	}
	return 0
}
