package toollimit

import (
	"bytes"
	"strings"
)

// errorWords mark lines worth keeping of what a command printed, by rank; they are compared in lower case.
var errorWords = [...][]string{
	{"error", "panic", "fatal", "fail", "exception", "traceback", "undefined", "cannot", "not found", "denied"},
	{"warn", "expected", "assert", "exit status", "timeout", "timed out"},
}

// receiptWords mark the lines that say what came of a submission.
var receiptWords = [...][]string{
	{"status", "reason", "error", "accepted", "rejected", "refused", "invalid", "failed"},
	{"missing", "required", "must", "duplicate", "expected", "warning"},
}

func receiptRank(s string) int { return wordRank(s, receiptWords[:]) }

// The ranks of what a command printed: an error of a form that was not there before, other errors, the line before an
// error, which often says what was compared, other lines near it, warnings.
const (
	newError = iota + 1
	moreErrors
	beforeError
	nearError
	warning
	maxRank = warning
)

// errorReach is how many lines before and after an error are near it.
const errorReach = 2

// errorRanks ranks the lines of what a command printed. Where identifiers are followed, an error of a known form counts
// only if it names something that is nowhere else.
func errorRanks(x *excerpting, missing []line) []uint8 {
	ranks := make([]uint8, len(missing))
	forms := make(map[uint64]bool)
	for i, l := range missing {
		s := l.of(x.text)
		switch rank := wordRank(s, errorWords[:]); {
		case rank == 2:
			ranks[i] = warning
		case rank == 1 && !forms[formOf(s)]:
			forms[formOf(s)] = true
			ranks[i] = newError
		case rank == 1 && (x.share.seen == nil || x.tellsMore(s)):
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

// rankNear ranks what stands around the error at i.
func (x *excerpting) rankNear(ranks []uint8, missing []line, i int) {
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

// formOf is a hash of a line without its digits, so that lines that only count are of one form.
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

// tellsMore reports whether a line names something that is nowhere else.
func (x *excerpting) tellsMore(s string) bool {
	for name := range Identifiers(s) {
		if !x.isSeen(name) {
			return true
		}
	}
	return false
}

// rankedBytes is how much of a line is looked at for words.
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
