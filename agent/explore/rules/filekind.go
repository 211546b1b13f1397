package rules

import (
	"path"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/testfile"
)

// Patterns of the files that count less than code, besides tests.
var (
	vendoredPath = lazyregexp.New(`(?:^|/)(?:vendor|vendored|_vendor|third_party|node_modules|dist|build|` +
		`generated)/|\.min\.\w+$|\.pb\.go$|_pb2\.py$|\.generated\.\w+$|_generated\.\w+$`)
	dependencyPath = lazyregexp.New(`(?:^|/)(?:deps|extern|externals?|3rdparty|thirdparty)/`)
	docPath        = lazyregexp.New(`(?i)\.(?:md|mdx|rst|txt|adoc|html?|tex|ipynb|po)$|(?:^|/)(?:docs?|examples?|` +
		`samples?|demos?|site|website)/|changelog|(?:^|/)(?:history|news|license|authors|notice)[^/]*$`)
	dataPath = lazyregexp.New(`(?i)\.(?:json|csv|tsv|svg|lock|sum|xml|css|scss|snap|out|dat|patch|map|jsonl|` +
		`ya?ml|toml|cfg|ini)$|(?:^|/)[^/]*lock[^/]*\.(?:json|ya?ml)$`)
	codeExtension = set(`
.go .py .pyi .pyx .js .jsx .mjs .cjs .ts .tsx .mts .cts .java .rs .c .h .cc .cpp .cxx .hh .hpp .hxx .inl .cs .rb .php
.kt .swift .scala .sh .vue .svelte .lua .ex .exs .erl .hs .ml .clj .dart .zig .nim .m .mm .pl .r .jl .sql .proto`)
)

const testFactor = .25 // of tests

// factor returns the factor of a file for its kind: 1 for code.
func (q *question) factor(p string) float64 {
	f := 1.0
	if testfile.Is(p) && !q.tests {
		f *= testFactor
	}
	if vendoredPath.MatchString(p) {
		f *= .3
	}
	if dependencyPath.MatchString(p) {
		f *= .5
	}
	switch {
	case q.docs:
	case docPath.MatchString(p):
		f *= .4
	case dataPath.MatchString(p):
		f *= .3
	}
	return f
}

func isCode(p string) bool { return codeExtension[strings.ToLower(path.Ext(p))] }
