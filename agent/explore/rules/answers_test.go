package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// asked returns the report on a question about a tree of files.
func asked(t *testing.T, files map[string]string, question string) *report.Report {
	t.Helper()
	fsys := fstest.MapFS{}
	for path, text := range files {
		fsys[path] = &fstest.MapFile{Data: []byte(text)}
	}
	tools := codebase.Tools(sourcetree.Open(fsys, nil), &codebase.Options{JSON: true})
	rep, _ := explore(t, question, func(c *agent.Config) { c.Tools = tools })
	if rep == nil || len(rep.Summary) == 0 {
		t.Fatalf("%s: report %+v", question, rep)
	}
	return rep
}

// placesOf returns the symbols of the places of a report, best first.
func placesOf(rep *report.Report) string {
	var all []string
	for _, p := range rep.Places {
		all = append(all, p.Symbol)
	}
	return strings.Join(all, " ")
}

// till is C in the style that gives the type of a result a line of its own, with a struct called like a function.
var till = map[string]string{
	"till.h": "struct recount { int n; };\nint\t count_coins(struct till *);\nvoid\t recount(struct till *, int);\n",
	"till.c": `#include "till.h"

int
count_coins(struct till *t)
{
	return (t->coins);
}

void
recount(struct till *t, int n)
{
	struct recount	*last = t->last;

	last->n = n;
}

static void
find_last(struct till *t,
    struct recount *except)
{
	recount(t, count_coins(t));
	recount(t, 0);
}

void
close_till(struct till *t)
{
	recount(t, 1);
}
`,
	"wait.ex": "defmodule Till.Wait do\n  @spec pause(time :: pos_integer()) :: number()\n" +
		"  def pause(time), do: time\n\n  def twice(time), do: 2 * pause(time)\nend\n",
}

// A typo in the owner of a name is one of the name, and callers that may all mean another definition are not sure.
func TestOwners(t *testing.T) {
	files := map[string]string{
		"lib/plugins.rb": "module Shop\n  module Plugins\n    class Pruner\n      def paint\n        1\n      end\n" +
			"    end\n  end\nend\n",
		"lib/pruner.rb": "module Shop\n  class Pruner\n    def paint\n      2\n    end\n  end\nend\n",
		"lib/run.rb":    "def run(thing, other)\n  thing.paint()\n  other.paint()\nend\n",
	}
	for question, want := range map[string]string{
		"where is Shop::Pluginz::Pruner defined?": "Nothing is called `Shop::Pluginz::Pruner`; did you mean " +
			"`Shop.Plugins.Pruner`? It is defined",
		"where is Shop::Plugins::Pruner defined?": "`Shop.Plugins.Pruner` is defined in lib/plugins.rb, line 3:",
		"who calls Plugin::Pruner#paint?": "Nothing is called `Plugin::Pruner#paint`; did you mean " +
			"`Shop.Plugins.Pruner.paint`?",
		"who calls Plugins::Pruner#paint?": "`Shop.Plugins.Pruner.paint` is called at 2 places (2 of them may mean " +
			"another `paint`: the call does not show the type), in `run`",
	} {
		rep := asked(t, files, question)
		if got := rep.Summary[0].Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
		if strings.HasPrefix(question, "who") && rep.Trust() == "strong" {
			t.Errorf("%s: sure of %+v", question, rep.Places[0])
		}
	}
}

