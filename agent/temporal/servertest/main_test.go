package servertest_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/server/temporaltest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/agent/temporal"
	"github.com/forayhq/foray/internal/sessionwalk"
)

const queue = "foray"

var quiet = client.Options{Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))}

func TestMain(m *testing.M) {
	if dir := os.Getenv(dirEnv); dir != "" {
		fmt.Fprintln(os.Stderr, work(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// start starts Temporal's server in this process.
func start(t *testing.T) *temporaltest.TestServer {
	t.Helper()
	s := temporaltest.NewServer(temporaltest.WithBaseClientOptions(quiet))
	t.Cleanup(s.Stop)
	return s
}

// The processes of the tests share a folder: the database, the requests that were sent, and what was written.
const (
	dirEnv       = "FORAY_TEMPORAL_DIR"
	addressEnv   = "FORAY_TEMPORAL_ADDRESS"
	namespaceEnv = "FORAY_TEMPORAL_NAMESPACE"
)

// A setup says what the agent of a test does.
type setup struct {
	Name  string // of the session
	Pages int
}

// newWorker returns a worker over the database of a folder.
func newWorker(dir string) (*temporal.Worker, func() error, error) {
	s, err := store.Open(context.Background(), filepath.Join(dir, "f.db"), &store.Options{Wait: time.Minute})
	if err != nil {
		return nil, nil, err
	}
	walker := func(raw json.RawMessage) (*agent.Agent, error) {
		var in setup
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		sent := func(request string) {
			sum := sha256.Sum256([]byte(request))
			addLine(dir, in.Name+".sent", hex.EncodeToString(sum[:]))
		}
		write := func(key string) error {
			addLine(dir, in.Name+".wrote", key)
			return nil
		}
		done := func(key string) bool { return slices.Contains(lines(dir, in.Name+".wrote"), key) }
		m := &sessionwalk.Walker{Pages: in.Pages, Sent: sent}
		return sessionwalk.New(m, sessionwalk.Tools(write, done))
	}
	w := &temporal.Worker{Store: s.Sessions(), Agents: map[string]func(json.RawMessage) (*agent.Agent, error){
		"walker": walker,
	}}
	return w, s.Close, nil
}

func addLine(dir, name, line string) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(line + "\n")
	}
	if err != nil {
		panic(err)
	}
	_ = f.Close()
}

// lines returns the distinct lines of a file, in the order in which they first came.
func lines(dir, name string) (distinct []string) {
	raw, _ := os.ReadFile(filepath.Join(dir, name)) // none yet
	for _, line := range strings.Fields(string(raw)) {
		if !slices.Contains(distinct, line) {
			distinct = append(distinct, line)
		}
	}
	return distinct
}

// work is a worker in a process of its own.
func work(dir string) error {
	o := quiet
	o.HostPort, o.Namespace = os.Getenv(addressEnv), os.Getenv(namespaceEnv)
	c, err := client.Dial(o)
	if err != nil {
		return err
	}
	w, _, err := newWorker(dir)
	if err != nil {
		return err
	}
	tw := worker.New(c, queue, worker.Options{})
	w.Register(tw)
	return tw.Run(nil)
}

// input begins a walk of some pages, in a session that has the name of its workflow.
func input(name string, pages int) temporal.Input {
	raw, _ := json.Marshal(setup{name, pages}) // strings and numbers always encode
	return temporal.Input{
		Session: name, Agent: "walker", Setup: raw, Prompt: "Read all pages.", Heartbeat: 2 * time.Second,
	}
}

func begin(t *testing.T, c client.Client, in temporal.Input) client.WorkflowRun {
	t.Helper()
	id := client.StartWorkflowOptions{ID: fmt.Sprint(in.Session, time.Now().UnixNano()), TaskQueue: queue}
	w, err := c.ExecuteWorkflow(t.Context(), id, "foray.Run", in)
	must(t, err)
	return w
}

// undisturbed returns the requests of a walk in one process, and its steps.
func undisturbed(t *testing.T, pages int) (requests []string, steps int) {
	t.Helper()
	dir := t.TempDir()
	w, closeStore, err := newWorker(dir)
	must(t, err)
	in := input("alone", pages)
	a, err := w.Agents[in.Agent](in.Setup)
	must(t, err)
	task := agent.Task{Prompt: in.Prompt, Session: &agent.Session{Store: w.Store, ID: in.Session, Setup: in.Setup}}
	result, err := a.Do(t.Context(), task)
	must(t, err)
	must(t, closeStore())
	return lines(dir, "alone.sent"), result.Steps
}
