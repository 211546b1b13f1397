package insight

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	raiseOrExit = lazyregexp.New(`^\s*(raise\b|sys\.exit|os\._exit)`)
	goErrorFunc = lazyregexp.New(`\berror\) \{$`)
	defaultArg  = lazyregexp.New(`\bdef\s+\w+\(.*?(\w+)(?:\s*:[^=,]+)?\s*=\s*(?:\[\]|\{\})`)
	createdFile = lazyregexp.New(`^\s*(\w+),\s*\w+\s*:?=\s*os\.(Create|OpenFile)\(`)
)

// errorSigns are the signs of the dimension errors.
var errorSigns = []sign{
	{
		importance: medium,
		query: query{patterns: []string{`^\s*except\s*:`, `^\s*except\s+BaseException\s*:`}, include: pyFiles,
			before: 20, after: 12},
		keep: func(h *hit) bool {
			body, whole := h.body()
			return whole && len(body) > 0 && !hasLine(body, raiseOrExit) && !commentStart.MatchString(join(body)) &&
				!strings.Contains(join(body), "exc") // it logs, stores or passes on what it caught
		},
		one:  "An except clause swallows every exception",
		many: "%d except clauses swallow every exception",
		claim: "The clause also catches KeyboardInterrupt and SystemExit and does not raise them again: the program cannot " +
			"be interrupted there, and unexpected errors are hidden.",
	},
	{
		importance: medium,
		query: query{patterns: []string{`^\s*except\s+Exception\s*(as\s+\w+)?\s*:\s*(pass)?\s*$`}, include: pyFiles,
			before: 20, after: 6},
		keep: func(h *hit) bool {
			if n := len(h.before); n > 0 && strings.Contains(strings.ToLower(h.before[n-1]), "close") ||
				commentStart.MatchString(join(h.before[max(0, n-5):])) {
				return false // a cleanup that may fail, or a comment says why
			}
			if strings.HasSuffix(strings.TrimSpace(h.text), "pass") {
				return true
			}
			body, whole := h.body()
			return whole && len(body) == 1 && strings.TrimSpace(body[0]) == "pass" && !h.explained() &&
				!strings.HasSuffix(h.symbol, "__del__")
		},
		one:  "Every exception is silently dropped",
		many: "Every exception is silently dropped in %d places",
		claim: "The handler of Exception is only pass, and no comment says why: failures leave no trace, not even bugs " +
			"in the try block.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\bcatch\s*(\(\s*\w*\s*\))?\s*\{\s*\}`}, include: jsFiles, before: 2},
		keep:       func(h *hit) bool { return !h.explained() && !triesOneThing(h) },
		one:        "A catch block is empty",
		many:       "%d catch blocks are empty",
		claim:      "Whatever the try block throws is dropped, and no comment says why.",
	},
	{
		importance: medium,
		query: query{patterns: []string{`^\s*if err != nil \{$`}, include: goFiles, exclude: goTests, before: 20,
			after: 2, pages: 4},
		keep: func(h *hit) bool {
			if len(h.after) < 2 || strings.TrimSpace(h.after[1]) != "}" || h.explained() ||
				!goErrorFunc.MatchString(h.around(goFuncLine, goClosure)) {
				return false
			}
			next := strings.TrimSpace(h.after[0])
			return strings.HasPrefix(next, "return ") && strings.HasSuffix(next, ", nil") && !strings.Contains(next, "err") &&
				!strings.Contains(join(h.before[max(0, len(h.before)-2):]), "//")
		},
		one:  "An error is dropped and nil returned",
		many: "Errors are dropped and nil returned in %d places",
		claim: "After `if err != nil` the function returns a nil error, and no comment says why: the caller takes the " +
			"result for complete.",
	},
	{
		importance: medium,
		query: query{
			patterns: []string{`\w*[eE]rr\w*\.Error\(\)\s*(==|!=)\s*"`,
				`strings\.(Contains|HasPrefix|HasSuffix)\(\w*[eE]rr\w*\.Error\(\),`},
			include: goFiles, exclude: goTests, before: 1,
		},
		keep: func(h *hit) bool { return !h.explained() },
		one:  "An error is matched by its text",
		many: "Errors are matched by their text in %d places",
		claim: "The text of an error is not part of an API: when it is reworded, the comparison silently stops matching. " +
			"Use errors.Is or errors.As.",
	},
	{
		importance: medium,
		query: query{patterns: []string{`^\s*panic\(\w*[eE]rr\w*(\.Error\(\))?\)`}, include: goFiles, exclude: goTests,
			before: 2},
		keep: func(h *hit) bool {
			return !h.explained() && !mustName.MatchString(h.symbol) && !strings.HasPrefix(h.path, "cmd/") &&
				!strings.HasSuffix(h.path, "main.go") && h.symbol != ""
		},
		one:  "Library code panics on an error",
		many: "Library code panics on errors in %d places",
		claim: "The function is not Must…, init or main, and no comment says that the error cannot occur: its callers " +
			"cannot handle it.",
	},
	{
		importance: low,
		query: query{patterns: []string{`fmt\.Errorf\("[^"]*%[vs]",.*\berr\)`}, include: goFiles, exclude: goTests,
			before: 1},
		keep: func(h *hit) bool { return !h.explained() && !strings.Contains(h.text, "%w") },
		one:  "An error is wrapped without %w",
		many: "%d errors are wrapped without %%w",
		claim: "fmt.Errorf with %v or %s keeps only the text of the cause: errors.Is and errors.As cannot find it. " +
			"With %w they can.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`:?=\s*os\.(Create|OpenFile)\(`}, include: goFiles, exclude: goTests, after: 20},
		keep:       closesUnchecked,
		one:        "The error of closing a written file is dropped",
		many:       "The errors of closing written files are dropped in %d places",
		claim: "The file is opened for writing, and its only Close is deferred and unchecked: on a full disk or a " +
			"network file system the last bytes may be lost while the function reports success.",
	},
	{
		importance: high,
		query: query{patterns: []string{`^\s*(async\s+)?def\s+\w+\(.*=\s*(\[\]|\{\})\s*[,)]`}, include: pyFiles,
			before: 20, after: 20},
		keep: func(h *hit) bool {
			m := defaultArg.FindStringSubmatch(h.text)
			if m == nil {
				return false
			}
			body, _ := h.body()
			changed := lazyregexp.New(`(^|[^\w.])` + m[1] + `(\.(append|extend|update|add|insert|setdefault|pop|clear)\(|` +
				`\[[^\]]*\]\s*=[^=])`)
			again := lazyregexp.New(`(^|[^\w.])` + m[1] + `\s*=[^=]`)
			return changed.MatchString(join(body)) && !again.MatchString(join(body))
		},
		weigh: keptOnPurpose,
		one:   "A mutable default argument is modified",
		many:  "%d mutable default arguments are modified",
		claim: "The list or dict is created once, when the function is defined, and the body modifies it: each call sees " +
			"what earlier calls left in it.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\btodo!\(`, `\bunimplemented!\(\)`}, include: []string{"*.rs"}, before: 20},
		weigh:      stubbed,
		one:        "A code path is not implemented yet",
		many:       "%d code paths are not implemented yet",
		claim:      "todo! and unimplemented! panic when reached.",
	},
}