// A function below the type of its result has no owner, and the line that is quoted is the one with its name.
func TestResultAbove(t *testing.T) {
	files := map[string]string{"key.c": "enum key_state {\n\tUP,\n\tDOWN\n};\n\n/* Read the state. */\nenum key_state\n" +
		"key(struct keyboard *k)\n{\n\treturn (k->state);\n}\n"}
	for question, want := range map[string]string{
		"where is key defined?":       "`key` is defined in key.c, line 8: `key(struct keyboard *k)` “Read the state.”",
		"where is key_state defined?": "`key_state` is defined in key.c, line 1: `enum key_state {`",
	} {
		if got := asked(t, files, question).Summary[0].Text; got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

// A definition, a declaration and a type of the same name are no calls, and the answer counts calls, not functions.
func TestCallsAreCounted(t *testing.T) {
	for question, want := range map[string][2]string{
		"who calls count_coins?": {"`count_coins` is called in 1 place, in `find_last`", "find_last"},
		"who calls recount?":     {"`recount` is called at 3 places in 2 functions; first in `find", "find_last close_till"},
		"who calls find_last?":   {"No code uses `find_last` by its name.", "find_last"},
		"who calls pause?":       {"`pause` is called in 1 place, in `Till.Wait.twice`", "Till.Wait.twice"},
	} {
		rep := asked(t, till, question)
		if got := placesOf(rep); !strings.HasPrefix(rep.Summary[0].Text, want[0]) || got != want[1] {
			t.Errorf("%s: %q at %q, want %q at %q", question, rep.Summary[0].Text, got, want[0], want[1])
		}
	}
}

// A main below the type of its result starts the program, and comes before a macro of that name.
func TestMainBelowItsResult(t *testing.T) {
	files := map[string]string{
		"compat.h": "#define main __weak main\n", "README": "Till\n",
		"till.c": "#include \"compat.h\"\n\nint\nmain(int argc, char **argv)\n{\n\treturn (argc);\n}\n",
	}
	for question, want := range map[string]string{
		"where does the program start?": "till.c starts a program: `main(int argc, char **argv)`",
		"where is the main function?":   "`main` is defined in till.c, line 4 (one of 2 definitions with this name)",
	} {
		if got := asked(t, files, question).Summary[0].Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

// A name in a string is no call, and neither is the line that defines or declares a method.
func TestRelationsAreCalls(t *testing.T) {
	files := map[string]string{
		"store.py": "def upsert(row):\n    return row\n\n\ndef build(row):\n    if not row:\n        raise ValueError(\n" +
			"            \"upsert() requires a row\"\n        )\n",
		"src/Finder.java": "public class Finder {\n    private List<Shop> nearest;\n\n" +
			"    public List<Shop> findShops(String query) {\n        return null;\n    }\n}\n",
		"src/view.js": "class Board {\n  drawBoard(x) {\n    return x;\n  }\n\n" +
			"  repaint(x) {\n    return this.drawBoard(x);\n  }\n}\n",
	}
	files["till.rs"] = "impl Till {\n    fn drawer_kind(&self) -> Kind {\n        self.kind\n    }\n\n    fn weigh_drawer(self) {\n" +
		"        let scale = vault::drawer_kind(self);\n        scale.drawer_kind()\n    }\n}\n"
	files["oven.go"] = "package oven\n\n// A Baker bakes bread.\ntype Baker interface {\n\tBakeBread(grams Grams) error\n}\n\n" +
		"// Grams weigh bread.\ntype Grams int\n\n// BakeBread bakes.\nfunc (o *Oven) BakeBread(grams Grams) error {\n\treturn o.heat(Grams(grams))\n}\n"
	files["src/Bell.java"] = "public class Bell {\n    void ringBell(Tone entry) {\n        entry.soundTone(1);\n    }\n}\n"
	files["src/Horn.java"] = "public class Horn {\n    void soundTone(int n) {\n        blow(n);\n    }\n}\n"
	files["src/cork.js"] = "function popCork(e) {\n  return e.soundTone(_.drawBoard(e));\n}\n"
	files["src/gong.js"] = "function strikeGong(x) {\n  return x;\n}\nmodule.exports = { strikeGong };\n"
	files["src/alarm.js"] = "function raiseAlarm(x) {\n  return gong.strikeGong(x);\n}\n"
	files["porter.go"] = "package porter\n\n// LetKnockerIn answers a knock.\nfunc LetKnockerIn(d *Door) bool {\n\t" +
		"return d.Guard().MayPass()\n}\n\n// MayPass is of the door.\nfunc (d *Door) MayPass() bool {\n\treturn d.open\n}\n"
	files["guard.go"] = "package porter\n\n// MayPass is of the guard.\nfunc (g *Guard) MayPass() bool {\n\treturn g.awake\n}\n"
	for question, want := range map[string]string{
		"how does a Bell ringBell and soundTone?":  "", // methods of that name may be anywhere
		"how does a cork pop?":                     "", // e may be anything, and so may _
		"how is an alarm raised?":                  "raiseAlarm-strikeGong:src/alarm.js:2",
		"how does a knocker get in?":               "LetKnockerIn-Guard.MayPass:porter.go:5",
		"how does a Baker bake Grams of bread?":    "", // an interface calls nothing, and Grams(grams) converts
		"how does build upsert a row?":             "",
		"where are the nearest of the Finder?":     "",
		"how does the Board repaint and drawBoard": "Board.repaint-Board.drawBoard:src/view.js:7",
		"how does a Till weigh a drawer kind?":     "", // of a module, and of another type
	} {
		var got []string
		for _, e := range asked(t, files, question).Edges {
			got = append(got, e.From+"-"+e.To+":"+e.Citation)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

// What follows a message without quotes is not part of it, unless the text of the code has it.
func TestMessagesEndBeforeAClause(t *testing.T) {
	files := map[string]string{"till.go": "package till\n\nfunc open(coins, notes bool) {\n\tpanic(\"cannot count both kinds when " +
		"the till is locked\")\n\tpanic(\"cannot count both kinds when nobody looks\")\n\tpanic(\"the drawer is jammed\")\n}\n"}
	for question, want := range map[string]string{
		"why do I get cannot count both kinds when nobody looks?":           "“cannot count both kinds when nobody looks” comes from `open` in till.go, line 5",
		"why do I get the drawer is jammed when I open it?":                 "“drawer is jammed” comes from `open` in till.go, line 6",
		"closing the till fails with the drawer is jammed if I hurry, why?": "“drawer is jammed” comes from `open` in till.go, line 6",
	} {
		if got := asked(t, files, question).Summary[0].Text; !strings.HasPrefix(got, "The message "+want) {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

// Of a long question some words are always missing: none comes before its answer, which is less sure of its place.
func TestLongQuestions(t *testing.T) {
	files := fstest.MapFS{
		"till.go": {Data: []byte("package till\n\n// CollectCoins collects the coins of all drawers.\nfunc CollectCoins(drawers []Drawer) (sum int, err error) " +
			"{\n\tfor _, drawer := range drawers {\n\t\tif err := drawer.CollectCoins(); err != nil {\n\t\t\treturn 0, err\n\t\t}\n\t}\n" +
			"\tsum = countCoins(drawers)\n\treturn sum, nil\n}\n\n" +
			"// CollectCoinsForTests collects the coins of drawers of coins.\nfunc CollectCoinsForTests(drawers []Drawer) (sum int) {\n" +
			"\treturn len(drawers)\n}\n")},
	}
	const short = "how are coins of drawers collected overnight?"
	const long = "we leave early, so how are the coins of the drawers collected overnight when nobody is in there?"
	a, _ := explore(t, short, locatedIn(files))
	b, _ := explore(t, long, locatedIn(files))
	const missing = "No file contains “overnight”"
	if !strings.HasPrefix(a.Summary[0].Text, missing) || strings.Contains(b.Summary[0].Text, missing) {
		t.Errorf("%q, and of a long question %q", a.Summary[0].Text, b.Summary[0].Text)
	}
	for _, rep := range []*report.Report{a, b} {
		if p := rep.Places[0]; p.Symbol != "CollectCoins" {
			t.Errorf("%s is first, and not CollectCoins", p.Symbol)
		}
		if text := rep.Summary[0].Text; strings.Contains(text, "return 0, err") {
			t.Errorf("%q quotes a line that passes an error on", text)
		}
	}
	if a.Places[0].Confidence <= b.Places[0].Confidence {
		t.Errorf("confidence %.2f, of a long question %.2f", a.Places[0].Confidence, b.Places[0].Confidence)
	}
}

// People paste what a program writes before and after a message; the text of the code is in it, whole.
func TestPastedMessages(t *testing.T) {
	files := map[string]string{
		"till.go": "package till\n\nfunc open(n int) {\n\tpanic(\"the drawer cannot be opened\")\n}\n",
		"shop.go": "package shop\n\n// the shop opens at nine\nfunc list() string { return \"nobody else\" }\n",
	}
	for literal, paste := range map[string]string{
		`the drawer cannot be opened\n`:               "Error: the drawer cannot be opened: it is jammed, why",
		`the drawer cannot be opened: %w`:             "Error: the drawer cannot be opened: it is jammed, why do I see this",
		`drawer %s of till %d cannot be opened: %v`:   "error in shop north: drawer left of till 7 cannot be opened: jammed again, why is this",
		`cannot open the drawer %s: denied by %s`:     "error: cannot open the drawer left: denied by Miller",
		`nobody may open the left drawer of the till`: "error: cannot open the drawer 7 now since nobody may open the left drawer of the till today",
	} {
		files := map[string]string{
			"till.go":  "package till\n\nfunc open(n int) {\n\tpanic(\"" + literal + "\")\n}\n",
			"other.go": "package till\n\nfunc other(n int) {\n\tpanic(\"cannot open the drawer\")\n}\n",
		}
		rep := asked(t, files, paste)
		if got := rep.Summary[0].Text; !strings.Contains(got, "comes from `open` in till.go, line 4") {
			t.Errorf("%s: %q, want the text of open", paste, got)
		}
		for _, p := range rep.Places {
			if p.Path == "other.go" && strings.Contains(literal, "nobody") {
				t.Errorf("%s: also %v, which is another text", paste, p)
			}
		}
	}
	chance := map[string]string{"till.go": "package till\n\nfunc open(n int) {\n\tpanic(\"%s for %d of %v in %s says %s\") " +
		"// nobody was here today\n}\n"}
	got := asked(t, chance, "error: a till for 7 coins of gold in the north says that nobody was here today, why").Summary[0].Text
	if strings.Contains(got, "The message") {
		t.Errorf("single words are taken for a text: %q", got)
	}
	const long = " in shop: north, till: 7, drawer: 0e5a-77, version: v3.2.1, since: Mon 09:12, by: Miller and Jones of the " +
		"second floor, who have been counting coins and notes for two hours now and nobody else was there"
	for _, before := range []string{"Error: ", "error 17: 2026-11-30 09:12:44 till[4711]: "} {
		question := before + "The drawer cannot be opened ..." + long + ", why do I get this"
		rep := asked(t, files, question)
		const want = "The message “the drawer cannot be opened” comes from `open` in till.go, line 4"
		if got := rep.Summary[0].Text; !strings.HasPrefix(got, want) || len(rep.Places) != 1 || rep.Places[0].Confidence < .8 {
			t.Errorf("%s: %q at %v, want %q", question, got, rep.Places, want)
		}
	}
}

// A text is the message only if it has all of its words in order, or holes for the rest; else the answer says that it
// is the nearest, and is not sure of it. Code comes before tests.
func TestMessagesAreTheirWords(t *testing.T) {
	files := map[string]string{
		"till.c": "void\nsplit(struct till *t)\n{\n\tif (t->room == 0)\n\t\tdie(\"no room for a new drawer\");\n" +
			"\tlog_debug(\"@%u active drawer not changed\", t->id);\n\tif (t->shops == 0)\n\t\tdie(\"no shops\");\n" +
			"\twarn(\"cannot open the box %s: %s\", t->path, t->why);\n}\n\n" +
			"void\ncount(struct till *t)\n{\n\tdie(\"the till is closed\");\n}\n\n" +
			"void\nempty(struct till *t)\n{\n\tdie(\"the till is closed\");\n}\n",
		"shop.js": "function find(name) {\n  throw new Error('cannot find shop ' + name + ' in the list');\n}\n",
		"regress/list.sh": "list_drawers() {\n\tfor drawer in $(list -F '#{drawer_id}'); do echo $drawer; done\n}\n" +
			"check 'no room for new drawers' \"$out\"\n",
		"t/till.t": "is($out, 'the till is closed', 'says that it is closed');\n",
	}
	for message, want := range map[string]struct {
		says, place string // says: what comes before and after the message
		sure        bool
	}{
		"no room for a new drawer":                      {"The message|comes from `split` in till.c, line 5", "till.c", true},
		"till: cannot open the box /tmp/a: is a folder": {"The message|comes from `split` in till.c, line 9", "till.c", true},
		"cannot find shop Miller in the list":           {"The message|comes from `find` in shop.js", "shop.js", true},
		"the till is closed":                            {"The message|from 2 places; first from `count`", "till.c", true},
		"no room for new drawer":                        {"No text of the code reads|nearest is in `split`", "till.c", false},
		"room for new drawers":                          {"No text of the code reads|nearest is in `split`", "till.c", false},
		"no shops to open anywhere":                     {"No text reads|`split` in till.c, line 8", "till.c", false},
		"new drawers":                                   {"Only a test reads|list.sh, line 4", "regress/list.sh", false},
		"drawer is not here":                            {"No text in 4 searched files reads|", "", false},
	} {
		question := "what does \"" + message + "\" mean?"
		rep := asked(t, files, question)
		before, after, _ := strings.Cut(want.says, "|")
		got := rep.Summary[0].Text
		if !strings.HasPrefix(got, before+" “"+message+"”") || !strings.Contains(got, after) {
			t.Errorf("%s: %q, want %q", question, got, want.says)
		}
		if len(rep.Places) == 0 {
			if want.place != "" {
				t.Errorf("%s: no place, want %s", question, want.place)
			}
			continue
		}
		if p := rep.Places[0]; p.Path != want.place || p.Confidence > .9 != want.sure {
			t.Errorf("%s: %s with %.2f, want %s, sure %t", question, p.Path, p.Confidence, want.place, want.sure)
		}
	}
}

// What the first sentence calls the best is the first place.
func TestFirstSentenceIsFirstPlace(t *testing.T) {
	files := fstest.MapFS{
		"lib/round.ex": {Data: []byte("defmodule Shop.Round do\n  def build(shop, table) do\n" +
			"    parcel = shop.add_parcel(table)\n    shop.add(parcel)\n  end\nend\n")},
		"lib/plugins/parcel.ex": {Data: []byte("defmodule Shop.Plugins.Parcel do\n" +
			"  defdelegate start(options), to: Shop.Round\n\n  # The rest.\n\n" +
			"  defdelegate init(state), to: Shop.Round\n\n  defdelegate stop(state), to: Shop.Round\nend\n")},
	}
	for _, question := range []string{"how do I add a parcel?", "how is a parcel added?"} {
		rep, _ := explore(t, question, locatedIn(files))
		if rep == nil || len(rep.Summary) == 0 || len(rep.Places) == 0 {
			t.Errorf("%s: %+v", question, rep)
		} else if p := rep.Places[0]; !strings.HasPrefix(rep.Summary[0].Text, "`"+p.Symbol+"` in "+p.Path) {
			t.Errorf("%s: %q, but %s of %s is the first place", question, rep.Summary[0].Text, p.Symbol, p.Path)
		}
	}
}

// What happens is said by the function that acts, not by the type of the error that it ends in.
func TestWhatHappensIsNotTheError(t *testing.T) {
	files := map[string]string{
		"errors/RoomError.ts": "export class RoomError extends Error {\n  constructor(roomLimit: number) {\n" +
			"    super(`Reached the room limit of ${roomLimit}, see the option roomLimit`);\n  }\n}\n",
		"till.ts": "export function put(till: Till, coin: Coin) {\n  const { roomLimit } = till.options;\n" +
			"  if (till.coins.length >= roomLimit) {\n    till.lock();\n    throw new RoomError(roomLimit);\n  }\n" +
			"  till.coins.push(coin);\n}\n",
	}
	for question, want := range map[string]string{
		"what happens when roomLimit is reached?":             "put",
		"what happens when RoomError is met for a roomLimit?": "RoomError",
	} {
		if got := asked(t, files, question).Places[0].Symbol; got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

// A function that is named without a call may be called by what it is handed to.
func TestFunctionsHandedOn(t *testing.T) {
	files := map[string]string{
		"till.rs": "pub fn absolute(path: &str) -> String {\n    path.to_string()\n}\n\n" +
			"fn drop_coin(path: &str) -> String {\n    let full = absolute(path);\n    full\n}\n\n" +
			"fn add_coin(path: &str, plain: bool) -> String {\n    if plain { same } else { absolute }(path)\n}\n",
	}
	rep := asked(t, files, "who calls absolute?")
	const want = "`absolute` is called in 1 place (and named without a call in 1 more), in `drop_coin`"
	if got := rep.Summary[0].Text; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := placesOf(rep); got != "drop_coin add_coin" {
		t.Errorf("places %s", got)
	}
}

// TestEverydayQuestions holds what people of other projects asked in their first weeks: what a line leads to, warnings
// that are set in, the constant of a default, callers by a question for the time, and code beside documents.
func TestEverydayQuestions(t *testing.T) {
	files := map[string]string{
		"README.md": "# badge till\n\nThe badge till counts coins of all countries.\n",
		"till.py": "COIN_LIMIT = 40\nmaxRefund = 7\n\n\ndef make_options():\n    return Options(refundLimit=maxRefund)\n\n\n" +
			"# Drains the coins of a till.\ndef drain_till(till):\n    if till.locked:\n        raise LockedTill(till)\n" +
			"    for coin in till.coins:\n        spill(coin)\n\n\ndef spill(coin):\n    coin.gone = True\n\n\n" +
			"def close_shop(shop):\n    drain_till(shop.till)\n\n\ndef end_day(shop):\n    drain_till(shop.till)\n",
		"docs/till.md": "# Tills\n\nA till holds coins of one currency.\n\n!!! warning\n    In case a coin jams while the lorry " +
			"is unloaded,\n    the driver keeps the remaining coins.\n\n## Refunds\n\nCoins go back to the customer.\n",
		"docs/draining.md": "# Drain till\n\nDraining a till empties it at night.\n",
		"drawer.go": "package till\n\n// New opens a drawer.\nfunc New() *Drawer {\n\treturn &Drawer{\n\t\tcoinSlots: 8,\n" +
			"\t}\n}\n\n// WithCoinSlots sets how many slots a drawer has.\n" +
			"func (d *Drawer) WithCoinSlots(n int) *Drawer {\n\td.coinSlots = n\n\treturn d\n}\n\n" +
			"// CoinSlots returns the slots.\nfunc (d *Drawer) CoinSlots() int { return d.coinSlots }\n",
		"test/door.test.js": "describe('door', () => {\n  it('stays shut while the alarm rings', () => {\n" +
			"    ring()\n    knock(door)\n  })\n\n  it('squeaks', () => {\n    oil(door)\n  })\n})\n",
		"lamp.rb": "module Shop\n  class Ceiling\n    def initialize\n      @lamp = nil\n    end\n  end\n\n" +
			"  self.default_lamp = :dim\nend\n",
		"door.js": "import { texts } from './slip'\n\nexport const door = texts\n",
		"docs/drawer.md": "# Drawers\n\n- `coinSlots`: how many coins\n" +
			"  lie side by side in a drawer.\n- `depth`: in inches\n",
		"slip.js": "const texts = {\n  SLIP_TOO_LONG: 'The slip is too long',\n}\n\nconst styles = {\n" +
			"  'slip.colour': pick('red'),\n}\n",
		"printer.js": "function print(slip) {\n  if (slip.length > 9) {\n" +
			"    throw new PrinterError('SLIP_TOO_LONG', slip)\n  }\n}\n",
		"Safe.php": "<?php\nclass SafeKeeper {\n  public function open(string $key): void {\n" +
			"    $this->door->swing($key);\n  }\n\n" +
			"  public function lockup(string $coins): void {\n    $this->door->bolt($coins);\n  }\n}\n",
	}
	for question, want := range map[string]string{
		"who calls drain_till?":                                   "(till.py, line 22): `drain_till(shop.till)`. Then in `end_day` (till.py, line 26)",
		"when does the shop call drain_till?":                     "`drain_till` is called in 2 places",
		"how is a locked till drained?":                           "Line 11: `if till.locked:`, then `raise LockedTill(till)`",
		"what happens if a coin jams while a lorry is unloaded?":  "the driver keeps the remaining coins.”",
		"how does drain till work?":                               "docs/draining.md, “Drain till”: “Draining a till empties it at night.”",
		"what is the default refundLimit and how do I change it?": "; `maxRefund` is `7` (till.py, line 2)",
		"where does \"The slip is too long\" come from?": "`SLIP_TOO_LONG` is used in `print` (printer.js, line 3): " +
			"`throw new PrinterError('SLIP_TOO_LONG', slip)`, which depends on line 2",
		"I get \"The slip ...: is too long\" at night - where is it thrown and what can I do?": "from " +
			"`texts` in slip.js, line 2",
		"what is the default of coinSlots and how do I change it?": "`Drawer.WithCoinSlots` sets it (drawer.go, " +
			"line 11). docs/drawer.md, line 3, says of it: “coinSlots: how many coins lie side by side in a drawer.”",
		"where is the colour of a slip (slip.colour) set?": "`slip.colour` is given a value in `styles` (slip.js, line 6)",
		"which tests cover a door that is knocked at during an alarm?": "The test “stays shut while the alarm rings” in " +
			"test/door.test.js, line 2 fits best",
		"The slip is too long - where does this come from and what can I do?": "`SLIP_TOO_LONG` is used in `print`",
		"what is the default lamp?": "The default of `lamp` is `:dim`, in",
		"what is in slip.js and what uses it?": "`slip.js` (7 lines) defines `styles`, `texts`. " +
			"It is imported in 1 place: door.js (line 1)",
		"what's in drawer.go, and who uses it?":          ". No other file uses it by its name.",
		"how do I lockup coins with the SafeKeeper?":     "`SafeKeeper.lockup` in Safe.php",
		"what is till and where should I start reading?": "“The badge till counts coins of all countries.”",
	} {
		rep := asked(t, files, question)
		if got := rep.Summary[0].Text; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
		if question == "how does drain till work?" && !strings.Contains(placesOf(rep), "drain_till") {
			t.Errorf("%s: no code among %s", question, placesOf(rep))
		}
	}
}

// What a manifest of Maven gives to the compiler is the version of Java that it needs; a header named like the project
// is no library.
func TestOverviewOfOtherBuilds(t *testing.T) {
	files := map[string]string{
		"pom.xml": "<project>\n  <artifactId>till</artifactId>\n  <configuration>\n    <source>8</source>\n" +
			"    <target>1.8</target>\n  </configuration>\n</project>\n",
		"till.h": "int open(void);\n", "README.md": "# till\n\nA till for coins of all countries.\n",
		"src/version.c": "const version = \"1.2.3\"\n",
		"LICENSE":       "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\n",
	}
	for question, want := range map[string]string{
		"which Java version is needed?": "<source>8</source>",
		"where does it start?":          "till.h is the header named like the project",
		"what does till do":             "A till for coins of all countries.",
		"till?":                         "A till for coins of all countries.",
		"which license does till have":  "The licence is MIT",
		"how do i run the tests":        "`mvn test` runs the tests",
		"till version":                  "src/version.c: `const version = \"1.2.3\"`",
	} {
		if got := asked(t, files, question).Summary[0].Text; !strings.Contains(got, want) {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// TestCountsAreTrue: what only looks like a use, a test or a subtype is not counted.
func TestCountsAreTrue(t *testing.T) {
	suite := "describe('door', () => {\n  const all = () => {\n"
	for _, name := range []string{"opens", "shuts"} {
		suite += "    it('" + name + "', () => {\n      knock(1);\n    });\n" + strings.Repeat("    wait();\n", 90)
	}
	files := map[string]string{
		"lib/door.rb": "class Door\n  LATE = 5\n\n  def open\n    creak\n    LATE\n  end\n\n  def creak\n    1\n  end\n" +
			"  private :creak\n\n  def slam(hard)\n    wait\n  end\n\n  def wait\n    slam 1\n    [1].each(&:slam)\n  end\nend\n\nclass Gate < Door\nend\n\nclass Latch < Door::Lock\nend\n",
		"test/test_door.rb": "class TestDoor\n  def setup\n    @door = Door.new.open\n  end\n\n  def test_open\n" +
			"    @door.open\n    def @door.creak\n      2\n    end\n  end\nend\n",
		"src/knock.ts":       "export function knock(times: number): void {\n  console.log(times);\n}\n",
		"test/knock.test.ts": suite + "  };\n});\n",
		"src/Maker.java": "public interface Maker {\n}\n\nclass Kept\n    extends Scoped<Maker.Control>\n    implements Closer {\n}\n\n" +
			"class Oak implements Maker {\n}\n",
	}
	files["src/oak.rs"] = "/// A tree.\npub struct Elm(pub i32);\n\nimpl Display for Elm {\n    fn fmt(&self) {}\n}\n"
	files["conf/times.go"] = "package conf\n\nconst bypassWindowMs = 500\n"
	files["src/load.js"] = "const chunk = require('lodash/chunk')\n\nfunction load(all) {\n  return chunk(all)\n}\n"
	for question, want := range map[string]string{
		"what is an Elm":              "`Elm` is defined in src/oak.rs, line 2: ",
		"what is bypassWindow set to": "is `500`",
		"what does src/load.js do":    "defines `load`.",
		"who calls creak":             "`creak` is called in 1 place",
		"usages of LATE":              "`LATE` is used in 1 place",
		"who calls slam":              "`slam` is called at 2 places, in `Door.wait`",
		"subclasses of Door":          "One type of the project extends `Door`",
		"which tests cover open":      "`open` is used in 1 test",
		"tests for knock":             "`knock` is used in 2 tests",
		"who implements Maker":        "One type of the project implements `Maker`",
	} {
		if got := asked(t, files, question).Summary[0].Text; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

// TestDocumentationIsReadWhole: what the last paragraph of a long comment says belongs to the definition below, is
// quoted, and is not taken from the definition above that begins with the same sentence.
func TestDocumentationIsReadWhole(t *testing.T) {
	files := map[string]string{"herd.rs": "/// Counts a herd.\npub fn quick(n: u32) -> u32 {\n    n\n}\n\n" +
		"/// Counts a herd.\n///\n" +
		strings.Repeat("/// It takes its time.\n", 40) + "///\n/// A lamb born in winter is left out.\n" +
		"pub fn slow(n: u32) -> u32 {\n    n\n}\n"}
	first := asked(t, files, "what happens to lambs that are born in winter?").Summary[0].Text
	if !strings.HasPrefix(first, "`slow`") || !strings.Contains(first, "… A lamb born in winter is left out.") {
		t.Error(first)
	}
}

// TestTestsToo: a question that asks for the tests in its second part gets both, by the name that it has, or else by
// the words of the first part.
func TestTestsToo(t *testing.T) {
	files := map[string]string{
		"door/door.go": "package door\n\n// Open opens the door after a knock.\nfunc Open() error {\n\treturn knock()\n}\n" +
			"\nfunc knock() error {\n\treturn nil\n}\n\nfunc visit() error {\n\treturn Open()\n}\n",
		"door/door_test.go": "package door\n\nimport \"testing\"\n\nfunc TestOpensAfterKnock(t *testing.T) {\n\t" +
			"if Open() != nil {\n\t\tt.Fail()\n\t}\n}\n",
	}
	for _, question := range []string{
		"who calls Open and which tests cover it?",
		"how does Open knock, and is that tested?",
		"what opens the door after a knock? which tests check that?",
		"when is the door opened after a knock, and are there any tests for it?",
		"when does after_knock open the door, and is that tested?", // nothing has this name
	} {
		rep := asked(t, files, question)
		first, all := rep.Summary[0], ""
		for _, s := range rep.Summary[1:] {
			all += s.Text + "\n"
		}
		tested := strings.Contains(all, "TestOpensAfterKnock") && len(rep.Tests) > 0
		if !tested || strings.Contains(first.Text, "The test") {
			t.Errorf("%s: %s\n%s%v", question, first.Text, all, rep.Tests)
		}
	}
	delete(files, "door/door_test.go")
	if rep := asked(t, files, "how does Open knock, and is that tested?"); !strings.Contains(rep.Summary[0].Text, "No test") {
		t.Error(rep.Summary[0].Text)
	}
}

// A word that only the explorer uses for a phrase of the question does not make an answer by itself.
func TestPhraseAloneIsNoAnswer(t *testing.T) {
	files := map[string]string{
		"till.py": "def disable(switches, name):\n    found = switches.get(name)\n    found.off = True\n    return found\n",
		"lamp.py": "def shine(lamp):\n    lamp.on = True\n    return lamp.receipts\n",
		"list.py": "def column(rows):\n    for row in rows:\n        yield row.coins\n",
	}
	for i := range 6 { // in which disable is rare
		files[fmt.Sprintf("shelf%d.py", i)] = "def take(box):\n    return box.pop()\n"
	}
	for question, found := range map[string]bool{
		"how do I turn off the coins in receipts?": false,
		"how do I disable the coins in receipts?":  true,
	} {
		if rep := asked(t, files, question); rep.Found != found {
			t.Errorf("%s: found %t: %s", question, rep.Found, rep.Summary[0].Text)
		}
	}
}

// A function with a word of the question in its name answers it if a rare word is in its code, however few they are.
func TestRareWordBelowName(t *testing.T) {
	files := map[string]string{"till.js": "function closeTill(till) {\n  if (till.dirty) {\n    till.journal.rollback();\n  }\n}\n"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		files[name+".js"] = "function " + name + "(door) {\n  door.close();\n  till.close(door);\n}\n"
	}
	const question = "Are uncommitted changes rolled back when I close the door of a till?"
	rep := asked(t, files, question)
	if places := placesOf(rep); !rep.Found || !strings.HasPrefix(places, "closeTill") {
		t.Errorf("%s: found %v, %s", question, rep.Found, places)
	}
}

// The value of a constant in the quoted line is quoted too, if the file sets it.
func TestConstantOfTheLine(t *testing.T) {
	files := map[string]string{
		"till.c": "#define MAX_COINS 40\n\nint add_coin(struct till *t) {\n\tif (t->coins >= MAX_COINS)\n\t\treturn 1;\n\treturn 0;\n}\n",
		"pool.js": "const log = require('log')\n\nconst DEFAULTS = {\n  clerks: cpus - 1,\n  shops: 2\n}\n\n" +
			"function startClerks (wanted) {\n  const n = wanted || DEFAULTS.clerks\n  log(n)\n  return n\n}\n",
	}
	for question, want := range map[string]string{
		"how are coins added to a till?": "`MAX_COINS` is set in line 1: `#define MAX_COINS 40`",
		"how are the clerks started up?": "`DEFAULTS.clerks` is set in line 4: `clerks: cpus - 1,`",
	} {
		if got := asked(t, files, question).Summary[0].Text; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

// A default whose name says nothing but what is measured is that of all there is. What helps tests sets none.
func TestDefaultOfAllThereIs(t *testing.T) {
	files := map[string]string{
		"oven.go": "package oven\n\nconst (\n\tdefaultTimeout = 30 * time.Minute\n\tdefaultBreadCheck = 5 * time.Minute\n" +
			"\tdefaultBreadInterval = time.Second\n)\n",
		"testutil/bread.go": "package testutil\n\n// Bread bakes by default.\nvar Bread = Job{BreadTimeout: 20}\n",
	}
	const question = "how long may bread rise by default before it times out?"
	const want = "`defaultTimeout` is `30 * time.Minute`"
	if got := asked(t, files, question).Summary[0].Text; !strings.HasPrefix(got, want) {
		t.Errorf("%s: %s", question, got)
	}
}

// The default of a flag is an amount, and what is counted must be what is asked for: an exit code is no password.
func TestAmountOfFlag(t *testing.T) {
	files := map[string]string{
		"cmd/root.go": "package cmd\n\nfunc init() {\n" +
			"\troot.Flags().IntP(\"exit-code\", \"e\", 1, \"status when leaks have been seen\")\n}\n",
		"rules/k8s.go": "package rules\n\nvar example = `\npassword: 'aGVsbG8='\nsecret_found: \"yes\"\n`\n\n" +
			"var secretsFound = \"none\"\n",
	}
	const question, want = "which exit code do I get when secrets are found, by default?", "`exit-code` is `1` in `init`"
	if got := asked(t, files, question).Summary[0].Text; !strings.HasPrefix(got, want) {
		t.Errorf("%s: %s", question, got)
	}
	delete(files, "cmd/root.go")
	got := asked(t, files, question).Summary[0].Text
	if strings.Contains(got, "password") || strings.Contains(got, "` is `") {
		t.Errorf("without a flag: %s", got)
	}
}

// What a setting is a part of is in its name: the port of the server, and not of the database.
func TestAmountWithin(t *testing.T) {
	files := map[string]string{
		"config/config.go": "package config\n\nfunc Get() *Config {\n\treturn &Config{\n\t\tDatabase: Database{\n\t\t\tPort: 5432,\n" +
			"\t\t},\n\t\tServer: Server{\n\t\t\tPort: 8000,\n\t\t},\n\t}\n}\n",
		"args.rs": "pub struct Args {\n    /// How long to wait for the server.\n    pub server_delay: Span<1_000_000>,\n}\n",
		"run.go":  "package run\n\n// listen listens on a port.\nfunc listen(port int) { serve(port) }\n",
	}
	for question, want := range map[string]string{
		"which port does the server listen on by default?": "`Port` is `8000` in `Get` (config/config.go, line 9)",
		"what is the default server delay?":                "",
	} {
		got := asked(t, files, question).Summary[0].Text
		if !strings.HasPrefix(got, want) || strings.Contains(got, "is `Span<1_000_000>`") { // its type
			t.Errorf("%s: %s", question, got)
		}
	}
}

// An answer whose first place has the words of the question only by chance, in its lines, says so and is never likely.
func TestAnswerByChance(t *testing.T) {
	files := map[string]string{
		"token.py": "class Token:\n    def sign(self, other):\n        return self.headers.update(other.old, self.key)\n\n\n" +
			"class Expiry:\n    def check(self, token):\n        if token.age > token.limit:\n            raise Expired(token)\n",
		"data.csv": "maxRows,1\n",
		"limit.py": "class Limiter:\n    def take(self, n):\n        if n > self.size:\n" +
			"            raise TooMany('more events at once than the burst permits')\n        self.left -= n\n",
		"cli.py":  "def add_commands(p):\n    p.add('pack', description='Packs the crates of an order into a lorry.')\n    p.add('x', order=1)\n",
		"rows.py": "# Apply the rows of a table.\ndef apply_rows(table, rows):\n    for r in rows:\n        table.add(r)\n",
	}
	for question, sure := range map[string]bool{
		"what happens when a header is too old?": false,
		"how is the age of a token checked?":     true,
		"how is maxRows applied to a table?":     false, // where it is is no code
		"what happens if events exceed a burst?": true,  // the text of the error has both words
		"how often are rows of a table applied?": false, // no setting says so
	} {
		rep := asked(t, files, question)
		if len(rep.Places) == 0 {
			t.Errorf("%s: no place: %s", question, rep.Summary[0].Text)
			continue
		}
		hedged := strings.Contains(rep.Summary[0].Text, "comes closest, but may not answer this")
		if trust := rep.Trust(); hedged == sure || hedged && trust != "" && trust != report.OneOfThese {
			t.Errorf("%s: %s, %s", question, rep.Summary[0].Text, trust)
		}
	}
}

// After the first sentence, none is only the head of a definition, or about a call or a definition that has nothing to
// do with the first.
func TestNoSentenceBesideThePoint(t *testing.T) {
	files := map[string]string{
		"retry.py": "# Retry a failed task after a while.\ndef retry_task(task, failed):\n    if failed.count > task.most:\n" +
			"        raise TooMany(task)\n    task.queue_again(failed)\n\n\n# Queue the task again.\n" +
			"def queue_again(task, failed):\n    task.queue.push(failed)\n\n\ndef on_retry(task, failed):\n    pass\n",
		"text.py": "def encode_task(body):\n    return encode_text(body)\n\n\ndef encode_text(task):\n    return task.encode()\n",
	}
	rep := asked(t, files, "how is a failed task retried?")
	if !strings.HasPrefix(rep.Summary[0].Text, "`retry_task`") {
		t.Fatalf("first %s", rep.Summary[0].Text)
	}
	for _, s := range rep.Summary[1:] {
		if strings.Contains(s.Text, "def on_retry") || strings.Contains(s.Text, "encode_") {
			t.Errorf("beside the point: %s", s.Text)
		}
	}
}

// How many and how often ask for a count and an interval, in whatever words and language.
func TestAmountsInOtherWords(t *testing.T) {
	files := map[string]string{
		"policy.go": "package policy\n\nconst (\n\tDefaultProbeTimeout  = 500 * time.Millisecond\n" +
			"\tDefaultProbeInterval = 2 * time.Second\n\tDefaultMaxRetries = 3\n)\n",
		"policy.example.toml": "max_retries = 9\nprobe_interval = 9\n",
	}
	for question, want := range map[string]string{
		"how often is a node probed by default?":          "`DefaultProbeInterval` is `2 * time.Second`",
		"how many retry attempts are made by default?":    "`DefaultMaxRetries` is `3`",
		"Wie viele Wiederholungen gibt es standardmäßig?": "`DefaultMaxRetries` is `3`",
	} {
		if got := asked(t, files, question).Summary[0].Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// The help text beside a default says what that is for; a size is no answer to "how long", and one word of several is
// a guess.
func TestAmountsByHelp(t *testing.T) {
	files := map[string]string{
		"table.c": "const struct entry table[] = {\n\t{ .name = \"crumb-limit\",\n\t  .default_num = 2000,\n" +
			"\t  .text = \"Maximum number of loaves to keep on each shelf.\"\n\t},\n" +
			"\t{ .name = \"sign-interval\",\n\t  .default_num = 15,\n\t  .text = \"Number of seconds between updates of " +
			"the sign above.\"\n\t},\n};\n#define SIGN_LINES_LIMIT 5\n#define MAX_LOAF_LENGTH 4096\n",
		"lib/oven.ex": "defmodule Oven do\n  @moduledoc \"\"\"\n  * `:max_age` — how long cakes stay on the plate.\n" +
			"    Defaults to 60s.\n\n      max_age: 99\n  \"\"\"\n  defstruct [\n    max_age: 60\n  ]\n  @optional_callbacks [\n" +
			"    serve_cakes: 3\n  ]\nend\n",
		"config/config.exs": "import Config\nconfig :oven, cakes: 7\n",
		"dough.py":          "KNEAD_LIMIT = 8\n",
	}
	for question, want := range map[string]string{
		"how many loaves are kept on each shelf by default?": "`crumb-limit` is `2000` in table.c",
		"how often is the sign updated?":                     "`sign-interval` is `15` (seconds) in table.c",
		"how long do cakes stay on a plate?":                 "`max_age` is `60` in `Oven` (lib/oven.ex, line 9)",
		"how many times is the dough of a pizza kneaded?":    "`KNEAD_LIMIT` is `8`",
		"how often are pizzas kneaded by default?":           "",
		"for how long is a loaf baked?":                      "",
		"how many cakes are served by default?":              "",
	} {
		got := asked(t, files, question).Summary[0].Text
		if want == "" && strings.Contains(got, "is `") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// TestAmountsOfOneName: of two settings of one name, the one whose surroundings have the words of the question is meant.
func TestAmountsOfOneName(t *testing.T) {
	files := map[string]string{
		"crumbs.py": "class Crumbs:\n    def __init__(self, bird, max_age: int = 600):\n        self.max_age = max_age\n",
		"shelf.py":  "class LoafShelf:\n    def __init__(self, room, max_age: int = 14 * 24 * 60 * 60):\n        self.max_age = max_age\n",
		"README.md": "# bakery\n\n## LoafShelf\n\n* `max_age` - How long a loaf stays, in seconds. Defaults to 2 weeks.\n",
	}
	const question = "how long does a loaf stay by default?"
	if got := asked(t, files, question).Summary[0].Text; !strings.HasPrefix(got, "`max_age` is `14 * 24 * 60 * 60`") {
		t.Error(got)
	}
}

// TestNumbersThatMayBeMeant: a question for a number that no setting fits gets the defaults and limits of the code, and
// neither the size of one of the things that are counted nor what the text of an example sets.
func TestNumbersThatMayBeMeant(t *testing.T) {
	files := map[string]string{
		"oven.go": "package oven\n\nfunc defaultOven() oven {\n\treturn oven{\n\t\tspins: 12,\n\t\tlabel: \"x\",\n\t}\n}\n\n" +
			"const maxCakeSize = 96\n\nconst spinKind = 4\n",
		"oven.py": "'''\nDEFAULT_TRAYS = 8\n'''\n",
	}
	for question, want := range map[string]string{
		"how many cakes does an oven turn at once if I say nothing?": "Numbers that may be meant: `spins` (in `defaultOven`) is `12`",
		"how many seconds does an oven take to turn a cake?":         "",
	} {
		all := asked(t, files, question).Summary
		at := slices.IndexFunc(all, func(st report.Statement) bool { return strings.Contains(st.Text, "is `") })
		switch {
		case at < 0 && want != "", at >= 0 && all[at].Text != want:
			t.Errorf("%s: %+v", question, all)
		case at >= 0 && !slices.Equal(all[at].Citations, []string{"oven.go:5"}):
			t.Errorf("%s: cites %s", question, all[at].Citations)
		}
	}
}

// One file is not "none of 1 file".
func TestAbsenceInOneFile(t *testing.T) {
	files := map[string]string{"retry.go": "package retry\n\n// Loop retries.\nfunc Loop() {}\n"}
	for question, want := range map[string]string{
		"how does KafkaConsumer commit offsets?": "The only searched file does not contain the name `KafkaConsumer`.",
		"where is `openChannel` defined?":        "Nothing is called `openChannel`: the only searched file does not contain it.",
	} {
		if got := asked(t, files, question).Summary[0].Text; got != want {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// cart is a shop whose errors are a class, a value, entries of a table, and one of a library.
var cart = map[string]string{
	"shop/cart.py": `from billing import CardDeclined, Refund

class CartFullError(Exception):
    """Raised when no more goods fit. Empty the cart."""

def add(cart, item):
    if cart.limit is None:
        return
    if len(cart.items) >= cart.limit:
        raise CartFullError(item)
    cart.items.append(item)

def merge(cart, other):
    try:
        add(cart, other)
    except CartFullError:
        return None

def refuse(item):
    raise CartFullError(item)
`,
	"shop/errors.js": `const { make } = require('make')

const codes = {
  SHOP_ERR_NO_STOCK: make(
    'SHOP_ERR_NO_STOCK',
    'Nothing of it is left'
  )
}

module.exports = codes
`,
	"shop/order.js": `function order (stock, n, done) {
  if (stock < n) {
    done(new SHOP_ERR_NO_STOCK(), undefined)
    return
  }
  done(null, n)
}

module.exports = { order }
`,
	"shop/till.go": `package shop

import "errors"

var errClosed = errors.New("till is closed")

func (t *Till) Open() error {
	if errors.Is(t.err, errClosed) {
		return nil
	}
	if t.key == nil {
		if t.strict {
			t.fail(404, errClosed)
		}
	}
	return nil
}
`,
	"tests/test_cart.py": "def test_full():\n    raise CartFullError('x')\n",
}

func TestWhereErrorsAreRaised(t *testing.T) {
	for question, want := range map[string]struct{ says, places string }{
		"why do I get a CartFullError?": {"`CartFullError` (“Raised when no more goods fit.”) is raised in 2 places; first in " +
			"`add` (shop/cart.py, line 10): `raise CartFullError(item)`. This depends on line 9: " +
			"`if len(cart.items) >= cart.limit:`. Also in `refuse` (shop/cart.py, line 20): `raise CartFullError(item)`", "add refuse CartFullError"},
		"when is SHOP_ERR_NO_STOCK thrown": {"`SHOP_ERR_NO_STOCK` is created in `order` (shop/order.js, line 3): " +
			"`done(new SHOP_ERR_NO_STOCK(), undefined)`. This depends on line 2: `if (stock < n) {`", "order codes"},
		"what triggers errClosed": {"`errClosed` is created in `Till.Open` (shop/till.go, line 13): `t.fail(404, errClosed)`. " +
			"This depends on line 11: `if t.key == nil {`, and on line 12: `if t.strict {`", "Till.Open errClosed"},
		"ordering fails with SHOP_ERR_NO_STOCK here, what can that mean?": {"`SHOP_ERR_NO_STOCK` is created in `order` " +
			"(shop/order.js, line 3): `done(new SHOP_ERR_NO_STOCK(), undefined)`. This depends on line 2: " +
			"`if (stock < n) {`", "order codes"},
		"where is SHOP_ERR_NO_STOCK defined?": {"`SHOP_ERR_NO_STOCK` is set in shop/errors.js, line 4: " +
			"`SHOP_ERR_NO_STOCK: make( 'SHOP_ERR_NO_STOCK', 'Nothing of it is left' )`", "codes"},
		"where is CardDeclined defined?": {"Nothing here defines `CardDeclined`: it is imported in shop/cart.py, line 1: " +
			"`from billing import CardDeclined, Refund`", ""},
	} {
		rep := asked(t, cart, question)
		if got := rep.Summary[0].Text; got != want.says {
			t.Errorf("%s:\n%s\nwant\n%s", question, got, want.says)
		}
		if got := placesOf(rep); got != want.places {
			t.Errorf("%s: places %q, want %q", question, got, want.places)
		}
	}
}

// Of several definitions, those that belong together are compared; names of tests are not.
func TestDifferences(t *testing.T) {
	files := map[string]string{
		"shop/basket.py": "class Basket:\n    def drop(self, item):\n        self.items = []\n",
		"shop/cart.py": "class Cart:\n    def drop(self, item):\n        \"\"\"Take an item out. It is free again.\"\"\"\n" +
			"        self.items.remove(item)\n\n    def void(self, item):\n        self.total -= item.price\n",
		"tests/test_cart.py": "def setup_cart():\n    pass\n\ndef reset_cart():\n    pass\n",
	}
	want := "`Cart.drop` is defined in shop/cart.py, line 2 (one of 2 definitions with this name): `def drop(self, item):`: " +
		"“Take an item out.” `Cart.void` is defined in shop/cart.py, line 6: `def void(self, item):`."
	rep := asked(t, files, "what is the difference between drop and void?")
	if got := rep.Summary[0].Text; got != want || placesOf(rep) != "Cart.drop Cart.void" {
		t.Errorf("%s\n%s\nwant %s", placesOf(rep), got, want)
	}
	rep = asked(t, files, "what is the difference between setup_cart and reset_cart?")
	if got := rep.Summary[0].Text; strings.Contains(got, "is defined") {
		t.Errorf("names of tests: %s", got)
	}
}

// A number of several digits is looked for by itself, and the status of a failed request by its name as well.
func TestNumbers(t *testing.T) {
	files := map[string]string{
		"shop/again.py":   "def again(answer):\n    return answer.status in (413, 429)\n",
		"shop/closed.go":  "package shop\n\nfunc closed(w Writer) {\n\tw.Write(StatusServiceUnavailable)\n}\n",
		"shop/message.py": "def message(name):\n    return 'no shop was not found: ' + name\n",
		"shop/orders.py":  "def happens(order):\n    return order\n",
	}
	for question, want := range map[string]string{
		"what happens on a 429?":   "again",
		"when is the status 503":   "closed",
		"what does a 404 do here?": "",
	} {
		rep := asked(t, files, question)
		got := ""
		if len(rep.Places) > 0 {
			got = rep.Places[0].Symbol
		}
		if got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

// TestFirstSentences holds what one sentence answers since others asked it of projects that nobody had seen.
func TestFirstSentences(t *testing.T) {
	files := map[string]string{
		"coins.sh":  "coins=(\n  one\n  two\n)\n",
		"count.sh":  "#!/bin/sh\n. coins.sh\necho \"${coins[@]}\"\n",
		"till.go":   "package till\n\ntype Till struct {\n\t// Hide closes the drawer.\n\tHide bool\n\t// HideAll closes all drawers.\n\tHideAll bool\n}\n",
		"purse.py":  "from bag import coin_bag as purse\n\nclass LinkChain:\n    def __init__(self, *links):\n        if not links:\n            raise ValueError('no links')\n        self.links = links\n",
		"purse.c":   "PUBLIC(char *) take_coin(purse *p)\n{\n    if (p == NULL)\n    {\n        return NULL;\n    }\n    return p->coin;\n}\n",
		"Purse.cs":  "static class Purse {\n    public static string Print(string s) => s;\n}\nclass Other {\n    string A(Writer w) { return w.Print(\"a\"); }\n    string B() { return Purse.Print(\"b\"); }\n}\n",
		"walker.ts": "export abstract class Walk<O> {\n}\nexport class FileWalk<\n  O extends Opts = Opts,\n> extends Walk<O> {\n}\n",
		"reach.py": "MAX_HOPS = 20\n\ndef follow(url, hops):\n    if hops >= MAX_HOPS:\n        raise IOError('too many hops to reach %s' % url)\n" +
			"\nTILL_KEYS = ['a',\n  'b']\n\ndef keys():\n    return TILL_KEYS\n",
	}
	for question, want := range map[string]string{
		"coins.sh in the root, what's it good for":                        "It is named in count.sh, line 2: `. coins.sh`",
		"what is the difference between HideAll and Hide?":                "`Hide` is declared in till.go, line 5",
		"for which arguments does LinkChain throw":                        "Line 6: `raise ValueError('no links')`, which depends on line 5",
		"take_coin gives me NULL sometimes, list the cases":               "`take_coin` in purse.c returns no value in 1 place. Line 5",
		"who calls Purse.Print":                                           "`Purse.Print` is called in 1 place, in `Other.B`",
		"which classes extend Walk?":                                      "`FileWalk`",
		"it stops with IOError: too many hops to reach http://a.b -- why": "`MAX_HOPS` is set in reach.py, line 1: `MAX_HOPS = 20`",
		"TILL_KEYS, what is it and where?":                                "It is used in `keys` (reach.py, line 11)",
	} {
		if got := asked(t, files, question).Summary[0].Text; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}
