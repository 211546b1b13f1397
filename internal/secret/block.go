package secret

import "bytes"

// Bounds of a private key in text.
const (
	longestKey  = 64 << 10 // bytes after the first line
	leastKeyRun = 32       // characters of base64 in a row that a key has, and code that names keys has not
	leastInLine = 24       // of them, if the key is on one line
	leastKeyEnd = 16       // of a line of a key without a last line
)

var (
	beginKey = []byte("-----BEGIN ")
	endKey   = []byte("-----END ")
)

// privateKey matches a key in armour, from -----BEGIN to the end of the line with -----END. A header without a key, as
// in code that reads keys, is not one.
func privateKey(t *text, at int) (match, bool) {
	head := t.before(at, 60)
	i := bytes.LastIndex(head, beginKey)
	if i < 0 {
		return match{}, false
	}
	from := at - len(head) + i
	rest := t.data[at:min(len(t.data), at+longestKey)]
	to, whole := bytes.Index(rest, endKey), true
	if again := bytes.Index(rest, beginKey); to < 0 || again >= 0 && again < to {
		to, whole = withoutEnd(rest), false
	}
	if !keyLike(rest[:to], whole) {
		return match{}, false
	}
	if whole {
		if n := bytes.IndexByte(rest[to:], '\n'); n >= 0 {
			to += n
		} else {
			to = len(rest)
		}
		to = sameLine(rest, to)
	}
	return match{from, at + to, "private-key"}, true
}

// keyLike reports whether body, the text between the first and the last line of a key, is one: a long run of base64, or
// lines of nothing else.
func keyLike(body []byte, whole bool) bool {
	run := longestRun(body)
	if run >= leastKeyRun {
		return true
	}
	first, rest, lines := bytes.Cut(body, []byte("\n"))
	if !lines {
		return run >= leastInLine
	}
	if !whole || len(bytes.Trim(first, "KEYBLOCPRIVAT -\r")) > 0 || longestRun(rest) == 0 {
		return false
	}
	for line := range bytes.Lines(rest) {
		line = bytes.Trim(line, " \t\r\n#*/>")
		if base64Set.span(line, len(line)) < len(line) && !bytes.Contains(line, []byte(": ")) {
			return false
		}
	}
	return true
}

// sameLine returns the end of a key whose line breaks are escaped: a long line goes on after it.
func sameLine(rest []byte, to int) int {
	end := bytes.Index(rest, endKey)
	if bytes.IndexByte(rest[:end], '\n') >= 0 {
		return to
	}
	if n := bytes.Index(rest[end+len(endKey):to], []byte("-----")); n >= 0 {
		return end + len(endKey) + n + len("-----")
	}
	return to
}

// withoutEnd returns the length of a key whose last line is missing: through the last line that looks like base64.
func withoutEnd(rest []byte) int {
	to, at := 0, 0
	for line := range bytes.Lines(rest) {
		at += len(line)
		switch {
		case longestRun(line) >= leastKeyEnd:
			to = at - bytes.Count(line, []byte("\n"))
		case to > 0 && len(bytes.TrimSpace(line)) > 0:
			return to
		}
	}
	return to
}

// longestRun returns the most characters of base64 in a row.
func longestRun(data []byte) int {
	most, n := 0, 0
	for _, c := range data {
		if n++; !base64Set[c] {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
