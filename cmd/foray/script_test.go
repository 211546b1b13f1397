package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/forayhq/foray/agent"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"foray": main})
}

// TestScripts runs one session per subcommand. Besides the usual commands the scripts have
//
//	exits CODE PROGRAM ARGS...   run a program that must end with an exit code
//	server KIND [FILE]           start a model's server and set BASE to its URL
//	interrupt REQUESTS [kill]    when the server was asked so often, interrupt or kill the program in the background
//	code CODE                    the program that was interrupted ended with an exit code
//	broken PROGRAM ARGS...       run a program whose standard output nobody reads
//	requests FILE                rebuild the requests of a trace, and print how many there are
func TestScripts(t *testing.T) {
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
			env.Values["server"] = &modelServer{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "server": startServer, "interrupt": interrupt, "code": code, "broken": broken, "requests": requests,
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

// maxTurns is more than any script asks of a server.
const maxTurns = 100

// A modelServer answers as a model's server, or as something that is none.
type modelServer struct {
	asked <-chan struct{} // gets a value with each request
	cmd   *exec.Cmd       // that was interrupted
}

func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: server KIND [FILE]")
	}
	state := ts.Value("server").(*modelServer)
	asked := make(chan struct{}, maxTurns)
	state.asked = asked
	var answer http.HandlerFunc
	switch args[0] {
	case "html":
		answer = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><title>Welcome</title>") }
	case "unauthorized":
		answer = func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, r.Header.Get("Authorization"))
		}
	case "says":
		answer = says(strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n"))
	default:
		ts.Fatalf("there is no server that %s", args[0])
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the end of the request would not be noticed
		asked <- struct{}{}
		answer(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv("BASE", server.URL+"/v1")
}

// says answers each request with the next turn: a line "call NAME {json}", "text words", or "hang", which waits for the
// end of the request.
func says(turns []string) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1)) - 1
		if i >= len(turns) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		kind, rest, _ := strings.Cut(turns[i], " ")
		delta, finish := map[string]any{"content": strings.ReplaceAll(rest, `\n`, "\n")}, "stop"
		switch kind {
		case "hang":
			<-r.Context().Done()
			return
		case "call":
			name, args, _ := strings.Cut(rest, " ")
			delta = map[string]any{"tool_calls": []any{map[string]any{
				"index": 0, "id": fmt.Sprintf("c%d", i), "type": "function", "function": map[string]any{"name": name, "arguments": args},
			}}}
			finish = "tool_calls"
		}
		w.Header().Set("Content-Type", "text/event-stream")
		out := bufio.NewWriter(w)
		defer out.Flush()
		for _, choice := range []map[string]any{{"index": 0, "delta": delta}, {"index": 0, "delta": map[string]any{}, "finish_reason": finish}} {
			raw, err := json.Marshal(map[string]any{"choices": []any{choice}})
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(out, "data: %s\n\n", raw)
		}
		fmt.Fprint(out, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50}}\n\ndata: [DONE]\n\n")
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

func requests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests FILE")
	}
	n := 0
	for _, err := range agent.ReadTrace(strings.NewReader(ts.ReadFile(args[0]))) {
		if errors.Is(err, agent.ErrTraceCut) {
			fmt.Fprintln(ts.Stdout(), err)
			break
		}
		ts.Check(err)
		n++
	}
	fmt.Fprintf(ts.Stdout(), "%d requests, as they were sent\n", n)
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
