package entries

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What Go's own parser sees, in the order of the source: the fields and embedded types of a structure, the methods of an
// interface, the parameters of a function.
func wantOf(n ast.Node) (kind, name string, want []string) {
	list := func(l *ast.FieldList, types bool) (names []string) {
		for _, f := range l.List {
			for _, id := range f.Names {
				names = append(names, id.Name)
			}
			if f.Names == nil && types {
				typ := f.Type
				if star, ok := typ.(*ast.StarExpr); ok {
					typ = star.X
				}
				switch typ := typ.(type) {
				case *ast.Ident:
					names = append(names, typ.Name)
				case *ast.SelectorExpr:
					names = append(names, typ.Sel.Name)
				}
			}
		}
		return names
	}
	switch n := n.(type) {
	case *ast.TypeSpec:
		switch typ := n.Type.(type) {
		case *ast.StructType:
			return "struct", n.Name.Name, list(typ.Fields, true)
		case *ast.InterfaceType:
			return "interface", n.Name.Name, list(typ.Methods, true)
		}
	case *ast.FuncDecl:
		return "func", n.Name.Name, list(n.Type.Params, false)
	}
	return "", "", nil
}

// The entries of definitions of the standard library are those that Go's parser finds, but for a few in a hundred:
// blank names, types in lower case that are embedded, and structures within structures.
func TestEntriesOfGo(t *testing.T) {
	if testing.Short() {
		t.Skip("reads packages of the standard library")
	}
	right, all := make(map[string]int), make(map[string]int)
	for _, pkg := range []string{"net/http", "go/types", "encoding/json", "crypto/tls", "database/sql", "text/template", "os"} {
		files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Skip("no source of the standard library")
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fset, lines := token.NewFileSet(), strings.Split(string(src), "\n")
			f, err := parser.ParseFile(fset, file, src, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				kind, name, want := wantOf(n)
				if len(want) == 0 || slices.Contains(want, "_") {
					return true
				}
				text := Of(file, lines[fset.Position(n.Pos()).Line-1:fset.Position(n.End()).Line])
				got := text.Entries(kind)
				if kind == "func" {
					got = text.Parameters(name, false)
				}
				all[kind]++
				if slices.Equal(namesOf(got), want) {
					right[kind]++
				} else if os.Getenv("FORAY_DIFFERENCES") != "" {
					t.Logf("%s %s: %v, want %v", file, name, namesOf(got), want)
				}
				return true
			})
		}
	}
	for kind, n := range all {
		t.Logf("%s: %d of %d", kind, right[kind], n)
		if float64(right[kind]) < .95*float64(n) {
			t.Errorf("%s: %d of %d are read right, want 95 of 100", kind, right[kind], n)
		}
	}
}
