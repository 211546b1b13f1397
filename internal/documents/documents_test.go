package documents

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const markdownText = `---
title: Front matter
---
# Tool <br> ![badge](b.svg)

A tool that does things.

<!--
## Hidden
-->
## [Install](#install) ##

` + "```sh\n# not a heading\n```" + `

Setext title
------------

- a list
---
### Deep ` + "`code`" + `
<h2 align="center">Centred</h2>
`

const rstText = `=====
Title
=====

Text.

Install
-------

Use it::

    not
    ---

Deeper
~~~~~~

=====  =====
Table  Table
=====  =====

Use
---
`

const adocText = "= Title\n\n== First\n----\n== code\n----\n=== Inner\n\n== Second ==\n"

const manText = ".TH TOOL 1\n.SH NAME\ntool \\- does\n.SH \"SEE ALSO\"\n.SS Sub\n"

func TestSections(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Section
	}{
		{"README.md", markdownText, []Section{
			{"Tool", 1, 4, 23}, {"Install", 2, 11, 16}, {"Setext title", 2, 17, 22}, {"Deep code", 3, 22, 22},
			{"Centred", 2, 23, 23}}},
		{"README", "Title\n=====\ntext\n", []Section{{"Title", 1, 1, 3}}},
		{"docs/a.rst", rstText, []Section{
			{"Title", 1, 2, 23}, {"Install", 2, 7, 21}, {"Deeper", 3, 15, 21}, {"Use", 2, 22, 23}}},
		{"a.adoc", adocText, []Section{
			{"Title", 1, 1, 9}, {"First", 2, 3, 8}, {"Inner", 3, 7, 8}, {"Second", 2, 9, 9}}},
		{"tool.1.in", manText, []Section{{"NAME", 1, 2, 3}, {"SEE ALSO", 1, 4, 5}, {"Sub", 2, 5, 5}}},
		{"tool.1", manText, []Section{{"NAME", 1, 2, 3}, {"SEE ALSO", 1, 4, 5}, {"Sub", 2, 5, 5}}},
		{"rule.md", "# One\n---\ntext\n", []Section{{"One", 1, 1, 3}}},
		{"windows.md", "# One\r\ntext\r\n# Two\r\n", []Section{{"One", 1, 1, 2}, {"Two", 1, 3, 3}}},
		{"main.go", "# Title\n", nil},
		{"empty.md", "", nil},
	} {
		if diff := cmp.Diff(c.want, Sections(c.name, []byte(c.text))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// ranked returns the best sections for a query as "path#title".
func ranked(t *testing.T, query string, files map[string]string, n int) (out []string) {
	t.Helper()
	q, ok := Parse(query)
	if !ok {
		t.Fatalf("%q has no word", query)
	}
	var all []Candidate
	for p, text := range files {
		all = append(all, q.Look(p, []byte(text))...)
	}
	for _, c := range q.Rank(all) {
		out = append(out, c.Path+"#"+c.Title)
	}
	return out[:min(n, len(out))]
}

func TestRank(t *testing.T) {
	files := map[string]string{
		"README.md": "# Zap\n\nZap serves files.\n\n## Installation\n\npip install zap\n\n## Contributing to zap\n\nSee the guide.\n" +
			"\n## Deploy with Docker\n\nUse the image.\n\n### Volumes\n\nMount a volume of Docker.\n",
		"docs/usage.md":            "# Zap usage\n\n## Override defaults\n\nPass a map.\n\n## Testing conventions\n\nName tests well.\n",
		"CHANGELOG.md":             "# Changes\n\n## Override defaults\n\nNew.\n",
		"vendor/other/README.md":   "# Other\n\n## Installation\n\nmake\n",
		"tests/fixtures/readme.md": "# Installation\n\nfixture\n",
	}
	for query, want := range map[string]string{
		"install zap":           "README.md#Installation",
		"instal zap":            "README.md#Installation", // one letter missing
		"zap installieren":      "README.md#Installation",
		"cnotribute":            "README.md#Contributing to zap", // two letters swapped
		"overriding defaults":   "docs/usage.md#Override defaults",
		"test conventions":      "docs/usage.md#Testing conventions",
		"docker volumes":        "README.md#Volumes",
		"deploying with docker": "README.md#Deploy with Docker",
	} {
		if got := ranked(t, query, files, 1); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %v, want %s", query, got, want)
		}
	}
	if got := ranked(t, "quantum entanglement", files, 3); got != nil {
		t.Errorf("sections for words that occur nowhere: %v", got)
	}
}

func TestSentenceAndCommand(t *testing.T) {
	for _, c := range []struct{ text, sentence, command string }{
		{"\n[![ci](x.svg)](y)\n\nA [small](u) tool\nfor files. It is fast.\n", "A small tool for files.", ""},
		{"\n```sh\n# comment\n$ pip install zap\n```\nInstall it like this:\n", "Install it like this:", "$ pip install zap"},
		{"\nRun::\n\n    make all\n\nThen wait for it.\n", "Then wait for it.", "make all"},
		{"\nWrite this:\n```json\n{\n  \"port\": 80\n}\n```\n", "", "\"port\": 80"},
		{"\nBuild it like this:\n\n    cd zap\n    # slow\n    make\n\n    make check\n", "Build it like this:", "cd zap\nmake"},
		{"\n```\na one\nb two\nc three\nd four\n```\n", "", "a one\nb two\nc three"},
		{"\n- Fork the repository and clone it\n- Run the tests\n", "Fork the repository and clone it", ""},
		{"\n| a | b |\n|---|---|\n", "", ""},
		{"\n> A tool that reads\n> files. It is fast.\n", "A tool that reads files.", ""},
		{"\n<!--\nInstructions need to be short.\n-->\nRun the program.\n", "Run the program.", ""},
		{"By default\n.B tool\nreads \\fBall\\fP settings from\n.IR ~/.config/tool .\nThen it\n", "reads all settings from ~/.config/tool.", ""},
		{"By default it is\n.Ic off ;\nsee\n.Fl k\nand the rest.\n", "By default it is off; see -k and the rest.", ""},
		{"\nUse e.g. version 1.2 of it. Then stop.\n", "Use e.g. version 1.2 of it.", ""},
	} {
		s, _ := Sentence(strings.Split(c.text, "\n"))
		k, _ := Command(strings.Split(c.text, "\n"))
		if s.Text != c.sentence || k.Text != c.command {
			t.Errorf("%q: sentence %q, command %q; want %q, %q", c.text, s.Text, k.Text, c.sentence, c.command)
		}
	}
}

func TestIntro(t *testing.T) {
	for text, want := range map[string]string{
		"# BadgerDB\n\nBadgerDB is a fast store of keys.\n\n## Status\n\nIt rests.\n":                               "BadgerDB is a fast store of keys.",
		"# Zap [![ci](a.svg)](b)\n\n[![x](y)](z)\n\n> **Note** we moved\n\nZap is a fast\n[server](u). It rocks.\n": "Zap is a fast server.",
		"<p align=\"center\">\n  <img src=\"a\"\n   alt=\"a picture of the thing\">\n  <a href=\"#a\">Key Features</a> •\n" +
			"  A <i>cat(1)</i> clone with wings.\n</p>\n": "A cat(1) clone with wings.",
		"# Zap\n\n## Installation\n\nThe simplest way is to run make.\n\n## Overview\n\nZap serves files over HTTP.\n":                    "Zap serves files over HTTP.",
		"# Zap\n\nPlease follow the documentation at example.com!\n\nZap parses logs of all kinds\n":                                      "Zap parses logs of all kinds",
		"Zap\n===\n\nSimple, efficient background jobs.\n":                                                                                "Simple, efficient background jobs.",
		"# zap\n\n> **Log Parser for Everyone**\n\nDual-licensed under [A](a) or [B](b).\n":                                               "Log Parser for Everyone",
		"Zap\n===\n\nSee the [site](a) for more.\n\nLogs are how programs talk to us. They grow.\n\nZap is a parser of logs:\n\n * one\n": "Zap is a parser of logs:",
		"# Zap\n\nA parser of all logs.\nZap is quick and small too.\n":                                                                   "A parser of all logs.",
		"# Zap\n\nAPI documentation is available at <https://example.com>.\n":                                                             "",
		"# Zap\n\n> [!WARNING]\n> Zap is a project that rests.\n\nZap is feature complete.\n\nZap is a tool_ for logs.\n":                 "Zap is a tool for logs.",
		"# Zap\n\n**Usage**\n\n```js\nf()\n```\n\n**More**\n\n```\nconst zap = open('the log', now)\n```\n":                               "",
		"# Zap\n\n- a list of things here\n":                                                                                              "",
	} {
		if got, _ := Intro(strings.Split(text, "\n")); got.Text != want {
			t.Errorf("%q: %q, want %q", text, got.Text, want)
		}
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"waht", "what", true}, {"cnotribute", "contribute", true}, {"instalation", "installation", true},
		{"cat", "car", false}, {"build", "bulid", true}, {"test", "task", false}, {"routing", "rounding", false},
		{"mddleware", "middleware", true}, {"", "", false},
	} {
		if got := Alike(c.a, c.b); got != c.want {
			t.Errorf("Alike(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func FuzzSections(f *testing.F) {
	f.Add("a.md", markdownText)
	f.Add("a.rst", rstText)
	f.Add("a.adoc", adocText)
	f.Add("a.1", manText)
	f.Add("a.1", ".SH `")
	f.Fuzz(func(t *testing.T, name, text string) {
		lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		before := 0
		for _, s := range Sections(name, []byte(text)) {
			if s.Start <= before || s.End < s.Start || s.End > lines || s.Title == "" {
				t.Fatalf("section %+v of %d lines, after line %d", s, lines, before)
			}
			before = s.Start
		}
		if q, ok := Parse(text); ok {
			for _, c := range q.Rank(q.Look(name, []byte(text))) {
				if !(c.Score >= 0 && c.Score <= 1) {
					t.Fatalf("score %v", c.Score)
				}
			}
		}
		Sentence(strings.Split(text, "\n"))
		Intro(strings.Split(text, "\n"))
		Command(strings.Split(text, "\n"))
	})
}

// TestPlainKeepsCode: what is code stays as it is, and a star that is no mark of emphasis stays, too.
func TestPlainKeepsCode(t *testing.T) {
	for text, want := range map[string]string{
		"The pattern `/foo/*` matches **all** of `<dir>`.":                       "The pattern /foo/* matches all of <dir>.",
		"Use **/node_modules or *.go (*not* /foo/*).":                            "Use **/node_modules or *.go (not /foo/*).",
		"*One* and *two*: ``a*b`` and <b>c</b>.":                                 "One and two: a*b and c.",
		"***Note:*** `x`* and *`y`*":                                             "Note: x and y",
		"See `the guide <https://a.org/x>`_, `Nested <a.b.Nested>` and `Name`_.": "See the guide, Nested and Name.",
		"Set ``__init__`` to `1024*1024`, run `fd <dir>`.":                       "Set __init__ to 1024*1024, run fd <dir>.",
		"an \x00 odd `one`":                                                      "an odd one",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
	if got, want := Prose(`.BR 130 "    Interrupted with \fBCTRL\-C\fR"`), "130 Interrupted with CTRL-C"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}
