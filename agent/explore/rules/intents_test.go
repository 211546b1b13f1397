package rules_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// stock is a file with messages, a constant and a parameter with a default.
const stock = `MAX_OPEN_CARTS = 64  # of one shop


def take(
    name, amount=12, stock=None,
):
    if name not in stock:
        raise KeyError(f"no cart for {name}: it was emptied")
    if stock[name] < amount:
        raise ValueError("stock is too low for this sale")


def sell(n):
    raise KeyError(f"sold {n} carts")
`

// refusals has a message in a helper, and one whose condition is in another function.
const refusals = `def refuse(shop):
    raise ClosedError(f"{shop} refuses to sell today")


def till_is_gone(shop):
    return shop.till is None


def serve(shop, n):
    if n > MAX_OPEN_CARTS:
        refuse(shop)
    if till_is_gone(shop):
        raise ClosedError("nobody can pay at this hour")
`

// shelves has defaults that differ, a default that is a constant, and two methods of one name.
const shelves = `SHOP_ROOM = 30


class Shelf:
    limit: int
    burst = 4

    def __init__(self):
        self.limit = SHOP_ROOM

    def push(self, depth: int | None = None):
        """Push.

        >>> shelf.push(depth=3)
        """
        return self.limit


class Mail:
    burst = 9

    def push(self, text):
        return text


def fill(shelf, pipe):
    pipe.push(1)
    shelf.push(3)


def flags(parser):
    parser.add_argument(
        '--max-boards', type=int,
        default=7, help='boards of a shelf',
    )
`

