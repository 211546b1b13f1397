// Platforms checks that all packages and their tests compile for other systems, and vets them.
//
//	go run -C .ci/platforms . ../.. windows/amd64 darwin/arm64
//
// It is a module of its own, so that what checks the product is no dependency of it.
//
// It reads everything that this module imports from source, the standard library too, so it needs no cache and takes
// half a minute a system (and 3 GB of memory), where `go vet` first compiles for that system whatever is imported:
// minutes with an empty cache.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/cgocall"
	"golang.org/x/tools/go/analysis/passes/composite"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/directive"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/framepointer"
	"golang.org/x/tools/go/analysis/passes/hostport"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/slog"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stdversion"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
	"golang.org/x/tools/go/packages"
)

// vet is what `go vet` runs (cmd/vet of Go 1.26).
var vet = []*analysis.Analyzer{
	appends.Analyzer, asmdecl.Analyzer, assign.Analyzer, atomic.Analyzer, bools.Analyzer, buildtag.Analyzer,
	cgocall.Analyzer, composite.Analyzer, copylock.Analyzer, defers.Analyzer, directive.Analyzer, errorsas.Analyzer,
	framepointer.Analyzer, hostport.Analyzer, httpresponse.Analyzer, ifaceassert.Analyzer, loopclosure.Analyzer,
	lostcancel.Analyzer, nilfunc.Analyzer, printf.Analyzer, shift.Analyzer, sigchanyzer.Analyzer, slog.Analyzer,
	stdmethods.Analyzer, stdversion.Analyzer, stringintconv.Analyzer, structtag.Analyzer, testinggoroutine.Analyzer,
	tests.Analyzer, timeformat.Analyzer, unmarshal.Analyzer, unreachable.Analyzer, unsafeptr.Analyzer,
	unusedresult.Analyzer, waitgroup.Analyzer,
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: go run -C .ci/platforms . MODULE OS/ARCHITECTURE...")
	}
	failed := false
	for _, platform := range os.Args[2:] {
		start := time.Now()
		n, errs := check(os.Args[1], platform)
		for _, err := range errs {
			log.Printf("%s: %v", platform, err)
		}
		failed = failed || len(errs) > 0
		fmt.Printf("%s: %d packages of this module in %.0fs, %d errors\n", platform, n, time.Since(start).Seconds(), len(errs))
	}
	if failed {
		log.Fatal("each must compile and pass go vet")
	}
}

const everything = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
	packages.NeedModule

// check checks all packages below a folder and returns how many there are, a package with its tests being another.
func check(dir, platform string) (n int, errs []error) {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return 0, []error{errors.New("not of the form OS/ARCHITECTURE")}
	}
	env := append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	all, err := packages.Load(&packages.Config{Mode: everything, Dir: dir, Env: env, Tests: true}, "./...")
	if err != nil {
		return 0, []error{err}
	}
	said := map[string]bool{}
	say := func(err string) { // a package and its variant for tests have the same errors
		if !said[err] {
			said[err] = true
			errs = append(errs, errors.New(err))
		}
	}
	for _, p := range all {
		for _, err := range p.Errors {
			say(err.Error())
		}
	}
	if len(errs) > 0 {
		return len(all), errs
	}
	graph, err := checker.Analyze(vet, all, nil)
	if err != nil {
		return len(all), []error{err}
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			say(fmt.Sprintf("%s: %v", action, action.Err))
		}
		for _, d := range action.Diagnostics {
			say(fmt.Sprintf("%s: %s", action.Package.Fset.Position(d.Pos), d.Message))
		}
	}
	return len(all), errs
}
