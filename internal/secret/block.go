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
	rest := until(t.data[at:min(len(t.data), at+longestKey)], beginKey)
	to, whole := bytes.Index(rest, endKey), true
	if to < 0 {
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

// until returns data before the next mark, so that a text of many marks is read once.
func until(data, mark []byte) []byte {
	if i := bytes.Index(data, mark); i >= 0 {
		return data[:i]
	}
	return data
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

// keyMembers are the secret members of a JSON Web Key.
var keyMembers = []string{`"d"`, `"p"`, `"q"`, `"dp"`, `"dq"`, `"qi"`, `"k"`}

// leastMember is the length of the shortest secret member: 32 bytes in base64.
const leastMember = 43

// keyMember matches a secret member of a JSON Web Key: a long value under a name of one or two letters.
func keyMember(t *text, at int) (match, bool) {
	i := at + 1 + bytes.IndexByte(t.data[at+1:], '"') // its last quote
	rest := t.after(i)
	v, ok := valueAfter(rest)
	if !ok || v.op != ':' || v.quote == 0 {
		return match{}, false
	}
	found := rest[v.from:v.to]
	if len(found) < leastMember || urlSafe.span(found, len(found)) < len(found) || !random(found) {
		return match{}, false
	}
	return match{i + v.from, i + v.to, "private-key"}, true
}

// longestBlock is how many bytes of a variable's block are read.
const longestBlock = 1 << 10

// variable matches the default of a variable of Terraform whose name says that it is secret.
func variable(t *text, at int) (match, bool) {
	start := at + len(`variable "`)
	name, _, ok := bytes.Cut(t.after(min(start, len(t.data))), []byte(`"`))
	n := judge(string(name))
	if !ok || n == nil {
		return match{}, false
	}
	block := t.data[start:min(len(t.data), start+longestBlock)]
	if end := bytes.Index(block, []byte("\n}")); end >= 0 {
		block = block[:end]
	}
	i := bytes.Index(block, []byte("default"))
	if i < 0 {
		return match{}, false
	}
	i += len("default")
	rest := t.after(start + i)
	v, ok := valueAfter(rest)
	if !ok || v.op != '=' || v.quote == 0 || !n.holds(rest[v.from:v.to], v) {
		return match{}, false
	}
	from := start + i + v.from
	return match{from, from + v.to - v.from, t.kindAt(from, n.kind)}, true
}

var privateLines = []byte("Private-Lines:")

// putty matches the private lines of a key of PuTTY.
func putty(t *text, at int) (match, bool) {
	from := at + len(t.after(at)) + 1
	if from > len(t.data) {
		return match{}, false
	}
	n := withoutEnd(until(t.data[from:min(len(t.data), from+longestKey)], privateLines))
	return match{from, from + n, "private-key"}, n > 0
}
