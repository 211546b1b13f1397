// Fuzz runs the fuzz targets of this module and prints what each of them did.
//
//	go run ./.ci/fuzz                         # the targets whose turn it is, 2 seconds each
//	go run ./.ci/fuzz -all -each 1m           # all targets, a minute each
//	go run ./.ci/fuzz -all -run report.Fuzz   # the targets whose package and name match
//	go run ./.ci/fuzz -all -each 1m -keep     # and commit what covers new statements to testdata/fuzz
//
// It compiles one binary a package and instruments only the packages of this module, so that the standard library and
// the modules it imports come from the cache that the tests filled: `go test -fuzz` compiles them all again. Its
// feedback is what the code of this module does with an input, not what a regexp or a decoder below it does.
//
// A run without -all takes the packages in turn. The turn is drawn from the commit and the day, so that another commit
// and a nightly run of the same commit draw anew; -turn repeats one. The seeds of every target run with the tests.
//
// The turns assume 60 runs a week, each of another commit or on another day. Then each target is fuzzed a minute a week
// on average, and 40 seconds or more in 99 of 100 weeks, since turns are drawn. With fewer runs it is less, a second
// for each run, and another run of the same commit on the same day repeats its turn.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What the rotation is made for: over a week of runs, each target gets a minute.
const (
	runsAWeek = 60
	perWeek   = time.Minute
)

// Options are the flags.
type options struct {
	each     time.Duration
	minimize string // as -fuzzminimizetime
	all      bool
	turn     int // negative: drawn
	match    *regexp.Regexp
	keep     bool
	whole    bool
	workers  int
}

func main() {
	log.SetFlags(0)
	var o options
	flag.DurationVar(&o.each, "each", 2*time.Second, "fuzz each target for `TIME`")
	flag.StringVar(&o.minimize, "minimize", "100x", "minimise an input in `TIME`, or in N runs as Nx")
	flag.BoolVar(&o.all, "all", false, "fuzz all targets, not only those whose turn it is")
	flag.IntVar(&o.turn, "turn", -1, "take the turn `N` (default: drawn from the commit and the day)")
	match := flag.String("run", "", "fuzz only targets whose package.Name matches the `REGEXP`")
	flag.BoolVar(&o.keep, "keep", false, "copy new inputs that cover more statements to testdata/fuzz")
	flag.BoolVar(&o.whole, "whole", false, "instrument the standard library and other modules too (slow to compile)")
	flag.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "run `N` processes a target")
	flag.Parse()
	var err error
	if o.match, err = regexp.Compile(*match); err != nil {
		log.Fatalf("-run: %v", err)
	}
	if err := run(o); err != nil {
		log.Fatal(err)
	}
}

func run(o options) error {
	all, err := packages()
	if err != nil {
		return err
	}
	chosen, said, err := choose(all, o)
	if err != nil {
		return err
	}
	fmt.Println(said)
	dir, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	start := time.Now()
	if err := compile(chosen, dir, o.whole); err != nil {
		return err
	}
	fmt.Printf("compiled %d packages in %.0fs\n", len(chosen), time.Since(start).Seconds())
	var results []result
	for _, p := range chosen {
		for _, name := range p.targets {
			r := fuzz(p, name, o)
			fmt.Println(r.line())
			results = append(results, r)
		}
	}
	fmt.Print("\n" + table(results))
	if o.keep {
		if err := keepInputs(chosen, dir); err != nil {
			return err
		}
	}
	if n := failures(results); n > 0 {
		return fmt.Errorf("%d of %d targets failed", n, len(results))
	}
	return nil
}

func failures(results []result) (n int) {
	for _, r := range results {
		if r.err != nil {
			n++
		}
	}
	return n
}

// A pkg is a package with fuzz targets.
type pkg struct {
	path, dir string
	targets   []string
	binary    string // its tests, instrumented
	found     string // the folder of the inputs that reached new code; that of the go command
}

// name is the path without that of the module.
func (p *pkg) name() string { return strings.TrimPrefix(p.path, modulePath+"/") }

