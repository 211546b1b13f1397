package explore_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools/report"
)

// shop is a tree with an answer for each intent.
var shop = fstest.MapFS{
	"go.mod": {Data: []byte("module example.com/shop\n")},
	"README.md": {Data: []byte("# shop\n\nshop sells bicycles to people without a car.\n\n## Returning a bicycle\n\n" +
		"Bring the bicycle back within ten days.\n")},
	"cart/cart.go": {Data: []byte("package cart\n\n// Cart holds what is bought.\ntype Cart struct{ items []string }\n\n" +
		strings.Repeat("// filler explains the price of the cart.\nvar _ = 0\n\n", 30) +
		"// CheckOut pays.\nfunc (c *Cart) CheckOut(limit int) error {\n\tif len(c.items) == 0 {\n\t\treturn errors.New(\"the cart holds no bicycle\")\n\t}\n" +
		strings.Repeat("\tpay(c, \"a long line that fills the room of an excerpt so that not all fits\")\n", 60) +
		"\treturn settle(c)\n}\n")},
	"cart/settle.go":    {Data: []byte("package cart\n\nconst maxBicycles = 7\n\nfunc settle(c *Cart) error { return nil }\n")},
	"cart/cart_test.go": {Data: []byte("package cart\n\nfunc TestEmpty(t *testing.T) {\n\tif new(Cart).CheckOut(1) == nil {\n\t\tt.Error()\n\t}\n}\n")},
	"web/buy.go":        {Data: []byte("package web\n\nfunc buy(c *cart.Cart) error {\n\treturn c.CheckOut(3)\n}\n")},
}

// TestExactAnswerLeads: where the intent of a question is recognised, the sentence of the exact answer comes first, then
// its places with the deciding line, and no small model is asked for words before.
func TestExactAnswerLeads(t *testing.T) {
	ostest.SkipRaced(t)
	for question, want := range map[string]struct{ sentence, first, line string }{
		"where is CheckOut defined?":                       {"CheckOut` is defined in", "cart/cart.go:", "func (c *Cart) CheckOut"},
		"who calls settle?":                                {"`settle` is called in 1 place", "cart/cart.go:", "return settle(c)"},
		"which tests cover CheckOut?":                      {"CheckOut", "cart/cart_test.go:", "new(Cart).CheckOut(1)"},
		`what causes "the cart holds no bicycle"?`:         {"comes from", "cart/cart.go:", "errors.New(\"the cart holds"},
		"what is the default of maxBicycles?":              {"`7`", "cart/settle.go:3", "maxBicycles = 7"},
		"what does the README say on returning a bicycle?": {"Bring the bicycle back", "README.md:", "within ten days"},
		"what is this project?":                            {"shop sells bicycles", "README.md:3", "shop sells"},
	} {
		model := scripted.Options{Info: providers.Info{Window: 8 << 10}}.New(scripted.Repeat(0, scripted.Text("It is [cart/cart.go:3].")))
		if _, err := (&explore.Tree{Files: shop, Dir: "/shop"}).Run(t.Context(), model, question, nil); err != nil {
			t.Fatal(err)
		}
		requests := model.Requests()
		text := requests[0].Messages[len(requests[0].Messages)-1].Text
		last := -1
		for _, part := range []string{"Found by exact search:\n", want.sentence, "\n1. " + want.first, want.line, "Question: " + question} {
			from := max(last, 0)
			if part == want.line { // also quoted by the sentence
				from = strings.Index(text, "\n1. ")
			}
			at := from + strings.Index(text[max(from, 0):], part)
			if at < from || at <= last {
				t.Errorf("%s: %q comes at %d, after %d, in\n%s", question, part, at, last, text)
				break
			}
			last = at
		}
	}
}

