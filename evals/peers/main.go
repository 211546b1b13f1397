package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

// A setup is one way in which a library plays: a row of each table.
type setup struct {
	name string
	dir  string // of its program
	mode string
}

// setups are the rows. The first is what the others are compared with.
var setups = []setup{
	{"foray", "foray", ""},
	{"foray, summariser", "foray", "summariser"},
	{"eino", "eino", ""},
	{"eino, reduction", "eino", "reduction"},
	{"trpc-agent-go", "trpc", ""},
	{"trpc-agent-go, cache", "trpc", "cache"},
	{"agentcore", "agentcore", ""},
	{"agentcore, commit", "agentcore", "commit"},
	{"fantasy", "fantasy", ""},
	{"langchaingo", "langchaingo", ""},
	{"adk-go", "adk", ""},
	{"genkit", "genkit", ""},
	{"no library", "bare", ""},
}

// A variant of the scenario is a table.
type variant struct {
	title string
	scenario.Options
}

var variants = []variant{
	{"200 calls", scenario.Options{Calls: 200}},
	{"200 calls, requests over 24,000 tokens refused", scenario.Options{Calls: 200, Enforce: true}},
	{"200 calls, the same, and requests for a summary fail", scenario.Options{Calls: 200, Enforce: true, Dead: true}},
	{"400 calls", scenario.Options{Calls: 400}},
	{"2,000 calls", scenario.Options{Calls: 2_000}},
	{
		"2,000 calls, requests over 24,000 tokens refused, and requests for a summary fail",
		scenario.Options{Calls: 2_000, Enforce: true, Dead: true},
	},
}

func main() {
	log.SetFlags(0)
	runs := flag.Int("runs", 5, "measure the CPU time `N` times, the libraries in turn")
	only := flag.String("only", "", "play only the set-ups whose folders are in `LIST`, separated by commas")
	flag.Parse()
	if err := bench(*runs, *only); err != nil {
		log.Fatal("peers: ", err)
	}
}

func bench(runs int, only string) error {
	bin, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	chosen := slices.DeleteFunc(slices.Clone(setups), func(s setup) bool {
		return only != "" && !slices.Contains(strings.Split(only, ","), s.dir)
	})
	if len(chosen) == 0 {
		return fmt.Errorf("-only %s names no folder of a library", only)
	}
	broken := make(map[string]string) // by folder: why it does not build
	for _, s := range chosen {
		if _, err := os.Stat(filepath.Join(bin, s.dir)); err == nil || broken[s.dir] != "" {
			continue
		}
		log.Printf("build %s", s.dir)
		build := exec.Command("go", "build", "-C", s.dir, "-o", filepath.Join(bin, s.dir), ".")
		if out, err := build.CombinedOutput(); err != nil {
			broken[s.dir] = lastLine(out, err)
		}
	}
	for _, v := range variants {
		lines := make([]line, len(chosen))
		for i, s := range chosen {
			lines[i] = line{setup: s, broken: broken[s.dir]}
		}
		measure(bin, v, runs, lines)
		if err := writeTable(os.Stdout, v, lines); err != nil {
			return err
		}
	}
	return nil
}

// A line is what was measured of one set-up in one variant.
type line struct {
	setup
	broken string // why there are no figures
	row    scenario.Row
	cpu    []float64 // seconds, ascending
	heap   []uint64  // bytes, ascending
}

// measure audits each set-up once, and then measures their times in turn, so that a busy moment of the machine meets
// all.
func measure(bin string, v variant, runs int, lines []line) {
	for run := range runs + 1 {
		for i := range lines {
			l := &lines[i]
			if l.broken != "" || run > 0 && l.row.TimedOut {
				continue
			}
			v.Audit, v.Mode = run == 0, l.mode
			row, err := play(filepath.Join(bin, l.dir), v.Options)
			switch {
			case err != nil:
				l.broken = err.Error()
			case v.Audit:
				log.Printf("%s: %s", v.title, l.name)
				l.row = row
			default:
				l.cpu, l.heap = append(l.cpu, row.CPU), append(l.heap, row.PeakHeap)
				l.row.Allocs, l.row.Bytes = row.Allocs, row.Bytes
			}
		}
	}
	for i := range lines {
		slices.Sort(lines[i].cpu)
		slices.Sort(lines[i].heap)
	}
}

const patience = 5 * time.Minute // for one process

// play runs a program once. An error means that it printed no row.
func play(program string, o scenario.Options) (row scenario.Row, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-calls", fmt.Sprint(o.Calls), "-mode", o.Mode,
		fmt.Sprintf("-enforce=%t", o.Enforce), fmt.Sprintf("-dead=%t", o.Dead), fmt.Sprintf("-audit=%t", o.Audit))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return row, fmt.Errorf("%s", lastLine(stderr.Bytes(), err))
	}
	at := bytes.LastIndexByte(bytes.TrimSpace(out), '\n') + 1 // libraries print, too
	if err := json.Unmarshal(out[at:], &row); err != nil {
		return row, fmt.Errorf("read the row: %w", err)
	}
	return row, nil
}

// lastLine is the last line of what a program wrote, or its error if it wrote nothing.
func lastLine(out []byte, err error) string {
	text := strings.TrimSpace(string(out))
	if text == "" {
		return err.Error()
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}
