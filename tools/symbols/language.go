package symbols

import "github.com/forayhq/foray/internal/lazyregexp"

// A language describes how to find symbols without a parser: a table of patterns that are tried in order on each
// line, with comments and strings blanked.
type language struct {
	name      string
	exts      []string
	names     []string // names of files without an extension
	separator string   // between the parts of a name, unless "."
	lex       lexicon
	rules     []rule
	indent    bool     // a body ends by indentation, otherwise with its brace
	closer    string   // with indent: the word or bracket on the last line of a body, indented like the first
	continued []string // with closer: words that occur in a body, indented like its first line
	breaks    bool     // a line break may end a statement
	branches  bool     // a preprocessor selects branches
	docs      string   // opens a line of documentation above a definition (default "//")
	brackets  bool     // attributes are in brackets, and a preprocessor may select them
	apart     bool     // a blank line may come after documentation
}

// A rule finds one kind of definition. In its pattern, the group "name" is the name of the symbol, "owner" its class,
// and "tag" the name of a type that a typedef names again.
type rule struct {
	kind    string // of the symbol; "" for a container that is no symbol itself
	hint    string // is in every line that matches: a cheap test before the pattern
	tail    byte   // the last byte of every line that matches, without trailing white space; 0: any
	re      *lazyregexp.Regexp
	where   where
	body    bool   // only with a body, so that declarations do not count
	holds   bool   // definitions directly in the body are its members
	after   bool   // the name follows the closing brace, as in a typedef
	members string // the kind of a member, if it differs from kind
	owner   bool   // a match without the group "type" must be a constructor, named like its class
	plain   bool   // the name must not be one of statements
	named   string // the name if the group "name" is empty
}

// A where restricts the place of a rule.
type where int

const (
	anywhere where = iota
	atTop          // outside all definitions, or directly in one with members
	inHolder       // directly in a definition with members
)

// A lexicon describes the comments and strings of a language, so that braces and keywords in them do not count.
type lexicon struct {
	line    []string // opens a comment up to the end of the line
	word    bool     // a line comment opens only at the start of a word
	escapes bool     // a backslash escapes the next byte
	block   []block
	quotes  []quote // longest opener first
	chars   bool    // 'x' is a character; other apostrophes are not (lifetimes, symbols)
	asks    bool    // ?x is a character
	regex   bool    // /x/ after an operator is a regular expression
	heredoc string  // opens lines that end with a word: "<<" or "<<<"
	island  string  // code starts only here, after other text: "<?"
}

// A block is a comment over several lines.
type block struct {
	open, close string
	nested      bool // may be nested
	start       bool // opens only at the start of a line
}

// A quote delimits a string.
type quote struct {
	open, close string
	raw         bool   // a backslash escapes nothing
	lines       bool   // may cross lines
	hole        string // opens code in the string, up to its closing brace: "${"
	doubled     bool   // a doubled closer is part of the string
	delimited   bool   // its closer repeats the text between opener and "(", as in C++
}

// directives are the preprocessor words after #.
var directives = []string{"define", "if", "ifdef", "ifndef", "elif", "elseif", "else", "endif", "pragma", "include",
	"undef", "error", "warning", "region", "endregion", "line", "nullable"}

// statements are words that look like the names of functions where braces do not balance.
var statements = []string{"if", "for", "while", "switch", "catch", "return", "else", "do", "sizeof", "throw", "defined",
	"alignas", "__attribute__", "__declspec", "static_assert", "_Static_assert", "new", "using", "lock", "foreach",
	"fixed", "synchronized", "try", "await", "when", "nameof", "typeof", "default", "function", "decltype", "requires",
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

func re(pattern string) *lazyregexp.Regexp { return lazyregexp.New(pattern) }
