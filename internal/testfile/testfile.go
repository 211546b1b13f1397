// Package testfile separates tests from the code that they test, by the path of a file.
//
// Start with [Is].
package testfile

import (
	"path"
	"slices"
	"strings"
)

// folders contain tests and what they need, by convention.
var folders = []string{
	"test", "tests", "__tests__", "testdata", "spec", "specs", "e2e", "fixtures", "__fixtures__", "mocks", "__mocks__",
	"regress", "t", "testFixtures", "test-fixtures", "test_helpers",
}

// folderEnds are the ends of such folders: integration-tests, unit_tests, Parser.Tests, and the source sets of Gradle,
// src/jvmTest.
var folderEnds = []string{"-test", "-tests", "_test", "_tests", ".Test", ".Tests", "Test", "Tests"}

// names and nameEnds are the names of files of tests, and how they end, without the extension, in any language.
var (
	names    = []string{"conftest", "test", "tests"}
	nameEnds = strings.Fields("_test _tests .test .tests .spec _spec -test .e2e _mock .mock -mock")
)

// classEnds are how the names of classes of tests end in languages where a file is named after its class.
var (
	classEnds       = []string{"Test", "Tests"}
	classExtensions = []string{".java", ".kt", ".kts", ".scala", ".groovy", ".swift", ".cs", ".php", ".m", ".mm"}
)

// Is reports whether a path, with slashes, is that of a test or of something that only tests need, by the conventions
// of the languages.
func Is(p string) bool { return Folder(p) != "" || Named(p) }

// Folder returns the outermost folder of tests on a path, or "".
func Folder(p string) string {
	dir, _ := path.Split(p)
	from := 0
	for d := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if from += len(d) + 1; isFolder(d) {
			return dir[:from-1]
		}
	}
	return ""
}

func isFolder(name string) bool {
	return slices.Contains(folders, name) ||
		slices.ContainsFunc(folderEnds, func(end string) bool { return len(name) > len(end) && strings.HasSuffix(name, end) })
}

// Named reports whether the name of a file is that of a test, wherever it is.
func Named(p string) bool {
	ext := path.Ext(p)
	name := strings.TrimSuffix(path.Base(p), ext)
	ends := func(end string) bool { return len(name) > len(end) && strings.HasSuffix(name, end) }
	return ext == ".feature" || slices.Contains(names, name) || slices.ContainsFunc(nameEnds, ends) ||
		strings.HasPrefix(name, "test_") || strings.HasPrefix(name, "mock_") ||
		slices.Contains(classExtensions, ext) && slices.ContainsFunc(classEnds, ends)
}
