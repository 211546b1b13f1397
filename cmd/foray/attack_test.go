package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers/providertest"
)

// The environment of attacks on commands.
const (
	attackEnv = "FORAY_ATTACK"    // "long": all attacks
	peakEnv   = "FORAY_TEST_PEAK" // a file for the peak memory of a process of these tests
)

const (
	maxAttackPeak = 64 << 20         // bytes above what a command takes with a friendly server
	attackTime    = 4 * time.Minute  // for an attack that a bound ends, also on a busy machine
	deadline      = time.Second      // of the user from the request on, for an attack that takes minutes to end
	goneTime      = 30 * time.Second // for a command after its deadline
)

// worstAttacks are those of the short form, which took the most memory or time before answers were bounded.
var worstAttacks = []string{"endless-text", "endless-reasoning", "endless-arguments", "endless-event", "gzip-event", "trickle", "usage"}

// slowAttacks end by a time-out of minutes, or after a hundred megabytes: a user has less patience.
var slowAttacks = []string{"trickle", "hang", "hang-early", "hang-inside", "endless-progress", "endless-empty"}

// attacksNow returns the names of the attacks to make. With the race detector these are few: each is a process that
// takes seconds more.
func attacksNow() []string {
	if ostest.RaceDetector {
		return []string{"endless-text", "usage"}
	}
	if os.Getenv(attackEnv) != "long" {
		return worstAttacks
	}
	names, _ := new(providertest.Hostile).Attacks()
	return names
}

// tellPeak writes the peak memory of this process, which nobody else can read once it has ended.
func tellPeak() {
	path := os.Getenv(peakEnv)
	if path == "" {
		return
	}
	if n, err := ostest.Peak(os.Getpid()); err == nil {
		_ = os.WriteFile(path, []byte(strconv.FormatInt(n, 10)), 0o600) // without it the test fails
	}
}

// A ran is how a command ended.
type ran struct {
	code           int
	stdout, stderr string
	peak           int64
	seconds        float64
}

// runAttacked runs a command whose model is an attack of the server at url. If asked is not nil, the user's deadline
// begins when it reports that the model was asked, and then the command is interrupted.
func runAttacked(t *testing.T, url, attack string, asked func() bool, stdin string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), attackTime)
	defer cancel()
	if asked != nil {
		go func() {
			if until(attackTime, func() bool { return ctx.Err() != nil || asked() }) {
				time.Sleep(deadline)
				cancel()
			}
		}()
	}
	peak := filepath.Join(t.TempDir(), "peak")
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "foray", append(args, "--model", "openai/"+attack, "--base-url", url+"/v1", "--window", "32768")...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = goneTime
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	cmd.Env = append(os.Environ(), "FORAY_MODEL=", "OPENAI_API_KEY=sk-hostile", peakEnv+"="+peak)
	started := time.Now()
	err := cmd.Run()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) && ctx.Err() == nil {
		t.Fatal(err)
	}
	r := ran{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), 0, time.Since(started).Seconds()}
	text, _ := os.ReadFile(peak)
	if r.peak, err = strconv.ParseInt(string(text), 10, 64); err != nil {
		t.Errorf("%v, %s: no peak of memory: %v; code %d, it said: %s", args, attack, err, r.code, r.stderr)
	}
	return r
}

// A want is how a command ends under an attack: with a code and words on standard error.
type want struct {
	code  int
	words string // a regular expression
}

// endless is how most attacks end.
var endless = want{cli.ExitPartial, `the server does not end its answer: .+\nforay: hint: ask for less at once, or try another --model`}

// The ends of attacks that a bound does not end.
var (
	repeated  = want{cli.ExitPartial, `repeating: the answer repeated .+ and was stopped\n`}
	refusedBy = want{cli.ExitUsage, `invalid \(HTTP 400\): .*no and no`}
	unreached = want{cli.ExitPartial, `network: .*net/http`}
	rulesOnly = want{cli.ExitPartial, `the model gave no usable answer: its answer cites no lines`}
	fineTurn  = want{cli.ExitFound, `1 step, `}
	late      = want{cli.ExitPartial, `the report is partial: cancelled|error: an answer was cancelled`}
)

// commandWants are these ends, by attack, or for one command.
var commandWants = map[string]want{
	"endless-spaces": repeated, "endless-loop": repeated, "gzip-text": repeated, "many-texts": repeated,
	"trickle": late, "hang": late, "hang-early": late, "hang-inside": late, "endless-progress": late, "endless-empty": late,
	"explore endless-after": rulesOnly, "explore usage": rulesOnly, "explore control": rulesOnly,
	"chat endless-after": fineTurn, "chat usage": {cli.ExitFound, `estimated \(the server's counts are missing or cannot be true\)`}, "chat control": fineTurn,
	"gzip-error": refusedBy, "endless-error": refusedBy, "endless-failure": {cli.ExitPartial, `transient \(HTTP 502\)`},
	"endless-headers": unreached, "endless-hints": unreached, "endless-chunk": {cli.ExitPartial, `network: header line too long`},
	"redirects": {cli.ExitUsage, `the server redirects to another address`},
	"cut":       {cli.ExitPartial, `network: an event of the answer is truncated`}, "reset": {cli.ExitPartial, `network: unexpected EOF`},
	"wait":      {cli.ExitPartial, `come back in a century\nforay: hint: try again in 24h`},
	"long-name": {cli.ExitPartial, `no progress`}, "chat long-name": {cli.ExitPartial, `an answer is incomplete: stalled`},
}

