package insight

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	shellCall = lazyregexp.New(`(?:subprocess\.\w+|os\.(?:system|popen))\(|"-c",\s*`)
	pieces    = lazyregexp.New(`\bf["']|\brf["']|["']\s*%\s*[\w(]|\.format\(|` +
		`["']\s*\+|\+\s*["']|\.join\(|Sprintf\(`)
	quotes      = lazyregexp.New(`(?i)quote\w*\(|escape\w*\(|list2cmdline|shellescape|shlex\.join`)
	ownProgram  = lazyregexp.New(`(?i)\b\w*(editor|pager|browser|hook)\w*\b`)
	identifiers = lazyregexp.New(`[A-Za-z_][\w.]*`)
	leadingName = lazyregexp.New(`^\s*([A-Za-z_][\w.]*)\s*[,)]`)
)

// harmless are the names that a command may contain and still count as constant: of the system, of the language, and of
// numbers.
var harmless = strings.Fields(`if else and or not os.name sys.platform platform.system os sys platform r b u True False
	nt int len pid ppid port count os.getpid sys.executable str fmt.Sprintf strconv.Itoa os.Getpid`)

// shelled judges a line that passes a command to a shell. A command of constants is harmless, and one that the function
// receives whole is its caller's concern. One that the function assembles without quoting is a defect.
func shelled(h *hit, s scope) string {
	text := s.statement()
	at := shellCall.FindStringIndex(text)
	if at == nil {
		return drop
	}
	argument := firstArgument(text[at[1]:])
	if strings.HasPrefix(strings.TrimSpace(argument), "[") && !pieces.MatchString(argument) {
		return drop // a list: the shell gets its first element only
	}
	if m := leadingName.FindStringSubmatch(argument + ","); m != nil {
		if values := s.values(m[1]); len(values) > 0 {
			argument = join(values)
		}
	}
	switch {
	case quotes.MatchString(join(s.body())):
		return drop
	case isConstant(argument), numbersOnly(argument):
		return drop
	case !pieces.MatchString(argument):
		return "it runs a command that it is given whole"
	case ownProgram.MatchString(argument):
		return "the user chooses the program"
	case !s.takesOutside(argument):
		return "the values may all be the program's own"
	}
	return ""
}

// firstArgument returns text up to the comma or bracket that ends the first argument of a call.
func firstArgument(text string) string {
	open := 0
	bare := literal.ReplaceAllStringFunc(text, func(l string) string { return strings.Repeat("x", len(l)) })
	for i := range len(bare) {
		switch c := bare[i]; {
		case strings.IndexByte("([{", c) >= 0:
			open++
		case open == 0 && (c == ',' || c == ')'):
			return text[:i]
		case strings.IndexByte(")]}", c) >= 0:
			open--
		}
	}
	return text
}

var outside = lazyregexp.New(`(?i)file|path|name|url|uri|host|addr|dir|src|dst|dest|target|source|` +
	`branch|ref|tag|repo|user|query|input|arg|request|param|text|title|message|\bdb\b|database`)

// takesOutside reports whether an expression uses what may come from outside: a parameter of the function, or a value
// of its request, whose name suggests a path, a host or the words of a user.
func (s scope) takesOutside(expression string) bool {
	parameters := ""
	if s.inside {
		parameters = scope{file: s.file, at: s.from}.statement()
		_, parameters, _ = strings.Cut(parameters, "(")
		if at := strings.LastIndexByte(parameters, ')'); at >= 0 {
			parameters = parameters[:at]
		}
	}
	parts := literal.ReplaceAllStringFunc(expression, func(l string) string {
		return strings.Join(regexp.MustCompile(`\{[^{}]*\}`).FindAllString(l, -1), " ")
	})
	for _, name := range identifiers.FindAllString(parts, -1) {
		first, _, _ := strings.Cut(name, ".")
		given := regexp.MustCompile(`\b` + first + `\b`).MatchString(parameters)
		if !slices.Contains(harmless, name) && outside.MatchString(name) && (given || s.fromOutside(first)) {
			return true
		}
	}
	return false
}

