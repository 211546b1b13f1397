package secret

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// unbounded is the most characters of a form that names no bound: no credential is longer.
const unbounded = 4000

// rules returns one rule for each mark of the form.
func (f *form) rules() []*rule {
	var all []*rule
	for mark := range strings.FieldsSeq(f.marks) {
		find := func(t *text, at int) (match, bool) { return f.find(t, at, mark) }
		all = append(all, &rule{literal: mark, find: find})
	}
	return all
}

// find matches the form at its mark.
func (f *form) find(t *text, at int, literal string) (match, bool) {
	from := at
	if f.before != nil {
		n := f.before.spanBack(t.before(at, reach/8), reach/8)
		if n < f.leastBy {
			return match{}, false
		}
		from -= n
	} else if from > t.done && word[t.data[from-1]] && word[literal[0]] && !escaped(t.data[:from]) {
		return match{}, false
	}
	most := f.most
	if most == 0 {
		most = unbounded
	}
	start := at + len(literal)
	rest := t.data[start:min(len(t.data), start+most+1)]
	n := f.chars.span(rest, most+1)
	body := bytes.TrimRight(rest[:min(n, len(rest))], ".-%") // the end of a sentence, not of the credential
	if len(body) < f.least || len(body) > most {
		return match{}, false
	}
	to := start + len(body)
	if to < len(t.data) && alnum[t.data[to]] {
		return match{}, false
	}
	if !f.needs.met(t, from, body) || placeholder(t.data[from:to]) {
		return match{}, false
	}
	return match{from, to, f.kind}, true
}

// escaped reports whether head ends in the escape of a control character, such as \n, whose letter is not part of the
// next word.
func escaped(head []byte) bool {
	n := len(head)
	return n > 1 && head[n-2] == '\\' && (head[n-1] == 'n' || head[n-1] == 't' || head[n-1] == 'r')
}

// fewest is how many different characters a credential has at least.
const fewest = 6

// met reports whether body, the characters after a mark, shows what a credential of the form needs.
func (n need) met(t *text, from int, body []byte) bool {
	s := shapeOf(body)
	switch n {
	case aDigit:
		return s.digits > 0 && s.different >= min(fewest, len(body))
	case mixedCase:
		return s.lower > 0 && s.upper > 0 && s.different >= fewest
	case mixedAndDigit:
		return s.lower > 0 && s.upper > 0 && s.digits > 0 && s.different >= fewest
	case twoDots:
		return manyParts(body)
	case claims:
		end := from + len("eyJ") + len(body)
		return manyParts(body) || unsigned(body) && !bytes.HasPrefix(t.data[end:], []byte(".."))
	case aQuery:
		line := append(bytes.Clone(t.before(from, 512)), t.after(from)...)
		has := func(name string) bool { return bytes.Contains(line, []byte(name)) }
		return has("sv=") || has("se=") && has("sr=")
	case nothing:
	}
	return true
}

// unsigned reports whether body is what follows eyJ in a header and claims without a signature.
func unsigned(body []byte) bool {
	header, rest, _ := bytes.Cut(body, []byte("."))
	return len(header) >= leastPart && len(rest) >= 2*leastPart && bytes.HasPrefix(rest, []byte("eyJ"))
}

// numbers lists how a number of three digits or more begins in base64.
func numbers() []string {
	var all []string
	for n := range 1000 {
		all = append(all, base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%03d", n))[:window])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// accountToken matches A.B.C, where A is the number of an account in base64, B a time, and C a signature, as in a token
// of Discord.
func accountToken(t *text, at int) (match, bool) {
	if at > t.done && word[t.data[at-1]] && !escaped(t.data[:at]) {
		return match{}, false
	}
	rest := t.data[at:min(len(t.data), at+longestToken)]
	rest = rest[:dotted.span(rest, len(rest))]
	token := bytes.TrimRight(rest, ".-=")
	parts := bytes.Split(token, []byte("."))
	if len(rest) == longestToken || len(parts) != 3 || len(parts[1]) < 5 || len(parts[2]) < 27 {
		return match{}, false
	}
	id, err := base64.RawURLEncoding.DecodeString(string(parts[0]))
	return match{at, at + len(token), "discord-token"}, err == nil && len(id) >= 15 && digits.span(id, len(id)) == len(id)
}

// longestToken is more than the length of such a token, in bytes.
const longestToken = 100

// leastPart is the length of the shortest part of a token in three parts.
const leastPart = 10

// manyParts reports whether body has three parts or more, the first three of them long.
func manyParts(body []byte) bool {
	parts := bytes.Split(body, []byte("."))
	if len(parts) < 3 {
		return false
	}
	for _, p := range parts[:3] {
		if len(p) < leastPart {
			return false
		}
	}
	return true
}
