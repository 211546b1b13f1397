// Platforms checks that all packages and their tests compile for other systems.
//
//	go run ./.ci/platforms windows/amd64 darwin/arm64
//
// It checks types from source and compiles nothing: of the packages that this module imports, the standard library's too,
// it reads only the declarations. So it takes seconds a system and needs no cache, where `go vet` first compiles for that
// system whatever is imported: minutes with an empty cache. It finds what a compiler finds, such as names that a system
// does not have, in files for one system and in those for all, but not what only the analyzers of `go vet` find. Those
// read the same files, for this system; for the few files that other systems have for themselves, see `make platforms`.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	failed := false
	for _, platform := range os.Args[1:] {
		start := time.Now()
		n, errs := check(".", platform)
		for _, err := range errs {
			log.Printf("%s: %v", platform, err)
		}
		failed = failed || len(errs) > 0
		fmt.Printf("%s: %d packages of this module in %.0fs, %d errors\n", platform, n, time.Since(start).Seconds(), len(errs))
	}
	if failed || len(os.Args) < 2 {
		log.Fatal("usage: go run ./.ci/platforms OS/ARCHITECTURE...; each must compile")
	}
}

// A listed package is what `go list` says of one. The variant for tests of a package is a package of its own.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string // from what a file says to the ImportPath
	DepOnly    bool
	Module     *struct{ GoVersion string }
	Error      *struct{ Err string }
}

// list returns the packages below a folder with their tests, for a platform, and before each what it imports.
func list(dir, platform string) ([]listed, error) {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, errors.New("not of the form OS/ARCHITECTURE")
	}
	const fields = "-json=ImportPath,Dir,GoFiles,ImportMap,DepOnly,Module,Error"
	cmd := exec.Command("go", "list", "-e", "-deps", "-test", fields, "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// check checks all packages below a folder and returns how many are not only imported.
func check(dir, platform string) (own int, errs []error) {
	all, err := list(dir, platform)
	if err != nil {
		return 0, []error{err}
	}
	known, said := map[string]*types.Package{"unsafe": types.Unsafe}, map[string]bool{}
	_, arch, _ := strings.Cut(platform, "/")
	for _, p := range all {
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the program of tests is generated
			continue
		}
		mine := !p.DepOnly || strings.Contains(p.ImportPath, " [") // variants for tests are of this module
		if p.Error != nil && mine {
			errs = append(errs, errors.New(p.Error.Err))
		}
		found := p.check(arch, known, mine)
		if !mine {
			continue
		}
		own++
		for _, err := range found { // a package and its variant for tests have the same errors
			if !said[err.Error()] {
				said[err.Error()] = true
				errs = append(errs, err)
			}
		}
	}
	return own, errs
}

// check checks a package against those that are known, adds it to them and returns its errors.
func (p *listed) check(arch string, known map[string]*types.Package, bodies bool) (errs []error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			errs = append(errs, err)
		}
		if f != nil {
			files = append(files, f)
		}
	}
	conf := types.Config{
		Importer: importer(func(path string) (*types.Package, error) {
			path = cmp.Or(p.ImportMap[path], path)
			if found := known[path]; found != nil {
				return found, nil
			}
			return nil, fmt.Errorf("no package %q", path)
		}),
		IgnoreFuncBodies: !bodies,
		Sizes:            types.SizesFor("gc", arch),
		Error:            func(err error) { errs = append(errs, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	known[p.ImportPath], _ = conf.Check(path, fset, files, nil) // Error has the errors
	return errs
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
