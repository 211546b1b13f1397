package passages

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/symbols"
)

// answered returns the result of a call.
func answered(t *testing.T, c rulemodel.Call, v any) rulemodel.Result {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(c.Args)
	if err != nil {
		t.Fatal(err)
	}
	return rulemodel.Result{Name: c.Name, Args: args, Text: string(text)}
}

// TestSections checks which paragraph of a section is quoted: the one with most words of the question, where words that
// the title or most paragraphs have count less.
func TestSections(t *testing.T) {
	var words []Word
	for _, w := range strings.Fields("shops opened late fined") {
		words = append(words, Word{Pattern: w, Re: regexp.MustCompile(w)})
	}
	for _, tt := range []struct {
		name, text, says, example string
		first, last               int
	}{
		{"docs/shops.md", "# Opening of shops\n\nShops are opened by people, shops and all.\n\n" +
			"One that is late is fined.\n", "One that is late is fined.", "", 5, 5},
		{"docs/rules.md", "# Rules\n\nFor all that is late, in order:\n\n- a warning\n- a fine\n\nMore.\n\n" +
			"    pay --now\n", "For all that is late, in order: a warning; a fine", "pay --now", 3, 6},
		{"docs/list.rst", "Rules\n~~~~~\n\nIt is closed if:\n\n- it is empty\n- it is opened late\n",
			"It is closed if: it is empty; it is opened late", "", 7, 7},
		{"docs/steps.md", "# Rules\n\nWho is late has:\n\n- a fine,\n- a bill, and\n\nThen run what follows:\n\n```\npay\n```\n",
			"Who is late has: a fine; a bill", "pay", 3, 6},
		{"docs/table.md", "# Rules\n\n| what | then |\n|---|---|\n| opened `late` | fined |\n", "opened late | fined",
			"", 5, 5},
		{"docs/code.md", "# Rules\n\nNothing to see here.\n\n```\nshops opened late are fined\n```\n",
			"Nothing to see here.", "shops opened late are fined", 3, 3},
		{"src/lib.rs", "//! # Rules\n//!\n//! ```\n//! shops opened late fined\n//! ```\n//!\n" +
			"//! Who opened late has to pay.\n", "Who opened late has to pay.", "", 7, 7},
		{"doc.go", "// Package stash keeps things.\n//\n// # Rules opened late\n//\n// They are long.\npackage stash\n",
			"Package stash keeps things.", "", 1, 1},
		{"docs/none.md", "# Rules\n\n```\ncode\n```\n", "", "", 0, 0},
	} {
		lines := strings.Split(strings.TrimSuffix(tt.text, "\n"), "\n")
		h := codebase.Symbol{Path: tt.name, Score: .4}
		h.Symbol = symbols.Symbol{Name: "Opening of shops", Start: 1, End: len(lines)}
		if !strings.Contains(tt.text, h.Name) {
			h.Name = "Rules"
		}
		s := New("q", words, nil, nil)
		ranked := codebase.SymbolResult{Items: []codebase.Symbol{h}}
		results := []rulemodel.Result{answered(t, s.sectionsCall(), ranked)}
		results = append(results, answered(t, readSection(h), codebase.FileResult{Items: []codebase.FileText{
			{Path: tt.name, StartLine: 1, Lines: lines}}}))
		all := New("q", words, nil, results).Sections([]float64{1, 1, 1, 1})
		if tt.says == "" {
			if len(all) > 0 {
				t.Errorf("%s: %+v", tt.name, all[0])
			}
			continue
		}
		if len(all) != 1 || all[0].Text != tt.says || all[0].Start != tt.first || all[0].End != tt.last ||
			all[0].Example.Text != tt.example || all[0].Gap != aloneGap || all[0].Whole.End != len(lines) {
			for _, x := range all {
				t.Errorf("%s: %+v", tt.name, *x)
			}
		}
	}
}
