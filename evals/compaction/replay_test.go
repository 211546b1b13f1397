package compaction

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
)

// handBudget is small enough that the cases of testdata count: they take 268 and 183 tokens.
const handBudget = 130

func hand(t *testing.T, id string) *script {
	t.Helper()
	c, err := recording.Load(t.Context(), "testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range c.Trajectories {
		if tr.ID == id {
			return prepare(tr, &recording.Counters()[0])
		}
	}
	t.Fatalf("no case %s", id)
	return nil
}

func named(s *script, numbers []int, in vocabulary) string {
	var all []string
	for word, n := range in {
		for _, i := range numbers {
			if i == n {
				all = append(all, word)
			}
		}
	}
	return fmt.Sprint(len(numbers), " ", len(all), " ", strings.Join(slices.Sorted(slices.Values(all)), " + "))
}

// TestTargets holds what was worked out by hand from testdata/hand.jsonl.
func TestTargets(t *testing.T) {
	s := hand(t, "hand")
	var got []string
	for _, x := range s.targets {
		got = append(got, fmt.Sprintf("unit %d: deps %s; far %s; lines %s; far %s; anchors %s", x.unit,
			named(s, x.deps, s.ids), named(s, x.far, s.ids), named(s, x.lines, s.lines), named(s, x.farLines, s.lines), named(s, x.anchors, s.lines)))
	}
	nothing := "deps 0 0 ; far 0 0 ; lines 0 0 ; far 0 0 ; anchors 0 0 "
	want := []string{
		"unit 1: " + nothing,
		"unit 2: deps 1 1 readDigits; far 0 0 ; lines 0 0 ; far 0 0 ; anchors 0 0 ",
		"unit 3: " + nothing, "unit 4: " + nothing, "unit 5: " + nothing, "unit 6: " + nothing,
		"unit 7: deps 2 2 lexer_state + readDigits; far 2 2 lexer_state + readDigits; " +
			"lines 2 2 return readDigits(input) + src/lexer_state.go; far 2 2 return readDigits(input) + src/lexer_state.go; " +
			"anchors 1 1 return readDigits(input)",
		"unit 9: " + nothing,
	}
	// The listings of units 4 to 6 repeat "ls -la", which is too short for a line.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A fixed policy shows the prompt and one message of the runtime, and stores what it is given.
type fixed struct {
	prompt transcript.Message
	shows  string
	stores map[string]string
	units  int
}

func (p *fixed) Feed(u recording.Unit) error {
	if p.units++; p.units == 1 {
		p.prompt = u[0]
	}
	return nil
}

func (p *fixed) View() ([]transcript.Message, error) {
	return []transcript.Message{p.prompt, {Role: transcript.User, Text: p.shows}}, nil
}

func (p *fixed) Resolve(id string) (string, bool) { body, ok := p.stores[id]; return body, ok }

// Reload forgets what was shown if that says so.
func (p *fixed) Reload() (policy.Policy, error) {
	loaded := *p
	if strings.Contains(p.shows, "forget") {
		loaded.shows = "forgotten"
	}
	return &loaded, nil
}

func playFixed(t *testing.T, shows string, stores map[string]string) *tally {
	t.Helper()
	y, err := play(t.Context(), hand(t, "hand"), policy.Named{Name: "fixed", New: func(policy.Setting) policy.Policy { return &fixed{shows: shows, stores: stores} }}, handBudget, nil)
	if err != nil {
		t.Fatal(err)
	}
	if y.Requests != 8 || y.Identifiers != 3 || y.LongRange != 2 || y.Lines != 2 || y.LongRangeLines != 2 || y.Anchors != 1 || y.Compared != 8 {
		t.Fatalf("the case itself: %+v", y)
	}
	return y
}

func TestMetrics(t *testing.T) {
	body := "func scanNumber(input string) {\n\treturn readDigits(input)\n}"
	for name, c := range map[string]struct {
		shows  string
		stores map[string]string
		want   tally
	}{
		"nothing": {shows: "nothing of it", want: tally{Pinned: 7, Equal: 8}},
		"all in lines": {
			shows: "src/lexer_state.go\n 2:  return readDigits(input)\nThanks. Does it build?",
			want: tally{
				SeenIdentifiers: 3, UnlistedIdentifiers: 3, PointedAt: 3, Named: 3, SeenLongRange: 2, UnlistedLongRange: 2, SeenLines: 2, SeenLongRangeLines: 2, SeenAnchors: 1,
				Pinned: 8, Equal: 8,
			},
		},
		"in a list that the stand-in wrote": {
			shows: policy.SummaryTitle + "\n" + policy.PathsTitle + "src/lexer_state.go\nreadDigits",
			want:  tally{SeenIdentifiers: 3, UnlistedIdentifiers: 2, PointedAt: 3, Named: 3, SeenLongRange: 2, UnlistedLongRange: 1, Pinned: 7, Equal: 8},
		},
		"parts of words do not count": {shows: "readDigits2 my_lexer_state", want: tally{Pinned: 7, Equal: 8}},
		"a pointer with a cue": {
			shows:  "- [s2.1] read src/lexer_state.go",
			stores: map[string]string{"s2.1": body},
			// lexer_state is shown once; readDigits is stored twice, and only the edit shows the path as well.
			want: tally{SeenIdentifiers: 1, UnlistedIdentifiers: 1, PointedAt: 3, Named: 2, SeenLongRange: 1, UnlistedLongRange: 1, Pinned: 7, Equal: 8},
		},
		"a pointer that leads nowhere": {shows: "- [s2.1] read", want: tally{Pinned: 7, Equal: 8}},
		"a range of pointers": {
			shows:  "it replaces 3 turns, up to step 3, Read one whole: read_working_memory id=s<step>.<call>",
			stores: map[string]string{"s2.1": body},
			// A range names no text.
			want: tally{Pinned: 7, Equal: 8},
		},
		"a message of the user with head and pointer": {
			shows: "- [s9.0] Thanks. Does it bu… whole text: id=s9.0", stores: map[string]string{"s9.0": "Thanks. Does it build?"},
			want: tally{Pinned: 8, Equal: 8},
		},
		"a save that loses something": {shows: "forget me", want: tally{Pinned: 7, Equal: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			got := playFixed(t, c.shows, c.stores)
			size := len("You fix code.Fix the parser in src/parser.go please.") + len([]rune(c.shows))
			want := c.want
			want.Trajectories, want.Requests, want.Identifiers, want.LongRange, want.Lines, want.LongRangeLines, want.Anchors, want.Compared = 1, 8, 3, 2, 2, 2, 1, 8
			want.Near, want.UnlistedNear = 1, want.UnlistedIdentifiers-want.UnlistedLongRange
			want.Sight, want.Roles, want.Rereads, want.RereadCost = got.Sight, got.Roles, got.Rereads, got.RereadCost
			want.Quarters, want.PrefixQuarters, want.Largest = 8*size, 7*size, recording.Tokens(size)
			// What was lost, one by one, is the subject of the tests of foray replay.
			ignored := cmpopts.IgnoreFields(tally{}, "lost")
			if diff := cmp.Diff(&want, got, cmp.AllowUnexported(tally{}), ignored); diff != "" {
				t.Error(diff)
			}
			cost := 1.25*float64(size)/4 + .1*7*float64(size)/4
			if math.Abs(got.cost()-cost) > 1e-9 {
				t.Errorf("cost %v, want %v", got.cost(), cost)
			}
		})
	}
}

// A forgetful policy shows everything until a request, and from then on only the prompt.
type forgetful struct {
	policy.Policy
	first recording.Unit
	until int
	asked int
}

func (p *forgetful) Feed(u recording.Unit) error {
	if p.first == nil {
		p.first = u
	}
	return p.Policy.Feed(u)
}

func (p *forgetful) View() ([]transcript.Message, error) {
	if p.asked++; p.asked > p.until {
		return p.first, nil
	}
	return p.Policy.View()
}

func TestRefillAndPrefix(t *testing.T) {
	s := hand(t, "hand")
	// Requests are before units 1, 2, …: the fourth, before unit 4, is the last that shows all. The calls of units 5 and 6
	// repeat those of units 3 and 4.
	p := policy.Named{Name: "forgetful", New: func(st policy.Setting) policy.Policy { return &forgetful{Policy: newNone(st), until: 4} }}
	y, err := play(t.Context(), s, p, handBudget, nil)
	if err != nil {
		t.Fatal(err)
	}
	size := func(to int) (n int) {
		n = len(s.System)
		for _, u := range s.Units[:to] {
			for _, m := range u {
				n += len(m.Text)
				for _, c := range m.Calls {
					n += len(c.Name) + len(c.Args)
				}
			}
		}
		return n
	}
	sent := size(1) + size(2) + size(3) + size(4) + 4*size(1)
	prefix := size(1) + size(2) + size(3) + 4*size(1)
	if y.Quarters != sent || y.PrefixQuarters != prefix || y.Compactions != 1 || len(y.After) != 1 {
		t.Errorf("sent %d, prefix %d, want %d, %d; %d compactions", y.Quarters, y.PrefixQuarters, sent, prefix, y.Compactions)
	}
	if want := float64(recording.Tokens(size(1))) / handBudget; y.After[0] != want {
		t.Errorf("size after %v, want %v", y.After[0], want)
	}
	again := 2 * recording.Tokens(len(s.Units[5][1].Text))
	unit4 := 4 * s.counter.Unit(s.Units[4])
	if freed := recording.Tokens(size(4) + unit4 - size(1)); y.Freed != freed || y.Refilled != again {
		t.Errorf("freed %d, refilled %d, want %d, %d", y.Freed, y.Refilled, freed, again)
	}
}

func TestPinsOfPlansAndSubmissions(t *testing.T) {
	s := hand(t, "parallel")
	if len(s.plans) != 1 || len(s.submits) != 1 {
		t.Fatalf("plans %+v, submissions %+v", s.plans, s.submits)
	}
	for shows, want := range map[string]int{
		"nothing":                  1, // the request before the plan
		"Write the migration file": 1,
		"Write the migration file\nRun all of the tests":                 2, // and the one before the submission
		"Run all of the tests; Write the migration file: schema is old.": 4,
	} {
		y, err := play(t.Context(), s, policy.Named{Name: "fixed", New: func(policy.Setting) policy.Policy { return &fixed{shows: shows} }}, handBudget, nil)
		if err != nil {
			t.Fatal(err)
		}
		if y.Requests != 4 || y.Pinned != want {
			t.Errorf("%q: pinned %d of %d, want %d", shows, y.Pinned, y.Requests, want)
		}
	}
}

// TestNoneSeesAll holds the measures themselves: a policy that drops nothing has all there is.
func TestNoneSeesAll(t *testing.T) {
	for _, id := range []string{"hand", "parallel"} {
		for _, counter := range recording.Counters() {
			s := hand(t, id)
			s = prepare(s.Trajectory, &counter)
			y, err := play(t.Context(), s, policy.Named{Name: "none", New: newNone}, handBudget, nil)
			if err != nil {
				t.Fatal(err)
			}
			if y.SeenIdentifiers != y.Identifiers || y.SeenLongRange != y.LongRange || y.SeenLines != y.Lines || y.Pinned != y.Requests || y.Invalid > 0 || y.Compactions > 0 || y.Equal != y.Requests {
				t.Errorf("%s, %s: %+v", id, counter.Name, y)
			}
		}
	}
}

// TestPoliciesKeepRules plays every policy on every case, at budgets at which they must compact.
func TestPoliciesKeepRules(t *testing.T) {
	breaks := map[string]bool{"trim": true}                                                       // it drops the prompt
	exceeds := map[string]bool{"none": true, "clear-keep-3": true, "mask-10": true, "trim": true, // they bound nothing, or not the newest unit
		"drop-oldest": true, "codex": true, "opencode": true, "pi": true}
	for _, id := range []string{"hand", "parallel"} {
		for _, counter := range recording.Counters() {
			s := prepare(hand(t, id).Trajectory, &counter)
			for _, p := range policy.Policies() {
				y, err := play(t.Context(), s, p, handBudget, nil)
				if err != nil {
					t.Errorf("%s on %s: %v", p.Name, id, err)
					continue
				}
				if y.Invalid > 0 && !breaks[p.Name] {
					t.Errorf("%s on %s: %d invalid views, by rule %v", p.Name, id, y.Invalid, y.Broken)
				}
				if y.Over > 0 && counter.Name == "foray" && !exceeds[p.Name] {
					t.Errorf("%s on %s: %d views over budget, the largest %d", p.Name, id, y.Over, y.Largest)
				}
				if y.Equal != y.Compared {
					t.Errorf("%s on %s: %d of %d views repeat", p.Name, id, y.Equal, y.Compared)
				}
			}
		}
	}
}

// newNone makes the policy that sends everything.
func newNone(s policy.Setting) policy.Policy { return policy.Policies()[0].New(s) }
