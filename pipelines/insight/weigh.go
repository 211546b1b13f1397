package insight

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// testData is the doubt about what tests read, and do not run.
const testData = "it is data of a test"

// drop is the verdict on a hit that is not a finding.
const drop = "-"

// doubts are the places where a finding may be intended, by path; the first that matches counts.
var doubts = []struct {
	is  func(path string) bool
	why string
}{
	{lazyregexp.New(`(?i)(^|/)tests?/(specs?|cases|data|inputs?|resources)/`).MatchString, testData},
	{isTest, "it is in a test"},
	{isAside, "it is in an example, a script or a benchmark"},
	{lazyregexp.New(`(?i)(^|/)(t|test[_-]?\w*|\w+[_-]tests?|testing_?\w*|fakes?|stubs?|fixtures?|snapshots?|` +
		`cypress|integration([_-]?\w+)?)/|(^|/)(fake|mock|stub|test)[\w-]*\.\w+$|` +
		`(mock|fake|stub|_testing|testutils?)\.\w+$`).MatchString,
		"it is in code for tests"},
	{lazyregexp.New(`(?i)(^|/)(hack(ing)?|dev|devel|develop\w*|contrib|misc|extras?|installer|packaging|docker\w*|` +
		`deploy\w*|k8s|kubernetes|charts?|helm|terraform|infra\w*|codegen|generate|generators?|maint\w*|release|perf|` +
		`profiling|\.[\w-]+|scripts?|tutorials?|quickstarts?|cookbook|notebooks?|templates?|skeletons?)/|` +
		`^(tools?|bin|build|ci|etc|utils|support|automation|website|site|www)/|(^|/)docker-compose[^/]*$`).MatchString,
		"it is in tooling, not in what ships"},
	{lazyregexp.New(`(?i)(sample|example|template|default|dist|local|dev|demo)s?\.\w+$|` +
		`\.(sample|example|template|dist)$`).MatchString,
		"it is in a sample"},
}

// doubtOfPath says why a finding in a file may be intended, or "".
func doubtOfPath(p string) string {
	for _, d := range doubts {
		if d.is(p) {
			return d.why
		}
	}
	return ""
}

var (
	buildIgnored = lazyregexp.New(`^//(go:build| \+build) .*\b(ignore|tools|mage|test\w*|\w*test|integration|e2e)\b`)
	rustTests    = lazyregexp.New(`^\s*#\[cfg\((.*\W)?(test|doc|docsrs|doctest)\W|^\s*mod tests? \{`)
	triesOut     = lazyregexp.New(`(?i)(^|[\W_])(tests?|mock|fake|dummy|example|sample|demo|benchmark)([\W_A-Z]|$)`)
	mainGuard    = lazyregexp.New(`^if __name__ == `)
)

// doubt says why the code around a hit may do this on purpose, or "": its file is built on request, or its function is
// for tests.
func (s scope) doubt() string {
	if len(s.file) > 0 && strings.HasPrefix(s.file[0], "#!") {
		return "it is in a script"
	}
	if hasLine(s.file[:min(len(s.file), 40)], buildIgnored) {
		return "the file is built on request only"
	}
	for i := s.at; i >= 0 && i < len(s.file); i-- {
		l := s.file[i]
		switch {
		case rustTests.MatchString(l) && (indent(l) < indent(s.file[s.at]) || i == s.at-1):
			return "it is built for tests or documentation only"
		case mainGuard.MatchString(l) && indent(s.file[s.at]) > 0 && !s.inside:
			return "it is in the part of a module that runs as a script"
		case strings.HasPrefix(l, "}") && i < s.at, indent(l) == 0 && i < s.at && strings.HasSuffix(s.name, ".py"):
			i = 0
		}
	}
	if s.inside && triesOut.MatchString(nameOf(s.file[s.from])) {
		return "the function is for tests or examples"
	}
	return ""
}

var declared = lazyregexp.New(`\b(?:func(?:\s*\([^)]*\))?|def|fn|function)\s+(\w+)|` +
	`^\s*(?:static\s+|async\s+)*([\w$]+)\s*\(`)

