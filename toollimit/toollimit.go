package toollimit

// A Kind says what form a text has, so that a cut keeps the form. The zero value is Text.
type Kind string

// The kinds that Truncate knows. An unknown kind is cut like Text.
const (
	Text    Kind = ""        // prose or anything without a known structure
	File    Kind = "file"    // a numbered or plain excerpt of a file
	Search  Kind = "search"  // matches grouped by file
	Listing Kind = "listing" // one path or entry a line
	Output  Kind = "output"  // what a command printed
	JSON    Kind = "json"    // one JSON value
	Diff    Kind = "diff"    // a unified diff
	Receipt Kind = "receipt" // the answer to a submission: status, reason, errors
	Batch   Kind = "batch"   // several results in one
	Error   Kind = "error"   // why a call failed
	Binary  Kind = "binary"  // bytes that are not text
)

// ReadTool is the name of the tool by which a model reads a text again that was cut. Gap lines name it before the id.
const ReadTool = "read_working_memory"

// A Texter renders itself once, as text of a kind. Tool results implement it to be cut by their structure.
type Texter interface {
	Text() (Kind, string)
}

// A Quota is the room that a text may take. Whichever bound is hit first holds; zero means no bound.
type Quota struct {
	MaxTokens  int // tokens, as Tokens counts them
	MaxChars   int // runes
	MaxMatches int // matches of a search, entries of a listing

	// Pointer is the id under which the whole text can be read again; the gap line of a cut text names it.
	Pointer string

	// TextTokens is Tokens(text) if the caller has counted it; 0 means not counted.
	TextTokens int

	// Seen reports whether an identifier is visible elsewhere already; nil means none is.
	Seen func(identifier string) bool
}
