package longterm_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// An exchange is one labelled message with what is to be remembered of it.
type exchange struct {
	Lang, Half, User, Assistant string
	Want                        []wanted
}

// A wanted is an expected memory: its category, or several that a reader would accept with "|" between them, and the
// words that its content must have.
type wanted struct {
	Category string
	Words    []string
}

func (w wanted) matches(m longterm.Memory) bool {
	return slices.Contains(strings.Split(w.Category, "|"), string(m.Category)) &&
		!slices.ContainsFunc(w.Words, func(word string) bool {
			return !strings.Contains(strings.ToLower(m.Content), strings.ToLower(word))
		})
}

func readExchanges(t testing.TB, name string) (list []exchange) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var x exchange
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatalf("%s, line %d: %v", name, len(list)+1, err)
		}
		list = append(list, x)
	}
	return list
}

// A tally counts memories made and wanted, and those of each that agree.
type tally struct{ made, right, wanted, found int }

func (c tally) precision() float64 { return float64(c.right) / float64(max(c.made, 1)) }
func (c tally) recall() float64    { return float64(c.found) / float64(max(c.wanted, 1)) }

func (c tally) String() string {
	return fmt.Sprintf("precision %.3f (%d of %d made), recall %.3f (%d of %d wanted)",
		c.precision(), c.right, c.made, c.recall(), c.found, c.wanted)
}

func (c *tally) add(x exchange, kept []longterm.Memory) (agrees bool) {
	one := tally{made: len(kept), wanted: len(x.Want)}
	for _, m := range kept {
		if slices.ContainsFunc(x.Want, func(w wanted) bool { return w.matches(m) }) {
			one.right++
		}
	}
	for _, w := range x.Want {
		if slices.ContainsFunc(kept, w.matches) {
			one.found++
		}
	}
	c.made, c.right, c.wanted, c.found = c.made+one.made, c.right+one.right, c.wanted+one.wanted, c.found+one.found
	return one.right == one.made && one.found == one.wanted
}

// TestExchanges holds the rules to labelled exchanges. The rules were made with the tuned half in view only. Those of
// the other files were written later. At first reading, precision was 1.0 and recall .14 for the later ones and .75 and
// .25 for the last ones, both in deliberately unusual words; then the rules were widened, with these in mind too. The
// blind ones, in plain words, came after all rules: precision .875, recall .70.
func TestExchanges(t *testing.T) {
	list := readExchanges(t, "testdata/exchanges.jsonl")
	parts := make(map[string]*tally)
	all := slices.Clone(list)
	for _, name := range []string{"later", "last", "blind"} {
		all = append(all, readExchanges(t, "testdata/exchanges_"+name+".jsonl")...)
	}
	for i, x := range all {
		e, _ := extraction(t, longterm.ExtractorConfig{})
		kept, err := e.Extract(t.Context(), longterm.Exchange{Question: x.User, Answer: x.Assistant, At: monday})
		if err != nil {
			t.Errorf("%.60q: %v", x.User, err)
		}
		of := []string{"all", x.Half, x.Lang}
		if i >= len(list) {
			of = of[1:2]
		}
		agrees := true
		for _, part := range of {
			if parts[part] == nil {
				parts[part] = new(tally)
			}
			agrees = parts[part].add(x, kept)
		}
		if !agrees && x.Half == "tuned" {
			t.Logf("%q: %q; want %v", x.User, contents(kept), x.Want)
		}
	}
	for _, part := range []string{"tuned", "held", "en", "zh", "de", "all", "later", "last", "blind"} {
		t.Logf("%s: %v", part, parts[part])
	}
	if all := parts["all"]; len(list) != 120 || all.precision() < .9 || all.recall() < .7 {
		t.Errorf("%d exchanges, want precision >= .9 and recall >= .7 in 120: %v", len(list), all)
	}
}

// contents returns the categories and contents of memories.
func contents(list []longterm.Memory) (texts []string) {
	for _, m := range list {
		texts = append(texts, fmt.Sprint(m.Category, " ", m.Content))
	}
	return texts
}
