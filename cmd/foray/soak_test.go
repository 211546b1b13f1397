package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/providers/providertest"
)

// The settings of TestAttackSoak: how long, with how many clients, and which of the attacks as PROVIDER/ATTACK.
const (
	soakEnv      = "SOAK"
	soakClients  = "SOAK_CLIENTS"
	soakModel    = "SOAK_MODEL"
	soakShort    = 4 * time.Second // without SOAK, with soakFew clients
	soakFew      = 8
	soakMany     = 50
	soakWarm     = .05              // part of the time, but a minute of a long soak
	soakSettle   = 10 * time.Minute // how long the end of all work may take
	soakMaxRSS   = 4 << 30          // bytes; more ends the soak before it ends the machine
	hostileSpeed = 4 << 20          // bytes a second of one hostile answer
)

// The end may exceed the beginning by these: a share of the beginning or, if that is more, so much.
var soakTolerance = []struct {
	name  string
	of    func(soakSample) int64
	share float64
	more  int64
}{
	{"heap", func(s soakSample) int64 { return s.Heap }, .25, 8 << 20},
	{"RSS", func(s soakSample) int64 { return s.RSS }, .25, 64 << 20}, // the runtime keeps its books of a peak
	{"goroutines", func(s soakSample) int64 { return s.Goroutines }, 0, 8},
	{"files", func(s soakSample) int64 { return s.Files }, 0, 8},
	{"threads", func(s soakSample) int64 { return s.Threads }, 0, 0},
}

// A soakSample is what a serving process holds at a time.
type soakSample struct {
	At         time.Duration
	Heap       int64 // bytes, after a collection
	Goroutines int64
	RSS, Peak  int64 // bytes
	Files      int64
	Threads    int64 // in the store, at most 1,000
	Requests   int64 // of clients until then
}

func (s soakSample) String() string {
	mb := func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/(1<<20)) }
	return fmt.Sprintf("%8s %9d %9s %9s %9s %10d %6d %8d", s.At.Round(time.Second), s.Requests, mb(s.Heap), mb(s.RSS),
		mb(s.Peak), s.Goroutines, s.Files, s.Threads)
}

const soakHead = "    time  requests   heap MB    RSS MB   peak MB goroutines  files  threads"

// statsEnv names the file through which a process of these tests says what it holds.
const statsEnv = "FORAY_TEST_STATS"

// answerStats answers requests in the file PATH.ask: "gc" collects garbage first, "free" also returns memory.
func answerStats() {
	path := os.Getenv(statsEnv)
	if path == "" {
		return
	}
	go func() {
		for ; ; time.Sleep(50 * time.Millisecond) {
			asked, err := os.ReadFile(path + ".ask")
			if err != nil || os.Remove(path+".ask") != nil {
				continue
			}
			runtime.GC()
			if string(asked) == "free" {
				debug.FreeOSMemory()
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			answer, _ := json.Marshal(soakSample{Heap: int64(m.HeapAlloc), Goroutines: int64(runtime.NumGoroutine())})
			if os.WriteFile(path+".tmp", answer, 0o600) == nil {
				_ = os.Rename(path+".tmp", path)
			}
		}
	}()
}

// A soak is a foray that serves in a process of its own, under a hostile server and clients that break off.
type soak struct {
	*soakClientele
	t       *testing.T
	process *exec.Cmd
	stats   string
	said    lockedBuffer
	started time.Time
	exited  chan struct{}
}

// A lockedBuffer is what a process said, of which the end is kept.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.b.Len() > 1<<20 {
		l.b.Next(l.b.Len() / 2)
	}
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// slowly limits how fast an answer is written: an hour is about what is held, not about how fast this machine is.
type slowly struct {
	http.ResponseWriter
	left int
}

func (s *slowly) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *slowly) Write(p []byte) (int, error) {
	if s.left -= len(p); s.left < 0 {
		s.left = hostileSpeed / 20
		time.Sleep(time.Second / 20)
	}
	return s.ResponseWriter.Write(p)
}

func startSoak(t *testing.T) *soak {
	t.Helper()
	hostile := &providertest.Hostile{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hostile.ServeHTTP(&slowly{w, hostileSpeed / 20}, r)
	}))
	server.Config.ErrorLog = discardLog
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	dir, model := t.TempDir(), cmp.Or(os.Getenv(soakModel), "openai/mix")
	s := &soak{t: t, stats: filepath.Join(dir, "stats"), started: time.Now(), exited: make(chan struct{})}
	s.process = exec.Command("foray", "serve", "--addr", "127.0.0.1:0", "--db", filepath.Join(dir, "s.db"),
		"--repo", smallRepo(t), "--model", model, "--base-url", server.URL+"/v1", "--window", "32768")
	s.process.Env = append(os.Environ(), "FORAY_MODEL=", "OPENAI_API_KEY=sk-soak", "GEMINI_API_KEY=soak", statsEnv+"="+s.stats)
	s.process.Stderr = &s.said
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v; it said: %s", err, s.said.String())
	}
	go func() {
		defer close(s.exited)
		_ = s.process.Wait() // end says how
	}()
	t.Cleanup(func() {
		_ = s.process.Process.Kill() // unless it has ended
		<-s.exited
	})
	s.soakClientele = newClientele(strings.TrimSpace(line))
	return s
}