// A question with a recognised intent is answered by one exact tool: the first sentence cites the line that decides.
func TestAnswers(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and TestQuestions has its goroutines")
	}
	files := shop()
	files["web/stock.py"] = &fstest.MapFile{Data: []byte(stock)}
	files["web/till.py"] = &fstest.MapFile{Data: []byte(refusals)}
	files["web/shelf.py"] = &fstest.MapFile{Data: []byte(shelves)}
	files["flags.go"] = &fstest.MapFile{Data: []byte("package main\n\nfunc flags(f *Set) {\n\tf.Int(\"max-shelves\", 5, \"shelves of a shop\")\n}\n")}
	files["docs/config.md"] = &fstest.MapFile{Data: []byte("# Settings\n\n## burst\n\nType: integer. Default: four for shelves, nine for mail.\n")}
	files["web/walk.py"] = &fstest.MapFile{Data: []byte("\"\"\"Walks shelves.\n\n    walk_all(\n        walk_depth = 3,\n    )\n\"\"\"\n\n\n" +
		"def walk_all(walk_depth=9):\n    pass\n")}
	files["docs/pool.md"] = &fstest.MapFile{Data: []byte("# Pool\n\n- `max_open`: The most connections that may be open at once.\n" +
		"  Zero: any number.\n- `idle-time`: How long a connection may wait in the pool.\n")}
	files["cmd/main.go"] = &fstest.MapFile{Data: []byte("package main\n\nfunc more(f *Set) {\n" +
		"\tf.Bool(\"hush\", false, \"print no progress and no warnings\")\n\tf.Bool(\"tally\", false, \"count the shelves\")\n}\n")}
	files["lib/kinds.ts"] = &fstest.MapFile{Data: []byte("export interface Painter {}\nexport class Brush<T extends Painter> {}\n" +
		"export class Roller\n  implements Painter {\n}\nexport class Sponge extends Tool implements Painter {}\n")}
	files["lib/kinds.rs"] = &fstest.MapFile{Data: []byte("pub trait Solver {}\npub struct Greedy;\nimpl<'a> Solver for Greedy {}\n" +
		"impl From<Solver> for Other {}\n")}
	files["lib/locks.py"] = &fstest.MapFile{Data: []byte("class Lock:\n    pass\n\n\nclass Gate(Base, Lock):\n    pass\n\n\n" +
		"def open_all():\n    with Lock() as l:\n        use(l)\n")}
	files["lib/kinds.go"] = &fstest.MapFile{Data: []byte("package lib\n\ntype Walker interface {\n\tWalk(n int) error\n\tStop()\n}\n\n" +
		"type legs struct{}\n\nfunc (l *legs) Walk(n int) error { return nil }\nfunc (l *legs) Stop() {}\n\n" +
		"type robot struct {\n\tlegs\n}\n\ntype half struct{}\n\nfunc (half) Walk(a, b int) error { return nil }\nfunc (half) Stop() {}\n")}
	tools := codebase.Tools(sourcetree.Open(files, nil), &codebase.Options{JSON: true})
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
		{"callers of s.push", true, "web/shelf.py fill", "is called in 1 place", "web/shelf.py:28"},
		{"roundDown 在哪里定义的？", true, "cart/round.go roundDown", "`func roundDown(n int) int {`", "cart/round.go:4"},
		{"who calls discount for", true, "cart/cart.go Cart.Total", "`return sum - discountFor(sum)`", "cart/cart.go:15"},
		{"Wer ruft roundDown auf?", true, "cart/discount.go discountFor", "`return roundDown(sum * percent)`",
			"cart/discount.go:17"},
		{"where is sign_token used", true, "web/login.py Session.renew_token", "`return self.sign_token()`", "web/login.py:10"},
		{"which tets cover discountFor?", true, "cart/discount_test.go TestDiscountTiers", "`if discountFor(500) != 50 {`",
			"cart/discount_test.go:6"},
		{"why do I get \"no cart for alice: it was emptied\"?", true, "web/stock.py take",
			"`raise KeyError(f\"no cart for {name}: it was emptied\")`. It depends on line 7: `if name not in stock:`",
			"web/stock.py:8 web/stock.py:7"},
		{"why does it say \"Corner refuses to sell today\"?", true, "web/till.py refuse",
			"`refuse` is used in `serve` (web/till.py, line 11): `refuse(shop)`, which depends on line 10: `if n > MAX_OPEN_CARTS:`",
			"web/till.py:2 web/till.py:11 web/till.py:10"},
		{"when do I get \"nobody can pay at this hour\"?", true, "web/till.py serve",
			"It depends on line 12: `if till_is_gone(shop):`; in `till_is_gone` (web/till.py), line 6 decides: `return shop.till is None`",
			"web/till.py:13 web/till.py:12 web/till.py:6"},
		{"why do I get \"sold 30 carts\"", true, "web/stock.py sell", "comes from `sell`", "web/stock.py:14"},
		{"\"stock is too low for this shop\"", true, "web/stock.py take", "No text reads", "web/stock.py:10 web/stock.py:9"},
		{"error: Stock is to low for this sale", true, "web/stock.py take", "`raise ValueError(\"stock is too low for this sale\")`",
			"web/stock.py:10 web/stock.py:9"},
		{"what is the default value of amount in take?", true, "web/stock.py take", "is `12`", "web/stock.py:5"},
		{"what does take's amount default to", true, "web/stock.py take", "is `12`", "web/stock.py:5"},
		{"default depth of push", true, "web/shelf.py Shelf.push", "is `None`", "web/shelf.py:11"},
		{"default limit", true, "web/shelf.py Shelf.__init__", "`SHOP_ROOM` is `30`", "web/shelf.py:9 web/shelf.py:1"},
		{"default value of max-shelves", true, "flags.go flags", "is `5`", "flags.go:4"},
		{"what is the default of --max-boards?", true, "web/shelf.py flags", "is `7`", "web/shelf.py:34"},
		{"what is the default of burst?", true, "docs/config.md ", "By the documentation, the default of `burst` is “four for shelves,", "docs/config.md:5"},
		{"default of walk_depth", true, "web/walk.py walk_all", "is `9`", "web/walk.py:9"}, // and not that of the example
		{"which flag prints no warnings?", true, "cmd/main.go hush", "`hush` may be the option", "cmd/main.go:4"},
		{"how do I print no progress?", true, "cmd/main.go hush", "`hush` may be the option", "cmd/main.go:4"},
		{"which functions are calling roundDown", true, "cart/discount.go discountFor", "`return roundDown(sum * percent)`",
			"cart/discount.go:17"},
		{"by whom is rounddown called", true, "cart/discount.go discountFor", "is called in 1 place", "cart/discount.go:17"},
		{"Shelf.push's callers", true, "web/shelf.py fill", "`Shelf.push` is called in 1 place, in `fill` (web/shelf.py, line 28): `shelf.push(3)`",
			"web/shelf.py:28"},
		{"is there a test for discountFor", true, "cart/discount_test.go TestDiscountTiers", "`if discountFor(500) != 50 {`",
			"cart/discount_test.go:6"},
		{"how many carts may be open at once by default?", true, "web/stock.py MAX_OPEN_CARTS", "`MAX_OPEN_CARTS` is `64`",
			"web/stock.py:1"},
		{"max open carts 的默认值是多少？", true, "web/stock.py MAX_OPEN_CARTS", "is `64`", "web/stock.py:1"},
		{"who implements Painter?", true, "lib/kinds.ts Roller", "2 types implement `Painter`: `Roller`, `Sponge`; first `Roller`", "lib/kinds.ts:4"},
		{"implementations of the Solver trait", true, "lib/kinds.rs Greedy", "One type of the project implements `Solver`: `Greedy`", "lib/kinds.rs:3"},
		{"what does web/shelf.py do?", true, "web/shelf.py ", "`web/shelf.py` (35 lines) defines `Shelf`, `Mail`",
			"web/shelf.py:4 web/shelf.py:19 web/shelf.py:31 web/shelf.py:26"},
		{"walk.py 是做什么的？", true, "web/walk.py ", "defines `walk_all`", "web/walk.py:9"},
		{"which functions does shelf.py define?", true, "web/shelf.py ", "defines `Shelf.__init__`, `Shelf.push`, `Mail.push`",
			"web/shelf.py:8 web/shelf.py:11 web/shelf.py:22 web/shelf.py:26"},
		{"explain web/stok.py", true, "web/stock.py ", "There is no `web/stok.py`; `web/stock.py`",
			"web/stock.py:4 web/stock.py:13 web/stock.py:1"},
		{"what's in the lib folder?", true, "lib/kinds.go ", "`lib` holds 4 files: kinds.go, kinds.rs, kinds.ts, locks.py.", "lib/kinds.go:1 lib/kinds.rs:1 lib/kinds.ts:1"},
		{"what does cart/nowhere/x.go do?", false, "", "No file or directory of the tree is called `cart/nowhere/x.go`.", ""},
		{"which types implement Walker", true, "lib/kinds.go legs", "2 types implement `Walker`: `legs`, `robot`; first `legs`", "lib/kinds.go:10"},
		{"who implements roundDown?", true, "cart/round.go roundDown", "`roundDown` is defined", "cart/round.go:4"},
		{"under what circumstances does serve() raise", true, "web/till.py serve", "raises errors in 1 place. Line 13: `raise " +
			"ClosedError(\"nobody can pay at this hour\")`, which depends on line 12: `if till_is_gone(shop):`. Functions that " +
			"`serve` calls raise errors as well: `refuse` (web/till.py, line 2): `raise ClosedError(", "web/till.py:13 web/till.py:12 web/till.py:2"},
		{"Shelf vs Mail", true, "web/shelf.py Shelf", "Only `Shelf` declares `limit`, `__init__`.", "web/shelf.py:4 web/shelf.py:19"},
		{"--hush vs --tally", true, "cmd/main.go more", "`--tally` is declared in cmd/main.go, line 5: `f.Bool(\"tally\", false, " +
			"\"count the shelves\")`", "cmd/main.go:4 cmd/main.go:5"},
		{"max_open vs idle-time", true, "docs/pool.md ", "`max_open`: “The most connections that may be open at once.” `idle-time`: " +
			"“How long a connection may wait in the pool.”", "docs/pool.md:3-5 docs/pool.md:5"},
		{"subclasses of Lock", true, "lib/locks.py Gate", "One type of the project extends `Lock`: `Gate`", "lib/locks.py:5"},
		{"who extends Session?", true, "web/login.py Session", "No declaration names `Session`", "web/login.py:4"},
		{"who calls gizmoPruner?", false, "", "Nothing is called `gizmoPruner`", ""},
		{"what causes \"the wombat refused to anneal\"?", false, "", "No text in", ""},
		{"where is gizmoPruner defined?", false, "", "Nothing is called `gizmoPruner`", ""},
	} {
		rep, _ := explore(t, tt.question, func(c *agent.Config) { c.Tools = tools })
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
		want := "docs/discount-tiers.md, “Renaming a shelf”: “Edit the plan of the shop.” Its first example: `make shelves`."
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
	files := shop()
	for path, text := range map[string]string{
		"docs/templates.md":          "# Templates\n\nText.\n\n## Streaming\n\nA reply may be streamed from a template.\n",
		"docs/patterns/streaming.md": "# Streaming contents\n\nSend rows one by one.\n\n## Reply headers\n\nSet them first.\n",
		"docs/publishing.md":         "# Publishing a catalogue\n\nLog in, then publish.\n",
		"contrib/release.md":         "# Team\n\nUs.\n\n## Publishing a catalogue\n\nThe team does it.\n",
	} {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	tools := codebase.Tools(sourcetree.Open(files, nil), &codebase.Options{JSON: true})
	for question, path := range map[string]string{
		"how can I stream a reply": "docs/patterns/streaming.md", "怎么发布一个 catalogue": "docs/publishing.md",
		"Wie kann ich einen catalogue veröffentlichen?": "docs/publishing.md",
	} {
		rep, _ := explore(t, question, func(c *agent.Config) { c.Tools = tools })
		if rep == nil || len(rep.Places) == 0 || rep.Places[0].Path != path {
			t.Errorf("%s: %+v, want %s first", question, rep, path)
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

// TestHowTo: a section of the documentation that helps comes before the code, with the sentence that says most about the
// question. A question about what is nowhere stays without an answer.
func TestHowTo(t *testing.T) {
	files := map[string]string{
		"docs/guide.md": "# Guide\n\n## Opening a store\n\nTo open a store, call Open with a folder.\n\n## Store backup\n\n" +
			"Nobody likes to lose data.\n\nThe command below writes a backup of the store to a file:\n\n```sh\nstash backup\n```\n\n" +
			"## Memory-only mode\n\nThere are several modes.\n\nWith `WithMemory`, a store runs in memory and writes no files.\n",
		"docs/upgrade.md": "# Store upgrade\n\n## Store\n\nAn old store is in memory until the backup of it is upgraded.\n",
		"store.go": "package stash\n\n// Open opens a store.\nfunc Open(dir string) {}\n\n// WithMemory keeps everything in memory.\n" +
			"func WithMemory() {}\n\n// flushMemory writes the memory of a run to a file.\nfunc flushMemory() {\n\twriteRun()\n}\n\n" +
			"func writeRun() {}\n",
	}
	for question, want := range map[string]string{
		"How do I run it fully in memory?": "docs/guide.md, “Memory-only mode”: “With WithMemory, a store runs in memory and writes " +
			"no files.”",
		"how can I back up the store?": "docs/guide.md, “Store backup”: “The command below writes a backup of the store to a file:” " +
			"Its first example: `stash backup`.",
	} {
		rep := asked(t, files, question)
		if got := rep.Summary[0].Text; got != want || rep.Places[0].Path != "docs/guide.md" || !rep.Found {
			t.Errorf("%s: %q, want %q; %+v", question, got, want, rep.Places)
		}
	}
	for _, question := range []string{"how do I resize an image in the store?", "how can I send a fax?"} {
		if rep := asked(t, files, question); rep.Found {
			t.Errorf("%s: %q", question, rep.Summary[0].Text)
		}
	}
}

// TestSections: what the documents say comes first unless the question is for a place in the code, and then second, in
// the sentence with most words of the question. It is listed once.
func TestSections(t *testing.T) {
	files := map[string]string{
		"README.md": "# Stash\n\nA store.\n\n## Eviction of entries\n\nA store has a limit.\n\nThe oldest entries are evicted first.\n",
		"store.go": "package stash\n\n// evict removes the entry that was used last.\nfunc evict(entries []int) []int {\n" +
			"\tif len(entries) > limit {\n\t\treturn entries[1:]\n\t}\n\treturn entries\n}\n\nconst limit = 10\n",
	}
	const says = ": “The oldest entries are evicted first.”"
	for question, at := range map[string]int{
		"which entries are evicted first?": 0, "are the oldest entries evicted first?": 0,
		"where is the first of the entries evicted?": 1,
	} {
		rep := asked(t, files, question)
		if len(rep.Summary) <= at || !strings.Contains(rep.Summary[at].Text, says) ||
			rep.Summary[at].Citations[0] != "README.md:9" {
			t.Errorf("%s %+v, want %q at %d", question, rep.Summary, says, at)
		}
		listed := 0
		for _, p := range rep.Places {
			if p.Path == "README.md" {
				listed++
			}
		}
		if first := rep.Places[0].Path; listed != 1 || (first == "README.md") != (at == 0) {
			t.Errorf("%s %+v", question, rep.Places)
		}
	}
}

// TestSecondPart: what the documents say on the second part of a question follows the exact answer to the first.
func TestSecondPart(t *testing.T) {
	files := map[string]string{
		"README.md": "# Stash\n\nA store.\n\n## Full stores\n\nTo change the default of max acorns, throw some out.\n",
		"store.go":  "package stash\n\nvar maxAcorns = 10\n\nfunc add(n int) bool { return n < maxAcorns }\n",
	}
	for question, more := range map[string]bool{
		"what is the default of maxAcorns and how do I change it?": true,
		"what is the default of maxAcorns?":                        false,
	} {
		rep := asked(t, files, question)
		said := len(rep.Summary) > 1 && strings.Contains(rep.Summary[1].Text, "throw some out")
		exact := strings.HasPrefix(rep.Summary[0].Text, "The default of `maxAcorns` is")
		if !exact || rep.Places[0].Path != "store.go" || said != more {
			t.Errorf("%s %+v", question, rep.Summary)
		}
	}
}
