package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/evals/dispatch"
	"github.com/forayhq/foray/internal/ostest"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// waiting is how many tests run side by side: most wait for processes, servers and terminals.
const waiting = "6"

func TestMain(m *testing.M) {
	if os.Getenv(cacheVariable) == "" {
		os.Setenv(cacheVariable, cacheOff) // of the tests themselves; the scripts have a directory
	}
	if _, set := os.LookupEnv("FORAY_CONFIG"); !set {
		os.Setenv("FORAY_CONFIG", "off") // the scripts have a directory
	}
	_ = flag.Set("test.parallel", waiting) // before the command line is parsed, which may say otherwise
	testscript.Main(withData{m}, map[string]func(){"foray": mainWithoutServers, "foray-here": runHere})
}

// A withData runs the tests with a data directory of their own, so that they keep nothing in that of whoever runs them.
type withData struct{ *testing.M }

func (m withData) Run() int {
	dir, err := os.MkdirTemp("", "foray-data-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_DATA_HOME", dir)
	return m.M.Run()
}

// runHere is the program of foray eval run --on here: it runs the trials on this machine, and none whose key begins with
// "lost", as if its worker had died.
func runHere() {
	err := dispatch.Serve(context.Background(), os.Stdin, os.Stdout, func(ctx context.Context, j dispatch.Job) error {
		if strings.HasPrefix(j.Key, "lost") {
			return errors.New("its worker died")
		}
		cmd := exec.CommandContext(ctx, "foray", j.Args...)
		cmd.Dir = j.Dir
		if _, err := cmd.StdinPipe(); err != nil {
			return err
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// mainWithoutServers is main on a machine where nothing listens at localhost, whatever runs there. The servers of the
// tests listen at 127.0.0.1.
func mainWithoutServers() {
	answerStats()
	transport := http.DefaultTransport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "localhost:") {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return dial(ctx, network, address)
	}
	code := runCommandLine(os.Args[1:])
	tellPeak()
	os.Exit(code)
}

// racingScripts are the scripts that the race detector runs: one for each kind of command that serves, or asks several
// at a time. Each command is a process, which takes several times as long with it, and what the others run is
// raced by the tests of its packages.
var racingScripts = []string{"chat", "evalrun", "mcp", "serve"}

// TestScripts runs one session per subcommand. Besides the usual commands the scripts have
//
//	exits CODE PROGRAM ARGS...   run a program that must end with an exit code
//	server KIND [FILE [NAME]]    start a model's server and set BASE, or the variable NAME, to its URL
//	interrupt REQUESTS [kill]    when the server was asked so often, interrupt or kill the program in the background
//	asked REQUESTS               wait until the server was asked so often
//	code CODE                    the program that was interrupted ended with an exit code
//	broken PROGRAM ARGS...       run a program whose standard output nobody reads
//	same FILE FILE               two reports must be equal, except for their durations
//	receive [hangs]              start a collector of spans and set OTEL_EXPORTER_OTLP_ENDPOINT to its URL
//	received FILE                write what the collector got to a file
//	settings FILE LINE...        write a file of settings
//	requests FILE                rebuild the requests of a trace, and print how many there are
func TestScripts(t *testing.T) {
	cache := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Condition: func(name string) (bool, error) {
			if name != "root" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return os.Geteuid() == 0, nil
		},
		Setup: func(env *testscript.Env) error {
			script := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
			if ostest.RaceDetector && !slices.Contains(racingScripts, script) {
				env.T().Skip("it races no more than other scripts")
			}
			env.Values["server"] = &modelServer{}
			env.Setenv(cacheVariable, cache)
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/.data")
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/.config")
			env.Setenv("FORAY_CONFIG", "")
			env.Setenv("GOGC", "400") // several hundred short processes: collections are a quarter of their time
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "server": startServer, "facts": startFacts, "interrupt": interrupt, "asked": asked, "code": code, "broken": broken, "requests": requests, "same": same, "receive": receive, "received": received, "settings": settings,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	checkCode(ts, ts.Exec(args[1], args[2:]...), args[0])
}

func checkCode(ts *testscript.TestScript, err error, want string) {
	got := 0
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("running: %v", err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	running := ts.BackgroundCmds()
	if neg || len(args) == 0 || len(args) > 2 || len(running) != 1 {
		ts.Fatalf("usage: interrupt REQUESTS [kill], with one program in the background")
	}
	requests, err := strconv.Atoi(args[0])
	ts.Check(err)
	state := ts.Value("server").(*modelServer)
	for range requests {
		<-state.asked
	}
	state.cmd = running[0]
	if len(args) == 2 {
		ts.Check(state.cmd.Process.Kill())
		return
	}
	ts.Check(state.cmd.Process.Signal(os.Interrupt))
}

func asked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: asked REQUESTS")
	}
	requests, err := strconv.Atoi(args[0])
	ts.Check(err)
	for range requests {
		<-ts.Value("server").(*modelServer).asked
	}
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	state := ts.Value("server").(*modelServer)
	if neg || len(args) != 1 || state.cmd == nil {
		ts.Fatalf("usage: code CODE, after interrupt and wait")
	}
	if got := strconv.Itoa(state.cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

func broken(ts *testscript.TestScript, neg bool, args []string) {
	reader, writer, err := os.Pipe()
	ts.Check(err)
	ts.Check(reader.Close())
	defer writer.Close()
	var stderr strings.Builder
	cmd := exec.Command(lookPath(ts, args[0]), args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), writer, &stderr
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "PATH="+ts.Getenv("PATH"))
	if err := cmd.Run(); neg != (err == nil) {
		ts.Logf("ended with %v", err)
	}
	fmt.Fprint(ts.Stderr(), stderr.String())
}

func settings(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: settings FILE LINE...")
	}
	at := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(at), 0o755))
	ts.Check(os.WriteFile(at, []byte(strings.Join(args[1:], "\n")+"\n"), 0o644))
}

func requests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests FILE")
	}
	n := 0
	for _, err := range trace.Read(strings.NewReader(ts.ReadFile(args[0]))) {
		if errors.Is(err, trace.ErrCut) {
			fmt.Fprintln(ts.Stdout(), err)
			break
		}
		ts.Check(err)
		n++
	}
	fmt.Fprintf(ts.Stdout(), "%d requests, as they were sent\n", n)
}

// spans matches what two reports of the same run differ in.
var spans = regexp.MustCompile(`\d+(\.\d+)?m?s\b`)

func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	a, b := spans.ReplaceAllString(ts.ReadFile(args[0]), "TIME"), spans.ReplaceAllString(ts.ReadFile(args[1]), "TIME")
	if a != b {
		ts.Fatalf("%s and %s differ:\n%s\n%s", args[0], args[1], a, b)
	}
}

func lookPath(ts *testscript.TestScript, program string) string {
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		at := dir + string(os.PathSeparator) + program
		if _, err := os.Stat(at); err == nil {
			return at
		}
	}
	ts.Fatalf("there is no program %s", program)
	return ""
}
