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

// A passwordOption is an option of a program whose value is a password, in the same word or apart in the next.
type passwordOption struct {
	program, option string
	apart           bool
}

var passwordOptions = []passwordOption{
	{"mysql", " -p", false}, {"sshpass", " -p", true}, {"docker login", " -p", true}, {"podman login", " -p", true},
	{"helm registry login", " -p", true}, {"redis-cli", " -a", true}, {"ldapsearch", " -w", true},
	{"ldapmodify", " -w", true}, {"ldapadd", " -w", true}, {"ldapwhoami", " -w", true},
	{"keytool", " -storepass", true}, {"keytool", " -keypass", true},
	{"ConvertTo-SecureString", "ConvertTo-SecureString", true},
	{"IDENTIFIED BY", "IDENTIFIED BY", true}, {"identified by", "identified by", true},
}

// find matches the password at the place of the program.
func (o passwordOption) find(t *text, at int) (match, bool) {
	rest := t.after(at)
	i := bytes.Index(rest, []byte(o.option))
	if i < 0 {
		return match{}, false
	}
	start := i + len(o.option)
	if o.apart {
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

// changed matches the password in user:password before | chpasswd, which is at at.
func changed(t *text, at int) (match, bool) {
	head := t.before(at, longestLogin)
	i := bytes.LastIndexByte(head, ':')
	if i < 0 {
		return match{}, false
	}
	from := at - len(head) + i + 1
	user, pass := head[bytes.LastIndexAny(head[:i], " \t\"'")+1:i], head[i+1:]
	if end := bytes.IndexAny(pass, " \t\"'|"); end >= 0 {
		pass = pass[:end]
	}
	if !loginPassword(user, pass, nil) {
		return match{}, false
	}
	return match{from, from + len(pass), "password"}, true
}

// header matches the value of an Authorization header, after a word for the scheme or without one. [bearer] and [basic]
// know two schemes wherever they are.
func header(t *text, at int) (match, bool) {
	i := at + len("authorization")
	rest := t.after(i)
	n := spaced.span(rest, widestGap)
	if !bytes.ContainsAny(rest[:n], ":=,") {
		return match{}, false
	}
	scheme := schemeChars.span(rest[n:], longestScheme)
	if scheme > 0 && n+scheme < len(rest) && rest[n+scheme] == ' ' {
		if equalFold(rest[n:n+scheme], "basic") {
			return match{}, false
		}
		n += scheme + blanks(rest[n+scheme:])
	}
	found := rest[n:]
	found = found[:keyChars.span(found, longestValue)]
	if len(found) == 0 || template(found) || !generatedValue(found, value{}) {
		return match{}, false
	}
	return match{i + n, i + n + len(found), t.kindAt(i+n, "token")}, true
}

// longestScheme is how many bytes the name of a scheme of authorization may have.
const longestScheme = 24

var (
	spaced      = newSet("", " \t:=,\"'`\\])>")
	schemeChars = newSet(alnumRange, "-")
)

// pair matches the password in auth=("user", "password"), the form of Python's requests.
func pair(t *text, at int) (match, bool) {
	i := at + len("auth=(")
	rest := t.after(min(i, len(t.data)))
	user, pass, ok := bytes.Cut(rest, []byte(","))
	n := len(rest) - len(pass)
	v, quoted := value{op: '='}.bound(pass, blanks(pass))
	if !ok || !quoted || v.quote == 0 || !loginPassword(bytes.Trim(user, "\"' "), pass[v.from:v.to], nil) {
		return match{}, false
	}
	return match{i + n + v.from, i + n + v.to, "password"}, true
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

// registry matches the login of a registry of images: "auth": BASE64, of a user and a password.
func registry(t *text, at int) (match, bool) {
	i := at + len(`"auth"`)
	rest := t.after(i)
	v, ok := valueAfter(rest)
	if !ok || v.op != ':' || v.quote == 0 {
		return match{}, false
	}
	text, err := base64.StdEncoding.DecodeString(string(rest[v.from:v.to]))
	_, pass, two := bytes.Cut(text, []byte(":"))
	if err != nil || !two || !printable(text) || !loginPassword(nil, pass, nil) {
		return match{}, false
	}
	return match{i + v.from, i + v.to, "password"}, true
}

// bundled matches the login of a source of gems in the environment: BUNDLE_GEMS__EXAMPLE__COM=user:password.
func bundled(t *text, at int) (match, bool) {
	rest := t.after(at)
	n := word.span(rest, longestName)
	v, ok := valueAfter(rest[n:])
	if !ok || v.op != '=' && v.op != ':' || !bytes.Contains(rest[:n], []byte("__")) {
		return match{}, false
	}
	login := rest[n+v.from : n+v.to]
	if bytes.IndexByte(login, ':') <= 0 {
		return match{}, false
	}
	return loginPart(login, at+n+v.from, nil)
}

// signers are calls that sign or check with a key.
var signers = []string{"jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode(", "JWT.encode", "JWT.decode",
	"hmac.new(", "hmac.New(", "createHmac("}

// mostArguments is how many quotes in a call are looked at.
const mostArguments = 8

// signer matches a key that is written in a call.
func signer(t *text, at int) (match, bool) {
	rest := t.after(at)
	rest = rest[:min(len(rest), longestValue)]
	for i, tries := 0, 0; i < len(rest) && tries < mostArguments; tries++ {
		n := bytes.IndexAny(rest[i:], "\"'`")
		if n < 0 {
			break
		}
		v, ok := value{op: '='}.bound(rest, i+n)
		if !ok {
			i += n + 1
			continue
		}
		if found := rest[v.from:v.to]; generatedValue(found, v) {
			return match{at + v.from, at + v.to, t.kindAt(at+v.from, "secret-key")}, true
		}
		i = v.to + 1
	}
	return match{}, false
}
