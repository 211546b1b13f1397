package secret

import (
	"slices"
	"strings"
)

// A noun is what the name of a secret value ends in.
type noun struct {
	words string // of the end of the name, with spaces
	kind  string
	class class
	fused bool // also at the end of a longer word, as in dbpassword
}

// A class says how a value must look to be a credential: people choose passwords, machines generate keys.
type class int

const (
	chosen class = iota
	generated
	lengthy // generated, and long: under a name that may be that of anything
)

var nouns = []noun{
	{"password", "password", chosen, true}, {"passwd", "password", chosen, true}, {"passphrase", "password", chosen, true},
	{"passcode", "password", chosen, true}, {"pwd", "password", chosen, true}, {"pass", "password", chosen, false},
	{"passwort", "password", chosen, true}, {"kennwort", "password", chosen, true},
	{"senha", "password", chosen, false}, {"contrasena", "password", chosen, false},
	{"mot de passe", "password", chosen, false}, {"psk", "password", chosen, false},
	{"pass phrase", "password", chosen, false},
	{"pass word", "password", chosen, false},
	{"secret", "secret", generated, true}, {"token", "token", generated, true},
	{"secret key base", "secret", generated, false}, {"secret base", "secret", generated, false},
	{"credential", "secret", generated, false}, {"credentials", "secret", generated, false},
	{"creds", "secret", generated, false}, {"auth", "token", lengthy, false},
	{"dockerconfigjson", "secret", generated, false},
	{"session cookie", "token", generated, false}, {"session id", "token", generated, false},
	{"bearer", "token", generated, false}, {"jwt", "token", generated, false},
	{"api key", "api-key", generated, false}, {"apikey", "api-key", generated, true},
	{"access key", "secret-key", generated, false}, {"accesskey", "secret-key", generated, true},
	{"secret key", "secret-key", generated, false}, {"secretkey", "secret-key", generated, true},
	{"private key", "private-key", generated, false}, {"privatekey", "private-key", generated, true},
	{"account key", "secret-key", generated, false}, {"accountkey", "secret-key", generated, true},
	{"auth key", "secret-key", generated, false}, {"authkey", "secret-key", generated, true},
	{"shared key", "secret-key", generated, false}, {"encryption key", "secret-key", generated, false},
	{"encrypt key", "secret-key", generated, false}, {"signing key", "secret-key", generated, false},
	{"master key", "secret-key", generated, false}, {"service key", "secret-key", generated, false},
	{"app key", "secret-key", generated, false}, {"application key", "secret-key", generated, false},
	{"license key", "secret-key", generated, false}, {"storage key", "secret-key", generated, false},
	{"admin key", "secret-key", generated, false}, {"subscription key", "secret-key", generated, false},
	{"integration key", "secret-key", generated, false}, {"preshared key", "secret-key", generated, false},
	{"hmac key", "secret-key", generated, false}, {"role key", "secret-key", generated, false},
	{"record key", "secret-key", generated, false}, {"deploy key", "secret-key", generated, false},
	{"routing key", "secret-key", generated, false}, {"server key", "secret-key", generated, false},
	{"fastly key", "secret-key", generated, false}, {"io key", "secret-key", generated, false},
	{"ai key", "secret-key", generated, false}, {"ext pat", "token", generated, false},
	{"art api", "token", generated, false},
	{"auth salt", "secret", generated, false}, {"hmac secret", "secret", generated, false},
	{"key", "secret-key", lengthy, false},
	{"webhook key", "secret-key", generated, false}, {"ingest key", "secret-key", generated, false},
}

// suffixes are words that may follow the noun in a name.
var suffixes = strings.Fields(`prod production stage staging dev develop development test testing live sandbox local ci
	primary secondary main default value val string text plain plaintext raw base64 b64 env old new current previous
	backup readonly ro rw admin root user master a b`)

// publicQualifiers are words before a noun that make it no secret.
var publicQualifiers = strings.Fields(`page next csrf xsrf sync continuation cancellation cancel public pub resume
	pagination client_request request idempotency delimiter separator start end eof reserved hash site map scroll
	change watch authenticity encoded hashed encrypted masked no not invalid bad wrong empty missing expired design`)

// stems returns the literals at which a name is looked at: every name that ends in a noun contains one.
func stems() []string {
	all := []string{"pass"} // of seven nouns
	for _, n := range nouns {
		if strings.HasPrefix(n.words, "pass") {
			continue
		}
		for _, mark := range []string{"", "_", "-"} {
			all = append(all, strings.ReplaceAll(n.words, " ", mark))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// maxNameWords is how many words at the end of a name are compared.
const maxNameWords = 6

// judge returns the noun that name ends in, or nil for a name that is not that of a secret.
func judge(name string) *noun {
	all := words(name)
	all = all[max(0, len(all)-maxNameWords):]
	for len(all) > 0 && (slices.Contains(suffixes, all[len(all)-1]) || isNumber(all[len(all)-1])) {
		all = all[:len(all)-1]
	}
	if len(all) == 0 {
		return nil
	}
	joined := strings.TrimRight(strings.Join(all, " "), "0123456789")
	for i := range nouns {
		n := &nouns[i]
		rest, ok := strings.CutSuffix(joined, n.words)
		if !ok || rest != "" && !n.fused && !strings.HasSuffix(rest, " ") {
			continue
		}
		if before := strings.Fields(rest); len(before) > 0 && slices.Contains(publicQualifiers, before[len(before)-1]) {
			return nil
		}
		return n
	}
	return nil
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// words splits a name into its words in lower case: at marks, and where its letters change to upper case.
func words(name string) []string {
	var all []string
	start := 0
	flush := func(end int) {
		if end > start {
			all = append(all, strings.ToLower(name[start:end]))
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case !alnum[c]:
			flush(i)
			start = i + 1
		case i > start && isUpper(c) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return all
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// Named reports whether text has an identifier that is the name of a credential, as in "def reset_token(user)".
func Named(text string) bool {
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= 128 || !nameChars[byte(r)] }) {
		if n := judge(name); n != nil && n.class != lengthy {
			return true
		}
	}
	return false
}

// Marks returns the kinds of the credentials that [Mask] masked in a line: those with the form of a vendor or of a
// private key, and those that only a name says to be one.
func Marks(line string) (formed, named []string) {
	for {
		_, rest, found := strings.Cut(line, opening)
		kind, after, closed := strings.Cut(rest, "]")
		if !found || !closed {
			return formed, named
		}
		byName := slices.ContainsFunc(nouns, func(n noun) bool { return n.kind == kind })
		if byName && kind != "private-key" {
			named = append(named, kind)
		} else {
			formed = append(formed, kind)
		}
		line = after
	}
}
