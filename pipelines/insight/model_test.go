package insight

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// analyze runs the rules of a dimension over a tree and returns their list.
func analyze(t *testing.T, tree fstest.MapFS, dimension string) string {
	t.Helper()
	a, err := agent.New(agent.Config{Model: rulesOf(8), Tools: codebase.Tools(sourcetree.Open(tree, nil), &codebase.Options{JSON: true}), Profile: contextwindow.Off})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), "Look.\n\nDimensions: "+dimension+"\n\nName at most 50.")
	if err != nil || result.Stop != agent.Answered {
		t.Fatalf("%v: %+v", err, result)
	}
	for _, rec := range result.Tools {
		if rec.Err != nil {
			t.Errorf("%s %s: %v", rec.Call.Name, rec.Call.Args, rec.Err)
		}
	}
	return result.Text
}

// signTests has lines that a sign is to find, and lines that only look like it.
var signTests = []struct {
	dimension, path, source string
	want                    string // title; "": nothing is found
	lines                   string // that are cited
}{
	{"errors", "a.py", "def f():\n    try:\n        g()\n    except:\n        x = 1\n    return 2\n", "An except clause swallows every exception", "a.py:4"},
	{"errors", "a.py", "def f():\n    try:\n        g()\n    except:\n        undo()\n        raise\n    return 2\n", "", ""},
	{"errors", "a.py", "def f():\n    \"\"\"\n    try:\n        g()\n    except:\n        x = 1\n    \"\"\"\n    return 2\n", "", ""},
	{"errors", "a.py", "def f():\n    try:\n        g()\n    except Exception:\n        pass\n    return 2\n", "Every exception is silently dropped", "a.py:4"},
	{"errors", "a.py", "def f():\n    try:\n        g()\n    except Exception:  # best effort\n        pass\n    return 2\n", "", ""},
	{"errors", "a.py", "def f():\n    try:\n        s.close()\n    except Exception:\n        pass\n    return 2\n", "", ""},
	{"errors", "a.ts", "try {\n  go();\n  on();\n} catch (e) {}\n", "A catch block is empty", "a.ts:4"},
	{"errors", "a.ts", "try {\n  x = go();\n} catch (e) {}\n// catch (e) {}\n", "", ""},
	{"errors", "a.go", "package a\n\nfunc f() (int, error) {\n\tv, err := g()\n\tif err != nil {\n\t\treturn 0, nil\n\t}\n\treturn v, nil\n}\n", "An error is dropped and nil returned", "a.go:5"},
	{"errors", "a.go", "package a\n\nfunc f() (int, *T) {\n\tv, err := g()\n\tif err != nil {\n\t\treturn 0, nil\n\t}\n\treturn v, nil\n}\n", "", ""},
	{"errors", "a.go", "package a\n\nfunc f() (int, error) {\n\tv, err := g()\n\tif err != nil { // not there\n\t\treturn 0, nil\n\t}\n\treturn v, nil\n}\n", "", ""},
	{"errors", "a.go", "package a\n\nfunc f(err error) bool { return strings.Contains(err.Error(), \"no such\") }\n", "An error is matched by its text", "a.go:3"},
	{"errors", "a_test.go", "package a\n\nfunc f(err error) bool { return strings.Contains(err.Error(), \"no such\") }\n", "", ""},
	{"errors", "a.go", "package a\n\nfunc f() {\n\tif err := g(); err != nil {\n\t\tpanic(err)\n\t}\n}\n", "Library code panics on an error", "a.go:5"},
	{"errors", "a.go", "package a\n\nfunc MustF() {\n\tif err := g(); err != nil {\n\t\tpanic(err)\n\t}\n}\n", "", ""},
	{"errors", "a.go", "package a\n\nfunc f() error {\n\treturn fmt.Errorf(\"reading: %v\", err)\n}\n", "An error is wrapped without %w", "a.go:4"},
	{"errors", "a.go", "package a\n\nfunc f() error {\n\treturn fmt.Errorf(\"reading %s: %w\", name, err)\n}\n", "", ""},
	{"errors", "a.go", "package a\n\nfunc f() error {\n\tf, err := os.Create(\"x\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer f.Close()\n\t_, err = f.Write(b)\n\treturn err\n}\n", "The error of closing a written file is dropped", "a.go:4"},
	{"errors", "a.go", "package a\n\nfunc f() error {\n\tf, err := os.Create(\"x\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer f.Close()\n\t_, err = f.Write(b)\n\treturn f.Close()\n}\n", "", ""},
	{"errors", "a.py", "def f(x, seen=[]):\n    seen.append(x)\n    return seen\n", "A mutable default argument is modified", "a.py:1"},
	{"errors", "a.py", "def f(x, seen=[]):\n    seen = list(seen)\n    seen.append(x)\n    return seen\n", "", ""},
	{"errors", "a.rs", "fn f() {\n    todo!()\n}\n", "A code path is not implemented yet", "a.rs:2"},
	{"errors", "a.rs", "// todo!() is a macro\nfn f() {}\n", "", ""},

	{"concurrency", "a.go", "package a\n\nfunc (s *S) Get() error {\n\ts.mu.Lock()\n\tif s.closed {\n\t\treturn errClosed\n\t}\n\ts.mu.Unlock()\n\treturn nil\n}\n", "A return leaves a mutex locked", "a.go:4"},
	{"concurrency", "a.go", "package a\n\nfunc (s *S) Get() error {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn nil\n}\n\nfunc (s *S) lock() {\n\ts.mu.Lock()\n\treturn\n}\n", "", ""},
	{"concurrency", "a.go", "package a\n\nfunc f(ctx context.Context) {\n\tfor {\n\t\ttime.Sleep(time.Second)\n\t}\n}\n", "A function sleeps without watching its context", "a.go:5"},
	{"concurrency", "a.go", "package a\n\nfunc f(ctx context.Context) {\n\tg(ctx)\n}\n\nfunc h() {\n\ttime.Sleep(time.Second)\n}\n", "", ""},
	{"concurrency", "a.go", "package a\n\nfunc f(ctx context.Context) error {\n\tdone := make(chan error)\n\tgo func() {\n\t\tdone <- g()\n\t}()\n\tselect {\n\tcase err := <-done:\n\t\treturn err\n\tcase <-ctx.Done():\n\t\treturn ctx.Err()\n\t}\n}\n", "A goroutine may send to a channel without a receiver", "a.go:4"},
	{"concurrency", "a.go", "package a\n\nfunc f(ctx context.Context) error {\n\tdone := make(chan error, 1)\n\tgo func() {\n\t\tdone <- g()\n\t}()\n\tselect {\n\tcase err := <-done:\n\t\treturn err\n\tcase <-ctx.Done():\n\t\treturn ctx.Err()\n\t}\n}\n", "", ""},
	{"concurrency", "a.go", "package a\n\nfunc f() {\n\tvar wg sync.WaitGroup\n\tgo func() {\n\t\twg.Add(1)\n\t\tdefer wg.Done()\n\t}()\n\twg.Wait()\n}\n", "WaitGroup.Add is called inside the goroutine it counts", "a.go:6"},
	{"concurrency", "a.go", "package a\n\nfunc f() {\n\tvar wg sync.WaitGroup\n\twg.Add(1)\n\tgo func() {\n\t\tdefer wg.Done()\n\t}()\n\twg.Wait()\n}\n", "", ""},
	{"concurrency", "a.go", "package a\n\nfunc f() { g(context.TODO()) }\n", "A call uses context.TODO", "a.go:3"},
	{"concurrency", "a.go", "package a\n\n// f needs no context.TODO()\nfunc f() { g(\"context.TODO()\") }\n", "", ""},
	{"concurrency", "a.py", "import time\n\nasync def f():\n    time.sleep(1)\n", "A coroutine blocks the event loop", "a.py:4"},
	{"concurrency", "a.py", "import time\n\nasync def f():\n    def g():\n        time.sleep(1)\n    await run(g)\n", "", ""},
	{"concurrency", "a.js", "items.forEach(async (i) => {\n  await save(i);\n});\n", "forEach drops the promises of an async callback", "a.js:1"},

	{"security", "a.go", "package a\n\nvar c = &tls.Config{InsecureSkipVerify: true}\n", "A TLS client trusts every certificate", "a.go:3"},
	{"security", "a.go", "package a\n\n// the peer is checked by its key below\nvar c = &tls.Config{InsecureSkipVerify: true}\n", "", ""},
	{"security", "a.py", "import requests\nr = requests.get(url, verify=False)\n", "A certificate is not verified", "a.py:2"},
	{"security", "a.py", "def get(url, verify=False):\n    return 1\n", "", ""},
	{"security", "a.js", "const agent = new https.Agent({ rejectUnauthorized: false });\n", "A TLS client trusts every certificate", "a.js:1"},
	{"security", "a.py", "import subprocess\n\n\ndef ls(name):\n    subprocess.run(f\"ls {name}\", shell=True)\n", "A shell runs a command built at run time", "a.py:5"},
	{"security", "a.py", "import subprocess\nsubprocess.run(\"ls | wc\", shell=True)\n", "", ""},
	{"security", "a.go", "package a\n\nfunc ls(name string) { exec.Command(\"sh\", \"-c\", \"ls \"+name).Run() }\n", "A shell runs a command built at run time", "a.go:3"},
	{"security", "a.go", "package a\n\nvar c = exec.Command(\"sh\", \"-c\", \"ls | wc\")\n", "", ""},
	{"security", "a.py", "x = eval(text)\n", "A string is run as code", "a.py:1"},
	{"security", "a.py", "x = frame.eval(text)\ny = eval(\"1 + 1\")\nmodel.eval()\nexec('import os\\n'\n     'import sys\\n')\n", "", ""},
	{"security", "a.js", "const f = new Function(args, body);\n", "A string is run as code", "a.js:1"},
	{"security", "a.py", "import yaml\nx = yaml.load(f)\n", "YAML is loaded without a safe loader", "a.py:2"},
	{"security", "a.py", "import yaml\nx = yaml.load(f, Loader=yaml.SafeLoader)\n", "", ""},
	{"security", "a.go", "package a\n\nfunc hashPassword(s string) { md5.Sum([]byte(s)) }\n", "A weak hash protects a secret", "a.go:3"},
	{"security", "a.go", "package a\n\nfunc cacheKey(s string) { md5.Sum([]byte(s)) }\n", "", ""},
	{"security", "a.py", "import hashlib\n\ndef f(password):\n    return hashlib.md5(password)\n", "A weak hash protects a secret", "a.py:4"},
	{"security", "a.go", "package a\n\nconst key = \"AKIA" + "QWERTYUIOPASDFGH\"\n", "The source contains what looks like a secret", "a.go:3"},
	{"security", "a.go", "package a\n\nfunc f() { http.ListenAndServe(\":80\", nil) }\n", "An HTTP server has no timeout for request headers", "a.go:3"},
	{"security", "a.go", "package a\n\nfunc f() {\n\ts := &http.Server{\n\t\tAddr: \":80\",\n\t}\n\tg(s)\n}\n", "An HTTP server has no timeout for request headers", "a.go:4"},
	{"security", "a.go", "package a\n\nfunc f() {\n\ts := &http.Server{\n\t\tAddr:              \":80\",\n\t\tReadHeaderTimeout: t,\n\t}\n\tg(s)\n}\n", "", ""},
	{"security", "a.go", "package a\n\nfunc f() { os.Chmod(\"x\", 0o777) }\n", "A file or directory is writable by everyone", "a.go:3"},
	{"security", "a.py", "import tempfile\nname = tempfile.mktemp()\n", "A temporary file name can be taken before use", "a.py:2"},
	{"security", "a.py", "import random\ntoken = random.choice(letters)\ncolour = random.choice(colours)\n", "A secret comes from a predictable generator", "a.py:2"},

	{"testing", "a.test.ts", "it.only(\"works\", () => {});\n", "One test keeps the others in its file from running", "a.test.ts:1"},
	{"testing", "test_a.py", "def test_a():\n    assert (x == 1, \"x is one\")\n", "An assertion can never fail", "test_a.py:2"},
	{"testing", "test_a.py", "def test_a():\n    assert (x == 1), \"x is one\"\n    assert (f(x, \"y\"))\n", "", ""},
	{"testing", "a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tt.Skip(\"broken\")\n}\n", "A test is always skipped", "a_test.go:4"},
	{"testing", "a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip(\"slow\")\n\t}\n}\n", "", ""},
	{"testing", "test_a.py", "import pytest\n\n@pytest.mark.skip(reason=\"broken\")\ndef test_a():\n    assert f()\n", "A test is always skipped", "test_a.py:3"},
	{"testing", "test_a.py", "import pytest\n\n@pytest.mark.skip(reason=\"broken\")\ndef test_a():\n    pass\n", "", ""},
	{"testing", "a.spec.js", "describe.skip(\"it\", () => {});\n", "A test is always skipped", "a.spec.js:1"},
	{"testing", "src/a.rs", "#[test]\n#[ignore]\nfn a() {}\n", "A test runs only on request", "src/a.rs:2"},
	{"testing", "a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\ttime.Sleep(time.Second)\n}\n", "A test sleeps", "a_test.go:4"},
	{"testing", "a_test.go", "package a\n\nimport \"testing/synctest\"\n\nfunc TestA(t *testing.T) {\n\ttime.Sleep(time.Second)\n}\n", "", ""},
	{"testing", "test_a.py", "import time\n\ndef test_a():\n    time.sleep(1)\n", "A test sleeps", "test_a.py:4"},

	{"performance", "a.go", "package a\n\nfunc f(s string) bool {\n\tre := regexp.MustCompile(\"x+\")\n\treturn re.MatchString(s)\n}\n", "A regular expression is compiled on every call", "a.go:4"},
	{"performance", "a.go", "package a\n\nvar (\n\tre = regexp.MustCompile(\"x+\")\n)\n\nvar other = regexp.MustCompile(`y`)\n", "", ""},
	{"performance", "a.go", "package a\n\nfunc f() {\n\tfor _, n := range names {\n\t\tg, _ := os.Open(n)\n\t\tdefer g.Close()\n\t\tread(g)\n\t}\n}\n", "Deferred calls pile up in a loop", "a.go:6"},
	{"performance", "a.go", "package a\n\nfunc f() {\n\tfor _, n := range names {\n\t\tfunc() {\n\t\t\tg, _ := os.Open(n)\n\t\t\tdefer g.Close()\n\t\t}()\n\t}\n\tfor {\n\t\tif x {\n\t\t\tdefer y()\n\t\t\treturn\n\t\t}\n\t}\n}\n", "", ""},
	{"performance", "a.go", "package a\n\nfunc f(r *http.Request) {\n\tb, err := io.ReadAll(r.Body)\n\tg(b, err)\n}\n", "A body of unlimited size is read into memory", "a.go:4"},
	{"performance", "a.go", "package a\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tr.Body = http.MaxBytesReader(w, r.Body, 100)\n\tb, err := io.ReadAll(r.Body)\n\tg(b, err)\n}\n", "", ""},
	{"performance", "a.py", "import re\nfor x in y:\n    p = re.compile(r'x+')\n", "A regular expression is compiled in every iteration", "a.py:3"},
	{"performance", "a.py", "import re\nfor x in y:\n    p = re.compile(\"|\".join(x))\n", "", ""},
	{"performance", "a.js", "const copy = JSON.parse(JSON.stringify(value));\n", "A value is cloned through JSON", "a.js:1"},
}

