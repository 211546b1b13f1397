package insight

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/secret"
)

var (
	guessable       = lazyregexp.New(`(?i)credential|hash_?passw|signature|session_?id|nonce|_?otp\b`)
	execCompiled    = lazyregexp.New(`\bexec\((code|co)\w*\s*[,)]`)
	literalShell    = lazyregexp.New(`(subprocess\.\w+|os\.system|os\.popen)\(\s*(r|b)?("[^"{]*"|'[^'{]*')\s*[,)]`)
	literalEval     = lazyregexp.New(`\b(eval|exec)\(\s*[rb]?("[^"]*"|'[^']*')\s*([,)]|$)`)
	goShell         = lazyregexp.New(`"-c",\s*("[^"]*"|` + "`[^`]*`" + `)\s*\)`)
	literalFunction = lazyregexp.New(`new Function\((["'` + "`" + `][^"'` + "`" + `]*["'` + "`" + `])?\)`)
	serverField     = lazyregexp.New(`\b(ReadHeaderTimeout|ReadTimeout)\b`)
)

// keyMark is what the tools show instead of each line of a private key.
const keyMark = "[redacted:private-key]"

// secretFiles are patterns of the files that are searched for secrets, with those of Go and JavaScript.
var secretFiles = strings.Fields("*.py *.rb *.php *.java *.kt *.cs *.rs *.yaml *.yml *.toml *.ini *.properties *.conf")

