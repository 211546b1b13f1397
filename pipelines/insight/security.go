package insight

import (
	"regexp"
	"strings"
)

var (
	secretWord      = regexp.MustCompile(`(?i)password|passwd|secret|credential|\btoken|api_?key|signature|session_?id|nonce`)
	askedFor        = regexp.MustCompile(`(?i)^\s*(if|elif)\b.*(verif|valid|insecure|cert|tls|ssl)`)
	compiled        = regexp.MustCompile(`\bexec\((code|co)\w*\s*[,)]`)
	literalShell    = regexp.MustCompile(`(subprocess\.\w+|os\.system|os\.popen)\(\s*(r|b)?("[^"{]*"|'[^'{]*')\s*[,)]`)
	literalEval     = regexp.MustCompile(`\b(eval|exec)\(\s*[rb]?("[^"]*"|'[^']*')\s*([,)]|$)`)
	goShell         = regexp.MustCompile(`"-c",\s*("[^"]*"|` + "`[^`]*`" + `)\s*\)`)
	literalFunction = regexp.MustCompile(`new Function\((["'` + "`" + `][^"'` + "`" + `]*["'` + "`" + `])?\)`)
	serverField     = regexp.MustCompile(`\b(ReadHeaderTimeout|ReadTimeout)\b`)
)

