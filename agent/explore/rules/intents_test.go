package rules_test

import (
	"strings"
	"testing"
)

// A question with a recognised intent is answered by one exact tool: the first sentence cites the line that decides.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		question string
		found    bool
		first    string // place: path and symbol
		says     string // in the first sentence
		cites    string
	}{
		{"where is total defined?", true, "cart/cart.go Cart.Total", "`func (c *Cart) Total() int {`", "cart/cart.go:10"},
		{"could you show me the definition of renew token please", true, "web/login.py Session.renew_token",
			"`def renew_token(self, seconds):`", "web/login.py:7"},
		{"Wo ist die Klasse session definiert?", true, "web/login.py Session", "`class Session:`", "web/login.py:4"},
		{"roundDown 在哪里定义的？", true, "cart/round.go roundDown", "`func roundDown(n int) int {`", "cart/round.go:4"},
		{"where is gizmoPruner defined?", false, "", "Nothing is called `gizmoPruner`", ""},
	} {
		rep, _ := explore(t, tt.question, nil)
		if rep == nil || rep.Found != tt.found || len(rep.Summary) == 0 {
			t.Errorf("%s: report %+v", tt.question, rep)
			continue
		}
		s := rep.Summary[0]
		if !strings.Contains(s.Text, tt.says) || strings.Join(s.Citations, " ") != tt.cites {
			t.Errorf("%s: %q cites %q, want %q in it and %s", tt.question, s.Text, s.Citations, tt.says, tt.cites)
		}
		if tt.first != "" && (len(rep.Places) == 0 || rep.Places[0].Path+" "+rep.Places[0].Symbol != tt.first) {
			t.Errorf("%s: places %+v, want %s first", tt.question, rep.Places, tt.first)
		}
	}
}

// A question about documentation is answered by the section, in its own words; one about code stays as it is.
func TestDocuments(t *testing.T) {
	for _, question := range []string{
		"how do I rename a shelf?", "what do the docs say about renaming shelves", "how can i renmae a shelf",
		"Wo ist „renaming a shelf“ dokumentiert?", "怎么 rename a shelf？", "renaming a shelf",
	} {
		rep, _ := explore(t, question, nil)
		if rep == nil || !rep.Found || len(rep.Summary) == 0 || len(rep.Places) == 0 {
			t.Errorf("%s: report %+v", question, rep)
			continue
		}
		s, p := rep.Summary[0], rep.Places[0]
		want := "docs/discount-tiers.md, “Renaming a shelf”: “Edit the plan of the shop.” It begins with `make shelves`."
		if s.Text != want || strings.Join(s.Citations, " ") != "docs/discount-tiers.md:7-8 docs/discount-tiers.md:12" {
			t.Errorf("%s: %q cites %q", question, s.Text, s.Citations)
		}
		if p.Path != "docs/discount-tiers.md" || p.Start != 5 || p.End != 13 {
			t.Errorf("%s: place %+v", question, p)
		}
		if last := rep.Places[len(rep.Places)-1]; last.Symbol != "discountFor" {
			t.Errorf("%s: the section names discountFor, but the last place is %+v", question, last)
		}
	}
	for question, path := range map[string]string{
		"how is the discount tier picked?": "cart/discount.go", "how does discountFor work?": "cart/discount.go",
		"how is the price of the items summed up?": "cart/cart.go",
	} {
		if rep, _ := explore(t, question, nil); rep == nil || len(rep.Places) == 0 || rep.Places[0].Path != path {
			t.Errorf("%s: %+v, want %s first", question, rep, path)
		}
	}
}
