package providers_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/anthropic"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/generativeai"
	"github.com/forayhq/foray/providers/ollama"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/providers/providertest"
)

// The environment of the attack tests.
const (
	attackLong = "FORAY_ATTACK"     // "long": every attack in every dialect
	attackURL  = "FORAY_ATTACK_URL" // of the hostile server, for the process that is attacked
	attackKey  = "k-hostile-0123456789"
)

// attacked are the dialects under attack. A dialect with a name in brackets asks for vectors.
var attacked = []struct {
	name string
	open func(url, attack string, c *http.Client) (providers.Model, error)
}{
	{"chat", func(url, attack string, c *http.Client) (providers.Model, error) {
		return openai.New(openai.Config{Name: attack, BaseURL: url + "/v1", Wire: openai.Chat, HTTPClient: c})
	}},
	{"responses", func(url, attack string, c *http.Client) (providers.Model, error) {
		return openai.New(openai.Config{Name: attack, BaseURL: url + "/v1", Wire: openai.Responses, HTTPClient: c})
	}},
	{"anthropic", func(url, attack string, c *http.Client) (providers.Model, error) {
		return anthropic.New(anthropic.Config{Name: attack, BaseURL: url + "/v1", Key: attackKey, HTTPClient: c})
	}},
	{"ollama", func(url, attack string, c *http.Client) (providers.Model, error) {
		return ollama.New(ollama.Config{Name: attack, BaseURL: url, HTTPClient: c})
	}},
	{"gemini", func(url, attack string, c *http.Client) (providers.Model, error) {
		return gemini.New(gemini.Config{Name: attack, BaseURL: url, Key: attackKey, EmbeddingName: attack, HTTPClient: c})
	}},
	{"generativeai", func(url, attack string, c *http.Client) (providers.Model, error) {
		return generativeai.New(generativeai.Config{Name: attack, BaseURL: url, Key: attackKey, EmbeddingName: attack, HTTPClient: c})
	}},
}

// An attackRow is what an attack did to a dialect.
type attackRow struct {
	Dialect, Attack string
	Vectors         bool // the request was for vectors
	Outcome         string
	Words           string // of the error
	Kept            int    // bytes of text and reasoning
	Peak            int64  // bytes above what the process held before; -1: unknown
	Seconds         float64
}

const (
	maxPeak     = 64 << 20
	maxWords    = 4 << 10                // bytes of an error
	endsItself  = 2 * time.Minute        // for an attack that must end by itself, also on a busy machine
	endsByDrawn = 300 * time.Millisecond // when the caller gives up on one that only time ends
)

// patient are the attacks that do not end before a time-out of minutes.
func patient(attack string) bool {
	return strings.HasPrefix(attack, "hang") || attack == "trickle"
}

// TestAttack attacks each dialect without layers, in a process of its own, whose memory says what the attacks cost. By
// default it makes the worst attacks, and with FORAY_ATTACK=long all.
func TestAttack(t *testing.T) {
	if url := os.Getenv(attackURL); url != "" {
		attackAll(t, url)
		return
	}
	server := httptest.NewServer(new(providertest.Hostile))
	defer server.Close()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAttack$", "-test.timeout=30m")
	child.Env = append(os.Environ(), attackURL+"="+server.URL, "GOGC=100") // whatever the tests run with: memory is measured
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var row attackRow
		if json.Unmarshal(lines.Bytes(), &row) == nil {
			rows++
			check(t, row)
		}
	}
	if err := child.Wait(); err != nil || rows < len(attacked)*len(attacksNow()) {
		t.Errorf("%d rows from the process under attack: %v", rows, err)
	}
}

// wants are the outcomes of attacks, a class or a finish, where they are not TooLong. A dialect with another outcome is
// named before it.
var wants = map[string]string{
	"trickle": "cancelled", "hang": "cancelled", "hang-early": "cancelled", "hang-inside": "cancelled",
	"endless-after": "stop", "gzip-error": "invalid", "endless-error": "invalid", "endless-failure": "transient",
	"endless-headers": "network", "endless-hints": "network", "endless-chunk": "network", "redirects": "malformed",
	"cut": "network", "reset": "network", "wait": "rate", "usage": "stop", "control": "stop", "long-name": "calls",
	"deep": "calls", "ollama deep": "malformed", "gemini deep": "too long", "generativeai deep": "too long",
	// what a dialect has no form for is a short answer
	"responses endless-progress": "stop", "ollama endless-progress": "stop", "gemini endless-progress": "stop",
	"generativeai endless-progress": "stop", "ollama endless-details": "stop", "ollama endless-seals": "stop",
	"many-texts": "stop", "gemini many-texts": "too long", "generativeai many-texts": "too long",
	"ollama endless-lines": "malformed", // each line is an event
}

