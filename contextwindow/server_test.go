package contextwindow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

// served returns a window of a limit whose requests a service has compacted at the last of n turns: that answer is of
// step n+1.
func served(t *testing.T, limit, n int, o *Options) (*Window, Appended) {
	t.Helper()
	w := New(Budget{Limit: limit, Profile: Lean}, o)
	w.Open(Prefix{System: "You read code.", Tools: []transcript.ToolSchema{{Name: toollimit.ReadTool}}})
	add := func(head transcript.Message, results ...transcript.Message) Appended {
		w.View()
		a, err := w.Append(head, results...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	add(transcript.Message{Role: transcript.User, Text: "What do the handlers do?"})
	w.Note("status", "reading")
	var last Appended
	for i := range n {
		var data *transcript.ProviderData
		if i == n-1 {
			data = &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: 50, Data: []byte("sealed"), Compacts: true}
		}
		last = add(turnWith(i, data))
	}
	return w, last
}

// turnWith is a turn that reads a file of its own, or the same as another turn of that number.
func turnWith(i int, data *transcript.ProviderData) (head, result transcript.Message) {
	id := fmt.Sprintf("c%d", i)
	var text strings.Builder
	for line := range 40 {
		fmt.Fprintf(&text, "%4d\tfunc handler%d_%d(w http.ResponseWriter, r *http.Request) error {\n", line, i%100, line)
	}
	return transcript.Message{Role: transcript.Assistant, ProviderData: data,
			Calls: []transcript.ToolCall{{ID: id, Name: "read", Args: json.RawMessage(fmt.Sprintf(`{"path":"%d.go"}`, i%100))}}},
		transcript.Message{Role: transcript.Tool, CallID: id, Kind: toollimit.File, Text: text.String()}
}

// The window counts what the service reads: its item and what follows. The log and the view stay whole, for another
// service.
func TestServerCompacts(t *testing.T) {
	w, a := served(t, 60_000, 12, nil)
	after := w.Usage()
	c := a.Server
	if !c.ByServer() || c.Before < 8_000 || c.After >= after.Tokens || c.After < 60 || after.Tokens > 2_000 || after.Prompt != 0 {
		t.Errorf("%v, then %+v", c, after)
	}
	if len(w.View()) != 1+2*12 || !reflect.DeepEqual(w.Compactions(), []Compaction{c}) {
		t.Errorf("%d messages, compactions %v", len(w.View()), w.Compactions())
	}
	if got := c.String(); got != fmt.Sprintf("by the server: %d → %d tokens", c.Before, c.After) {
		t.Error(got)
	}
	entries := after.Entries
	if w.Note("status", "reading"); w.Usage().Entries != entries+1 {
		t.Error("a note that only the compacted part holds is not written again")
	}
	if _, ok := w.Draft(); ok {
		t.Error("a summary is asked for of what the service compacts")
	}
	again, result := turnWith(100, nil) // reads the file of turn 0
	unit, err := w.Append(again, result)
	if err != nil || unit.Messages[1].Text != result.Text || unit.Server.Level != 0 {
		t.Errorf("what the model no longer sees is not shown: %q, %v", unit.Messages[1].Text, err)
	}
	if rep := w.Explain(); rep.Tokens != w.Usage().Tokens || rep.Sections[0].Tokens > rep.Tokens {
		t.Errorf("%+v", rep)
	}
}

// The meter learns no ratio from the count of a request that the service reads compacted, but the count is the truth.
func TestServerCounts(t *testing.T) {
	w, _ := served(t, 60_000, 2, nil)
	for i := range 4 {
		head, result := turnWith(i+10, nil)
		w.View()
		if _, err := w.Append(head, result); err != nil {
			t.Fatal(err)
		}
	}
	w.View()
	actual := w.meter.used * 2
	ratio, counted, wrong := w.meter.ratio, w.meter.counted, len(w.meter.errors)
	if w.Observe(actual); w.Usage().Tokens != actual {
		t.Errorf("%d tokens were counted, the window has %d", actual, w.Usage().Tokens)
	}
	if w.meter.used < calibrationFrom || w.meter.ratio != ratio || w.meter.counted != counted || len(w.meter.errors) != wrong {
		t.Errorf("the ratio of %d tokens went from %v to %v, %d counts", w.meter.used, ratio, w.meter.ratio, w.meter.counted)
	}
}

// grow appends turns until a window compacts.
func grow(w *Window) (c Compaction, err error) {
	for i := 20; i < 60 && c.Level == 0 && err == nil; i++ {
		head, result := turnWith(i, nil)
		w.View()
		if _, err = w.Append(head, result); err == nil {
			c, err = w.Fit()
		}
	}
	return c, err
}

// A window compacts by itself, the whole log, once the model does not read what its service compacted, the service lets
// the request grow, or a service refuses it as too long.
func TestServerIsReclaimed(t *testing.T) {
	mine := func(d *transcript.ProviderData) bool { return d.Model == "m" }
	for name, c := range map[string]struct {
		owns  func(*transcript.ProviderData) bool
		limit int
		act   func(*Window) (Compaction, error)
		want  bool
	}{
		"it is read":        {mine, 60_000, (*Window).Fit, false},
		"another model":     {func(*transcript.ProviderData) bool { return false }, 60_000, (*Window).Fit, true},
		"another, no room":  {func(*transcript.ProviderData) bool { return false }, 8_000, (*Window).Fit, true},
		"at the mark":       {mine, 6_000, grow, true},
		"too long":          {mine, 60_000, func(w *Window) (Compaction, error) { return w.Shrink(9_000) }, true},
		"the user compacts": {mine, 60_000, func(w *Window) (Compaction, error) { return w.Compact("") }, true},
		"a preview":         {mine, 6_000, (*Window).Preview, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := &Options{Owns: c.owns}
			w, _ := served(t, c.limit, 12, o)
			if _, err := c.act(w); err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(w.View(), func(m transcript.Message) bool { return m.ProviderData != nil })
			if found == c.want || (w.view.first == nil) != c.want {
				t.Errorf("what the service compacted is in the view: %v", found)
			}
			if u := w.Usage(); c.want && u.Tokens > u.Limit {
				t.Errorf("%+v", u)
			}
			loaded, err := Load(w.Entries(0), w.Budget(), o)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(loaded.View(), w.View()) || loaded.Usage() != w.Usage() {
				t.Errorf("the loaded window has %+v, the original %+v", loaded.Usage(), w.Usage())
			}
		})
	}
}

