package rules_test

import (
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
	"wait.ex": "defmodule Till.Wait do\n  @spec pause(time :: pos_integer()) :: number()\n  def pause(time), do: time\n\n" +
		"  def twice(time), do: 2 * pause(time)\nend\n",
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
		"who calls recount?":     {"`recount` is called at 3 places in 2 functions; first in `find_last`", "find_last close_till"},
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
		"src/view.js": "class Board {\n  drawBoard(x) {\n    return x;\n  }\n\n  repaint(x) {\n    return this.drawBoard(x);\n  }\n}\n",
	}
	for question, want := range map[string]string{
		"how does build upsert a row?":             "",
		"where are the nearest of the Finder?":     "",
		"how does the Board repaint and drawBoard": "Board.repaint-Board.drawBoard:src/view.js:7",
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