// TestNothingIsThere: what exact tools did not find is said to the model first, and an answer without lines is then right.
func TestNothingIsThere(t *testing.T) {
	const question = "where is ZeppelinFactory defined?"
	for said, want := range map[string]bool{
		"There is no ZeppelinFactory in this code.":   false,
		"You may mean `Cart` [cart/cart.go:4].":       true,
		"It is defined in the file [zeppelin.go:12].": false,
	} {
		model := scripted.New(scripted.Text(said))
		got, err := (&explore.Tree{Files: shop, Dir: "/shop"}).Run(t.Context(), model, question, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := model.Requests()[0].Messages[0].Text
		if !strings.HasPrefix(text, "Found by exact search:\n- Nothing is called `ZeppelinFactory`") || strings.Contains(text, "\n1. ") {
			t.Errorf("the model reads\n%s", text)
		}
		if got.Found != want || got.Fallback != "" || got.Partial != "" || want == (got.Said == said) {
			t.Errorf("%q: found %v, fallback %q, partial %q, said %q", said, got.Found, got.Fallback, got.Partial, got.Said)
		}
		if md := got.Markdown(report.PrintOptions{}); !want && !strings.Contains(md, "Nothing is called `ZeppelinFactory`") {
			t.Error(md)
		}
	}
	model := scripted.New(scripted.Text(""))
	got, _ := (&explore.Tree{Files: shop, Dir: "/shop"}).Run(t.Context(), model, question, nil)
	if got.Fallback == "" {
		t.Error("an empty answer is an answer")
	}
}

// TestNegationTurnsTheMeaning: what a question negates ranks after what code calls the contrary.
func TestNegationTurnsTheMeaning(t *testing.T) {
	doors := fstest.MapFS{
		"doors.go": {Data: []byte("package doors\n\n// OpenTogether opens two doors together.\nfunc OpenTogether(a, b Door) { open(a, b) }\n\n" +
			"// KnockTogether knocks at two doors together.\nfunc KnockTogether(a, b Door) { knock(a, b) }\n\n" +
			"// LockConflicting refuses to open one door while the other is open.\nfunc LockConflicting(a, b Door) { lock(a, b) }\n")},
	}
	for question, want := range map[string]string{
		"which two doors can be opened together?":               "OpenTogether",
		"two doors cannot be open together":                     "LockConflicting",
		"two doors can't be open together":                      "LockConflicting",
		"How do I prevent two doors from being open together?":  "LockConflicting",
		"Welche Doors darf man nicht zusammen öffnen?":          "LockConflicting",
		"两个 doors 不能同时 open":                                    "LockConflicting",
		"If the bell does not ring, which doors open together?": "OpenTogether",
	} {
		if got := firstExcerpt(t, doors, question); !strings.HasSuffix(got, " "+want) {
			t.Errorf("%s: the first excerpt is %q", question, got)
		}
	}
}

// TestCodesAreNames: a word of letters and digits in a question names a file or a definition.
func TestCodesAreNames(t *testing.T) {
	body := func(name string) []byte {
		return []byte(fmt.Sprintf("package queue\n\n// %s drops a message when the queue is full, the drop being counted.\nfunc %s() { drop() }\n", name, name))
	}
	queues := fstest.MapFS{
		"queue.go": {Data: body("DropMessage")}, "more.go": {Data: body("MessageDrop")}, "sum2quick.go": {Data: body("Sum2Quick")},
		"2q.go": {Data: []byte("package queue\n\n// shrink drops one.\nfunc shrink() {\n" + strings.Repeat("\tcompute(other, things)\n", 9) + "}\n")},
		"p9.go": {Data: []byte("package queue\n\n// drop9P drops one.\nfunc drop9P() {}\n")},
	}
	for question, want := range map[string]string{
		"when does a 2Q queue drop a message?": "2q.go:3-14 shrink",
		"when does 9p drop a message?":         "p9.go:3-4 drop9P",
	} {
		if got := firstExcerpt(t, queues, question); got != want {
			t.Errorf("%s: the first excerpt is %q", question, got)
		}
	}
	if got := firstExcerpt(t, queues, "when does a queue drop a message?"); strings.HasPrefix(got, "2q") {
		t.Error(got)
	}
}

// firstExcerpt returns the title of the first excerpt that a model reads.
func firstExcerpt(t *testing.T, files fstest.MapFS, question string) string {
	t.Helper()
	model := scripted.New(scripted.Text("x"))
	if _, err := (&explore.Tree{Files: files, Dir: "/tree"}).Run(t.Context(), model, question, nil); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(model.Requests()[0].Messages[0].Text, "\n1. ")
	title, _, _ := strings.Cut(after, "\n")
	return title
}