// TestServerInvariants plays random operations on windows whose service compacts now and then.
func TestServerInvariants(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("one goroutine plays thousands of operations")
	}
	seeds, limits := uint64(2), []int{500, 2_000, 8_000, 48_000}
	for _, p := range Profiles() {
		for _, limit := range limits {
			for seed := range seeds {
				c := newChecker(t, Budget{Limit: limit, Profile: p})
				c.server = rand.New(rand.NewPCG(seed, 11))
				c.run(rand.New(rand.NewPCG(seed, uint64(limit))), 60)
			}
		}
	}
}

// A budget beyond a service's mark, which is half of the window, lets the service compact first under each profile.
func TestBeyond(t *testing.T) {
	for _, p := range Profiles() {
		for _, window := range []int{100_000, 128_000, 200_000, 400_000, 1_000_000} {
			at := min(window/2, 150_000)
			b := BudgetOf(window, 0, p).Autonomous().Beyond(at)
			first := float64(b.Limit)
			if m := policyOf(p).marks; m != nil {
				first *= m.guess
			}
			for _, l := range policyOf(p).ladder {
				first = min(first, l.At*float64(b.Limit))
			}
			if first < 1.04*float64(at) || b.Limit > usable(window, 0) {
				t.Errorf("%s of %d: the service compacts at %d, the window at %.0f of %d", p, window, at, first, b.Limit)
			}
		}
	}
	if b := (Budget{Limit: 9}); b.Beyond(0) != b || b.Beyond(100).Limit != 200 {
		t.Errorf("%+v", b.Beyond(100))
	}
}
