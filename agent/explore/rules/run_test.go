package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// shop is a small tree in two languages.
func shop() fstest.MapFS {
	files := map[string]string{
		"README.md": "# Shop\n\nShop sells bread and cheese over HTTP to people nearby.\n",
		"go.mod":    "module example.com/shop\n\ngo 1.26\n",
		"Makefile":  "build:\n\tgo build ./...\ntest:\n\tgo test ./...\n",
		"main.go":   "package main\n\nimport \"example.com/shop/cart\"\n\nfunc main() {\n\tcart.Open()\n}\n",
		"cart/cart.go": `package cart

// A Cart holds what somebody wants to buy.
type Cart struct{ items []int }

// Open returns an empty cart.
func Open() *Cart { return &Cart{} }

// Total returns the price of all items with the discount taken off.
func (c *Cart) Total() int {
	sum := 0
	for _, price := range c.items {
		sum += price
	}
	return sum - discountFor(sum)
}
`,
		"cart/discount.go": `package cart

// A tier is a discount, in percent, that holds from a sum on.
type tier struct{ from, percent int }

var tiers = []tier{{100, 5}, {500, 10}}

// discountFor picks the tier of the highest sum that was reached
// and returns its share of the sum.
func discountFor(sum int) int {
	percent := 0
	for _, t := range tiers {
		if sum >= t.from {
			percent = t.percent
		}
	}
	return roundDown(sum * percent)
}
`,
		"cart/round.go":         "package cart\n\n// roundDown drops the cents of a percentage.\nfunc roundDown(n int) int {\n\treturn n / 100\n}\n",
		"cart/discount_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestDiscountTiers(t *testing.T) {\n\tif discountFor(500) != 50 {\n\t\tt.Error()\n\t}\n}\n",
		"web/login.py":          "\"\"\"Login of customers.\"\"\"\n\n\nclass Session:\n    \"\"\"A session of one customer.\"\"\"\n\n    def renew_token(self, seconds):\n        \"\"\"Renew the token before it expires.\"\"\"\n        self.until += seconds\n        return self.sign_token()\n\n    def sign_token(self):\n        return hash(self.until)\n",
		"docs/discount-tiers.md": "# Discount tiers\n\nThe discount tiers are agreed with the bakery.\n\n" +
			"## Renaming a shelf\n\nEdit the [plan](plan.svg)\nof the shop. See `discountFor()`.\n\n```sh\n# once\nmake shelves\n```\n",
	}
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// explore runs the planner on shop and returns the report that was accepted and the result.
func explore(t *testing.T, prompt string, change func(*agent.Config)) (*report.Report, *agent.Result) {
	t.Helper()
	c := agent.Config{
		Model: rules.New(nil), Tools: codebase.Tools(sourcetree.Open(shop(), nil), &codebase.Options{JSON: true}), Profile: contextwindow.Off,
		Limits: agent.Limits{Steps: 12},
	}
	if change != nil {
		change(&c)
	}
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), prompt)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range result.Tools {
		if receipt, ok := rec.Value.(*codebase.Receipt); ok {
			return receipt.Report, result
		}
	}
	return nil, result
}

