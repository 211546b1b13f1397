package secret

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"
)

// bearer matches the token of an Authorization header: Bearer TOKEN.
func bearer(t *text, at int) (match, bool) {
	i := at + len("bearer")
	rest := t.after(i)
	gap := blanks(rest)
	body := rest[gap:]
	n := keyChars.span(body, longestValue)
	found := bytes.TrimRight(body[:n], ".,:")
	if gap == 0 || len(found) < leastGenerated || template(found) || !random(found) {
		return match{}, false
	}
	return match{i + gap, i + gap + len(found), t.kindAt(i+gap, "token")}, true
}

// basic matches the login of an Authorization header: Basic BASE64, of a user and a password.
func basic(t *text, at int) (match, bool) {
	i := at + len("basic")
	rest := t.after(i)
	gap := blanks(rest)
	n := base64Set.span(rest[gap:], longestValue)
	text, err := base64.StdEncoding.DecodeString(string(rest[gap : gap+n]))
	if gap == 0 || err != nil || !utf8.Valid(text) {
		return match{}, false
	}
	user, pass, ok := bytes.Cut(text, []byte(":"))
	if !ok || len(user) == 0 || !printable(text) || !loginPassword(user, pass, nil) {
		return match{}, false
	}
	return match{i + gap, i + gap + n, "password"}, true
}

func printable(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r == utf8.RuneError || r > '~' }) < 0
}

// curl matches the password in curl -u user:password.
func curl(t *text, at int) (match, bool) {
	rest := t.after(at)
	for _, option := range []string{" -u ", " -u", " --user ", " --user=", " --proxy-user "} {
		i := bytes.Index(rest, []byte(option))
		if i < 0 {
			continue
		}
		start := i + len(option)
		if start < len(rest) && (rest[start] == '"' || rest[start] == '\'') {
			start++
		}
		word := rest[start:]
		if end := bytes.IndexAny(word, " \t\"'`\\"); end >= 0 {
			word = word[:end]
		}
		if bytes.Contains(word, []byte(":")) {
			return loginPart(word, at+start, nil)
		}
	}
	return match{}, false
}

// attached matches the password in mysql -pPASSWORD and sshpass -p PASSWORD.
func attached(t *text, at int) (match, bool) {
	rest := t.after(at)
	i := bytes.Index(rest, []byte(" -p"))
	if i < 0 {
		return match{}, false
	}
	start := i + len(" -p")
	if bytes.HasPrefix(rest, []byte("sshpass")) {
		start += blanks(rest[start:])
	}
	if start < len(rest) && (rest[start] == '"' || rest[start] == '\'') {
		start++
	}
	word := rest[start:]
	if end := bytes.IndexAny(word, " \t\"'`\\;"); end >= 0 {
		word = word[:end]
	}
	if len(word) < leastPassword || !loginPassword(nil, word, nil) || shapeOf(word).digits == 0 {
		return match{}, false
	}
	return match{at + start, at + start + len(word), "password"}, true
}

// npmAuth matches the login in an .npmrc: _auth=BASE64.
func npmAuth(t *text, at int) (match, bool) {
	i := at + len("_auth")
	rest := t.after(i)
	v, ok := valueAfter(rest)
	if !ok || v.op != '=' && v.op != ':' || !generatedValue(rest[v.from:v.to], v) {
		return match{}, false
	}
	return match{i + v.from, i + v.to, "token"}, true
}