const modulePath = "github.com/forayhq/foray"

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// packages returns the packages of the module that have fuzz targets, by path.
func packages() ([]*pkg, error) {
	const format = "{{.ImportPath}}\t{{.Dir}}\t{{range .TestGoFiles}}{{.}} {{end}}{{range .XTestGoFiles}}{{.}} {{end}}"
	out, err := output(exec.Command("go", "list", "-f", format, "./..."))
	if err != nil {
		return nil, err
	}
	cache, err := output(exec.Command("go", "env", "GOCACHE"))
	if err != nil {
		return nil, err
	}
	var all []*pkg
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		if len(fields) < 3 {
			continue // without tests
		}
		p := &pkg{path: fields[0], dir: fields[1]}
		p.found = filepath.Join(strings.TrimSpace(cache), "fuzz", filepath.FromSlash(p.path))
		for name := range strings.FieldsSeq(fields[2]) {
			src, err := os.ReadFile(filepath.Join(p.dir, name))
			if err != nil {
				return nil, err
			}
			for _, m := range declared.FindAllSubmatch(src, -1) {
				p.targets = append(p.targets, string(m[1]))
			}
		}
		if len(p.targets) > 0 {
			slices.Sort(p.targets)
			all = append(all, p)
		}
	}
	return all, nil
}

// choose returns the packages to fuzz, with the targets to fuzz, and says which and why.
func choose(all []*pkg, o options) (chosen []*pkg, said string, err error) {
	parts, why := 1, ""
	turn := max(o.turn, 0)
	if !o.all {
		parts = rotation(o.each)
		if o.turn < 0 {
			if turn, why, err = drawTurn(time.Now()); err != nil {
				return nil, "", err
			}
		}
	}
	total, n := 0, 0
	for i, p := range all {
		total += len(p.targets)
		p.targets = slices.DeleteFunc(p.targets, func(t string) bool { return !o.match.MatchString(p.name() + "." + t) })
		if i%parts == turn%parts && len(p.targets) > 0 {
			chosen = append(chosen, p)
			n += len(p.targets)
		}
	}
	if len(chosen) == 0 {
		return nil, "", errors.New("no fuzz target matches; drop -run or -turn")
	}
	said = fmt.Sprintf("fuzzing %d of %d targets, in %d of %d packages, %v each", n, total, len(chosen), len(all), o.each)
	if parts > 1 {
		a := time.Duration(runsAWeek/parts) * o.each
		said += fmt.Sprintf("\nturn %d of %d%s: with %d runs a week, each target is fuzzed %v a week", turn%parts+1, parts, why, runsAWeek, a)
	}
	return chosen, said, nil
}

// rotation returns over how many runs the targets are spread.
func rotation(each time.Duration) int { return max(int(runsAWeek*each/perWeek), 1) }

// drawTurn draws from the commit and the day. Neither alone would do: a nightly run may see no new commit, and a day
// many.
func drawTurn(now time.Time) (turn int, why string, err error) {
	head, err := output(exec.Command("git", "rev-parse", "HEAD"))
	if err != nil {
		return 0, "", fmt.Errorf("%w; give -turn outside a repository", err)
	}
	days := int(now.Unix() / 86_400)
	head = strings.TrimSpace(head)
	turn, err = turnOf(head, days)
	return turn, fmt.Sprintf(" (commit %.8s, day %d)", head, days), err
}

// turnOf draws the turn of a commit on a day. It is not negative.
func turnOf(head string, days int) (int, error) {
	hash, err := strconv.ParseUint(head[:min(len(head), 8)], 16, 64)
	if err != nil {
		return 0, fmt.Errorf("commit %q: %w", head, err)
	}
	return int(hash) + days, nil
}

// compile builds the test binary of each package into dir.
func compile(all []*pkg, dir string, whole bool) error {
	flags := []string{"test", "-c", "-vet=off", "-gcflags=" + modulePath + "/...=-d=libfuzzer"}
	if whole {
		flags = []string{"test", "-c", "-vet=off", "-fuzz=."}
	}
	for n := 0; len(all) > 0; n++ { // packages of the same name are compiled one after another
		args, seen, rest := slices.Clone(flags), map[string]bool{}, []*pkg(nil)
		into := filepath.Join(dir, strconv.Itoa(n))
		args = append(args, "-o", into+string(filepath.Separator))
		for _, p := range all {
			base := filepath.Base(p.dir)
			if seen[base] || whole && len(seen) > 0 {
				rest = append(rest, p)
				continue
			}
			seen[base], p.binary = true, filepath.Join(into, base+".test")
			args = append(args, p.path)
		}
		if _, err := output(exec.Command("go", args...)); err != nil {
			return err
		}
		all = rest
	}
	return nil
}

// output runs a command and returns what it printed. The error holds what it printed to stderr.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, cmp.Or(string(exit.Stderr), string(out)))
		}
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args[:min(len(cmd.Args), 3)], " "), err)
	}
	return string(out), nil
}
