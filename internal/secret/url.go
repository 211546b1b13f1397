package secret

import "bytes"

// longestLogin is how many bytes a user name with a password may have in a URL.
const longestLogin = 512

// login matches the password in scheme://user:password@host, and a generated user name without a password.
func login(t *text, at int) (match, bool) {
	start := at + len("://")
	if start >= len(t.data) || at == 0 || !alnum[t.data[at-1]] {
		return match{}, false
	}
	rest := t.data[start:min(len(t.data), start+longestLogin)]
	if end := bytes.IndexAny(rest, "/ \t\r\n\"'`<>\\|,()?"); end >= 0 {
		rest = rest[:end]
	}
	sign := bytes.LastIndexByte(rest, '@')
	if sign <= 0 {
		return match{}, false
	}
	return loginPart(rest[:sign], start, bytes.TrimRight(rest[sign+1:], ".:;"))
}

// loginPart matches the password in user:password, which starts at start.
func loginPart(userinfo []byte, start int, host []byte) (match, bool) {
	user, pass, ok := bytes.Cut(userinfo, []byte(":"))
	if !ok {
		if len(user) >= leastGenerated && !template(user) && random(user) {
			return match{start, start + len(user), "token"}, true
		}
		return match{}, false
	}
	from := start + len(user) + 1
	if !loginPassword(user, pass, host) {
		return match{}, false
	}
	return match{from, from + len(pass), "password"}, true
}

// loginPassword judges the password of a URL. Before a host that is an example, a plain word is not a password.
func loginPassword(user, pass, host []byte) bool {
	switch {
	case len(pass) < 3 || bytes.Contains(pass, []byte(opening)) || template(pass) || placeholder(pass) || known(pass):
		return false
	case bytes.EqualFold(user, pass):
		return false
	}
	s := shapeOf(pass)
	plain := s.digits == 0 && s.strong == 0 && (s.upper == 0 || s.lower == 0)
	return !plain || len(pass) > 5 && !exampleHost(host)
}

// exampleHosts are the ends of hosts that documentation and tests use.
var exampleHosts = [][]byte{[]byte("example.com"), []byte("example.org"), []byte("example.net"), []byte(".example"),
	[]byte(".test"), []byte(".invalid"), []byte("localhost"), []byte("127.0.0.1"), []byte("host"), []byte("hostname"),
	[]byte("server"), []byte("domain.com"), []byte("domain"), []byte("0.0.0.0"), []byte("[::1]")}

func exampleHost(host []byte) bool {
	if i := bytes.LastIndexByte(host, ':'); i > 0 {
		host = host[:i]
	}
	host = bytes.ToLower(host)
	for _, end := range exampleHosts {
		if bytes.HasSuffix(host, end) {
			return true
		}
	}
	return bytes.ContainsAny(host, "{}<>$%[")
}

// dsn matches the password in user:password@tcp(host), the form of MySQL in Go. at is the place of the @.
func dsn(t *text, at int) (match, bool) {
	head := t.before(at, longestLogin)
	from := at - len(head)
	if i := bytes.LastIndexAny(head, " \t\"'`=(,\\"); i >= 0 {
		head, from = head[i+1:], from+i+1
	}
	if !bytes.Contains(head, []byte(":")) {
		return match{}, false
	}
	return loginPart(head, from, nil)
}

// oracle matches the password in jdbc:oracle:thin:user/password@host.
func oracle(t *text, at int) (match, bool) {
	start := at + len("jdbc:oracle:thin:")
	rest := t.after(min(start, len(t.data)))
	sign := bytes.IndexByte(rest, '@')
	user, pass, ok := bytes.Cut(rest[:max(sign, 0)], []byte("/"))
	if !ok || !loginPassword(user, pass, nil) {
		return match{}, false
	}
	from := start + len(user) + 1
	return match{from, from + len(pass), "password"}, true
}