// securitySigns are the signs of the dimension security.
var securitySigns = []sign{
	{
		importance: high,
		query:      query{patterns: []string{`InsecureSkipVerify:\s*true`}, include: goFiles, exclude: goTests, before: 2},
		keep:       func(h *hit) bool { return !h.explained() },
		weigh:      trusting,
		always:     true,
		one:        "A TLS client trusts every certificate",
		many:       "TLS clients trust every certificate in %d places",
		claim:      "InsecureSkipVerify is always true: anyone on the network path can read and change the traffic.",
	},
	{
		importance: high,
		query: query{patterns: []string{`\bverify\s*=\s*False\b`, `\bssl\._create_unverified_context\(`,
			`\bverify_mode\s*=\s*(ssl\.)?CERT_NONE\b`}, include: pyFiles, before: 20},
		keep: func(h *hit) bool {
			return !strings.Contains(h.text, "def ") && !h.explained()
		},
		weigh:  trusting,
		always: true,
		one:    "A certificate is not verified",
		many:   "Certificates are not verified in %d places",
		claim:  "Anyone on the network path can read and change the traffic.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`rejectUnauthorized\s*:\s*false`}, include: jsFiles, before: 1},
		keep:       func(h *hit) bool { return !h.explained() },
		weigh:      trusting,
		always:     true,
		one:        "A TLS client trusts every certificate",
		many:       "TLS clients trust every certificate in %d places",
		claim:      "rejectUnauthorized is false: anyone on the network path can read and change the traffic.",
	},
	{
		importance: high,
		query: query{patterns: []string{`subprocess\.\w+\(.*shell\s*=\s*True`, `\bos\.(system|popen)\(`},
			include: pyFiles, before: 20},
		keep:  func(h *hit) bool { return !literalShell.MatchString(h.text) && !strings.Contains(h.text, "def ") },
		weigh: shelled,
		one:   "A shell runs a command built at run time",
		many:  "Shells run commands built at run time in %d places",
		claim: "The command is not a literal and goes through a shell: " +
			"a quote, space or semicolon in a value can run another command. " +
			"A list of arguments without a shell avoids that.",
	},
	{
		importance: high,
		query: query{patterns: []string{`exec\.Command(Context)?\(.*"(ba|z|da)?sh",\s*"-c",`}, include: goFiles,
			exclude: goTests, before: 1},
		keep:  func(h *hit) bool { return !goShell.MatchString(h.text) },
		weigh: shelled,
		one:   "A shell runs a command built at run time",
		many:  "Shells run commands built at run time in %d places",
		claim: "The argument of sh -c is not a literal: a quote or semicolon in a value can run another command.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`(^|[^\w.])(eval|exec)\(`}, include: pyFiles, before: 20},
		keep: func(h *hit) bool {
			return !literalEval.MatchString(h.text) && !strings.Contains(h.text, "def ") &&
				!strings.Contains(h.text, "compile(") && !strings.Contains(h.text, "eval()") &&
				!strings.Contains(h.text, "exec()") && !strings.Contains(h.path, "shell") &&
				!strings.Contains(h.text, "__builtins__") && !execCompiled.MatchString(h.text)
		},
		one:  "A string is run as code",
		many: "Strings are run as code in %d places",
		claim: "The argument of eval or exec is built at run time: " +
			"anyone who controls a part of it runs code in this process.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\bnew Function\(`, `(^|[^\w.])eval\(`}, include: jsFiles, before: 1},
		keep: func(h *hit) bool {
			return !literalFunction.MatchString(h.text)
		},
		one:  "A string is run as code",
		many: "Strings are run as code in %d places",
		claim: "The code is built at run time: anyone who controls a part of it runs code. " +
			"A content security policy without unsafe-eval blocks it.",
	},
	{
		importance: high,
		query: query{patterns: []string{`\byaml\.load\([^)]*\)`, `\byaml\.unsafe_load\(`}, include: pyFiles,
			before: 20},
		keep:  func(h *hit) bool { return !strings.Contains(h.text, "Loader") },
		weigh: unsafeYAML,
		one:   "YAML is loaded without a safe loader",
		many:  "YAML is loaded without a safe loader in %d places",
		claim: "A document can then construct arbitrary Python objects and so run code.",
	},
	{
		importance: medium,
		query: query{patterns: []string{`\b(md5|sha1)\.(New|Sum)\(`}, include: goFiles, exclude: goTests, before: 2,
			after: 2},
		keep:  aboutSecrets,
		one:   "A weak hash protects a secret",
		many:  "Weak hashes protect secrets in %d places",
		claim: "MD5 and SHA-1 are fast to brute-force and not collision-resistant.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\bhashlib\.(md5|sha1)\(`}, include: pyFiles, before: 20, after: 2},
		keep:       func(h *hit) bool { return !strings.Contains(h.text, "usedforsecurity") && aboutSecrets(h) },
		one:        "A weak hash protects a secret",
		many:       "Weak hashes protect secrets in %d places",
		claim:      "MD5 and SHA-1 are fast to brute-force and not collision-resistant.",
	},
	{
		importance: high,
		query: query{
			patterns: []string{`\[redacted:[a-z-]+\]`},
			include:  append(append(secretFiles, goFiles...), jsFiles...), exclude: goTests, before: 1, pages: 3,
		},
		inStrings: true,
		keep: func(h *hit) bool {
			if len(h.before) > 0 && strings.Contains(h.text, keyMark) && strings.Contains(h.before[0], keyMark) {
				return false // one finding for the lines of a key
			}
			return strings.Contains(h.text, "[redacted:") && !strings.Contains(h.text, "[redacted:type]") &&
				!strings.Contains(h.path, "redact")
		},
		weigh: leaked,
		one:   "The source contains what looks like a secret",
		many:  "The source contains what looks like a secret in %d places",
		claim: "The line contains a string in the form of a key or token, not shown here. " +
			"Anyone who can read the repository or its history has it.",
	},
	{
		importance: medium,
		query: query{patterns: []string{`\bhttp\.ListenAndServe(TLS)?\(`, `&?http\.Server\{`}, include: goFiles,
			exclude: goTests, before: 1, after: 14},
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
		elsewhere: query{patterns: []string{`\.Read(Header)?Timeout\s*=[^=]`}, include: goFiles, exclude: goTests},
		one:       "An HTTP server has no timeout for request headers",
		many:      "%d HTTP servers have no timeout for request headers",
		claim: "Neither ReadHeaderTimeout nor ReadTimeout is set: " +
			"idle clients keep connections, memory and file descriptors.",
	},
	{
		importance: medium,
		query: query{patterns: []string{`\bos\.[cC]hmod\(.*\b0o?777\b`},
			include: append([]string{"*.py"}, goFiles...), exclude: goTests, before: 20},
		one:   "A file or directory is writable by everyone",
		many:  "Files or directories are writable by everyone in %d places",
		claim: "chmod sets the mode 0777, regardless of the umask: every user of the machine can change the content.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\btempfile\.mktemp\(`}, include: pyFiles, before: 20},
		one:        "A temporary file name can be taken before use",
		many:       "Temporary file names can be taken before use in %d places",
		claim: "tempfile.mktemp returns a name without creating the file: " +
			"another process can create a file or link there first. Use mkstemp.",
	},
	{
		importance: high,
		query: query{patterns: []string{`\brandom\.(choice|choices|randint|random|getrandbits|sample)\(`},
			include: pyFiles, before: 20},
		keep:  func(h *hit) bool { return namesSecret(h.text) && !strings.Contains(h.text, "SystemRandom") },
		weigh: predictable,
		one:   "A secret comes from a predictable generator",
		many:  "Secrets come from a predictable generator in %d places",
		claim: "The output of random can be predicted from earlier values. Use the module secrets.",
	},
}

// aboutSecrets reports whether a line, its neighbours or its symbol mention a secret.
func aboutSecrets(h *hit) bool {
	near := join(h.before[max(0, len(h.before)-2):]) + "\n" + h.text + "\n" + join(h.after)
	return namesSecret(near) || namesSecret(h.symbol)
}

// namesSecret reports whether a text names a credential, by the table that also masks them, or another value that
// nobody may guess.
func namesSecret(text string) bool { return secret.Named(text) || guessable.MatchString(text) }
