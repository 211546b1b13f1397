package overview

import (
	"slices"
	"strings"
	"testing"
)

func TestPartOf(t *testing.T) {
	for question, want := range map[string]Part{
		"what is this?": What, "waht does this repository do": What, "summarize this project": What, "Was ist das?": What,
		"Worum geht es in diesem Projekt?": What, "这个项目是做什么的？": What, "what's the purpose of this codebase": What,
		"what is this project and where should I start reading the code?": What, "where should I look first?": What,
		"I'm new here - what is badger and where should I start reading the code?": What,
		"where should I start?": What, "从哪里开始看代码？": What, "Wo soll ich anfangen zu lesen?": What,
		"which license does this project use": Licence, "Unter welcher Lizenz steht das?": Licence,
		"can I use this in a commercial product?": Licence, "这个项目用什么许可证？": Licence, "what lisence is this under": Licence,
		"what is the entry point?": Entry, "Wo ist der Einstiegspunkt?": Entry, "where does the program start": Entry,
		"程序的入口在哪里？":                  Entry,
		"what are the main packages": Packages, "how is the code organized?": Packages, "summarize the architecture": Packages,
		"which directories hold the source code?": Packages, "代码的整体结构是怎样的？": Packages,
		"how do I build this?":                 Build,
		"which python versions are supported?": Needs, "what go version do I need?": Needs, "什么Python版本?": None,
		"需要哪个Go版本？": Needs, "what is the minimum rust version": Needs, "what version is this?": Version,
		"where is the version number?": Version, "版本号在哪里？": Version, "who wrote this?": Authors, "谁写的？": Authors,
		"how do I release this?": None, "which version of the protocol is supported": None, "who created the index": None,
		// questions about something in the project
		"where is the license header checked": None, "what does the parser do": None, "how are packages sorted": None,
		"what is the entry point of readFile": None, "where does the retry loop start": None, "what is Context": None,
		"where is the lock used": None, "what is the head": None, "where does it start reading files": None,
		"where is the hook": None, "who reads this": None, "what should the loader do": None,
		"who builds the index": None, "缓存是做什么的": None, "": None,
	} {
		if got := PartOf(question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func TestLicenceOf(t *testing.T) {
	for _, tt := range []struct{ text, want, line string }{
		{"Copyright 2020 A\n\nPermission is hereby granted, free of charge, to any person\nThe above notice shall be included", "MIT",
			"Permission is hereby granted, free of charge, to any person"},
		{"                Apache License\n          Version 2.0, January 2004", "Apache-2.0", "                Apache License"},
		{"Copyright\nRedistribution and use in source and\nbinary forms, with\n 3. Neither the name of", "BSD-3-Clause",
			"Redistribution and use in source and"},
		{"Redistribution and use in source and binary forms", "BSD-2-Clause", "Redistribution and use in source and binary forms"},
		{"GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\nsee the GNU Lesser General Public License", "GPL-3.0",
			"GNU GENERAL PUBLIC LICENSE"},
		{"GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\nof the GNU General Public License", "LGPL-3.0",
			"GNU LESSER GENERAL PUBLIC LICENSE"},
		{"Foo is open source under\nthe LGPLv3 license.", "LGPLv3", "the LGPLv3 license."},
		{"This project is licensed under the Unlicense and MIT licenses.\nChoose.", "Unlicense and MIT",
			"This project is licensed under the Unlicense and MIT licenses."},
		{"Permission to use this for any purpose with or\nwithout fee\nExcept as contained in this notice, the name", "curl",
			"Permission to use this for any purpose with or"},
		{"All rights reserved.", "", ""},
	} {
		lines := strings.Split(tt.text, "\n")
		got, at := LicenceOf(lines)
		if got != tt.want || got != "" && lines[at] != tt.line {
			t.Errorf("%q: %s at %d, want %s", tt.text, got, at, tt.want)
		}
	}
}

func TestEntries(t *testing.T) {
	for _, tt := range []struct{ paths, names, want string }{
		{"cmd/tool/main.go cmd/zap/main.go main.go", "zap", "cmd/zap/main.go"},
		{"src/zap/__init__.py src/other/__init__.py", "zap", "src/zap/__init__.py"},
		{"index.js lib/index.js", "zap", "index.js"},
		{"packages/vue/index.js packages/vue/src/index.ts packages/shared/src/index.ts", "vuejs core", "packages/vue/src/index.ts"},
		{"src/lib.rs src/bin/bat/main.rs", "bat", "src/bin/bat/main.rs"},
		{"lib/sidekiq.rb bin/sidekiq lib/other.rb", "sidekiq", "lib/sidekiq.rb"},
		{"chi.go mux.go", "chi", "chi.go"},
		{"src/jq.h src/main.c", "jq", "src/main.c"},
		{"lib/express.js index.js", "express", "index.js"},
		{"lib/zap.ex lib/zap/a.ex", "zap", "lib/zap.ex"},
		{"mux.go tree.go", "chi", ""},
	} {
		got := Entries(strings.Fields(tt.paths), strings.Fields(tt.names))
		if len(got) == 0 && tt.want != "" || len(got) > 0 && got[0].Path != tt.want {
			t.Errorf("%s: %+v, want %s", tt.paths, got, tt.want)
		}
	}
	if got := NamesIn("go.mod", []string{"// x", "module github.com/a/zap/v2"}); !slices.Equal(got, []string{"zap"}) {
		t.Errorf("names %v", got)
	}
}

// What somebody needs to know of a project may be said in passing, among other words.
func TestCued(t *testing.T) {
	for question, want := range map[string][]Part{
		"what licence is glow under, legal is asking":                        {Licence},
		"license + go version required?":                                     {Licence, Needs},
		"MSRV and licence of the workspace, please":                          {Licence, Needs},
		"which release of glow is checked out here, does it run on Node 18?": {Version, Needs},
		"we are stuck on rustc 1.63, what is the MSRV?":                      {Needs},
		"hi, what's the lowest PHP version allowed? we package it":           {Needs},
		"how do I run only the unit tests, and which node is required":       {Needs, Build},
		"I need the author's name and the required ruby version":             {Needs, Authors},
		"can we still use this on PHP 7.4, and what's the license":           {Licence, Needs},
		"on which node versions does v13 run? licence too please":            {Needs, Licence},
		"how do I run the whole suite, and which ruby do I need":             {Needs, Build},
		"how do I set up a dev env and run the test suite for a PR":          {Build},
		"minimum Go version + does it pull in third party modules + licence": {Licence, Needs, Depends},
		"does it depend on anything?":                                        nil,
		"which licence headers do generated files have?":                     nil,
		"which python does `venv` use if I set none":                         nil,
		"what states can a node be in?":                                      nil,
		"how do I run tests against my server?":                              nil,
		"what Java types can be sent with the converter?":                    nil,
	} {
		if got := Cued(question); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", question, got, want)
		}
	}
}
