package toollimit

import "bytes"

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

func errorRank(s string) int   { return wordRank(s, errorWords[:]) }
func receiptRank(s string) int { return wordRank(s, receiptWords[:]) }

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