// TestSigns lays the rows of each dimension out as a tree, a folder for each, and holds each sign to what it finds and
// to what it leaves out, and the table to having a row for each sign.
func TestSigns(t *testing.T) {
	titles := make(map[string]*regexp.Regexp)
	for _, signs := range [][]sign{errorSigns, concurrencySigns, securitySigns, testingSigns, performanceSigns} {
		for _, g := range signs {
			if strings.Count(g.many, "%d") != 1 || g.claim == "" || len(g.one) < 8 {
				t.Errorf("the sign %q has no title of many, or no claim", g.one)
			}
			many := strings.Replace(regexp.QuoteMeta(g.many), "%d", `\d+`, 1)
			titles[g.one] = regexp.MustCompile(`^- \[\w+\] (` + regexp.QuoteMeta(g.one) + `|` + many + `): `)
		}
	}
	reached := make(map[string]bool)
	for _, dimension := range []string{"errors", "concurrency", "security", "testing", "performance"} {
		tree := make(fstest.MapFS)
		for i, test := range signTests {
			if test.dimension == dimension {
				tree[fmt.Sprintf("row%d/%s", i, test.path)] = &fstest.MapFile{Data: []byte(test.source)}
			}
		}
		lines := strings.Split(analyze(t, tree, dimension), "\n")
		for i, test := range signTests {
			if test.dimension != dimension {
				continue
			}
			reached[test.want] = true
			at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, fmt.Sprintf("row%d/", i)) })
			switch {
			case test.want == "" && at >= 0:
				t.Errorf("%s\nis found: %s", test.source, lines[at])
			case test.want != "" && at < 0:
				t.Errorf("%s\nis not found: want %q", test.source, test.want)
			case test.want != "" && (!titles[test.want].MatchString(lines[at]) || !strings.Contains(lines[at], fmt.Sprintf("row%d/%s", i, test.lines))):
				t.Errorf("%s\nwant %q at %s, got %s", test.source, test.want, test.lines, lines[at])
			}
		}
	}
	for title := range titles {
		if !reached[title] {
			t.Errorf("no row finds %q", title)
		}
	}
}