func TestQuestions(t *testing.T) {
	for _, tt := range []struct {
		name, prompt string
		found        bool
		first        string // place: path and symbol
		says         []string
	}{
		{"good", "how is the discount tier picked?", true, "cart/discount.go discountFor", []string{
			"“discountFor picks the tier of the highest sum that was reached and returns its share of the sum.”",
			"[cart/discount.go:8-18]"}},
		{"identifier", "what does roundDown do?", true, "cart/round.go roundDown", []string{"“roundDown drops the cents of a percentage.”"}},
		{"method", "who uses Cart.Total?", true, "cart/cart.go Cart.Total",
			[]string{"No code uses `Total` by its name. It is defined in cart/cart.go, line 10: `func (c *Cart) Total() int {`"}},
		{"python", "when is the token renewed?", true, "web/login.py Session.renew_token", []string{"Renew the token before it expires."}},
		{"path", "what is in cart/round.go?", true, "cart/round.go ", nil},
		{"German", "Wie wird der Sitzung-Token erneuert, wenn renew_token läuft?", true, "web/login.py Session.renew_token", nil},
		{"German nouns", "Wann wird das Token erneuert?", true, "web/login.py Session.renew_token", nil},
		{"absent in German", "Wie werden Zertifikate in der Datenbank verschlüsselt?", false, "", []string{"“encrypt”",
			"The question is in German, and a table translates terms only"}},
		{"German words", "wie funktioniert discount?", true, "cart/discount.go discountFor", nil},
		{"Chinese", "令牌在哪里更新？renew_token", true, "web/login.py Session.renew_token", nil},
		{"half known", "where is the discount negotiated?", true, "cart/discount.go discountFor", []string{"No file contains “negotiated”; "}},
		{"absent name", "how does KafkaConsumer commit offsets?", false, "", []string{"None of 10 searched files contains the name `KafkaConsumer`."}},
		{"near name", "what does discountFur do?", true, "cart/discount.go discountFor",
			[]string{"Nothing is called `discountFur`; did you mean `discountFor`?"}},
		{"absent words", "how are kubernetes pods reconciled?", false, "", []string{"“kubernetes”, “pods”, “reconciled”"}},
		{"vague", "how does it handle the function?", true, "", []string{"the question has only words that are common in all code"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			report, result := explore(t, tt.prompt, nil)
			if report == nil || result.Stop != agent.Answered {
				t.Fatalf("report %v, stop %s:\n%s", report, result.Stop, result.Text)
			}
			if report.Found != tt.found && tt.name != "vague" {
				t.Errorf("found %v", report.Found)
			}
			if tt.first != "" && (len(report.Places) == 0 || report.Places[0].Path+" "+report.Places[0].Symbol != tt.first) {
				t.Errorf("places %+v, want %s first", report.Places, tt.first)
			}
			if report.Found {
				tt.says = append(tt.says, "RELEVANT_FILES:\n")
			}
			for _, s := range append(tt.says, rules.Disclosure+"\n") {
				if !strings.Contains(result.Text, s) {
					t.Errorf("the answer lacks %q:\n%s", s, result.Text)
				}
			}
			for _, s := range report.Summary {
				if report.Found && s.Quote == "" {
					t.Errorf("a sentence without a quoted line: %+v", s)
				}
			}
			for _, p := range report.Places {
				if !report.Found && p.Confidence > .1 {
					t.Errorf("nothing was found, with confidence %+v", p)
				}
			}
		})
	}
}

func TestOneHopAndItsTests(t *testing.T) {
	found, _ := explore(t, "how is the discount tier picked?", nil)
	want := []report.Edge{
		{From: "discountFor", To: "roundDown", Kind: "calls", Citation: "cart/discount.go:17"},
		{From: "Cart.Total", To: "discountFor", Kind: "calls", Citation: "cart/cart.go:15"},
	}
	for _, e := range want {
		there := false
		for _, got := range found.Edges {
			there = there || got == e
		}
		if !there {
			t.Errorf("edges %+v lack %+v", found.Edges, e)
		}
	}
	if len(found.Tests) == 0 || found.Tests[0].Path != "cart/discount_test.go" {
		t.Errorf("tests %+v", found.Tests)
	}
}

// An overview of more files than a listing has says which of them it counted.
func TestOverviewOfManyFiles(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 10_001 {
		files[fmt.Sprintf("d/f%d.go", i)] = &fstest.MapFile{Data: []byte("package d\n")}
	}
	report, _ := explore(t, "Overview", func(c *agent.Config) {
		c.Tools = codebase.Tools(sourcetree.Open(files, nil), &codebase.Options{JSON: true})
	})
	if report == nil || !strings.Contains(report.Summary[0].Text, "Code files (the first 10,000 of 10,001): 10,000 .go.") {
		t.Errorf("report %+v", report)
	}
}

func TestOverview(t *testing.T) {
	for _, prompt := range []string{"Overview", "Give me an overview of this repository"} {
		report, result := explore(t, prompt, nil)
		if report == nil || !report.Found {
			t.Fatalf("report %+v", report)
		}
		for _, s := range []string{
			"“Shop sells bread and cheese over HTTP to people nearby.” [README.md:3]", "`module example.com/shop` [go.mod:1]",
			"Code files: 5 .go, 1 .py. `cart` (3 files): among them cart.go, discount.go, round.go [cart/cart.go:1]",
			"`web` (1 file): “Login of customers.” [web/login.py:1]",
			"`build:`, `test:` [Makefile:1] [Makefile:3]", "`func main() {` [main.go:5]",
		} {
			if !strings.Contains(result.Text, s) {
				t.Errorf("%q: the answer lacks %q:\n%s", prompt, s, result.Text)
			}
		}
	}
}