// securitySigns are the signs of the dimension security.
var securitySigns = []sign{
	{
		importance: high,
		query:      query{patterns: []string{`InsecureSkipVerify:\s*true`}, include: goFiles, exclude: goTests, before: 2},
		keep:       func(h *hit) bool { return !h.explained() },
		one:        "A TLS client trusts every certificate",
		many:       "TLS clients trust every certificate in %d places",
		claim:      "InsecureSkipVerify is true whatever the configuration says: whoever is on the way reads and changes what is sent.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`\bverify\s*=\s*False\b`, `\bssl\._create_unverified_context\(`, `\bverify_mode\s*=\s*(ssl\.)?CERT_NONE\b`}, include: pyFiles, before: 20},
		keep: func(h *hit) bool {
			return !strings.Contains(h.text, "def ") && !h.explained() && h.around(askedFor, nil) == ""
		},
		one:   "A certificate is not verified",
		many:  "Certificates are not verified in %d places",
		claim: "Whoever is on the way reads and changes what is sent.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`rejectUnauthorized\s*:\s*false`}, include: jsFiles, before: 1},
		keep:       func(h *hit) bool { return !h.explained() },
		one:        "A TLS client trusts every certificate",
		many:       "TLS clients trust every certificate in %d places",
		claim:      "rejectUnauthorized is false: whoever is on the way reads and changes what is sent.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`subprocess\.\w+\(.*shell\s*=\s*True`, `\bos\.(system|popen)\(`}, include: pyFiles, before: 20},
		keep:       func(h *hit) bool { return !literalShell.MatchString(h.text) && !strings.Contains(h.text, "def ") },
		one:        "A shell runs a command that is put together at run time",
		many:       "Shells run commands that are put together at run time in %d places",
		claim:      "The command is no literal and goes through a shell: a name or value with a quote, a space or a semicolon in it becomes a command. A list of arguments without a shell does not.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`exec\.Command(Context)?\(.*"(ba|z|da)?sh",\s*"-c",`}, include: goFiles, exclude: goTests, before: 1},
		keep:       func(h *hit) bool { return !goShell.MatchString(h.text) },
		one:        "A shell runs a command that is put together at run time",
		many:       "Shells run commands that are put together at run time in %d places",
		claim:      "What stands behind sh -c is no literal: a value with a quote or a semicolon in it becomes a command.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`(^|[^\w.])(eval|exec)\(`}, include: pyFiles, before: 20},
		keep: func(h *hit) bool {
			return !literalEval.MatchString(h.text) && !strings.Contains(h.text, "def ") && !strings.Contains(h.text, "compile(") && !strings.Contains(h.text, "eval()") && !strings.Contains(h.text, "exec()") && !strings.Contains(h.path, "shell") && !strings.Contains(h.text, "__builtins__") && !compiled.MatchString(h.text)
		},
		one:   "A text is run as code",
		many:  "Texts are run as code in %d places",
		claim: "What eval or exec is given is put together at run time: whoever can put words into it runs code in this process.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\bnew Function\(`, `(^|[^\w.])eval\(`}, include: jsFiles, before: 1},
		keep: func(h *hit) bool {
			return !literalFunction.MatchString(h.text)
		},
		one:   "A text is run as code",
		many:  "Texts are run as code in %d places",
		claim: "The code is put together at run time. A page whose content policy forbids unsafe-eval refuses it, and whoever can put words into it runs code.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`\byaml\.load\([^)]*\)`, `\byaml\.unsafe_load\(`}, include: pyFiles, before: 20},
		keep:       func(h *hit) bool { return !strings.Contains(h.text, "Loader") },
		one:        "YAML is loaded with the power to run code",
		many:       "YAML is loaded with the power to run code in %d places",
		claim:      "Without a safe loader a document may name any Python object to be made.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\b(md5|sha1)\.(New|Sum)\(`}, include: goFiles, exclude: goTests, before: 2, after: 2},
		keep:       aboutSecrets,
		one:        "A weak hash is used where a secret is made or checked",
		many:       "Weak hashes are used where secrets are made or checked in %d places",
		claim:      "MD5 and SHA-1 are fast to try and not safe against collisions.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\bhashlib\.(md5|sha1)\(`}, include: pyFiles, before: 20, after: 2},
		keep:       func(h *hit) bool { return !strings.Contains(h.text, "usedforsecurity") && aboutSecrets(h) },
		one:        "A weak hash is used where a secret is made or checked",
		many:       "Weak hashes are used where secrets are made or checked in %d places",
		claim:      "MD5 and SHA-1 are fast to try and not safe against collisions.",
	},
	{
		importance: high,
		query: query{
			patterns: []string{"(?i)(key|token|secret|passw|cred|auth)\\w*[\"']?\\s*(:|=|:=)\\s*[\"'`]"},
			include:  append(append([]string{"*.py"}, goFiles...), jsFiles...), exclude: goTests, pages: 3,
		},
		inStrings: true,
		keep: func(h *hit) bool {
			return strings.Contains(h.text, "[redacted:") && !strings.Contains(h.text, "[redacted:type]") && !strings.Contains(h.path, "redact")
		},
		one:   "What looks like a secret stands in the source",
		many:  "What looks like a secret stands in the source in %d places",
		claim: "The line holds a text of the form of a key or token; it is not shown here. Whoever can read the repository, or its history, has it.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\bhttp\.ListenAndServe(TLS)?\(`, `&?http\.Server\{`}, include: goFiles, exclude: goTests, before: 1, after: 14},
		keep: func(h *hit) bool {
			if strings.Contains(h.text, "ListenAndServe") || strings.Contains(h.text, "[]") {
				return !strings.Contains(h.text, "[]")
			}
			if strings.HasSuffix(strings.TrimSpace(h.text), "}") || strings.HasSuffix(strings.TrimSpace(h.text), ")") {
				return !serverField.MatchString(h.text) && !serverField.MatchString(join(h.after))
			}
			body, whole := h.body()
			return whole && !serverField.MatchString(join(body)) && !serverField.MatchString(join(h.after))
		},
		one:   "An HTTP server waits for request headers without end",
		many:  "%d HTTP servers wait for request headers without end",
		claim: "Neither ReadHeaderTimeout nor ReadTimeout is set: clients that send nothing hold their connections, and with them memory and file descriptors.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\bos\.[cC]hmod\(.*\b0o?777\b`}, include: append([]string{"*.py"}, goFiles...), exclude: goTests, before: 20},
		one:        "A file or directory may be written by everybody",
		many:       "Files or directories may be written by everybody in %d places",
		claim:      "The mode is set to 0777, which no umask narrows: every user of the machine may change what is there.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\btempfile\.mktemp\(`}, include: pyFiles, before: 20},
		one:        "A temporary file's name can be taken before it is made",
		many:       "Names of temporary files can be taken before they are made in %d places",
		claim:      "tempfile.mktemp returns a name and makes no file: another process can put a file or link there first. mkstemp makes it.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`\brandom\.(choice|choices|randint|random|getrandbits|sample)\(`}, include: pyFiles, before: 20},
		keep:       func(h *hit) bool { return secretWord.MatchString(h.text) && !strings.Contains(h.text, "SystemRandom") },
		one:        "A secret is drawn from a generator that can be predicted",
		many:       "Secrets are drawn from a generator that can be predicted in %d places",
		claim:      "The module random is no source of secrets: from some of its values the others follow. The module secrets is one.",
	},
}

// aboutSecrets reports whether a line or its neighbours speak of secrets.
func aboutSecrets(h *hit) bool {
	near := join(h.before[max(0, len(h.before)-2):]) + "\n" + h.text + "\n" + join(h.after)
	return secretWord.MatchString(near) || secretWord.MatchString(h.symbol)
}
