package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// A result is what a target did.
type result struct {
	target       string  // package.Name
	seconds, cpu float64 // of the clock, and of all processors
	runs, inputs int     // inputs that reached new code
	err          error
}

// fuzz fuzzes a target of a compiled package.
func fuzz(p *pkg, name string, o options) result {
	cmd := exec.Command(p.binary, "-test.run=^$", "-test.fuzz=^"+name+"$", "-test.fuzztime="+o.each.String(),
		"-test.fuzzminimizetime="+o.minimize, "-test.fuzzcachedir="+p.found, "-test.parallel="+strconv.Itoa(o.workers))
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "PWD="+p.dir, "GOGC=400") // the heap of a run is small: by default, half the time is GC
	start := time.Now()
	out, err := cmd.CombinedOutput()
	r := result{target: p.name() + "." + name, seconds: time.Since(start).Seconds()}
	if s := cmd.ProcessState; s != nil {
		r.cpu = (s.UserTime() + s.SystemTime()).Seconds()
	}
	r.runs, r.inputs = counts(string(out))
	if err != nil && !timeWasOver(string(out)) {
		r.err = fmt.Errorf("%w\n%s", err, out)
	}
	return r
}

// timeWasOver reports whether the end of the time itself was taken for a failure, with no input, as before Go 1.27
// (go.dev/issue/75804).
func timeWasOver(out string) bool {
	return strings.Contains(out, "\n    context deadline exceeded\n") && !strings.Contains(out, "Failing input") &&
		!strings.Contains(out, "panic:")
}

var progress = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+)`)

// counts reads the last line of progress.
func counts(out string) (runs, inputs int) {
	all := progress.FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		return 0, 0
	}
	last := all[len(all)-1]
	runs, _ = strconv.Atoi(last[1])
	inputs, _ = strconv.Atoi(last[2])
	return runs, inputs
}

// A target is slow if it runs less often in a second of a processor, its start included.
const slow = 100

// rate is the runs a second of a processor: on a busy machine, seconds of the clock say little.
func (r *result) rate() float64 { return float64(r.runs) / max(r.cpu, .001) }

func (r *result) word() string {
	switch {
	case r.err != nil:
		return "failed"
	case r.rate() < slow:
		return "ok, slow"
	}
	return "ok"
}

// line is the progress of a run: a result, and what failed.
func (r *result) line() string {
	s := fmt.Sprintf("%-8s %s: %d runs", r.word(), r.target, r.runs)
	if r.err != nil {
		s += "\n" + r.err.Error()
	}
	return s
}

// table writes the results for people, with their sum.
func table(results []result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "seconds\tCPU\truns\ta CPU second\tnew inputs\tresult\t  target")
	row := func(r *result) {
		fmt.Fprintf(w, "%.1f\t%.1f\t%d\t%.0f\t%d\t%s\t  %s\n", r.seconds, r.cpu, r.runs, r.rate(), r.inputs, r.word(), r.target)
	}
	total := result{target: fmt.Sprintf("%d targets", len(results))}
	for i := range results {
		r := &results[i]
		row(r)
		total.seconds, total.cpu = total.seconds+r.seconds, total.cpu+r.cpu
		total.runs, total.inputs = total.runs+r.runs, total.inputs+r.inputs
		total.err = errors.Join(total.err, r.err)
	}
	row(&total)
	w.Flush()
	return b.String()
}
