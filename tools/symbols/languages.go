package symbols

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A language is how symbols are found in its files without a parser: a table of patterns, tried in order on each line
// of code with comments and strings blanked.
type language struct {
	name      string
	exts      []string
	names     []string // of files without an extension
	separator string   // of the parts of a name, where it is not "."
	lex       lexicon
	rules     []rule
	indent    bool     // a body ends by indentation, else with its brace
	closer    string   // with indent: the word or bracket on the last line of a body, indented as its first
	goesOn    []string // with closer: words that stand in a body indented as its first line
	breaks    bool     // a line break may end a statement
	branches  bool     // a preprocessor chooses between branches
	docs      string   // opens a line of documentation above a definition, beside "//"
}

// A rule finds one kind of definition. The pattern's group name is the symbol, of the group of an owner the class.
type rule struct {
	kind    string // "" for a container without a name, which is passed through
	hint    string // occurs in each line that the pattern matches
	tail    byte   // the last byte of each such line that is no blank; 0: any
	re      *regexp.Regexp
	where   where
	body    bool   // only with a body: a declaration ends in a semicolon
	holds   bool   // what stands directly in it are members
	after   bool   // the name follows the closing brace
	members string // its kind where it is a member, when that differs
	owner   bool   // without the group type it is a constructor: its name is that of the class around it
	plain   bool   // its name must not be a statement
	named   string // its name when the group is empty
}

// where a rule applies.
type where int

const (
	anywhere where = iota
	atTop          // outside all definitions, or directly in one that holds members
	inHolder       // directly in one that holds members
)

// goName is the language that is parsed.
const goName = "go"

var goLexicon = lexicon{line: slashes, block: starred, quotes: []quote{quoted, {open: "`", close: "`", raw: true, lines: true}}, chars: true}

var (
	slashes  = []string{"//"}
	hashes   = []string{"#"}
	starred  = []block{{open: "/*", close: "*/"}}
	nesting  = []block{{open: "/*", close: "*/", nested: true}}
	quoted   = quote{open: `"`, close: `"`}
	single   = quote{open: `'`, close: `'`}
	triple   = quote{open: `"""`, close: `"""`, lines: true}
	backtick = quote{open: "`", close: "`", lines: true, hole: "${"}
)

// languages but Go, which is parsed.
var languages = slices.Concat(scriptLanguages, webLanguages, managedLanguages, nativeLanguages)

// directives are the words behind # that open a line for a preprocessor.
var directives = []string{"define", "if", "ifdef", "ifndef", "elif", "elseif", "else", "endif", "pragma", "include", "undef", "error", "warning", "region", "endregion", "line", "nullable"}

// statements look like functions of C where braces do not balance, but are none.
var statements = []string{"if", "for", "while", "switch", "catch", "return", "else", "do", "sizeof", "throw", "defined", "alignas",
	"__attribute__", "__declspec", "static_assert", "_Static_assert", "new", "using", "lock", "foreach", "fixed", "synchronized", "try", "await", "when", "nameof", "typeof", "default", "function", "decltype", "requires", "noexcept", "operator", "super", "this", "assert"}

// languageOf tells the language of a file by its name: nil when its symbols are not known, or Go.
func languageOf(name string) *language {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	for i := range languages {
		if l := &languages[i]; (ext != "" && slices.Contains(l.exts, ext)) || slices.Contains(l.names, base) {
			return l
		}
	}
	return nil
}

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }
