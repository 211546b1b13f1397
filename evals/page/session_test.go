package page

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
)

var update = flag.Bool("update", false, "write the golden files")

// sessionOf reads a trace as a page does.
func sessionOf(t testing.TB, lines []byte, b bounds) *session {
	s := readSession(bytes.NewReader(lines), b)
	s.readRequests(t.Context(), bytes.NewReader(lines))
	return s.session
}

// messagesOf is what the page's script shows of request n.
func (s *session) messagesOf(n int) []int {
	r := s.Requests[n]
	if r.Keep == 0 {
		return r.Rest
	}
	return slices.Concat(s.messagesOf(r.Base - 1)[:r.Keep], r.Rest)
}

func (s *session) textOf(i int) string {
	if i == 0 {
		return ""
	}
	return s.Texts[i-1]
}

// TestRequestsAreAsSent compares what the page shows of each request with what the trace gives, under every profile.
func TestRequestsAreAsSent(t *testing.T) {
	for _, profile := range contextwindow.Profiles() {
		lines, result := compacting(t, profile, 24, "Read it. "+hostile, "Done.")
		s := sessionOf(t, lines, defaults)
		n := 0
		for q, err := range trace.Read(bytes.NewReader(lines)) {
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, m := range q.Request.Messages {
				want = append(want, string(m.Role)+" "+visible(m.Text))
			}
			for _, m := range s.messagesOf(n) {
				got = append(got, s.Messages[m].Role+" "+s.textOf(s.Messages[m].Text))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: request %d (-sent +shown):\n%s", profile, n+1, diff)
			}
			checkDifference(t, s, n)
			p, sum := s.Window[n], 0
			for _, tokens := range p.Sections {
				sum += tokens
			}
			if sum != p.Tokens || p.Sections[notRead] != 0 || p.Tokens > p.Limit && profile != contextwindow.Off {
				t.Errorf("%s: request %d: %+v adds up to %d", profile, n+1, p, sum)
			}
			n++
		}
		if n != len(s.Requests) || n != len(s.Window) || n < 20 || len(s.Left) > 0 {
			t.Errorf("%s: %d requests, %d shown, %d points, %q", profile, n, len(s.Requests), len(s.Window), s.Left)
		}
		if len(s.Compactions) != len(result.Compactions) {
			t.Errorf("%s: %d of %d compactions", profile, len(s.Compactions), len(result.Compactions))
		}
	}
}

// checkDifference holds the difference of a request to what it says: each message of the base is kept, has a version or
// is gone.
func checkDifference(t *testing.T, s *session, n int) {
	t.Helper()
	r := s.Requests[n]
	if r.Base == 0 {
		return
	}
	var found []int
	for _, m := range r.Was {
		if m >= 0 {
			found = append(found, m)
		}
	}
	base := s.messagesOf(r.Base - 1)[r.Keep:]
	if diff := cmp.Diff(slices.Sorted(slices.Values(base)), slices.Sorted(slices.Values(append(found, r.Gone...)))); diff != "" {
		t.Errorf("request %d (-base +kept, changed or gone):\n%s", n+1, diff)
	}
}

// TestEvictionsNameTheirUnits compares the units of each compaction with the count that the window reported.
func TestEvictionsNameTheirUnits(t *testing.T) {
	for _, profile := range []contextwindow.Profile{contextwindow.Lean, contextwindow.Cheap, contextwindow.Ladder} {
		lines, _ := compacting(t, profile, 30, "Read it.", "Done.")
		s := sessionOf(t, lines, defaults)
		shortened := 0
		for i, c := range s.Compactions {
			evicted := 0
			for _, u := range c.Units {
				if u.Head == "" || u.Before < u.After || !slices.Contains(c.Steps, u.Cause) {
					t.Errorf("%s: compaction %d by %q: %+v", profile, i, c.Steps, u)
				}
				if u.How == "evicted" {
					evicted++
				} else {
					shortened++
				}
			}
			if evicted != c.Evicted || c.Point == 0 || s.Window[c.Point-1].Compaction != i+1 || c.After > c.Before {
				t.Errorf("%s: compaction %d lists %d units: %+v", profile, i, evicted, c)
			}
			if len(c.Why) != len(c.Steps) || slices.Contains(c.Why, "") {
				t.Errorf("%s: compaction %d: %q by %q", profile, i, c.Why, c.Steps)
			}
		}
		if len(s.Compactions) < 3 || profile == contextwindow.Ladder && shortened == 0 {
			t.Errorf("%s: %d compactions, %d results shortened", profile, len(s.Compactions), shortened)
		}
	}
}

