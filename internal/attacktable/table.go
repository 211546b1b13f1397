// Package attacktable collects what attacks cost their targets, and prints it as one table. Start with [Add].
package attacktable

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/ostest"
)

// Variable is the environment variable that names the file to which [Add] appends rows. Without it, rows are logged.
const Variable = "FORAY_ATTACK_ROWS"

// Unknown is the peak of a row whose memory cannot be measured.
const Unknown = -1

// A Row is what one attack did to one target.
type Row struct {
	Target  string // a dialect, a command or a package
	Attack  string
	Limit   string  // what ended the attack: a bound, a class of errors or an exit code
	Peak    int64   // bytes above what the target takes without the attack, or Unknown
	Seconds float64 // how long it took
	Words   string  // what a user reads; empty: nothing
	Failed  bool    // the target did something else than it should
}

// The widths of columns.
const (
	maxLimit = 44
	maxWords = 110
)

// String returns the row as a line of the table.
func (r Row) String() string {
	verdict := "held"
	if r.Failed {
		verdict = "FAILED"
	}
	words := line.Truncate(line.Printable(strings.Join(strings.Fields(r.Words), " ")), maxWords)
	text := fmt.Sprintf("%-20s %-20s %-6s %7s %7.1f  %-*s  %s", r.Target, r.Attack, verdict, megabytes(r.Peak),
		r.Seconds, maxLimit, line.Truncate(r.Limit, maxLimit), words)
	return strings.TrimRight(text, " ")
}

func megabytes(bytes int64) string {
	if bytes == Unknown {
		return "?"
	}
	return fmt.Sprintf("%.0f", float64(max(bytes, 0))/(1<<20))
}

// bounded precedes the bound in the errors of answers without an end.
const bounded = "the server does not end its answer: "

// LimitOf returns the bound that an error's words name, or else another name of what ended the attack.
func LimitOf(words, otherwise string) string {
	if _, bound, ok := strings.Cut(words, bounded); ok {
		if end := strings.IndexAny(bound, "\n\""); end >= 0 {
			bound = bound[:end]
		}
		return bound
	}
	return otherwise
}

// head is the first line of the table.
var head = fmt.Sprintf("%-20s %-20s %-6s %7s %7s  %-*s  %s", "target", "attack", "", "peak MB", "seconds", maxLimit,
	"limit that held", "words shown")

// Add logs a row and appends it to the file named by [Variable], if any. Processes may append at the same time.
func Add(t testing.TB, r Row) {
	t.Helper()
	t.Log(r)
	path := os.Getenv(Variable)
	if path == "" {
		return
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(raw, '\n')); err != nil {
		t.Error(err)
	}
}

// Watch adds a row for the test itself when it ends. Its attack is the name of the test.
func Watch(t testing.TB, target, limit string) {
	t.Helper()
	started, before := time.Now(), int64(0)
	err := ostest.ResetPeak(os.Getpid())
	if err == nil {
		before, err = ostest.Peak(os.Getpid())
	}
	t.Cleanup(func() {
		if t.Skipped() {
			return
		}
		row := Row{Target: target, Attack: strings.TrimPrefix(t.Name(), "TestAttack"), Limit: limit, Peak: Unknown,
			Seconds: time.Since(started).Seconds(), Failed: t.Failed()}
		if after, failed := ostest.Peak(os.Getpid()); err == nil && failed == nil {
			row.Peak = max(after-before, 0)
		}
		Add(t, row)
	})
}

// Print writes the rows of a file as a table, by target, and how many attacks of each target were held.
func Print(w io.Writer, rows io.Reader) error {
	var all []Row
	lines := bufio.NewScanner(rows)
	lines.Buffer(nil, 64<<20) // words may be an answer
	for lines.Scan() {
		var r Row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("reading row %d: %w", len(all)+1, err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading rows: %w", err)
	}
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(a.Target, b.Target) })
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, r := range all {
		b.WriteString(r.String() + "\n")
	}
	fmt.Fprintf(&b, "\n%-20s %6s %6s %12s\n", "target", "tried", "held", "most MB")
	sums(&b, all)
	_, err := io.WriteString(w, b.String())
	return err
}

// sums writes how many attacks of each target were held, and of all.
func sums(b *strings.Builder, all []Row) {
	write := func(name string, rows []Row) {
		held, most := 0, int64(Unknown)
		for _, r := range rows {
			if !r.Failed {
				held++
			}
			most = max(most, r.Peak)
		}
		fmt.Fprintf(b, "%-20s %6d %6d %12s\n", name, len(rows), held, megabytes(most))
	}
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].Target == all[from].Target {
			to++
		}
		write(all[from].Target, all[from:to])
		from = to
	}
	write("all", all)
}
