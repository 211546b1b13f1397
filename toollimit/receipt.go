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

// headerStarts begin the lines of a unified diff that say which file and which lines it is about.
var headerStarts = []string{
	"diff ", "--- ", "+++ ", "@@ ", "rename ", "new file", "deleted file", "similarity ", "Binary files", "index ",
}

func isHeader(s string) bool {
	for _, p := range headerStarts {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// diff keeps all headers, and bodies in their order until the room is full.
func (c *cutter) diff(room size) string {
	ls := linesOf(c.text)
	mark := gap{what: plural(len(ls), "line"), tokens: c.all.tokens()}.line(room, c.quota.Pointer)
	if mark == "" {
		return ""
	}
	free := room.minus(sizeOf(mark))
	keep, used, kept := make([]bool, len(ls)), size{}, 0
	for _, headers := range []bool{true, false} {
		for i, l := range ls {
			if isHeader(l.of(c.text)) != headers {
				continue
			}
			z := used.plus(sizeWithin(l.of(c.text), room))
			if !z.within(free) {
				break
			}
			keep[i], used, kept = true, z, kept+1
		}
	}
	var b strings.Builder
	for i, l := range ls {
		if keep[i] {
			b.WriteString(l.of(c.text))
		}
	}
	if b.Len() > 0 && keep[len(ls)-1] && !strings.HasSuffix(c.text, "\n") {
		b.WriteByte('\n')
	}
	missing := gap{what: plural(len(ls)-kept, "line"), tokens: c.all.minus(used).tokens()}
	b.WriteString(missing.line(room, c.quota.Pointer))
	return b.String()
}
