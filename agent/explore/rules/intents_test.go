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
