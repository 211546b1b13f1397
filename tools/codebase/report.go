package codebase

import "github.com/forayhq/foray/toollimit"

// A Report is the answer to a question about a source tree: what was found, where, and how it can be checked. Every
// citation has the form "path:start-end" (or "path:line") and is read again before the report is accepted.
type Report struct {
	Question     string      `json:"question,omitempty"`
	Found        bool        `json:"found"`                   // whether anything relevant was found
	Summary      []Statement `json:"summary"`                 // the answer, best in 2 to 5 sentences
	Places       []Place     `json:"places,omitempty"`        // where to look first, best first
	Edges        []Edge      `json:"edges,omitempty"`         // how it fits together: only what was found
	Excerpts     []Excerpt   `json:"excerpts,omitempty"`      // at most 3 of 20 lines
	Tests        []Place     `json:"tests,omitempty"`         // tests that touch it
	NotCovered   []string    `json:"not_covered,omitempty"`   // skipped files, unresolved names
	NextQuestion string      `json:"next_question,omitempty"` // what to ask next
}

// A Statement is one sentence of the answer with its evidence.
type Statement struct {
	Text      string   `json:"text"`
	Citations []string `json:"citations"`       // "path:12-30"
	Quote     string   `json:"quote,omitempty"` // words that must stand in the first citation
}

// A Place is lines of a file that matter.
type Place struct {
	Path       string  `json:"path"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
	Symbol     string  `json:"symbol,omitempty"`
	Why        string  `json:"why,omitempty"`
	Confidence float64 `json:"confidence,omitempty"` // 0 to 1; 0: not said
	Quote      string  `json:"quote,omitempty"`      // words that must stand in these lines
}

// An Edge is a relation that was found: From calls, imports, holds or implements To.
type Edge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Kind     string `json:"kind"`
	Citation string `json:"citation"`
}

// An Excerpt is lines of a file that the report prints. Lines is filled in when the report is accepted.
type Excerpt struct {
	Path  string   `json:"path"`
	Start int      `json:"start"`
	End   int      `json:"end"`
	Lines []string `json:"lines,omitempty"`
}

// A ReportReceipt is what the tool report returns: the accepted report for the program, a line of counts for the model.
//
//	{"accepted":true,"citations":7,"files":3,"report":{...}}
type ReportReceipt struct {
	Accepted  bool     `json:"accepted"`
	Citations int      `json:"citations"` // how many were read again, all of them in order
	Files     int      `json:"files"`     // in how many files
	Notes     []string `json:"notes,omitempty"`
	Report    *Report  `json:"report"`

	asJSON bool
}

// Text writes the JSON form or the receipt.
func (r *ReportReceipt) Text() (toollimit.Kind, string) {
	if r.asJSON {
		return asJSON(r)
	}
	return toollimit.Receipt, r.receipt()
}
