package rules

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/internal/textsearch"
)

func TestAsk(t *testing.T) {
	type asked struct {
		Idents, Paths, Words []string
		Tests, Docs, How     bool
		Overview             bool
	}
	for _, tt := range []struct {
		text string
		want asked
	}{
		{"how does compaction choose a level?", asked{Words: []string{"compaction", "choose", "level"}, How: true}},
		{"Where is `Window.Fit` called?", asked{Idents: []string{"Window.Fit"}, Words: []string{"window", "fit"}}},
		{"what does url_for() do in src/flask/app.py?", asked{
			Idents: []string{"url_for"}, Paths: []string{"src/flask/app.py"}, Words: []string{"url", "app"}}},
		{"who calls std::vec::Vec and parseHTTPHeader", asked{
			Idents: []string{"std::vec::Vec", "parseHTTPHeader"}, Words: []string{"std", "vec", "parse", "http", "header"}}},
		{"上下文压缩是怎么选择级别的？", asked{Words: []string{"context", "compress", "compact", "choose", "level"}, How: true}},
		{"parseConfig如何处理错误", asked{Idents: []string{"parseConfig"}, Words: []string{"parse", "config", "error"}, How: true}},
		{"鲲鹏调度器在哪里？", asked{Words: []string{"鲲鹏", "scheduler"}}},
		{"which tests cover the retry policy", asked{Words: []string{"tests", "retry", "policy"}, Tests: true}},
		{"where does the pool test whether a door is shut?", asked{Words: []string{"pool", "check", "door", "shut"}}},
		{"how do I write tests that need a door?", asked{Words: []string{"write", "tests", "door"}, Tests: true, How: true}},
		{"does any test that opens a door fail?", asked{Words: []string{"test", "opens", "door", "fail"}, Tests: true}},
		{"see https://example.com/a_b for the README", asked{Words: []string{"readme"}, Docs: true}},
		{"what is thrown away when a call times out?", asked{Words: []string{"timeout", "discard", "evict"}}},
		{"what prints \"call timed out\"?", asked{Words: []string{"prints", "timed"}}}, // a message stays as it is
		{"", asked{Overview: true}},
		{"Give me an overview of the architecture", asked{Words: []string{"architecture"}, Overview: true}},
		{"how does it work?", asked{How: true, Overview: true}},
		{"e.g. i.e. 42 ??? \xff\xfe", asked{Overview: true}},
		{"où est le cache café", asked{Words: []string{"où", "est", "le", "cache", "café"}}},
	} {
		q := parseQuestion(tt.text)
		got := asked{Paths: q.paths, Tests: q.tests, Docs: q.docs, How: q.how, Overview: q.overview}
		for _, id := range q.idents {
			got.Idents = append(got.Idents, id.text)
		}
		for _, w := range q.words {
			got.Words = append(got.Words, w.text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// What a message is about: the question beside a paste, or the paste, if the question has no subject of its own.
func TestSubject(t *testing.T) {
	const last = "ValueError: cannot open the store of keys"
	const trace = "Traceback (most recent call last):\n  File \"a.py\", line 3, in load\n" + last
	const logged = "14:M 02 Mar 2026 11:20:00.105 # failed to save all keys: disk 3 is full"
	const data = "{\n  \"limit\": 3\n}"
	for _, tt := range []struct {
		message, subject string
		issue            bool
		says             string // the message of a program whose place is looked for
	}{
		{trace + "\nwhere are keys read?", "where are keys read?", false, ""},
		{"where are keys read?\n\n" + trace, "where are keys read?", false, ""},
		{"which option limits this call?\n" + data, "which option limits this call?", false, ""},
		{"where is the panic handled?\n\n" + trace, "where is the panic handled?", false, ""},
		{"what does this project do?\n\n" + trace, "what does this project do?", false, ""},
		{"what does this mean?\n\n" + trace, last + "\n" + trace, true, last},
		{trace + "\n\nWoher kommt dieser Fehler?", last + "\n" + trace, true, last},
		{"这个错误是什么意思？\n" + trace, last + "\n" + trace, true, last},
		{"what went wrong?\n" + logged, logged, false, "failed to save all keys: disk"},
		{"why does loading the index fail with this error?\n" + trace,
			"why does loading the index fail with this error?\n\n" + trace, true, ""},
		{"why do I get this: cannot open the store", "cannot open the store", false, "cannot open the store"},
		{"Keys are lost\n\n" + trace, "Keys are lost\n\n" + trace, true, ""},
	} {
		if got, _ := Subject(tt.message); got != tt.subject {
			t.Errorf("%q is about %q, want %q", tt.message, got, tt.subject)
		}
		if q := parseQuestion(tt.message); q.issue != tt.issue || q.message != tt.says {
			t.Errorf("%q: issue %v, message %q", tt.message, q.issue, q.message)
		}
	}
}

// Of a sentence with two questions, the first is answered if exact tools can, and the second gets its name, unless it
// asks for tests.
func TestSubjectOfTwo(t *testing.T) {
	for message, want := range map[string][]string{
		"Where is `Recovery` defined and who calls it?":              {"Where is `Recovery` defined", "who calls `Recovery`?"},
		"who calls newRouter and which tests cover it?":              {"who calls newRouter"}, // both are answered
		"who calls newMux and where is it defined?":                  {"who calls newMux", "where is `newMux` defined?"},
		"Wo ist newRouter definiert und wer ruft es auf?":            {"Wo ist newRouter definiert", "wer ruft `newRouter` auf?"},
		"newRouter 在哪里定义，谁调用它？":                                      {"newRouter 在哪里定义", "谁调用`newRouter`？"},
		"where is newRouter defined? Who calls parseURL?":            {"where is newRouter defined?", "Who calls parseURL?"},
		"How does newRouter build the tree and what follows then?":   nil,
		"Where are retries and timeouts configured?":                 nil,
		"Which handlers are called when it fails and who logs that?": nil,
	} {
		got, others := Subject(message)
		if want == nil {
			want = []string{message}
		}
		if diff := cmp.Diff(want, append([]string{got}, others...)); diff != "" {
			t.Errorf("%q: %s", message, diff)
		}
	}
}

// A question about what uses pasted code is about the name that this defines.
func TestSubjectIsDefined(t *testing.T) {
	for paste, name := range map[string]string{
		"func (c *Context) load(p string) int {":                         "Context.load",
		"```go\n// load reads.\nfunc load[T any](p string) error {\n```": "load",
		"    def load(self, p):\n        return json.load(p)":            "load",
		"import json\n\n@route('/x')\nasync def load(p):\n    pass":      "load",
		"pub(crate) async fn load<T>(p: &str) -> T {":                    "load",
		"export default async function load(p) {":                        "load",
		"export const load = async (p) => {\n}":                          "load",
		"static int\tload(struct x *p, int n)\n{\n  return 0;\n}":        "load",
		"public static List<String> load(String p) throws IO {":          "load",
		"void Loader::load(int a,\n    int b) {":                         "Loader::load",
		"+class Loader(Base):\n+  pass":                                  "Loader",
		"x = load(3)\ny = 4":                                             "",
		"if (x) {\n  load(3);\n}":                                        "",
		"panic: oops\n\ngoroutine 1 [running]:":                          "",
		"ValueError: no number in '?'":                                   "",
	} {
		for question, want := range map[string]string{
			"who calls this function?": "who calls `%s`?", "which tests cover this?": "which tests cover `%s`?",
			"where is the method below used?": "where is `%s` used?",
			"Wer ruft diese Funktion auf?":    "Wer ruft `%s` auf?", "谁调用了这个函数？": "谁调用了`%s`？",
			"what does this do?": "", "where is this error raised?": "",
		} {
			want = strings.ReplaceAll(want, "%s", name)
			for _, message := range []string{question + "\n\n" + paste, paste + "\n\n" + question} {
				if got, _ := Subject(message); (got == want) != (name != "" && want != "") {
					t.Errorf("%q is about %q, want %q", message, got, want)
				}
			}
		}
	}
}

func TestFormsFindTheirKin(t *testing.T) {
	for _, tt := range []struct {
		word    string
		in, out []string
	}{
		{"compaction", []string{"Compact(", "compacted", "recompaction"}, []string{"company"}},
		{"fit", []string{"Fit()", "w.fit", "windowFit", "fits_in"}, []string{"profit", "benefit"}},
		{"chooses", []string{"choose", "chose", "choosing"}, []string{"close"}},
		{"configuration", []string{"config", "loadConfig", "Configure"}, []string{"confuse"}},
		{"policies", []string{"policy", "Policies"}, []string{"poll"}},
		{"encoding", []string{"detectCharset", "encoded"}, []string{"charges"}},
		{"twice", []string{"ErrDuplicate", "twice"}, []string{"twin"}},
		{"matches", []string{"match", "matched", "reMatch"}, []string{"maths"}},
		{"running", []string{"run(", "runs"}, []string{"prune"}},
		{"string", []string{"string", "Strings"}, []string{"strip"}},
		{"caching", []string{"cache", "cached", "Cacher"}, []string{"cascade"}},
		{"authentication", []string{"auth", "Authenticate"}, []string{"author_"[:3]}},
		{"deployment", []string{"deploy"}, []string{"employ"}},
		{"decision", []string{"decide", "decision"}, []string{"decimal"}},
		{"validation", []string{"validate", "Validator"}, []string{"valid "}},
		{"retry", []string{"Retry", "MAX_RETRIES", "retried"}, []string{"retrace"}},
		{"us", []string{"us"}, []string{"bus"}},
	} {
		w := newWord(tt.word, formsOf(tt.word), 1, false)
		for _, s := range tt.in {
			if !w.re.MatchString(s) {
				t.Errorf("%s (%s) does not find %q", tt.word, w.pattern, s)
			}
		}
		for _, s := range tt.out {
			if w.re.MatchString(s) {
				t.Errorf("%s (%s) finds %q", tt.word, w.pattern, s)
			}
		}
	}
}

// TestWordsAreInTheirTexts: a word is found without its regular expression as with it.
func TestWordsAreInTheirTexts(t *testing.T) {
	q := parseQuestion("how are retried connections closed, shut down and slowed when a Größe or configuration is tried again?")
	texts := strings.Fields("retryCount RETRY _conn myConnection closes throttle Throttled größe GRÖSSE config CONFIGURE shutdown " +
		"slow backoff attempts reattempt none unconnected fit profit utf8Slow x9Retry _slow éslow 7slow XSlow xslow aSLOW")
	for _, w := range q.words {
		for _, text := range texts {
			if got, want := w.in(text), w.re.MatchString(text); got != want {
				t.Errorf("%s in %s: %t, forms %v of %s", w.text, text, got, w.forms, w.pattern)
			}
		}
		if w.forms == nil {
			t.Errorf("no forms in %s", w.pattern)
		}
	}
}

func TestIdentNames(t *testing.T) {
	for _, tt := range []struct {
		ident, symbol string
		want          bool
	}{
		{"Fit", "Window.Fit", true}, {"Window.Fit", "Window.Fit", true}, {"Window.Fit", "Tailor.Fit", false},
		{"window.Fit", "Window.Fit", true}, {"Fit", "Fitter", false}, {"contextwindow.New", "New", true},
	} {
		q := parseQuestion("`" + tt.ident + "`")
		if len(q.idents) != 1 || q.idents[0].names(tt.symbol) != tt.want {
			t.Errorf("%s names %s: want %v, idents %+v", tt.ident, tt.symbol, tt.want, q.idents)
		}
	}
}

func TestFactor(t *testing.T) {
	q := parseQuestion("how does it choose a level")
	for p, low := range map[string]bool{
		"src/level.go": false, "tools/level.py": false, "contest/level.go": false, "lib/latest.ts": false,
		"src/level_test.go": true, "tests/level.py": true, "web/level.spec.ts": true, "vendor/x/level.go": true,
		"docs/level.md": true, "CHANGELOG.md": true, "package-lock.json": true, "api/level.pb.go": true,
	} {
		if got := q.factor(p); (got < 1) != low {
			t.Errorf("%s counts %g", p, got)
		}
	}
	if tests := parseQuestion("which tests cover the level"); tests.factor("src/level_test.go") != 1 {
		t.Error("tests count less where they are asked for")
	}
}

func TestDefines(t *testing.T) {
	for _, tt := range []struct {
		symbol, text string
		want         bool
	}{
		{"Window.Fit", "func (w *Window) Fit() error {", true},
		{"Foo.bar", "    async def bar(self):", true},
		{"Foo.bar", "  public static int bar(String s) {", true},
		{"Foo.bar", "  bar(x: number): string {", true},
		{"Foo.bar", "    return bar(x);", false},
		{"Foo.bar", "    self.bar(x)", false},
		{"Foo", "export class Foo extends Bar {", true},
		{"", "func Fit() {", false},
	} {
		if got := defines(hit{Symbol: tt.symbol, Text: tt.text}); got != tt.want {
			t.Errorf("%q defines %s: %v", tt.text, tt.symbol, got)
		}
	}
}

// TestOtherIn: code has another word for what a question asks about, which is found and named.
func TestOtherIn(t *testing.T) {
	q := parseQuestion("how are entries removed from the folder?")
	for name, want := range map[string]string{
		"deleteEntry": "removed as delete", "purge_entries": "removed as purge", "openDir": "folder as dir",
		"removeDelete": "", "deleteRemoved": "", "Entries": "", "Foldermode": "",
	} {
		got := ""
		for _, w := range q.words {
			if other := w.otherIn([]string{name}); other != "" {
				got = w.text + " as " + other
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A condition, a loop or an outcome says more about what happens than a parameter, and a test for zero less.
func TestDecides(t *testing.T) {
	order := []string{"\tif order.total > limit {", "\torder.total += price", "\tif order == nil {",
		"\tlog.Info(\"order\", order)", "\torder: Order,"}
	for _, head := range []string{"\treturn async function some(c, next) {", "\tapply = func(o order) error {",
		"\tconst some = async (order) => {", "\tdef total(order):"} {
		if a, b := decides("\torder.total += price"), decides(head); a <= b {
			t.Errorf("%q decides %v", head, b)
		}
	}
	if arm := "\t\tSome(order) => {"; decides(arm) < plainLine {
		t.Errorf("%q, an arm of a match, decides %v", arm, decides(arm))
	}
	for i := 1; i < len(order); i++ {
		if a, b := decides(order[i-1]), decides(order[i]); a <= b {
			t.Errorf("%q decides %v, %q %v", order[i-1], a, order[i], b)
		}
	}
}

// TestKin: a word of the question finds those of its origin, and a family is listed only if the start of a word does
// not serve it.
func TestKin(t *testing.T) {
	for _, family := range textsearch.Kin() {
		served := true
		for _, asked := range family {
			pattern := regexp.MustCompile(formsOf(asked))
			for _, other := range family {
				if !pattern.MatchString(other) {
					t.Errorf("%s does not find %s", asked, other)
				}
				served = served && strings.HasPrefix(other, stem(asked))
			}
		}
		if served {
			t.Errorf("%q needs no family", family)
		}
	}
}

// TestKeywordsAreNoWords: a word that a line of code has only as a keyword at its beginning is not in it.
func TestKeywordsAreNoWords(t *testing.T) {
	for text, want := range map[string]bool{
		"type Item = &'static str;": false, "pub(crate) fn typed(x: u8) {": true, "match line {": false, "let x = match y {": false,
		"if matches(line) {": true, "  default: return typeOf(x)": true, "export type Match = string": true, "// what was typed": true,
	} {
		q := newQuestion("which folder matches what somebody typed?", false)
		got := slices.ContainsFunc(q.words, func(w word) bool { return w.text != "folder" && w.inCode(text) })
		if got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestPairsOfSmallWords: "too many" is searched for as one, and neither "too" nor "many" alone.
func TestPairsOfSmallWords(t *testing.T) {
	q := newQuestion("where does it turn clients away once too many are connected under the same name?", false)
	for text, want := range map[string]bool{
		`"Too many open connections\n"`: true, "kTooManyClients": false, "too_many_clients": true,
		"raised for one of the same name": true, "not many": false, "the name is too long": false, "tooManyRequests": true,
	} {
		in := slices.ContainsFunc(q.words, func(w word) bool { return strings.Contains(w.text, " ") && w.in(text) })
		if in != want {
			t.Errorf("%q: %v", text, in)
		}
	}
}