// ask asks the process what it holds; ok is false if it does not answer.
func (s *soak) ask(how string) (sample soakSample, ok bool) {
	_ = os.Remove(s.stats)
	if err := os.WriteFile(s.stats+".ask", []byte(how), 0o600); err != nil {
		s.t.Fatal(err)
	}
	for range 600 {
		raw, err := os.ReadFile(s.stats)
		if err == nil && json.Unmarshal(raw, &sample) == nil {
			s.fromOutside(&sample)
			return sample, true
		}
		select {
		case <-s.exited:
			return sample, false
		case <-time.After(100 * time.Millisecond):
		}
	}
	return sample, false
}

// fromOutside adds what the system says of the process, and its API of the store.
func (s *soak) fromOutside(sample *soakSample) {
	proc := fmt.Sprintf("/proc/%d/", s.process.Process.Pid)
	status, _ := os.ReadFile(proc + "status")
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kb, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "VmRSS:":
			sample.RSS = kb << 10
		case "VmHWM:":
			sample.Peak = kb << 10
		}
	}
	files, _ := os.ReadDir(proc + "fd")
	sample.Files = int64(len(files))
	sample.Threads = int64(len(s.threads()))
	sample.At, sample.Requests = time.Since(s.started), s.requests.Load()
}

// load lets clients work for a time, and prints a sample every few seconds.
func (s *soak) load(clients int, d, every time.Duration) {
	end := s.open(clients)
	defer end()
	for until := time.Now().Add(d); time.Now().Before(until); {
		time.Sleep(min(every, time.Until(until)))
		sample, ok := s.ask("gc")
		if !ok {
			s.t.Fatalf("the server is gone or does not answer; it said: %s", s.said.String())
		}
		fmt.Println(sample)
		if sample.RSS > soakMaxRSS {
			s.t.Fatalf("the server holds %d MB", sample.RSS>>20)
		}
	}
}

// settle waits until the server has nothing left to do, which is when it holds no more goroutines than it may or, without
// a limit, no fewer for some time. It returns what the server then holds.
func (s *soak) settle(most int64) soakSample {
	s.sweep()
	var last soakSample
	same := 0
	for until := time.Now().Add(soakSettle); time.Now().Before(until); time.Sleep(time.Second) {
		now, ok := s.ask("free")
		if !ok {
			s.t.Fatalf("the server is gone or does not answer; it said: %s", s.said.String())
		}
		if same++; now.Goroutines != last.Goroutines || now.Files != last.Files {
			same = 0
		}
		if last = now; same >= 3 && (most == 0 || now.Goroutines <= most) {
			break
		}
	}
	fmt.Println(last, "idle")
	return last
}

// TestAttackSoak lets clients use a server whose model is hostile, for SOAK (a few seconds by default), and compares what
// the server holds at the end, when the clients are gone, with what it held after a warm-up.
func TestAttackSoak(t *testing.T) {
	attacktable.Watch(t, "cmd/foray", "what it held before, and a tolerance")
	if runtime.GOOS != "linux" {
		t.Skip("what a process holds is read from /proc")
	}
	t.Parallel()
	d, warm, clients, every := soakShort, soakShort/2, soakFew, time.Second
	if text := os.Getenv(soakEnv); text != "" {
		var err error
		if d, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", soakEnv, err)
		}
		warm, clients, every = max(time.Duration(soakWarm*float64(d)), min(d, time.Minute)), soakMany, 5*time.Second
	}
	if n, err := strconv.Atoi(os.Getenv(soakClients)); err == nil {
		clients = n
	}
	s := startSoak(t)
	fmt.Printf("soak: %v with %d clients\n%s\n", d, clients, soakHead)
	s.load(clients, warm, every)
	before := s.settle(0)
	s.load(clients, d, every)
	after := s.settle(before.Goroutines + 8)
	fmt.Print(s.table())
	fmt.Printf("%s\n%v at the beginning\n%v at the end\n", soakHead, before, after)
	for _, row := range soakTolerance {
		was, is := row.of(before), row.of(after)
		limit := was + max(row.more, int64(row.share*float64(was)))
		verdict := "ok"
		if is > limit {
			verdict = "TOO MUCH"
			t.Errorf("%s: %d at the beginning, %d at the end, more than %d; it said: %s", row.name, was, is, limit, s.tail())
		}
		fmt.Printf("%-10s %12d → %12d (at most %d) %s\n", row.name, was, is, limit, verdict)
	}
	if faults := s.faults(); len(faults) > 0 {
		t.Errorf("answers that no server may give: %s; it said: %s", strings.Join(faults, "; "), s.tail())
	}
	s.end()
	fmt.Printf("soak: %s\n", map[bool]string{true: "FAILED", false: "PASSED"}[t.Failed()])
}

// tail returns the end of what the server said.
func (s *soak) tail() string {
	said := s.said.String()
	return said[max(0, len(said)-4_000):]
}

// end stops the server as Ctrl-C does.
func (s *soak) end() {
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		s.t.Error(err)
	}
	select {
	case <-s.exited:
		if code := s.process.ProcessState.ExitCode(); code != 0 {
			s.t.Errorf("the server ended with %d; it said: %s", code, s.tail())
		}
	case <-time.After(time.Minute):
		s.t.Error("the server did not end within a minute")
	}
}
