package agent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// readmeExamples are the Examples that the README shows, in its order.
var readmeExamples = []struct{ file, function string }{
	{"example_test.go", "Example"},
	{"../tools/example_test.go", "ExampleNew"},
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestREADMEShowsExamples holds the Go of the README equal to Examples that are compiled and run.
func TestREADMEShowsExamples(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllStringSubmatch(string(readme), -1)
	if len(blocks) != len(readmeExamples) {
		t.Fatalf("the README has %d blocks of Go, want %d", len(blocks), len(readmeExamples))
	}
	for i, example := range readmeExamples {
		if want := body(t, example.file, example.function); blocks[i][1] != want {
			t.Errorf("block %d of the README differs from %s in %s, which is:\n%s", i+1, example.function, example.file, want)
		}
	}
}

// body returns the statements of a function without its output comment, one tab less indented.
func body(t *testing.T, file, function string) string {
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != function {
			continue
		}
		text := string(source[fset.Position(f.Body.Lbrace).Offset+2 : fset.Position(f.Body.Rbrace).Offset])
		text, _, _ = strings.Cut(text, "\t// Output:")
		return strings.ReplaceAll("\n"+text, "\n\t", "\n")[1:]
	}
	t.Fatalf("%s has no %s", file, function)
	return ""
}
