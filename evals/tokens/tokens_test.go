package tokens

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/toollimit"
)

// counted writes a session whose provider counts the given multiple of the estimate.
func counted(model, session string, growths int, multiple float64) string {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 400)
	var b strings.Builder
	for range growths {
		g, err := json.Marshal(growth{model, session, int(multiple * float64(toollimit.Tokens(text))), []string{text[:9_000], text[9_001:]}})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s\n", g)
	}
	return b.String()
}

func load(t *testing.T, text string) ([]*Session, []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "counted.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	sessions, skipped, err := Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return sessions, skipped
}

func TestRun(t *testing.T) {
	sessions, skipped := load(t, counted("no-such-model", "a", 20, 1.5)+"{\n"+`{"model":"m","delta_tokens":0}`+"\n"+
		counted("no-such-model", "b", 1, 1.5)+counted("another", "a", 2, 1))
	if len(sessions) != 3 || len(skipped) != 2 {
		t.Fatalf("%d sessions, skipped %q", len(sessions), skipped)
	}
	r, err := Run(t.Context(), sessions, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2 || r.Rows[0].Model != "another" || r.Rows[0].Samples != 0 || r.Rows[0].Errors != nil || r.Megabytes != 0 {
		t.Fatalf("the short sessions: %+v", r.Rows)
	}
	row := r.Rows[1]
	each := toollimit.Tokens(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 400))
	provider := int(1.5 * float64(each))
	if row.Sessions != 2 || row.Counted != 21*provider || math.Abs(row.Ratio-1.5) > .01 {
		t.Errorf("%+v", row)
	}
	if samples := 20 - from/provider; row.Samples != samples {
		t.Errorf("%d samples, want %d", row.Samples, samples)
	}
	errors := map[string]wayError{}
	for _, e := range row.Errors {
		errors[e.Way] = e
	}
	if e := errors["estimate"]; math.Abs(e.Median-1./3) > .01 || math.Abs(e.P95-1./3) > .01 {
		t.Errorf("the estimate is a third short: %+v", e)
	}
	if four := errors["characters ÷ 4"]; math.Abs(four.Median-math.Abs(4_499/float64(provider)-1)) > .01 {
		t.Errorf("characters ÷ 4: %+v", four)
	}
	if c, w := errors["calibrated"], errors["window"]; c.P95 >= w.P95 || c.Median > .1 {
		t.Errorf("calibration does not help: %+v, without %+v", c, w)
	}
}

func TestReport(t *testing.T) {
	sessions, skipped := load(t, counted("m", "a", 12, 1)+"nothing\n")
	ticks := 0
	r, err := Run(t.Context(), sessions, nil, func() time.Time {
		ticks++
		return time.Unix(int64(ticks), 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Megabytes < speedBytes/1e6 {
		t.Errorf("%v MB/s, but the clock says that %d bytes took a second", r.Megabytes, speedBytes)
	}
	r.Skipped = skipped
	var b strings.Builder
	if err := r.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| m     |", "0.0 / 0.0", "67 MB/s", "- left out: counted.jsonl:13: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	var names []string
	for _, w := range ways {
		names = append(names, w.name)
	}
	if diff := cmp.Diff([]string{"characters ÷ 4", "estimate", "window", "calibrated"}, names); diff != "" {
		t.Error(diff)
	}
}
