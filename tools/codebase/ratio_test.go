package codebase

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// ratios are the searches whose time is compared with ripgrep's.
var ratios = []struct{ name, pattern, fold string }{
	{"literal", "deprecated", ""},
	{"frequent", "return", ""},
	{"fold", "filename", "insensitive"},
	{"alternation", "readFrom|WriteTo|closeAll|as_view|free_symbols", ""},
	{"regexp", `\b(self|err)\.\w+\(\w+\)$`, ""},
	{"classes", `[a-z]+[0-9]{4}$`, ""},
}

// BenchmarkRatio compares a search with a run of ripgrep over the same tree, turn by turn: the medians in
// milliseconds of the wall clock and of the processors, and their ratio. "first" is a search with nothing in memory
// but what the system keeps, "again" a repeated one. The trees are the standard library and the directories in
// FORAY_TREES:
//
//	FORAY_TREES=/src/sympy:/src/django go test -run '^$' -bench Ratio -benchtime 31x ./tools/codebase
func BenchmarkRatio(b *testing.B) {
	if _, err := exec.LookPath("rg"); err != nil {
		b.Skip("ripgrep is not installed: nothing to compare with")
	}
	for _, dir := range append([]string{goSources(b)}, filepath.SplitList(os.Getenv("FORAY_TREES"))...) {
		for _, c := range ratios {
			args := fmt.Sprintf(`{"pattern":%q,"case":%q,"context":0}`, c.pattern, cmp.Or(c.fold, "sensitive"))
			for _, again := range []bool{false, true} {
				b.Run(
					fmt.Sprintf("%s/%s/%s", filepath.Base(dir), c.name, map[bool]string{false: "first", true: "again"}[again]),
					func(b *testing.B) {
						search := searcher(b, dir, args, again)
						rg := append(strings.Fields("-n --no-heading --color=never --no-config"), "-e", c.pattern)
						if c.fold != "" {
							rg = append(rg, "-i")
						}
						var ours, theirs []spent
						for b.Loop() {
							ours = append(ours, search())
							theirs = append(theirs, runRipgrep(b, dir, rg))
						}
						measured(b, ours, theirs)
					},
				)
			}
		}
	}
}

// spent is what a run took.
type spent struct{ wall, cpu time.Duration }

func measured(b *testing.B, ours, theirs []spent) {
	median := func(s []spent, of func(spent) time.Duration) float64 {
		slices.SortFunc(s, func(x, y spent) int { return cmp.Compare(of(x), of(y)) })
		return float64(of(s[len(s)/2]).Microseconds()) / 1000
	}
	wall := func(s spent) time.Duration { return s.wall }
	cpu := func(s spent) time.Duration { return s.cpu }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ours, wall), "ms")
	b.ReportMetric(median(theirs, wall), "rg-ms")
	b.ReportMetric(median(ours, wall)/median(theirs, wall), "ratio")
	b.ReportMetric(median(ours, cpu), "cpu-ms")
	b.ReportMetric(median(theirs, cpu), "rg-cpu-ms")
	b.ReportMetric(median(ours, cpu)/median(theirs, cpu), "cpu-ratio")
}

// searcher returns a function that runs one search with new tools, or again with those of the first.
func searcher(b *testing.B, dir, args string, again bool) func() spent {
	r, err := tree.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close() })
	var set *tools.Set
	search := func() spent {
		if set == nil || !again {
			if set, err = tools.NewSet(Tools(tree.Open(r.FS(), nil), nil)...); err != nil {
				b.Fatal(err)
			}
		}
		start, before := time.Now(), ownTime(b)
		if text, err := callIn(b.Context(), b, set, "search", args); err != nil ||
			strings.Contains(text, "note: the deadline") {
			b.Fatalf("%.200s", text)
		}
		return spent{time.Since(start), ownTime(b) - before}
	}
	search()
	return search
}

func runRipgrep(b *testing.B, dir string, args []string) spent {
	cmd := exec.Command("rg", append(args, ".")...)
	cmd.Dir, cmd.Stdout = dir, io.Discard
	start := time.Now()
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		b.Fatal(err)
	}
	return spent{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

func ownTime(b *testing.B) time.Duration {
	used, err := ostest.CPUTime()
	if err != nil {
		b.Skip(err)
	}
	return used
}

// goSources is the directory of the standard library's sources.
func goSources(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if _, statErr := os.Stat(dir); err != nil || statErr != nil {
		t.Skip("the Go sources are not installed: nothing to search in")
	}
	return dir
}