// check fails for a row that is not as it should be.
func check(t *testing.T, row attackRow) {
	t.Helper()
	want := cmp.Or(wants[row.Dialect+" "+row.Attack], wants[row.Attack], "too long")
	if row.Vectors { // what the dialect has no form for is a wrong vector
		want = row.Outcome
	}
	told := strings.HasSuffix(row.Attack, "-text") || strings.HasSuffix(row.Attack, "-event")
	var faults []string
	if row.Outcome != want || row.Outcome == "" {
		faults = append(faults, fmt.Sprintf("outcome %q, want %q", row.Outcome, want))
	}
	if told && !row.Vectors && row.Kept == 0 {
		faults = append(faults, "nothing is kept of the text that arrived")
	}
	if len(row.Words) >= maxWords {
		faults = append(faults, "an error repeats what the server sent")
	}
	if row.Peak > maxPeak && !ostest.RaceDetector {
		faults = append(faults, fmt.Sprintf("%d MB of memory, want at most %d", row.Peak>>20, maxPeak>>20))
	}
	for _, fault := range faults {
		t.Errorf("%s, %s: %s", row.Dialect, row.Attack, fault)
	}
	attacktable.Add(t, attacktable.Row{
		Target: row.Dialect, Attack: row.Attack, Limit: attacktable.LimitOf(row.Words, row.Outcome), Peak: row.Peak,
		Seconds: row.Seconds, Words: row.Words, Failed: len(faults) > 0,
	})
}

// attacksNow returns the names of the attacks to make. With the race detector these are few: they differ in what is sent,
// and not in who reads it.
func attacksNow() []string {
	switch {
	case ostest.RaceDetector:
		return []string{"endless-event", "trickle", "usage"}
	case os.Getenv(attackLong) == "long":
		names, _ := new(providertest.Hostile).Attacks()
		return names
	}
	return worst
}

// attackAll makes the attacks on this process, and prints a row for each.
func attackAll(t *testing.T, url string) {
	client := providertest.Client(t)
	for _, d := range attacked {
		for _, name := range attacksNow() {
			m, err := d.open(url, name, client)
			if err != nil {
				t.Fatal(err)
			}
			row := underAttack(t, name, func(ctx context.Context) (*providers.Response, error) {
				return providers.Ask(ctx, m, &providers.Request{
					Messages: []transcript.Message{{Role: transcript.User, Text: "Where is it?"}}, MaxOutput: 1000,
				})
			})
			row.Dialect = d.name
			print(t, row)
			embedder, ok := m.(interface {
				Embed(ctx context.Context, texts []string) ([][]float32, error)
			})
			if !ok || d.name == "responses" { // as chat
				continue
			}
			row = underAttack(t, name, func(ctx context.Context) (*providers.Response, error) {
				_, err := embedder.Embed(ctx, slices.Repeat([]string{"text"}, 100))
				return new(providers.Response), err
			})
			row.Dialect, row.Vectors = d.name+" vectors", true
			print(t, row)
		}
	}
}

func print(t *testing.T, row attackRow) {
	line, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s\n", line)
}

// underAttack makes one request under attack, and up to two more while the peak is above the bound: on a busy machine the
// garbage collector can fall behind once, but a dialect that holds too much does so every time.
func underAttack(t *testing.T, name string, ask func(context.Context) (*providers.Response, error)) (row attackRow) {
	for range 3 {
		if row = attackOnce(t, name, ask); row.Peak <= maxPeak {
			break
		}
	}
	return row
}

func attackOnce(t *testing.T, name string, ask func(context.Context) (*providers.Response, error)) attackRow {
	limit := endsItself
	if patient(name) {
		limit = endsByDrawn
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	debug.FreeOSMemory()
	row := attackRow{Attack: name, Peak: -1}
	before := int64(0)
	err := ostest.ResetPeak(os.Getpid())
	if err == nil {
		before, err = ostest.Peak(os.Getpid())
	}
	started := time.Now()
	answer, failed := ask(ctx)
	row.Seconds = time.Since(started).Seconds()
	if err == nil {
		after, _ := ostest.Peak(os.Getpid())
		row.Peak = after - before
	}
	row.Kept = len(answer.Message.Text) + len(answer.Reasoning)
	row.Outcome = string(answer.Finish)
	if failed != nil {
		row.Words = failed.Error()
		row.Words = row.Words[:min(len(row.Words), maxWords)]
	}
	if e := (*providers.Error)(nil); errors.As(failed, &e) {
		row.Outcome = string(e.Class)
	} else if failed != nil {
		row.Outcome = failed.Error()
	}
	return row
}

// worst are the attacks that took the most memory before answers were bounded, and those that took the most time
// or came back in an error.
var worst = []string{
	"endless-text", "endless-arguments", "endless-calls", "endless-details", "endless-event", "endless-lines", "endless-body",
	"gzip-event", "gzip-arguments", "endless-error", "many-fields", "long-name",
	"endless-seals", "many-texts",
}