// shownText matches the attacks after which the command shows the text that arrived.
var shownText = regexp.MustCompile(`^(endless-(text|bytes|event)|trickle|gzip-event|cut|reset|hang-inside)$`)

// attackedCommands are the commands under attack that end. Each gets a repository.
var attackedCommands = []struct {
	name, stdin string
	args        func(repo, db string) []string
}{
	{"explore", "", func(repo, _ string) []string { return []string{"explore", "--repo", repo, "where is Retry?"} }},
	{"chat", "where is Retry?\n", func(repo, db string) []string { return []string{"chat", "--repo", repo, "--db", db} }},
}

// TestAttackCommands lets a hostile server answer the commands as users run them, each in a process of its own. A
// command ends in time, with a code and words that say why, shows the part of the answer that arrived, and takes little
// more memory than with a friendly server. By default these are the worst attacks, and with FORAY_ATTACK=long all.
func TestAttackCommands(t *testing.T) {
	ostest.SkipRaced(t)
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process is read from /proc")
	}
	t.Parallel()
	watched := &watchedServer{}
	server := httptest.NewServer(watched)
	server.Config.ErrorLog = discardLog
	defer server.Close()
	repo := smallRepo(t)
	for _, c := range attackedCommands {
		friendly := runAttacked(t, server.URL, "fine", nil, c.stdin, c.args(repo, filepath.Join(t.TempDir(), "f.db"))...)
		for _, attack := range attacksNow() {
			var asked func() bool
			if slices.Contains(slowAttacks, attack) {
				asked = func() bool { return watched.active.Load() > 0 }
			}
			db := filepath.Join(t.TempDir(), "a.db")
			r := runAttacked(t, server.URL, attack, asked, c.stdin, c.args(repo, db)...)
			faults := r.faults(c.name, attack, friendly)
			if c.name == "chat" && shownText.MatchString(attack) && len(faults) == 0 {
				faults = append(faults, notKept(t, db, r)...)
			}
			for _, fault := range faults {
				t.Errorf("%s, %s: %s", c.name, attack, fault)
			}
			attacktable.Add(t, attacktable.Row{
				Target: c.name, Attack: attack, Limit: attacktable.LimitOf(r.stderr, fmt.Sprintf("exit %d", r.code)),
				Peak: r.peak - friendly.peak, Seconds: r.seconds, Words: r.words(), Failed: len(faults) > 0,
			})
		}
	}
}

// words returns the errors and warnings that a command printed.
func (r ran) words() string {
	var all []string
	for l := range strings.Lines(r.stderr) {
		if _, text, ok := strings.Cut(l, ": error: "); ok {
			all = append(all, strings.TrimSpace(text))
		}
	}
	return strings.Join(all, "; ")
}

// faults returns what is wrong with the end of a command under attack.
func (r ran) faults(command, attack string, friendly ran) (faults []string) {
	w, ok := commandWants[command+" "+attack]
	if !ok {
		w, ok = commandWants[attack]
	}
	if !ok {
		w = endless
	}
	if r.code != w.code || !regexp.MustCompile(w.words).MatchString(r.stderr) {
		faults = append(faults, fmt.Sprintf("exit code %d, want %d with %q; it said: %.2000s", r.code, w.code, w.words, r.stderr))
	}
	if over := r.peak - friendly.peak; over > maxAttackPeak && !ostest.RaceDetector {
		faults = append(faults, fmt.Sprintf("%d MB more than with a friendly server, want at most %d", over>>20, maxAttackPeak>>20))
	}
	if i := strings.IndexFunc(r.stdout+r.stderr, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == '\u202e' || c == '\u009b' }); i >= 0 {
		faults = append(faults, fmt.Sprintf("a control character at %.60q", (r.stdout + r.stderr)[i:]))
	}
	heading := regexp.MustCompile(cmp.Or(map[string]string{"explore": `The model said, unchecked:\n\n> \S`}[command], `^\S`))
	if command == "explore" && attack == "usage" && !strings.Contains(r.stdout, estimatedNote) {
		faults = append(faults, "nothing says that tokens are estimated")
	}
	if shownText.MatchString(attack) && !heading.MatchString(r.stdout) {
		faults = append(faults, fmt.Sprintf("nothing is shown of the text that arrived: %.600s", r.stdout))
	}
	return faults
}

// notKept looks for the text that a chat showed in its database.
func notKept(t *testing.T, db string, r ran) []string {
	t.Helper()
	_, thread, _ := strings.Cut(r.stderr, "foray: thread ")
	thread, _, _ = strings.Cut(thread, "\n")
	out, err := exec.Command("foray", "threads", "show", thread, "--db", db).CombinedOutput()
	begin := strings.TrimSpace(r.stdout)
	begin = begin[:min(len(begin), 12)]
	if err != nil || begin == "" || !strings.Contains(string(out), begin) || !strings.Contains(string(out), "assistant, incomplete") {
		return []string{fmt.Sprintf("%q is shown and not kept: %v: %.600s", begin, err, out)}
	}
	return nil
}