// A directory is described by the README or the manifest of its package. A comment in any file does not describe it, and
// tests are no part of the product.
func TestOverviewOfPackages(t *testing.T) {
	tree := fstest.MapFS{
		"core/README.md":       {Data: []byte("# Core\n\nCore keeps the books of the shop.\n")},
		"core/lib/books.rb":    {Data: []byte("# Sum is first.\n\nclass Books\nend\n")},
		"core/lib/pages.rb":    {Data: []byte("class Pages\nend\n")},
		"src/zap/zap.csproj":   {Data: []byte("<Project>\n<Description>Zap reads the logs of shops.</Description>\n</Project>\n")},
		"app/__init__.py":      {Data: []byte("try:\n    import it\nexcept ImportError:\n    # Broken installation, we do not even try.\n    it = None\n")},
		"CONTRIBUTING.md":      {Data: []byte("pytest-dev on GitHub\n\n    $ tox -e docs\n")},
		"src/zap/Reader.cs":    {Data: []byte("// Sorry for this hack, it is old.\nclass Reader {}\n")},
		"src/zap/Writer.cs":    {Data: []byte("class Writer {}\n")},
		"src/zap.Tests/One.cs": {Data: []byte("class One {}\n")},
		"LICENSE-MIT":          {Data: []byte("MIT License\n\nPermission is hereby granted, free of charge, to any person, shall be included\n")},
		"LICENSE-APACHE":       {Data: []byte("Apache License\nVersion 2.0, January 2004\n")},
	}
	_, result := explore(t, "Overview", func(c *agent.Config) {
		c.Tools = codebase.Tools(sourcetree.Open(tree, nil), &codebase.Options{JSON: true})
	})
	for want, held := range map[string]bool{
		"`src/zap` (2 files): “Zap reads the logs of shops.” (src/zap/zap.csproj) [src/zap/zap.csproj:2]":          true,
		"`core/lib` (2 files): “Core keeps the books of the shop.” (core/README.md) [core/README.md:3] [core/lib/": true,
		"The licences are Apache-2.0 (LICENSE-APACHE) and MIT (LICENSE-MIT). [LICENSE-APACHE:1] [LICENSE-MIT:3]":   true,
		"Sorry": false, "zap.Tests": false,
	} {
		if got := strings.Contains(result.Text, want); got != held {
			t.Errorf("%q: %t\n%s", want, got, result.Text)
		}
	}
}

func TestSameInputSameRun(t *testing.T) {
	transcript := func() string {
		_, result := explore(t, "how is the discount tier picked?", nil)
		data, err := json.Marshal(result.Transcript)
		if err != nil {
			t.Fatal(err)
		}
		return string(data) + result.Text
	}
	first := transcript()
	for range 3 {
		if diff := cmp.Diff(first, transcript()); diff != "" {
			t.Fatal(diff)
		}
	}
}

// Every way in which a run can be narrowed must still end with an answer that says what it is.
func TestNarrowRuns(t *testing.T) {
	offer := func(names string) func(*agent.Config) {
		return func(c *agent.Config) {
			var kept []tools.Tool
			for _, tool := range c.Tools {
				if strings.Contains(names, tool.Name) {
					kept = append(kept, tool)
				}
			}
			c.Tools = kept
		}
	}
	failing := func(name string) func(*agent.Config) {
		return func(c *agent.Config) {
			for i := range c.Tools {
				if c.Tools[i].Name == name || name == "" {
					c.Tools[i] = tools.Tool{Name: c.Tools[i].Name, Schema: json.RawMessage(`{"type":"object"}`), Call: broken}
				}
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*agent.Config)
		says   string
	}{
		{"no tools", offer(""), "No tool was called"},
		{"search only", offer("search"), "Not finished: these are the findings so far"},
		{"no report", offer("list_dir glob search read_file outline"), "[cart/discount.go:8-18]"},
		{"no outline", offer("list_dir search read_file report"), "discountFor"},
		{"two steps", func(c *agent.Config) { c.Limits.Steps = 2 }, "Not finished"},
		{"one step", func(c *agent.Config) { c.Limits.Steps = 1 }, "No tool was called"},
		{"three calls a step", func(c *agent.Config) { c.Limits.CallsPerStep = 3 }, "discountFor"},
		{"quotas and compaction", func(c *agent.Config) { c.Profile = contextwindow.Ladder; c.Budget.Limit = 6000 }, "RELEVANT_FILES"},
		{"all fail", failing(""), "a call failed: the disk is on fire"},
		{"search fails", failing("search"), "RELEVANT_FILES"},
		{"report fails", failing("report"), "The report was refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, result := explore(t, "how is the discount tier picked?", tt.change)
			if !strings.HasPrefix(result.Text, rules.Disclosure+"\n") || !strings.Contains(result.Text, tt.says) {
				t.Errorf("the answer lacks %q:\n%s", tt.says, result.Text)
			}
			if result.Steps > 12 || result.Stop == agent.Failed {
				t.Errorf("%d steps, stop %s", result.Steps, result.Stop)
			}
		})
	}
}