// triesOneThing reports whether the try block before an empty catch is one assignment. The variable then keeps its
// earlier value on purpose.
func triesOneThing(h *hit) bool {
	return len(h.before) == 2 && strings.HasSuffix(strings.TrimSpace(h.before[0]), "try {") &&
		strings.Contains(h.before[1], " = ")
}

// closesUnchecked reports whether a line opens a file for writing that only a defer closes and nothing syncs. It
// reports false if the end of the function is out of sight.
func closesUnchecked(h *hit) bool {
	m := createdFile.FindStringSubmatch(h.text)
	if m == nil || m[2] == "OpenFile" && !strings.Contains(h.text, "O_WRONLY") && !strings.Contains(h.text, "O_RDWR") &&
		!strings.Contains(h.text, "O_APPEND") {
		return false
	}
	end := 0
	for end < len(h.after) && !strings.HasPrefix(h.after[end], "}") {
		end++
	}
	rest := join(h.after[:end])
	return end < len(h.after) && strings.Contains(rest, "defer "+m[1]+".Close()") &&
		strings.Count(rest, m[1]+".Close()") == 1 && !strings.Contains(rest, m[1]+".Sync()") && !strings.Contains(rest, "//")
}

// hasLine reports whether one of lines matches want.
func hasLine(lines []string, want *lazyregexp.Regexp) bool {
	return slices.ContainsFunc(lines, want.MatchString)
}

var macroRules = lazyregexp.New(`^\s*macro_rules!|^\s*(#\[)?cfg\w*!?\W.*\bdoc|cfg_attr\(docsrs`)

// stubbed drops a stub that is never run: one for the documentation, in a macro, or in a function for tests.
func stubbed(h *hit, s scope) string {
	if hasLine(s.file[max(0, s.from-6):min(s.at+1, len(s.file))], macroRules) || s.doubt() != "" {
		return drop
	}
	return ""
}
