package secret

import (
	"bytes"
	"strings"
)

// Bounds of values.
const (
	leastPassword  = 6
	leastGenerated = 16
	leastLengthy   = 32
	longPassword   = 128
)

// holds reports whether value is a credential of the kind that n names, and no placeholder, template or expression.
func (n *noun) holds(b []byte, v value) bool {
	if bytes.Contains(b, []byte(opening)) || template(b) || placeholder(b) || isPath(b) {
		return false
	}
	switch n.class {
	case generated:
		return generatedValue(b, v)
	case lengthy:
		return len(b) >= leastLengthy && generatedValue(b, v)
	case chosen:
	}
	return chosenValue(b, v) && !constant(b) && bytes.Count(b, []byte("$")) < 2 // as in a hash with its parameters
}

// constant reports whether b is the name of a constant, as ROLE_1.
func constant(b []byte) bool {
	return bytes.IndexByte(b, '_') > 0 && constantChars.span(b, len(b)) == len(b) && isUpper(b[0])
}

var constantChars = newSet(digitRange+upperRange, "_")

// isUUID reports whether b is a UUID, which more often identifies than protects.
func isUUID(b []byte) bool {
	return len(b) == 36 && hexDash.span(b, 36) == 36 && b[8] == '-' && b[13] == '-' && b[18] == '-' && b[23] == '-'
}

// generatedValue judges a value that a machine chose.
func generatedValue(b []byte, v value) bool {
	if scheme, rest, ok := bytes.Cut(b, []byte(" ")); ok {
		if !authScheme(scheme) || equalFold(scheme, "basic") { // which has its own rule
			return false
		}
		b = rest
	}
	switch {
	case len(b) < leastGenerated || keyChars.span(b, len(b)) < len(b) || isDigest(b) || constant(b):
		return false
	case v.weak && isUUID(b):
		return false
	}
	return random(b)
}

var keyChars = newSet(alnumRange, "+/=_.~-:%!@#$^&*")

func authScheme(word []byte) bool {
	for _, scheme := range []string{"bearer", "basic", "token"} {
		if equalFold(word, scheme) {
			return true
		}
	}
	return false
}

// isDigest reports whether b names its hash function, as integrity fields of lock files do.
func isDigest(b []byte) bool {
	return bytes.HasPrefix(b, []byte("sha")) || bytes.HasPrefix(b, []byte("md5"))
}

// chosenValue judges a value that a person chose.
func chosenValue(b []byte, v value) bool {
	if len(b) < leastPassword || len(b) > longPassword || bytes.ContainsAny(b, " \t") || known(b) {
		return false
	}
	s := shapeOf(b)
	switch {
	case s.lower+s.upper == 0 && s.strong == 0, s.different < 4, v.call && !random(b),
		v.op == ',' && !v.given && wordy(b):
		return false
	}
	if v.quote != 0 {
		if s.digits == 0 && s.jumbled(len(b)) && !wordy(b) {
			return true
		}
		return s.digits > 0 && (s.upper > 0 || s.strong > 0 || s.lower > 0 && !numbered(b)) || s.strong > 0 && s.upper > 0
	}
	switch {
	case s.digits > 0 && s.lower > 0 && (s.upper > 0 && s.joints == 0 || s.strong > 0):
		return v.tight || v.last || v.op == ' '
	case s.digits > 0 && s.lower+s.upper > 0 && s.joints == 0 && !numbered(b):
		return v.last && (v.op == ':' || v.tight) // in code this is a name
	}
	return false
}

// numbered reports whether b is a word with a number at its end, as password1 and user2 are.
func numbered(b []byte) bool {
	word := bytes.TrimRight(b, "0123456789")
	return len(b)-len(word) <= 1 && len(word) > 0 && lowerSet.span(word, len(word)) == len(word)
}

// template reports whether b is filled in or computed later.
func template(b []byte) bool {
	if bytes.ContainsAny(b, "(){}<>[]|\\") {
		return true
	}
	switch b[0] {
	case '$', '%', '@', '#', '&', ':', '*', '.', ',', '=', '-', '!', '?':
		return !strings.ContainsRune("!#@&", rune(b[0])) || len(b) < 8
	}
	return bytes.Contains(b, []byte("%s")) || bytes.Contains(b, []byte("%v")) || bytes.Contains(b, []byte("%d"))
}

// isPath reports whether b leads to a file or is a URL: those have their own rules.
func isPath(b []byte) bool {
	return b[0] == '/' && bytes.Count(b, []byte("/")) > 1 && !bytes.ContainsAny(b, "+=") || b[0] == '~' ||
		bytes.Contains(b, []byte("://"))
}

// fillers are words that people write where a password would be. A value that consists of them is not a password.
var fillers = strings.Fields(`
	password passwd passwort pass passw pwd pw secret token key test testing tester admin root user username
	userpass guest demo foo foobar bar baz qux quux abc abcd abcde abcdef xyz postgres postgresql mysql mariadb
	redis rabbitmq mongo mongodb minio elastic neo4j vagrant ansible default none null nil true false undefined
	letmein qwerty welcome hello world string value my the some any new old your our another other wrong bad good
	invalid valid correct incorrect weak temp tmp example sample db database api app client server login auth hash
	hashed plain text proxy encoded encrypted raw dev prod local super very strong long short first second third
	one two three in out for is a b an not this that change changed changeme me no yes with of to from and or on
	field input confirm confirmation confirmed current again repeat reset forgot basic bearer random dummy fake
	mock alice bob jane john doe joe`)

var fillerWords = wordSet(fillers)

// known reports whether b consists of fillers, with a number or a mark at the end.
func known(b []byte) bool {
	name := strings.TrimRight(string(b), "!@#$%^&*?.+~")
	for _, w := range words(name) {
		letters := strings.TrimRight(w, "0123456789")
		digits := w[len(letters):]
		if letters != "" && !composed(letters, 4) {
			return false
		}
		if len(digits) > 2 && !counted(digits) {
			return false
		}
	}
	return true
}

// counted reports whether people append digits to words: 1234, 000, or a year.
func counted(digits string) bool {
	year := len(digits) == 4 && (strings.HasPrefix(digits, "19") || strings.HasPrefix(digits, "20"))
	return year || strings.Contains("12345678901234567890", digits) || strings.Trim(digits, digits[:1]) == ""
}

// composed reports whether word is made of at most parts fillers.
func composed(word string, parts int) bool {
	if word == "" {
		return true
	}
	for n := len(word); n > 0 && parts > 0; n-- {
		if fillerWords[word[:n]] && composed(word[n:], parts-1) {
			return true
		}
	}
	return false
}
