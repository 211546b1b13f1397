package exact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/tools/codebase"
)

func fileText(lines string) codebase.FileText {
	all := strings.Split(lines, "\n")
	return codebase.FileText{StartLine: 1, EndLine: len(all), Lines: all}
}

// A line runs by the nearest condition around it, or after a block just above that leaves. The line is the one with
// "MESSAGE".
func TestGuard(t *testing.T) {
	for _, tt := range []struct{ lines, want string }{
		{"func f() {\n\tif n > 0 {\n\t\tlog()\n\t\treturn fmt.Errorf(\n\t\t\t\"MESSAGE\")", "depends on line 2: `if n > 0 {`"},
		{"def f(x):\n    if x:\n        return 1\n    else:\n        raise E('MESSAGE')", "depends on the “else” of line 2: `if x:`"},
		{"int f(int c)\n{\n\tswitch (c) {\n\tcase 1:\n\t\tbreak;\n\tdefault:\n\t\tfail(\"MESSAGE\");",
			"depends on the “default” of line 3: `switch (c) {`"},
		{"void f()\n{\n  if (a)\n  {\n    b();\n    throw new E(\"MESSAGE\");", "depends on line 3: `if (a)`"},
		{"void f() {\n  do {\n    if (take()) {\n      return;\n    }\n  } while (left > 0);\n\n  count();\n  throw late(\"MESSAGE\");",
			"is only reached after line 6: `} while (left > 0);`"},
		{"function f(e) {\n  if (done) {\n    return;\n  }\n  done = true;\n  emit('MESSAGE');",
			"is only reached after line 2: `if (done) {`"},
		{"def f\n  3.times do\n    try\n  end\n  for h in hosts\n    return h if up?(h)\n  end\n  raise 'MESSAGE'",
			"is only reached after line 5: `for h in hosts`"},
		{"def f(x):\n    if (x.size is not None\n            and x.size > 3\n    ):\n        raise E(\"MESSAGE\")",
			"depends on line 2: `if (x.size is not None and x.size > 3 ):`"},
		{"fun f() {\n  if (open) {\n    when {\n      a.bad -> {\n        fail(\"MESSAGE\")", "depends on line 4: `a.bad -> {`"},
		{"fun f() {\n  if (open) {\n    when {\n      a.bad -> fail(\"MESSAGE\")", "depends on line 2: `if (open) {`"},
		{"def f\n  raise 'other' unless a['b']\n  log 'MESSAGE'", "is only reached after line 2: `raise 'other' unless a['b']`"},
		{"func f() {\n\tif debug {\n\t\tlog()\n\t}\n\tpanic(\"MESSAGE\")", ""},
		{"func f() {\n\tif a {\n\t\tif b {\n\t\t\treturn\n\t\t}\n\t\tlog()\n\t}\n\tpanic(\"MESSAGE\")", ""},
		{"int f() {\n\tif (a) {\n#ifdef B\n\t\tfail(\"MESSAGE\");", "depends on line 2: `if (a) {`"},
	} {
		at := strings.Count(tt.lines[:strings.Index(tt.lines, "MESSAGE")], "\n") + 1
		got := ""
		if g, ok := guardOf(fileText(tt.lines), at); ok {
			got = g.says()
		}
		if got != tt.want {
			t.Errorf("%s\n%q, want %q", tt.lines, got, tt.want)
		}
	}
}

func TestDeciding(t *testing.T) {
	const nested = "int nested(struct client *c)\n{\n\tif (c == NULL)\n\t\treturn (0);\n" +
		"\tFOREACH(w, c)\n\t\tif (w->tty == c->tty)\n\t\t\treturn (1);\n\treturn (0);\n}"
	for _, tt := range []struct {
		lines  string
		wanted bool
		want   string
	}{
		{nested, true, "6 if (w->tty == c->tty)"},
		{nested, false, "3 if (c == NULL)"},
		{"func empty(s []int) bool {\n\treturn len(s) == 0\n}", true, "2 return len(s) == 0"},
		{"def closed?\n  @till.nil?\nend", true, "2 @till.nil?"},
		{"function warn(x) {\n  log(x)\n  log(1)\n  log(2)\n  log(3)\n  log(4)\n}", true, "0 "},
	} {
		if at, text := deciding(fileText(tt.lines), tt.wanted); fmt.Sprint(at, " ", text) != tt.want {
			t.Errorf("%s\n%v: %d %s, want %s", tt.lines, tt.wanted, at, text, tt.want)
		}
	}
}