// TestArchitecture lays out a module, a package of Python and one of TypeScript, and reads what the rules say of them.
func TestArchitecture(t *testing.T) {
	tree := fstest.MapFS{
		"go.mod":         {Data: []byte("module example.com/m\n\ngo 1.26\n")},
		"base/base.go":   {Data: []byte("package base\n\nimport \"example.com/m/left/a\"\n")},
		"left/a/a.go":    {Data: []byte("package a\n")},
		"left/b/b.go":    {Data: []byte("package b\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/m/base\"\n)\n")},
		"left/b/b_x.go":  {Data: []byte("// Code generated by x. DO NOT EDIT.\npackage b\n" + strings.Repeat("var x int\n", 9000))},
		"py/one.py":      {Data: []byte("from .two import f\n")},
		"py/two.py":      {Data: []byte("import os\nfrom py.one import g\n")},
		"py/three.py":    {Data: []byte("from . import two\n\ndef f():\n    from . import four\n")},
		"py/four.py":     {Data: []byte("from .three import f\n")},
		"ts/one.ts":      {Data: []byte("import { f } from \"./two.js\";\nimport type { T } from \"./three\";\n")},
		"ts/two.ts":      {Data: []byte("import { g } from './one';\n")},
		"ts/three.ts":    {Data: []byte("import { g } from './one';\n")},
		"large/large.go": {Data: []byte("package large\n\nfunc Long() {\n" + strings.Repeat("\tdo()\n", 1200) + "}\n")},
	}
	for _, name := range []string{"p1", "p2", "p3", "p4", "p5"} {
		tree[name+"/x.go"] = &fstest.MapFile{Data: []byte("package " + name + "\n\nimport \"example.com/m/left/a\"\n")}
	}
	text := analyze(t, tree, "architecture")
	for _, want := range []string{
		"- [medium] The folders base and left depend on each other: base imports left/a, and left/b imports base: neither is a layer below the other, and neither can be removed or tested alone. [base/base.go:3, left/b/b.go:6]\n",
		"- [medium] py/one.py and py/two.py import each other: ",
		"[py/one.py:1, py/two.py:2]\n",
		"- [medium] ts/one.ts and ts/two.ts import each other: ",
		"- [low] left/a is imported by 6 of 9 packages: ",
		"- [low] large/large.go has 1204 lines, ",
		"- [low] Long in large.go is 1202 lines long: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n- ["); n != 6 {
		t.Errorf("%d findings in\n%s", n, text)
	}
}

