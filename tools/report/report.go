package report

// A Report is the answer to a question about a source tree: what was found, where, and the evidence. Citations have the
// form of [ParseCitation]. The tool report checks every one before it accepts a report.
type Report struct {
	Question     string      `json:"question,omitempty" doc:"the question that is answered"`
	Found        bool        `json:"found" doc:"whether anything relevant was found"`
	Summary      []Statement `json:"summary" doc:"the answer, 2 to 5 sentences, each with its evidence"`
	Places       []Place     `json:"places,omitempty" doc:"where to look first, best first"`
	Edges        []Edge      `json:"edges,omitempty" doc:"how it fits together: the relations found, among at most 8 names"`
	Excerpts     []Excerpt   `json:"excerpts,omitempty" doc:"at most 3 excerpts of 28 lines"`
	Tests        []Place     `json:"tests,omitempty" doc:"tests that touch it"`
	Commits      []Change    `json:"commits,omitempty" doc:"recent commits that changed it, newest first"`
	NotCovered   []string    `json:"not_covered,omitempty" doc:"what was not examined or not resolved"`
	NextQuestion string      `json:"next_question,omitempty" doc:"what to ask next"`
}

// A Statement is one sentence of the answer with its evidence. If nothing was found it needs no citation.
type Statement struct {
	Text      string   `json:"text" doc:"one sentence"`
	Citations []string `json:"citations,omitempty" doc:"as path:12-30"`
	Quote     string   `json:"quote,omitempty" doc:"words of the first citation"`
	Topic     string   `json:"topic,omitempty" doc:"heading above it, in an overview"`
}

// A Place is a range of lines that matters.
type Place struct {
	Path       string  `json:"path"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
	Symbol     string  `json:"symbol,omitempty"`
	Why        string  `json:"why,omitempty" doc:"in a few words"`
	Confidence float64 `json:"confidence,omitempty" doc:"from 0 to 1"`
	Quote      string  `json:"quote,omitempty" doc:"words of these lines"`
}

// An Edge is a relation that was found: From calls, imports, holds or implements To.
type Edge struct {
	From     string `json:"from" doc:"definition or file"`
	To       string `json:"to" doc:"definition or file"`
	Kind     string `json:"kind" doc:"calls, imports, holds, implements or another verb"`
	Citation string `json:"citation" doc:"path:12"`
}

// A Change is a commit that touched something in the report. Unlike lines, it is not checked.
type Change struct {
	Commit  string `json:"commit"`
	Date    string `json:"date,omitempty" doc:"as 2026-01-31"`
	Subject string `json:"subject"`
	Path    string `json:"path,omitempty" doc:"file that it changed"`
}

// An Excerpt is a range of lines to print. The tool report fills in Lines, and adds the comment above them.
type Excerpt struct {
	Path  string   `json:"path"`
	Start int      `json:"start"`
	End   int      `json:"end"`
	Lines []string `json:"lines,omitempty" jsonschema:"-"`
}

// Citation returns the citation of the place.
func (p Place) Citation() Citation { return Citation{p.Path, p.Start, p.End} }

// Citation returns the citation of the excerpt.
func (e Excerpt) Citation() Citation { return Citation{e.Path, e.Start, e.End} }
