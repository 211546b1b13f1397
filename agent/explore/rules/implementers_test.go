package rules_test

import (
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// implementersIn returns the named types of a package that implement its interfaces, by interface, as the compiler sees
// it.
func implementersIn(pkg *types.Package) map[string][]string {
	all := make(map[string][]string)
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() || !types.IsInterface(t.Type()) {
			continue
		}
		i := t.Type().Underlying().(*types.Interface)
		if named := t.Type().(*types.Named); i.NumMethods() == 0 || named.TypeParams().Len() > 0 {
			continue
		}
		for _, other := range scope.Names() {
			o, ok := scope.Lookup(other).(*types.TypeName)
			if !ok || o.IsAlias() || types.IsInterface(o.Type()) || o.Type().(*types.Named).TypeParams().Len() > 0 {
				continue
			}
			if types.Implements(types.NewPointer(o.Type()), i) {
				all[name] = append(all[name], other)
			}
		}
	}
	return all
}

// Packages of the standard library whose interfaces are asked for: the chosen ones were in view when the rules were
// made, the others were not.
var packages = map[string][]string{
	"chosen": {"text/template/parse", "image/color", "context", "sort", "io/fs", "go/ast", "image", "io", "net",
		"database/sql/driver", "go/constant", "debug/dwarf", "encoding/xml", "os", "flag", "log/slog", "mime/multipart",
		"crypto/tls", "go/types", "regexp/syntax", "net/http/httptest", "net/rpc", "expvar", "archive/zip", "encoding/json"},
	"others": {"image/draw", "go/doc/comment", "math/rand", "go/printer", "net/http", "encoding/gob", "crypto/x509",
		"html/template", "database/sql", "testing", "testing/fstest", "compress/flate", "go/doc", "reflect", "runtime/pprof",
		"strings", "bytes", "time", "encoding/binary", "crypto/elliptic", "image/jpeg", "image/png", "image/gif", "go/build",
		"encoding/asn1", "text/template", "net/http/cookiejar", "internal/fuzz", "internal/zstd", "debug/elf"},
}

// TestImplementersOfGo asks which types implement an interface, and compares with what the compiler says: of the first
// three packages or, with FORAY_IMPLEMENTERS=all, of all. Then the first type was right for 73 of 81 chosen interfaces
// and 45 of 51 others, and so were 323 of 331 and 156 of 163 types, of 351 and 169 that are wanted.
func TestImplementersOfGo(t *testing.T) {
	all := os.Getenv("FORAY_IMPLEMENTERS") == "all"
	for name, paths := range packages {
		if !all {
			paths = paths[:3]
		}
		var asked, first, listed, right, wanted int
		for _, path := range paths {
			pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import(path)
			if err != nil {
				t.Log(err)
				continue
			}
			files := os.DirFS(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(path)))
			for name, want := range implementersIn(pkg) {
				rep, _ := explore(t, "which types implement "+name+"?", func(c *agent.Config) {
					c.Tools = codebase.Tools(sourcetree.Open(files, nil), &codebase.Options{JSON: true})
				})
				if rep == nil {
					t.Errorf("%s.%s: no report", path, name)
					continue
				}
				asked++
				for i, p := range rep.Places {
					if strings.Contains(p.Path, "/") || strings.HasSuffix(p.Path, "_test.go") {
						continue
					}
					listed++
					switch {
					case slices.Contains(want, p.Symbol):
						right++
						first += 1 - min(i, 1)
					case all:
						t.Logf("%s.%s: %s, want %v", path, name, p.Symbol, want)
					}
				}
				wanted += min(len(want), 10)
			}
		}
		t.Logf("%s: of %d interfaces the first type was right for %d; %d types listed, %d of them right, %d wanted",
			name, asked, first, listed, right, wanted)
		if right*10 < listed*9 || right*10 < wanted*8 || first*10 < asked*8 {
			t.Errorf("%s: too few", name)
		}
	}
}