func TestUntestedPackages(t *testing.T) {
	long := "package a\n" + strings.Repeat("var x int\n", 200)
	tree := fstest.MapFS{
		"a/a.go": {Data: []byte(long)}, "a/a_test.go": {Data: []byte("package a\n")}, "b/b.go": {Data: []byte(strings.Replace(long, "package a", "package b", 1))},
		"c/c.go": {Data: []byte("package c\n")}, "cmd/d/d.go": {Data: []byte(strings.Replace(long, "package a", "package main", 1))},
	}
	text := analyze(t, tree, "testing")
	if !strings.Contains(text, "- [low] A package has no test file of its own: No _test.go in b (201 lines). Packages of the tree with one: 1.") || !strings.Contains(text, "[b/b.go:1]") {
		t.Errorf("%s", text)
	}
	delete(tree, "a/a_test.go")
	if text := analyze(t, tree, "testing"); strings.Contains(text, "\n- [") {
		t.Errorf("where nothing is tested: %s", text)
	}
}

// TestInsightHandsIn gives the findings of an analysis to the tool, as many as are wanted, some in each step.
func TestInsightHandsIn(t *testing.T) {
	type input struct {
		Title      string   `json:"title"`
		Claim      string   `json:"claim"`
		Importance string   `json:"importance"`
		Evidence   []string `json:"evidence"`
		Dimension  string   `json:"dimension,omitempty"`
	}
	var handed []string
	submit := tools.New(submitTool, "Hand in.", func(_ context.Context, in input) (string, error) {
		handed = append(handed, fmt.Sprint(in.Title, " ", in.Importance, " ", in.Evidence, " ", in.Dimension))
		return "accepted", nil
	})
	submit.Effects = true
	a, err := agent.New(agent.Config{Model: rulesOf(3), Tools: []tools.Tool{submit}})
	if err != nil {
		t.Fatal(err)
	}
	prompt := "Dimensions: errors\n\nat most 4.\n\n```json\n{\"findings\":["
	for i := range 5 {
		prompt += fmt.Sprintf(`{"title":"t%d","claim":"c","evidence":["a.go:%d"],"importance":"odd","dimension":"errors"},`, i, i+1)
	}
	result, err := a.Run(t.Context(), strings.TrimSuffix(prompt, ",")+"]}\n```")
	if err != nil || result.Steps != 3 || !strings.HasPrefix(result.Text, "Submitted 4 findings") {
		t.Errorf("%v: %+v", err, result)
	}
	if got := strings.Join(handed, "|"); got != "t0 medium [a.go:1] errors|t1 medium [a.go:2] errors|t2 medium [a.go:3] errors|t3 medium [a.go:4] errors" {
		t.Errorf("handed in: %s", got)
	}
}