var request = lazyregexp.New(`(?i)request|\breq\b|argv|args|input\(|environ|getenv|form|query`)

// fromOutside reports whether a function takes the value of a name from a request, its arguments or its environment.
func (s scope) fromOutside(name string) bool {
	return hasLine(s.values(name), request)
}

// values returns what a function assigns to a name before the hit.
func (s scope) values(name string) []string {
	set := regexp.MustCompile(`^\s*` + regexp.QuoteMeta(name) + `\s*(?::?=|\+=)\s*(.*)$`)
	var all []string
	before := s.before()
	for i, l := range before {
		if m := set.FindStringSubmatch(l); m != nil {
			all = append(all, m[1])
			if strings.HasSuffix(m[1], "(") || strings.HasSuffix(m[1], "\\") {
				all = append(all, before[i+1:min(len(before), i+4)]...)
			}
		}
	}
	return all
}

// isConstant reports whether an expression has no values but literals and constants, whose names are in capitals.
func isConstant(expression string) bool {
	if regexp.MustCompile(`\b[rb]?f["']`).MatchString(expression) && strings.Contains(expression, "{") {
		fields := regexp.MustCompile(`\{([^{}]*)\}`).FindAllStringSubmatch(expression, -1)
		for _, f := range fields {
			if !isConstant(f[1]) {
				return false
			}
		}
		expression = strings.ReplaceAll(strings.ReplaceAll(expression, `f"`, `"`), "f'", "'")
	}
	for _, name := range identifiers.FindAllString(literal.ReplaceAllString(expression, ""), -1) {
		last := name[strings.LastIndexByte(name, '.')+1:]
		if !slices.Contains(harmless, name) && strings.ToUpper(last) != last && !slices.Contains(harmless, last) {
			return false
		}
	}
	return true
}

var verbs = lazyregexp.New(`%[-+# 0-9.]*([a-zA-Z])`)

// numbersOnly reports whether a format puts numbers only into a command.
func numbersOnly(expression string) bool {
	found := verbs.FindAllStringSubmatch(expression, -1)
	for _, v := range found {
		if v[1] != "d" {
			return false
		}
	}
	return len(found) > 0
}

var yamlLoad = lazyregexp.New(`\byaml\.load\(`)

var ruamel = lazyregexp.New(`\bruamel\b|\bYAML\(|^\s*yaml\s*=`)

// unsafeYAML drops yaml.load of a library that is safe by default, and one whose loader is on another line.
func unsafeYAML(_ *hit, s scope) string {
	if hasLine(s.file, ruamel) {
		return drop
	}
	text := s.statement()
	if at := yamlLoad.FindStringIndex(text); at != nil {
		rest := text[at[1]:]
		if first := firstArgument(rest); strings.HasPrefix(rest[len(first):], ",") {
			return drop // the loader is the second argument
		}
	}
	return ""
}

var (
	picked   = lazyregexp.New(`\brandom\.(choice|choices|sample)\(\s*([^)]*)`)
	alphabet = lazyregexp.New(`(?i)ascii|digits|letters|chars|alphabet|printable|hexdigits|symbols|["']`)
	target   = lazyregexp.New(`^\s*([\w.\[\]"']+)\s*=|\breturn\b|^\s*["']?(\w+)["']?\s*:`)
)

// predictable judges a line that uses the module random near the name of a secret. Choosing among existing secrets
// generates none.
func predictable(h *hit, s scope) string {
	m := picked.FindStringSubmatch(h.text)
	if m != nil && !alphabet.MatchString(m[2]) && len(s.values(strings.TrimSpace(m[2]))) == 0 {
		return drop
	}
	left, _, ok := strings.Cut(h.text, "random.")
	if strings.Contains(left, ":") && !strings.Contains(left, "=") {
		return "it may only be sent along"
	}
	if !ok || !target.MatchString(h.text) || !namesSecret(left) && !namesSecret(nameOf(s.file[s.from])) {
		return "the random value may not be the secret itself"
	}
	return ""
}
