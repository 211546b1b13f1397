package report

// A Report is the answer to a question about a source tree: what was found, where, and how it can be checked. A citation
// has the form "path:start-end" or "path:line". Every one is read again before the report is accepted.
type Report struct {
	Question     string      `json:"question,omitempty" jsonschema_description:"the question that is answered"`
	Found        bool        `json:"found" jsonschema_description:"whether anything relevant was found"`
	Summary      []Statement `json:"summary" jsonschema_description:"the answer, 2 to 5 sentences, each with its evidence"`
	Places       []Place     `json:"places,omitempty" jsonschema_description:"where to look first, best first"`
	Edges        []Edge      `json:"edges,omitempty" jsonschema_description:"how it fits together: relations that were found, among at most 8 names"`
	Excerpts     []Excerpt   `json:"excerpts,omitempty" jsonschema_description:"at most 3 excerpts of 20 lines"`
	Tests        []Place     `json:"tests,omitempty" jsonschema_description:"tests that touch it"`
	Commits      []Change    `json:"commits,omitempty" jsonschema_description:"recent commits that touch it, newest first"`
	NotCovered   []string    `json:"not_covered,omitempty" jsonschema_description:"what was not looked at or not resolved"`
	NextQuestion string      `json:"next_question,omitempty" jsonschema_description:"what to ask next"`
}

// A Statement is one sentence of the answer with its evidence. Where nothing was found it needs no citation.
type Statement struct {
	Text      string   `json:"text" jsonschema_description:"one sentence"`
	Citations []string `json:"citations,omitempty" jsonschema_description:"lines that show it, as path:12-30"`
	Quote     string   `json:"quote,omitempty" jsonschema_description:"words that stand in the first citation"`
	Topic     string   `json:"topic,omitempty" jsonschema_description:"heading to print above it, as in an overview; leave out in an answer"`
}

// A Place is lines of a file that matter.
type Place struct {
	Path       string  `json:"path" jsonschema_description:"file, from the root"`
	Start      int     `json:"start" jsonschema_description:"first line, from 1"`
	End        int     `json:"end" jsonschema_description:"last line"`
	Symbol     string  `json:"symbol,omitempty" jsonschema_description:"the definition, as outline names it"`
	Why        string  `json:"why,omitempty" jsonschema_description:"why it matters, in a few words"`
	Confidence float64 `json:"confidence,omitempty" jsonschema_description:"from 0 to 1; leave out when not known"`
	Quote      string  `json:"quote,omitempty" jsonschema_description:"words that stand in these lines"`
}

// An Edge is a relation that was found: From calls, imports, holds or implements To.
type Edge struct {
	From     string `json:"from" jsonschema_description:"name of a definition or file"`
	To       string `json:"to" jsonschema_description:"name of a definition or file"`
	Kind     string `json:"kind" jsonschema_description:"calls, imports, holds, implements, or another verb"`
	Citation string `json:"citation" jsonschema_description:"the line that shows it, as path:12"`
}

// A Change is a commit that touched something of the report. It is told as it was found: unlike lines it is not looked up
// again.
type Change struct {
	Commit  string `json:"commit" jsonschema_description:"hash"`
	Date    string `json:"date,omitempty" jsonschema_description:"day, as 2026-01-31"`
	Subject string `json:"subject" jsonschema_description:"first line of its message"`
	Path    string `json:"path,omitempty" jsonschema_description:"file of the report that it touched"`
}

// An Excerpt is lines of a file that the report prints. Lines is filled in when the report is accepted.
type Excerpt struct {
	Path  string   `json:"path" jsonschema_description:"file, from the root"`
	Start int      `json:"start" jsonschema_description:"first line, from 1"`
	End   int      `json:"end" jsonschema_description:"last line"`
	Lines []string `json:"lines,omitempty" jsonschema:"-"`
}

// Citation returns the lines of the place.
func (p Place) Citation() Citation { return Citation{p.Path, p.Start, p.End} }

// Citation returns the lines of the excerpt.
func (e Excerpt) Citation() Citation { return Citation{e.Path, e.Start, e.End} }