// Whatever a line, its neighbours and its file hold, no sign stumbles over it, and a file is scanned to its end.
func FuzzSigns(f *testing.F) {
	f.Add("a.go", "\ts.mu.Lock()", "func f() {\n", "\treturn\n}\n", 2, "s.f")
	f.Add("b.py", "    except Exception: pass", "def f(a=[]):\n    \"\"\"", "        pass\n", 5, "")
	f.Add("c.ts", "} catch {}", "try {\n`", "assert (a, 'b'", 99, "x")
	f.Add("d.rs", "#[ignore]", "/*", "", -1, "Test.a")
	f.Fuzz(func(t *testing.T, name, line, before, after string, column int, symbol string) {
		h := hit{path: name, text: line, line: 3, column: column, symbol: symbol, before: strings.Split(before, "\n"), after: strings.Split(after, "\n")}
		for _, signs := range [][]sign{errorSigns, concurrencySigns, securitySigns, testingSigns, performanceSigns} {
			for _, g := range signs {
				if g.keep == nil || !h.inCode() || !g.appliesTo(h) {
					continue
				}
				if kept := g.keep(&h); kept != g.keep(&h) {
					t.Errorf("%q is kept once", g.one)
				}
			}
		}
		lines := append(append(slices.Clone(h.before), line), h.after...)
		for _, suffix := range []string{name, "a.go", "a.py", "a.rs", "a"} {
			if marks := beginsQuoted(suffix, lines); len(marks) != len(lines) || marks[0] {
				t.Errorf("%s: %v", suffix, marks)
			}
		}
		pyTargets(h, map[string]int{name: 1})
		jsTargets(h, map[string]int{name: 1})
	})
}