// nameOf returns the name that a line declares a function with, or "".
func nameOf(l string) string {
	if m := declared.FindStringSubmatch(l); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// The words of options that turn a check off, and of names that say so.
var (
	option   = lazyregexp.New(`(?i)^\s*(\}\s*)?(if|elif|else if|case|when|match|switch)\b.*` + optionWord)
	choice   = lazyregexp.New(`(?i)` + optionWord + `.*(\?.*:|&&|\|\|)|\bif\b.*` + optionWord + `.*\belse\b`)
	openName = lazyregexp.New(`(?i)insecure|unverified|no_?verif|skip_?(tls|verif|ssl|cert)|self_?signed|` +
		`trust_?all|allow_?all|unsafe|ignore_?(ssl|cert|tls)|dangerous|disable_?(ssl|tls|cert)`)
	ownCheck = lazyregexp.New(`VerifyPeerCertificate|VerifyConnection|checkServerIdentity|fingerprint|Fingerprint|` +
		`assert_fingerprint|PeerCertificates|getPeerCertificate|getpeercert|get_server_certificate|pinned|Pinned`)
	ownMachine  = lazyregexp.New(`(?i)127\.0\.0\.1|localhost|\[::1\]|unix://|loopback|\blocal_?\w*(addr|host|port|url)`)
	ownServer   = lazyregexp.New(`\bClientAuth:`) // of the configuration of a server, which checks clients itself
	oldVersions = lazyregexp.New(`MinVersion:\s*tls\.Version(SSL30|TLS10)`)
	attribute   = lazyregexp.New(`^\s*(self\.)?\w*verify\s*(:\s*\w+\s*)?=\s*False\s*(#.*)?$`)
)

const optionWord = `(verif|insecure|skip|self.?signed|unsafe|trust|unauthor|strict|validat|no_?check|` +
	`check_?(host|cert|ssl)|ssl_?check|ignore|allow|debug|disable|tls_?mode|ssl_?mode|is_?dev|localhost|node_env)`

// trusting judges a line that turns off the check of certificates. Users who turn it off by an option, or by calling a
// function with such a name, know what they do. Code that compares the certificate itself needs no other check.
func trusting(h *hit, s scope) string {
	switch {
	case hasLine(s.before(), option), hasLine(s.before(), choice):
		return drop
	case openName.MatchString(nameOf(s.file[s.from])) && s.inside, openName.MatchString(owner(h, s)):
		return drop
	case ownCheck.MatchString(join(s.body())), ownServer.MatchString(join(s.body())):
		return drop
	case ownMachine.MatchString(join(s.body())):
		return "it talks to its own machine"
	case oldVersions.MatchString(join(s.body())):
		return "it accepts old versions as well, as a scanner does"
	case attribute.MatchString(h.text):
		return "it is a default that an option can change"
	}
	return ""
}

var (
	className = lazyregexp.New(`^\s*(?:export\s+|abstract\s+|pub\s+)*` +
		`(?:class|type|struct|impl|var|const|let)\s+(\w+)`)
	assigned = lazyregexp.New(`^\s*(?:var|const|let|self\.|this\.)?\s*([\w.]+)\s*:?=[^=]`)
)

// owner returns the names around a hit: the variable or key that gets the value, and the class.
func owner(h *hit, s scope) string {
	names := ""
	if m := assigned.FindStringSubmatch(strings.ReplaceAll(h.text, "InsecureSkipVerify", "")); m != nil {
		names = m[1]
	}
	own := indent(s.file[s.at])
	for i := s.at - 1; i >= 0 && own > 0; i-- {
		l := s.file[i]
		if strings.TrimSpace(l) == "" || indent(l) >= own {
			continue
		}
		own = indent(l)
		if m := className.FindStringSubmatch(l); m != nil {
			names += " " + m[1]
		} else if m := assigned.FindStringSubmatch(l); m != nil {
			names += " " + m[1]
		}
	}
	return names
}