func TestRefusedCitationsAreDropped(t *testing.T) {
	refusals, second := 0, ""
	report, result := explore(t, "how is the discount tier picked?", func(c *agent.Config) {
		for i, tool := range c.Tools {
			if tool.Name != "report" {
				continue
			}
			c.Tools[i].Call = func(ctx contextType, args json.RawMessage) (any, error) {
				if refusals++; refusals == 1 {
					return nil, errors.New("refused: 2 faults in the report:\n- places[0]: no such line\n- summary[0].citations[0]: the quote does not stand")
				}
				second = string(args)
				return tool.Call(ctx, args)
			}
		}
	})
	if refusals != 2 || report == nil || result.Stop != agent.Answered {
		t.Fatalf("%d reports, the last %+v, stop %s", refusals, report, result.Stop)
	}
	for _, text := range []string{second, result.Text} {
		if strings.Contains(text, "discountFor picks the tier") {
			t.Errorf("a refused sentence is told again:\n%s", text)
		}
	}
}

func TestAnswerKeepsTheContract(t *testing.T) {
	m := rules.New(&rules.Options{CallsPerStep: 4})
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "where is `Window.Fit` and the parser of levels?"}}}
	for _, tool := range codebase.Tools(sourcetree.Open(shop(), nil), nil) {
		req.Tools = append(req.Tools, transcript.ToolSchema{Name: tool.Name, Schema: tool.Schema})
	}
	set, err := tools.NewSet(codebase.Tools(sourcetree.Open(shop(), nil), nil)...)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := providers.Ask(t.Context(), m, req)
	if err != nil || answer.Finish != providers.Calls || len(answer.Message.Calls) != 4 {
		t.Fatalf("answer %+v, error %v", answer, err)
	}
	for i, c := range answer.Message.Calls {
		if err := set.Validate(c.Name, c.Args); err != nil || c.ID != fmt.Sprintf("call_1_%d", i+1) {
			t.Errorf("call %s: %v", c.ID, err)
		}
	}
	req.Choice = providers.None
	answer, err = providers.Ask(t.Context(), m, req)
	if err != nil || len(answer.Message.Calls) != 0 || answer.Finish != providers.Stop {
		t.Errorf("without tools: %+v, %v", answer, err)
	}
	ctx, cancel := contextCancelled(t)
	defer cancel()
	if _, err := providers.Ask(ctx, m, req); providers.ClassOf(err) != providers.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}

// A second question in the same conversation begins anew, with ids of its own.
func TestSecondQuestion(t *testing.T) {
	m := rules.New(nil)
	req := &providers.Request{Tools: []transcript.ToolSchema{{Name: "search"}}}
	say := func(text string) []transcript.ToolCall {
		req.Messages = append(req.Messages, transcript.Message{Role: transcript.User, Text: text})
		answer, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, answer.Message, transcript.Message{Role: transcript.Assistant, Text: "done"})
		return answer.Message.Calls
	}
	first, second := say("where is the cheese?"), say("where is the bread?")
	if len(first) == 0 || len(second) == 0 || first[0].ID == second[0].ID || !strings.Contains(string(second[0].Args), "bread") {
		t.Errorf("first %v\nsecond %v", first, second)
	}
}
