package agent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goBlock = regexp.MustCompile("(?s)(<!-- (\\S+) (\\w+) -->\n)?```go\n(.*?)```")
	printed = regexp.MustCompile("(?s)\n````\n.*?\n````\n") // what a command prints, with blocks of its own
	link    = regexp.MustCompile(`\]\(([^)#]+\.md)(#[^)]*)?\)`)
)

// TestPagesShowExamples holds the Go of the README and of docs/ equal to Examples that are compiled and run. A comment
// before each block names the file and the function.
func TestPagesShowExamples(t *testing.T) {
	shown := 0
	for _, page := range docPages(t) {
		for _, block := range goBlock.FindAllStringSubmatch(printed.ReplaceAllString(readText(t, page), "\n"), -1) {
			file, function, code := block[2], block[3], block[4]
			if file == "" {
				t.Errorf("%s: a block of Go has no comment that names its example:\n%s", page, code)
				continue
			}
			if want := body(t, filepath.Join("..", file), function); code != want {
				t.Errorf("%s: a block differs from %s in %s, which is:\n%s", page, function, file, want)
			}
			shown++
		}
	}
	if shown < 4 {
		t.Errorf("the pages show %d examples, want at least 4", shown)
	}
}

// TestPagesLink checks that links between pages lead somewhere.
func TestPagesLink(t *testing.T) {
	for _, page := range docPages(t) {
		for _, m := range link.FindAllStringSubmatch(readText(t, page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: broken link: %v", page, err)
			}
		}
	}
}

func docPages(t *testing.T) []string {
	docs, err := filepath.Glob("../docs/*.md")
	if err != nil || len(docs) == 0 {
		t.Fatalf("no pages in docs: %v", err)
	}
	return append(docs, "../README.md", "../CONTRIBUTING.md", "../contextwindow/README.md", "../tools/locate/README.md")
}

func readText(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// body returns the statements of a function without its output comment, one tab less indented.
func body(t *testing.T, file, function string) string {
	source := readText(t, file)
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
		text := source[fset.Position(f.Body.Lbrace).Offset+2 : fset.Position(f.Body.Rbrace).Offset]
		text, _, _ = strings.Cut(text, "\t// Output:")
		return strings.ReplaceAll("\n"+text, "\n\t", "\n")[1:]
	}
	t.Fatalf("%s has no %s", file, function)
	return ""
}