// What differs between machines, and what changes with the estimate of tokens.
var (
	times = regexp.MustCompile(`( after| ·) [0-9.]+m?s`)
	sizes = regexp.MustCompile(`[0-9]+,[0-9]+|[0-9]{3,}`)
)

// TestTimeline compares the timeline of a run with a golden file.
func TestTimeline(t *testing.T) {
	lines, _ := compacting(t, contextwindow.Lean, 9, "Read it. "+hostile, "Done.")
	var b strings.Builder
	for _, e := range sessionOf(t, lines, defaults).Events {
		head := sizes.ReplaceAllString(times.ReplaceAllString(e.Head, ""), "#")
		fmt.Fprintf(&b, "%d %s: %s", e.Step, e.Kind, head)
		if e.Failed {
			b.WriteString(" (failed)")
		}
		b.WriteString("\n")
	}
	if *update {
		if err := os.WriteFile("testdata/timeline.txt", []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/timeline.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
}

// TestBoundsOfATrial holds a session to its bounds, and to saying what is not in it.
func TestBoundsOfATrial(t *testing.T) {
	lines, _ := compacting(t, contextwindow.Lean, 40, "Read it.", "Done.")
	b := bounds{trial: 20_000, text: 700, events: 40, requests: 9}
	s := sessionOf(t, lines, b)
	size := 0
	for _, text := range s.Texts {
		size += len(text)
		if len(text) > b.text+60 {
			t.Errorf("a text of %d bytes", len(text))
		}
	}
	if size > b.trial+len(noRoom) || len(s.Events) > b.events*3/2 || len(s.Requests) != b.requests {
		t.Errorf("%d bytes, %d events, %d requests", size, len(s.Events), len(s.Requests))
	}
	if first, last := s.Events[0], s.Events[len(s.Events)-1]; first.Kind != "started" || last.Kind != "done" {
		t.Errorf("from %q to %q", first.Kind, last.Kind)
	}
	if len(s.Window) != 41 {
		t.Errorf("%d points", len(s.Window))
	}
	for _, want := range []string{"events in the middle", "32 of 41 requests are not shown", "texts of this trial"} {
		if !strings.Contains(strings.Join(s.Left, "\n"), want) {
			t.Errorf("%q does not say %q", s.Left, want)
		}
	}
	for n := range s.Requests {
		checkDifference(t, s, n)
	}
}

// TestChoose checks the requests to rebuild: as many as there is room for, the first and the last among them.
func TestChoose(t *testing.T) {
	points := make([]point, 500)
	for i := range points {
		points[i] = point{line: 3 * i, prev: i, Compaction: max(i%50-48, 0)}
	}
	for _, most := range []int{1, 2, 7, 40, 499, 500, 600} {
		lines := choose(points, most)
		if len(lines) != min(most, 500) || !lines[0] || most >= 7 && !lines[3*499] {
			t.Errorf("%d of %d, first %v, last %v", len(lines), most, lines[0], lines[3*499])
		}
		if most == 40 && (!lines[3*449] || !lines[3*448]) {
			t.Errorf("the requests around a compaction are not among %d", most)
		}
	}
}

// TestDamagedTraces cuts and spoils a trace: what was read is shown, and the rest is named.
func TestDamagedTraces(t *testing.T) {
	lines, _ := compacting(t, contextwindow.Lean, 12, "Read it.", "Done.")
	whole := sessionOf(t, lines, defaults)
	for size := 0; size < len(lines); size += 4_099 {
		s := sessionOf(t, lines[:size], defaults)
		if len(s.Left) == 0 || len(s.Requests) > len(whole.Requests) {
			t.Fatalf("%d bytes: %d requests, %q", size, len(s.Requests), s.Left)
		}
	}
	for name, spoiled := range map[string]string{
		"empty":   "",
		"text":    "hello\n",
		"no call": `{"seq":1,"event":"tool_ended","agent":"a"}` + "\n" + `{"seq":2,"event":"compacted"}` + "\n",
		"hash":    strings.Replace(string(lines), `"sha256":"`, `"sha256":"0`, 1),
		"edit":    `{"seq":1,"event":"entries","entries":[{"edit":{"op":"cut","cuts":[{"step":-1,"part":-4}]}},{"unit":{}}]}` + "\n",
	} {
		if s := sessionOf(t, []byte(spoiled), defaults); len(s.Left) == 0 {
			t.Errorf("%s: nothing is said of what is missing", name)
		}
	}
}

func FuzzSession(f *testing.F) {
	lines, _ := compacting(f, contextwindow.Lean, 8, "Read it.", "Done.")
	f.Add(lines)
	f.Add([]byte(`{"seq":1,"event":"compacted","compaction":{"steps":["L1"]}}` + "\n" + `{"event":"entries","entries":[{"edit":{"op":"fold","steps":[1]}}]}`))
	f.Add([]byte("{\"event\":\"\x7f\"}"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		s := sessionOf(t, lines, bounds{trial: 10_000, text: 300, events: 20, requests: 5})
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(raw) {
			if r != '\n' && r != '\t' && hidden(r) {
				t.Fatalf("the session has %U", r)
			}
		}
		for n, q := range s.Requests {
			for _, m := range s.messagesOf(n) {
				if m >= len(s.Messages) || q.Point > len(s.Window) {
					t.Fatalf("request %d has no message %d", n, m)
				}
			}
		}
	})
}

// within is a trace in which a second agent runs before the first one ends.
func within(outer, inner []byte) []byte {
	outer, inner = bytes.TrimSpace(outer), bytes.TrimSpace(inner)
	inner = bytes.ReplaceAll(inner, []byte(`"agent":"reader"`), []byte(`"agent":"helper"`))
	inner = bytes.ReplaceAll(inner, []byte(`"event":"done"`), []byte(`"event":"returned"`))
	at := bytes.LastIndexByte(outer, '\n')
	all := slices.Concat(outer[:at+1], inner, outer[at:], []byte("\n"))
	var out bytes.Buffer
	for i, l := range bytes.SplitAfter(bytes.TrimSpace(all), []byte("\n")) {
		_, rest, _ := bytes.Cut(l, []byte(","))
		fmt.Fprintf(&out, `{"seq":%d,%s`, i+1, rest)
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// TestSubagents keeps the windows of agents apart: a request is compared with one of its own agent.
func TestSubagents(t *testing.T) {
	outer, _ := compacting(t, contextwindow.Lean, 12, "Read it.", "Done.")
	inner, _ := compacting(t, contextwindow.Ladder, 9, "Help.", "Helped.")
	s := sessionOf(t, within(outer, inner), defaults)
	if len(s.Agents) != 2 || s.Agents[1].Name != "helper" || len(s.Left) > 0 || len(s.Requests) != 13+10 {
		t.Fatalf("%d requests of %+v, %q", len(s.Requests), s.Agents, s.Left)
	}
	for n, r := range s.Requests {
		own := s.Window[r.Point-1].Agent
		if r.Base > 0 && s.Window[s.Requests[r.Base-1].Point-1].Agent != own {
			t.Errorf("request %d of agent %d is compared with one of another", n+1, own)
		}
		if (r.Base == 0) != (n == 0 || n == 13) || own != n/13 {
			t.Errorf("request %d of agent %d: base %d", n+1, own, r.Base)
		}
	}
	for i, c := range s.Compactions {
		if s.Window[c.Point-1].Agent != c.Agent {
			t.Errorf("compaction %d of agent %d precedes a request of another", i, c.Agent)
		}
	}
}

// The tokens of a session of two questions are those of both; the end of a run has some that its steps do not say.
func TestTokensOfAllRuns(t *testing.T) {
	var c costs
	c.read(strings.NewReader(`{"event":"stepped","agent":"a","step":1,"usage":{"input":10}}
{"event":"stepped","agent":"a","step":2,"usage":{"input":20}}
{"event":"stepped","agent":"a","step":1,"usage":{"input":40}}
{"event":"done","agent":"a","step":1,"usage":{"input":45}}
`))
	if c.usage.Input != 75 {
		t.Errorf("%d tokens, want 75", c.usage.Input)
	}
}
