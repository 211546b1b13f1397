package secret

import (
	"bytes"
	"slices"
	"strings"
)

// Bounds of an assignment.
const (
	longestName  = 80  // bytes of a name on either side of the stem
	widestGap    = 12  // spaces between a name and its value
	longestValue = 512 // bytes
)

var nameChars = newSet(alnumRange, "_-.$")

// assigned matches the value of a name that says it is secret: password = "…", "token": "…", --api-key …
func assigned(t *text, at int) (match, bool) {
	left := nameChars.spanBack(t.before(at, longestName), longestName)
	rest := t.after(at)
	right := nameChars.span(rest, longestName)
	name := t.data[at-left : at+right]
	if left > 0 && bytes.HasSuffix(t.data[:at-left], []byte(opening)) {
		return match{}, false
	}
	v, ok := valueAfter(rest[right:])
	skipped := 0
	if !ok || scalar(rest[right:]) {
		if skipped = valueLine(t, at-left, at+right); skipped == 0 {
			return match{}, false
		}
		v, ok = value{op: '='}.bound(t.after(at+right+skipped), 0)
	}
	n := judge(string(name))
	if n == nil || !ok {
		return match{}, false
	}
	right += skipped
	v.flag = bytes.HasPrefix(name, []byte("--"))
	from := at + right + v.from
	value := t.data[from : at+right+v.to]
	v.weak = n.words == "token" && !slices.ContainsFunc(words(string(name)), func(w string) bool {
		return slices.Contains(tokenQualifiers, w)
	})
	if !v.fits(t, string(name), at-left) || !n.holds(value, v) {
		return match{}, false
	}
	return match{from, from + len(value), t.kindAt(from, n.kind)}, true
}

// valueLine returns the distance from the end of a name at to to its value on the next line, as in the environment of a
// container: name: DB_PASSWORD, value: …, or in a block of YAML: password: >-. It returns 0 if it has none there. The
// name begins at from.
func valueLine(t *text, from, to int) int {
	head := bytes.TrimRight(t.before(from, widestGap), " \t\"':=")
	rest := t.after(to)
	if start := to + len(rest) + 1; scalar(rest) && start < len(t.data) {
		next := t.after(start)
		return start + len(next) - len(bytes.TrimLeft(next, " \t")) - to
	}
	if !bytes.HasSuffix(bytes.ToLower(head), []byte("name")) || len(bytes.Trim(rest, " \t\r\"',")) > 0 {
		return 0
	}
	start := to + len(rest) + 1
	next := t.after(min(start, len(t.data)))
	indent := len(next) - len(bytes.TrimLeft(next, " \t"))
	value := skipLabel(next, indent)
	if value == indent || value >= len(next) || !Spans(next[:value]) {
		return 0
	}
	return start + value - to
}

// scalar reports whether rest, the line after a name of YAML, says that its value is the text on the next line.
func scalar(rest []byte) bool {
	rest = bytes.TrimLeft(rest, "\"' ")
	mark, ok := bytes.CutPrefix(rest, []byte(": ")) // [Spans] looks for it
	mark = bytes.TrimRight(mark, " \t\r")
	return ok && len(mark) > 0 && (mark[0] == '|' || mark[0] == '>') && len(bytes.Trim(mark[1:], "+-0123456789")) == 0
}

// tokenQualifiers are words in the name of a token that grants access.
var tokenQualifiers = strings.Fields(`
	access api auth authorization bearer bot personal vault private codecov snyk npm sonar heroku exa record`)

// setters are methods of builders that set a credential.
var setters = strings.Fields(`
	password secret token apikey clientsecret secretkey accesskey accesstoken api_key secret_key`)

