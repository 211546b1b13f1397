package toollimit

// A Kind says how a text is structured, so that truncating it keeps the structure. The zero value is [Text].
type Kind string

// The kinds that [Truncate] knows. It treats an unknown kind as Text.
const (
	Text    Kind = ""        // prose, or anything without a known structure
	File    Kind = "file"    // an excerpt of a file, with or without line numbers
	Search  Kind = "search"  // matches grouped by file
	Listing Kind = "listing" // one path or entry per line
	Output  Kind = "output"  // the output of a command
	JSON    Kind = "json"    // one JSON value, or one per line
	Diff    Kind = "diff"    // a unified diff
	Receipt Kind = "receipt" // the answer to a submission: status, reason, errors
	Batch   Kind = "batch"   // several results in one text
	Error   Kind = "error"   // why a call failed
	Binary  Kind = "binary"  // bytes that are not text
	Excerpt Kind = "excerpt" // a part of a stored text, as [Read] returns it
)

// ReadTool is the usual name of the tool that reads a truncated text again.
const ReadTool = "read_working_memory"

// A Texter renders itself as a text of a kind. Tool results implement it so that they are truncated by their structure.
type Texter interface {
	Text() (Kind, string)
}

// A Quota is the room for a text. The tightest bound applies; zero means no bound.
type Quota struct {
	MaxTokens  int // tokens, as counted by [Tokens]
	MaxChars   int // runes
	MaxMatches int // matches of a search, entries of a listing

	// Pointer is the id that reads the full text back; gap lines name it. An [Excerpt] names its own.
	Pointer string

	// Numbers are the numbers of the text's lines in the full text, and the number after the last; nil means from 1. Gap
	// lines name them.
	Numbers []int

	// Tool is the name of the tool that reads the text by its Pointer, such as [ReadTool]. Gap lines name it before the
	// id; "" means that the model has none.
	Tool string

	// TextTokens is Tokens(text) if the caller has counted it; 0 means not counted.
	TextTokens int

	// Query is what a search looked for: its pattern, or the JSON arguments of its call. It ranks files and says where
	// long matches are shortened. If it is empty, the word that most matches share takes its place.
	Query string

	// Seen reports whether an identifier is already visible elsewhere; nil means that none is.
	Seen func(identifier string) bool
}

// DefaultQuota is for callers that must bound a text and know nothing of the room: 4,000 characters and 10 matches,
// about 1,000 tokens. A zero Quota bounds nothing, because most bounds are optional: 0 must mean absent for each.
func DefaultQuota() Quota { return Quota{MaxChars: 4_000, MaxMatches: 10} }
