package report

// A Report is the answer to a question about a source tree: what was found, where, and the evidence. Citations have the
// form of [ParseCitation]. The tool report checks every one before it accepts a report.
type Report struct {
	Question     string      `json:"question,omitempty" doc:"the question that is answered"`
	Found        bool        `json:"found" doc:"whether anything relevant was found"`
	Summary      []Statement `json:"summary" doc:"the answer, 2 to 5 sentences, each with its evidence"`
	Places       []Place     `json:"places,omitempty" doc:"where to look first, best first"`
	Edges        []Edge      `json:"edges,omitempty" doc:"how it fits together: the relations found, among at most 8 names"`
	Excerpts     []Excerpt   `json:"excerpts,omitempty" doc:"at most 3 excerpts of 20 lines"`
	Tests        []Place     `json:"tests,omitempty" doc:"tests that touch it"`
	Commits      []Change    `json:"commits,omitempty" doc:"recent commits that changed it, newest first"`
	NotCovered   []string    `json:"not_covered,omitempty" doc:"what was not examined or not resolved"`
	NextQuestion string      `json:"next_question,omitempty" doc:"what to ask next"`
}

// A Statement is one sentence of the answer with its evidence. If nothing was found it needs no citation.
type Statement struct {
	Text      string   `json:"text" doc:"one sentence"`
	Citations []string `json:"citations,omitempty" doc:"lines that show it, as path:12-30"`
	Quote     string   `json:"quote,omitempty" doc:"words quoted from the first citation"`
	Topic     string   `json:"topic,omitempty" doc:"heading to print above it, for an overview; leave out in an answer"`
}

// A Place is a range of lines that matters.
type Place struct {
	Path       string  `json:"path" doc:"file, from the root"`
	Start      int     `json:"start" doc:"first line, from 1"`
	End        int     `json:"end" doc:"last line"`
	Symbol     string  `json:"symbol,omitempty" doc:"the definition, as outline names it"`
	Why        string  `json:"why,omitempty" doc:"why it matters, in a few words"`
	Confidence float64 `json:"confidence,omitempty" doc:"from 0 to 1; leave out if unknown"`
	Quote      string  `json:"quote,omitempty" doc:"words quoted from these lines"`
}

// An Edge is a relation that was found: From calls, imports, holds or implements To.
type Edge struct {
	From     string `json:"from" doc:"name of a definition or file"`
	To       string `json:"to" doc:"name of a definition or file"`
	Kind     string `json:"kind" doc:"calls, imports, holds, implements, or another verb"`
	Citation string `json:"citation" doc:"the line that shows it, as path:12"`
}

// A Change is a commit that touched something in the report. Unlike lines, it is not checked.
type Change struct {
	Commit  string `json:"commit" doc:"hash"`
	Date    string `json:"date,omitempty" doc:"day, as 2026-01-31"`
	Subject string `json:"subject" doc:"first line of its message"`
	Path    string `json:"path,omitempty" doc:"file of the report that it changed"`
}

// An Excerpt is a range of lines to print. The tool report fills in Lines.
type Excerpt struct {
	Path  string   `json:"path" doc:"file, from the root"`
	Start int      `json:"start" doc:"first line, from 1"`
	End   int      `json:"end" doc:"last line"`
	Lines []string `json:"lines,omitempty" jsonschema:"-"`
}

// Citation returns the citation of the place.
func (p Place) Citation() Citation { return Citation{p.Path, p.Start, p.End} }

// Citation returns the citation of the excerpt.
func (e Excerpt) Citation() Citation { return Citation{e.Path, e.Start, e.End} }