// fits reports whether the operator assigns a value to the name, which starts at start.
func (v *value) fits(t *text, name string, start int) bool {
	switch v.op {
	case ' ': // as in password "…" of SQL, Gradle and C, and in a line of .netrc
		quoted := v.quote == '"' || v.quote == '\''
		return v.flag || quoted || bytes.Contains(t.before(start, longestName), []byte("login "))
	case '(':
		method := name[strings.LastIndexByte(name, '.')+1:]
		all := words(method) // of a call that sets the value
		sets := len(all) > 0 && (all[0] == "set" || all[0] == "with")
		return sets || slices.Contains(setters, strings.ToLower(method))
	case ',': // as in define('PASSWORD', '…') of PHP
		v.given = bytes.HasSuffix(t.before(start, longestName), []byte("define("+string(v.quote)))
	case ':':
		return v.quote != 0 || !v.tight || start <= t.done || t.data[start-1] != ':'
	}
	return true
}

// kindAt returns the kind of a form at i, or else.
func (t *text) kindAt(i int, otherwise string) string {
	_, found := t.marked.next(t.data[:min(len(t.data), i+window)], i)
	for _, r := range found {
		if r.literalAt(t.data[i:]) {
			if m, ok := r.find(&text{data: t.data, done: i, table: t.table}, i); ok && m.from == i {
				return m.kind
			}
		}
	}
	return otherwise
}

// A value is the place of a value in the line after a name.
type value struct {
	from, to int
	op       byte // = : , ( > or a space
	quote    byte // 0: none
	tight    bool // no space around the operator
	last     bool // nothing follows on the line but a comment
	flag     bool // the name is an option of a command line
	weak     bool // the name may be that of an identifier
	call     bool // the argument of a call
	given    bool // a statement gives it to the name, and does not only mention both
}

// valueAfter finds the value in rest, the line after a name.
func valueAfter(rest []byte) (v value, ok bool) {
	i := closers(rest)
	closed := i > 0
	spaces := blanks(rest[i:])
	i += spaces
	if closed {
		if j := skipLabel(rest, i); j > i {
			v.op = '='
			return v.bound(rest, j)
		}
	} else {
		i = skipType(rest, i)
	}
	if i >= len(rest) {
		return v, false
	}
	switch c := rest[i]; {
	case c == '=' || c == ':' || c == '?' || c == '|' || c == '!':
		if c == '|' && i+1 < len(rest) && rest[i+1] == ' ' { // the next column of a table
			v.op = ':'
			return v.bound(rest, i+1+blanks(rest[i+1:]))
		}
		n := 1
		for i+n < len(rest) && n < 4 && (rest[i+n] == '=' || rest[i+n] == '>' || rest[i+n] == '|') {
			n++
		}
		if c != '=' && c != ':' && n == 1 {
			return v, false
		}
		v.op, i = rest[i+n-1], i+n
		if v.op == '>' {
			v.op = '='
		}
	case c == ',' && closed, c == '(', c == '>':
		v.op, i = c, i+1
	case spaces > 0 && bytes.HasPrefix(rest[i:], []byte("is ")):
		v.op, i = ':', i+len("is")
	case spaces > 0:
		v.op = ' '
	default:
		return v, false
	}
	i += emphasis.span(rest[i:], len("**"))
	gap := blanks(rest[i:])
	v.tight = spaces+gap == 0
	i = skipLabel(rest, i+gap)
	if j := skipWrapper(rest, i); j > i {
		v.call = rest[j-1] == '('
		i = j
	}
	return v.bound(rest, i)
}

