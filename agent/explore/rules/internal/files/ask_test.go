package files

import (
	"strings"
	"testing"
)

// TestAsk: a question about a file or directory, in the ways that people ask, gives its path; one that asks for something
// in it, or names none, does not.
func TestAsk(t *testing.T) {
	for question, want := range map[string]string{
		"what does source/core/timed-out.ts do?":                                    "source/core/timed-out.ts",
		"What's in timed-out.ts?":                                                   "timed-out.ts",
		"Can you explain `lib/puma/server.rb` to me please":                         "lib/puma/server.rb",
		"show me package.json":                                                      "package.json",
		"open the README":                                                           "README",
		"what is in docs/?":                                                         "docs",
		"what is in the docs folder?":                                               "docs",
		"which functions are in value.go":                                           "value.go func method",
		"Which classes does celery/result.py define?":                               "celery/result.py class struct",
		"list the files in the documentation folder":                                "documentation",
		"what is the purpose of ./internal/line/?":                                  "internal/line",
		"summarize sessions.py":                                                     "sessions.py",
		"how long is value.go?":                                                     "value.go",
		"tell me about src/jinja2/loaders.py":                                       "src/jinja2/loaders.py",
		"timed-out.ts":                                                              "timed-out.ts",
		"speedometer.js - which function does it export, and what is measured?":     "speedometer.js func method",
		"Found a folder config/m4 full of macros. What are they?":                   "config/m4 macro",
		"explain the freelist package (internal/freelist)":                          "internal/freelist",
		"Why is there a build.rs in such a small crate":                             "build.rs",
		"there is a show_off.py in the repo root, can it be deleted?":               "show_off.py",
		"What does Build.java under src/test do? It has a main method and no tests": "Build.java",
		"what's the escape dir doing in a client library":                           "escape",
		"tl;dr of lib/capsule.rb":                                                   "lib/capsule.rb",
		"was macht tornado/ioloop.py?":                                              "tornado/ioloop.py",
		"wofür ist das Verzeichnis cmd/foray?":                                      "cmd/foray",
		"black/linegen.py 是做什么的？":                                                   "black/linegen.py",
		"解释一下 src/core.ts":                                                          "src/core.ts",
		"src/core.ts里有哪些函数？":                                                        "src/core.ts func method",

		"so I opened src/vscreen.rs and have no clue what I'm looking at. what is it?": "src/vscreen.rs",
		"test/support/tmpl.js, is that a template engine? what does it do":             "test/support/tmpl.js",
		"what kind of tests live under fuzzy/ and how's the folder organised":          "fuzzy",
		"where is config.json?":                    "config.json",
		"what is scripts/xcompile.sh used for":     "scripts/xcompile.sh",
		"docs/user: what topics are covered there": "docs/user",

		"what does shorten in agent/retry.go do?":              "",
		"which errors does agent/retry.go repair?":             "",
		"which functions in extractor.go return an error?":     "",
		"what does agent/retry.go do on overflow?":             "",
		"how does retry.go shorten answers?":                   "",
		"There is already a server bound to: /tmp/a.sock":      "",
		"how does timed-out.ts clear its timers?":              "",
		"does main.go handle SIGTERM?":                         "",
		"what exception does client.py raise?":                 "",
		"why does server.go hold a lock?":                      "",
		"where does app.js define routes?":                     "",
		"when does worker.py open connections?":                "",
		"how does lib/retry.rb implement exponential backoff?": "",
		"how big is the buffer in reader.go?":                  "",
		"src/core.ts 什么时候重试？":                                  "",
		"who calls agent/explore?":                             "",
		"which tests cover internal/line?":                     "",
		"where is config.json read?":                           "",
		"where is providers/bound.go used?":                    "",
		"who uses the providers package?":                      "",
		"where is the tools package used?":                     "",
		"how are errors wrapped in internal/store?":            "",
		"what happens, e.g. on errors?":                        "",
		"what is in ../x/a.py?":                                "",
		"where does timed-out.ts clear its timers?":            "",
		"what does Txn.Commit return?":                         "",
		"compare a.go with b.go":                               "",
		"how do I move files from src/a.go to lib/b.go":        "",
		"what does the server do?":                             "",
		"what is in the box?":                                  "",
		"":                                                     "",
		"what does x.go do?\nIt fails with a panic.":           "",
	} {
		s, ok := Ask(question)
		if s.Inside {
			ok = false
		}
		got := strings.TrimSpace(s.Path + " " + strings.Join(s.Kinds, " "))
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v; want %q", question, got, ok, want)
		}
	}
}

// FuzzAsk: whatever a question is, its path is in it, and is no pattern.
func FuzzAsk(f *testing.F) {
	for _, question := range []string{"what does a/b.go do?", "what's in the docs folder?", "src/core.ts里有哪些函数？", "x/..", "`a.b` \"c.d\""} {
		f.Add(question)
	}
	f.Fuzz(func(t *testing.T, question string) {
		s, ok := Ask(question)
		if ok && (s.Path == "" || !strings.Contains(question, s.Path) || strings.ContainsAny(s.Path, "*?[]{}\\ \n")) {
			t.Errorf("%q gives the path %q", question, s.Path)
		}
	})
}
