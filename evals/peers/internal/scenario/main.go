package scenario

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// A Play has a library play r from the prompt to its end. It returns the error with which the library ended.
type Play func(ctx context.Context, r *Run) error

const (
	patience  = 2 * time.Minute // for one play
	warmCalls = 40              // of the play that is not measured
)

// Main plays the scenario once, as the flags say, and prints its [Row] as a line of JSON. Module is the path of the
// library's module, whose version the row carries.
func Main(module string, play Play) {
	var o Options
	flag.IntVar(&o.Calls, "calls", 200, "have the model make `N` calls")
	flag.BoolVar(&o.Enforce, "enforce", false, "refuse requests over the budget")
	flag.BoolVar(&o.Dead, "dead", false, "refuse requests for a summary")
	flag.BoolVar(&o.Audit, "audit", false, "measure every request instead of the time")
	flag.StringVar(&o.Mode, "mode", "", "set the library up as `NAME` says (see its source)")
	flag.Parse()
	warm := o
	warm.Calls = min(o.Calls, warmCalls)
	Measure(NewRun(warm), play) // what a program does once, such as compiling expressions, is not part of the figures
	row := Measure(NewRun(o), play)
	row.Version = version(module)
	if err := json.NewEncoder(os.Stdout).Encode(row); err != nil {
		fmt.Fprintln(os.Stderr, "write the row:", err)
		os.Exit(1)
	}
}

// Measure plays r and returns its row.
func Measure(r *Run, play Play) Row {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	runtime.GC()
	r.sampleHeap()
	r.base, r.row.PeakHeap = r.row.PeakHeap, 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cpu()
	err := playSafely(ctx, r, play)
	used := cpu() - began
	runtime.ReadMemStats(&after)

	r.mu.Lock()
	defer r.mu.Unlock()
	row := r.row
	row.Calls, row.TimedOut = len(r.read), ctx.Err() != nil
	row.CPU = used.Seconds()
	row.Allocs, row.Bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	row.PeakHeap -= min(row.PeakHeap, r.base)
	if err != nil {
		row.Error = strings.Join(strings.Fields(err.Error()), " ")
	}
	return row
}

func playSafely(ctx context.Context, r *Run, play Play) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return play(ctx, r)
}

// cpu is the user and system time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// version is that of a module in this program; "" for this repository's own.
func version(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == module && m.Replace == nil {
			return m.Version
		}
	}
	return ""
}