// bound finds the ends of the value that starts at i.
func (v value) bound(rest []byte, i int) (value, bool) {
	if i >= len(rest) {
		return v, false
	}
	end := []byte(nil)
	switch q := rest[i]; {
	case bytes.HasPrefix(rest[i:], []byte(`"""`)), bytes.HasPrefix(rest[i:], []byte("'''")):
		v.quote, end, i = q, rest[i:i+3], i+3
	case bytes.HasPrefix(rest[i:], []byte("[[")): // of Lua
		v.quote, end, i = '"', []byte("]]"), i+2
	case q == '"' || q == '\'' || q == '`':
		v.quote, end, i = q, rest[i:i+1], i+1
	case q == '\\' && i+1 < len(rest) && (rest[i+1] == '"' || rest[i+1] == '\''):
		v.quote, end, i = rest[i+1], rest[i:i+2], i+2
	case bytes.HasPrefix(rest[i:], []byte("&quot;")):
		v.quote, end, i = '"', []byte("&quot;"), i+len("&quot;")
	}
	v.from = i
	body := rest[i:min(len(rest), i+longestValue+1)]
	n := -1
	if end != nil {
		n = bytes.Index(body, end)
	} else if n = bytes.IndexAny(body, " \t\r\"'`;<\\"); n < 0 && len(body) <= longestValue {
		n = len(body)
	}
	if n <= 0 || v.quote == 0 && (v.op == '(' || v.op == ',') {
		return v, false
	}
	if v.quote == 0 {
		n = parameter(body[:n])
		trimmed := bytes.TrimRight(body[:n], ",)}]|&")
		after := bytes.TrimSpace(body[len(trimmed):])
		v.last = len(after) == 0 || after[0] == '#' || after[0] == '\\'
		n = len(trimmed)
	}
	v.to = i + n
	return v, n > 0
}

// parameter returns the length of the first parameter of a query, or of all of body if it is not a query.
func parameter(body []byte) int {
	for i, c := range body {
		if c == '&' && bytes.IndexByte(body[i:], '=') > 1 {
			return i
		}
	}
	return len(body)
}

// closers returns the length of what closes a name: quotes and brackets.
func closers(rest []byte) int {
	if bytes.HasPrefix(rest, []byte("&quot;")) {
		return len("&quot;")
	}
	return closing.span(rest, 4)
}

// emphasis closes a bold name of Markdown, after its colon.
var emphasis = newSet("", "*")

var closing = newSet("", "\"'`]\\")

func blanks(rest []byte) int {
	n := 0
	for n < len(rest) && n < widestGap && (rest[n] == ' ' || rest[n] == '\t') {
		n++
	}
	return n
}

// skipType passes over the type of a variable, as in password: &str = or password string =.
func skipType(rest []byte, i int) int {
	j := i
	if j < len(rest) && rest[j] == ':' {
		j++
		j += blanks(rest[j:])
	}
	n := typeChars.span(rest[j:], longestName)
	if n == 0 {
		return i
	}
	j += n
	j += blanks(rest[j:])
	if j+1 < len(rest) && rest[j] == '=' && rest[j+1] != '=' {
		return j
	}
	return i
}

var typeChars = newSet(alnumRange, "_&*<>[]'?")

// skipLabel passes over the name of the value's own attribute, as in name="password" value="…".
func skipLabel(rest []byte, i int) int {
	j := i
	if j < len(rest) && (rest[j] == ',' || rest[j] == ';') {
		j += 1 + blanks(rest[j+1:])
	}
	for j < len(rest) && j < i+3+widestGap && (rest[j] == '"' || rest[j] == '\'' || rest[j] == '\\') {
		j++
	}
	if len(rest) < j+len("value") || !equalFold(rest[j:j+len("value")], "value") {
		return i
	}
	j += len("value")
	j += closers(rest[j:])
	j += blanks(rest[j:])
	if j >= len(rest) || rest[j] != '=' && rest[j] != ':' {
		return i
	}
	return j + 1 + blanks(rest[j+1:])
}

// skipWrapper passes over the prefix of a string literal and a call around it, as in b"…" and []byte("…").
func skipWrapper(rest []byte, i int) int {
	n := wrapperChars.span(rest[min(i, len(rest)):], longestName)
	j := i + n
	switch {
	case n == 0 || j+1 >= len(rest):
	case n <= 2 && (rest[j] == '"' || rest[j] == '\''):
		return j
	case rest[j] == '(' && (rest[j+1] == '"' || rest[j+1] == '\'' || rest[j+1] == '`'):
		return j + 1
	}
	return i
}

var wrapperChars = newSet(alnumRange, "_.:[]&!@")
