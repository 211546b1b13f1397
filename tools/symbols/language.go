package symbols

import "regexp"

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

// A lexicon says what in a language is comment or string, so that braces and keywords there do not count.
type lexicon struct {
	line    []string // opens a comment to the end of the line
	word    bool     // a comment of the line opens only where a word begins
	escapes bool     // a backslash takes the special sense of the next byte
	block   []block
	quotes  []quote // longest opener first
	chars   bool    // 'x' is a character; an apostrophe otherwise is none (lifetimes, symbols)
	asks    bool    // ?x is a character
	regex   bool    // /x/ after an operator is a regular expression
	heredoc string  // opens lines that go up to a word: "<<" or "<<<"
	island  string  // code begins only here, behind other text: "<?"
}

// A block is a comment of several lines.
type block struct {
	open, close string
	nested      bool // may hold others
	start       bool // opens only at the start of a line
}

// A quote opens and closes a string.
type quote struct {
	open, close string
	raw         bool   // a backslash escapes nothing
	lines       bool   // may cross lines
	hole        string // opens code in the string, up to the brace that closes it: "${"
	doubled     bool   // written twice, the closer is a part of the string
	delimited   bool   // its closer names what stands between opener and "(", as in C++
}

// directives are the words behind # that open a line for a preprocessor.
var directives = []string{"define", "if", "ifdef", "ifndef", "elif", "elseif", "else", "endif", "pragma",
	"include", "undef", "error", "warning", "region", "endregion", "line", "nullable"}

// statements look like functions of C where braces do not balance, but are none.
var statements = []string{"if", "for", "while", "switch", "catch", "return", "else", "do", "sizeof", "throw",
	"defined", "alignas",
	"__attribute__", "__declspec", "static_assert", "_Static_assert", "new", "using", "lock", "foreach", "fixed",
	"synchronized", "try", "await", "when", "nameof", "typeof", "default", "function", "decltype", "requires",
	"noexcept", "operator", "super", "this", "assert"}

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

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }
