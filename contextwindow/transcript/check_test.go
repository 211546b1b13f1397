package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The messages that the tests of Check and Repair are made of.
func said(text string) Message    { return Message{Role: User, Text: text} }
func thought(text string) Message { return Message{Role: Assistant, Text: text} }

func calling(ids ...string) Message {
	m := Message{Role: Assistant}
	for _, id := range ids {
		m.Calls = append(m.Calls, ToolCall{ID: id, Name: "read", Args: json.RawMessage(`{}`)})
	}
	return m
}

func answered(id string) Message {
	return Message{Role: Tool, CallID: id, Name: "read", Text: "text of " + id}
}

func arguing(args string) Message {
	m := calling("a")
	m.Calls[0].Args = json.RawMessage(args)
	return m
}

func opaque(m Message) Message {
	m.ProviderData = &ProviderData{Dialect: "d", Data: []byte("sealed")}
	return m
}

// providerRules are the columns of the table.
var providerRules = []Rules{OpenAI, Gemini, Anthropic}

// broken returns which rules messages break where, by provider, as "message rule".
func broken(t *testing.T, ms []Message, r Rules) []string {
	t.Helper()
	err := Check(ms, r)
	if err == nil {
		return nil
	}
	var invalid *InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 || invalid.Rules != r {
		t.Fatalf("%T of %q: %v", err, r, err)
	}
	var all []string
	for _, v := range invalid.Violations {
		if v.Detail == "" || v.Message < 0 || v.Message > max(len(ms)-1, 0) {
			t.Errorf("of %d messages: %+v", len(ms), v)
		}
		all = append(all, fmt.Sprint(v.Message, " ", v.Rule))
	}
	return all
}

func TestCheck(t *testing.T) {
	at := func(i int, r Rule) string { return fmt.Sprint(i, " ", r) }
	all := func(places ...string) map[Rules][]string {
		return map[Rules][]string{OpenAI: places, Gemini: places, Anthropic: places}
	}
	for name, c := range map[string]struct {
		ms   []Message
		want map[Rules][]string // of providers that are missing: nothing
	}{
		"a round":                   {[]Message{said("go"), calling("a", "b"), answered("a"), answered("b")}, nil},
		"ids used again":            {[]Message{said("go"), calling("a"), answered("a"), calling("a"), answered("a")}, nil},
		"neighbours":                {[]Message{said("x"), said("y"), thought("x"), calling("a"), answered("a"), said("z")}, nil},
		"without arguments":         {[]Message{said("go"), arguing(""), answered("a")}, nil},
		"spaced arguments":          {[]Message{said("go"), arguing("\n {\"a\":\"}\"}"), answered("a")}, nil},
		"an empty result":           {[]Message{said("go"), calling("a"), {Role: Tool, CallID: "a"}}, nil},
		"an opaque part alone":      {[]Message{said("go"), opaque(thought("")), said("and?")}, nil},
		"results out of order":      {[]Message{said("go"), calling("a", "b"), answered("b"), answered("a")}, map[Rules][]string{Gemini: {at(2, ruleResults)}}},
		"the assistant first":       {[]Message{thought("hi"), said("go")}, map[Rules][]string{Gemini: {at(0, ruleFirst)}, Anthropic: {at(0, ruleFirst)}}},
		"thinking behind text":      {[]Message{said("go"), thought("so"), opaque(calling("a")), answered("a")}, map[Rules][]string{Anthropic: {at(2, ruleNeighbours)}}},
		"thinking of a former loop": {[]Message{said("go"), thought("so"), opaque(calling("a")), answered("a"), said("on")}, nil},
		"thinking in rounds":        {[]Message{said("go"), opaque(calling("a")), answered("a"), opaque(calling("b")), answered("b")}, nil},
		"no result":                 {[]Message{said("go"), calling("a", "b"), answered("b"), said("on")}, all(at(1, ruleResults))},
		"a result of another":       {[]Message{said("go"), calling("a"), answered("b")}, all(at(1, ruleResults), at(2, ruleResults))},
		"a result twice":            {[]Message{said("go"), calling("a"), answered("a"), answered("a")}, all(at(3, ruleResults))},
		"a result too late":         {[]Message{said("go"), calling("a"), said("on"), answered("a")}, all(at(1, ruleResults), at(3, ruleResults))},
		"the assistant last":        {[]Message{said("go"), thought("done")}, all(at(1, ruleLast))},
		"empty":                     {[]Message{said("go"), thought(" \n"), said("\t")}, all(at(1, ruleText), at(2, ruleText))},
		"two calls of an id":        {[]Message{said("go"), calling("a", "a"), answered("a"), answered("a")}, all(at(1, ruleIDs))},
		"no id":                     {[]Message{said("go"), calling(""), answered("")}, all(at(1, ruleIDs))},
		"an id of bytes":            {[]Message{said("go"), calling("\xff"), answered("\xff")}, all(at(1, ruleIDs))},
		"broken arguments":          {[]Message{said("go"), arguing(`{"cut`), answered("a")}, all(at(1, ruleArguments))},
		"a list of arguments":       {[]Message{said("go"), arguing(`[1]`), answered("a")}, all(at(1, ruleArguments))},
		"a user's opaque part":      {[]Message{opaque(said("go"))}, all(at(0, ruleProviderData))},
		"a tool's opaque part":      {[]Message{said("go"), calling("a"), opaque(answered("a"))}, all(at(2, ruleProviderData))},
		"a user calls":              {[]Message{{Role: User, Text: "go", Calls: calling("a").Calls}, answered("a")}, all(at(0, ruleRoles), at(1, ruleResults))},
		"a system prompt inside":    {[]Message{said("go"), {Role: "system", Text: "be kind"}, said("on")}, all(at(1, ruleRoles))},
		"nothing":                   {nil, map[Rules][]string{OpenAI: {at(0, ruleLast)}, Gemini: {at(0, ruleFirst), at(0, ruleLast)}, Anthropic: {at(0, ruleFirst), at(0, ruleLast)}}},
		"a result first": {[]Message{answered("a"), said("go")}, map[Rules][]string{OpenAI: {at(0, ruleResults)},
			Gemini: {at(0, ruleResults), at(0, ruleFirst)}, Anthropic: {at(0, ruleResults), at(0, ruleFirst)}}},
	} {
		some := false
		for _, r := range providerRules {
			got := broken(t, c.ms, r)
			if diff := cmp.Diff(c.want[r], got); diff != "" {
				t.Errorf("%s, %s:\n%s", name, r, diff)
			}
			some = some || len(got) > 0
		}
		if every := broken(t, c.ms, AnyProvider); (len(every) > 0) != some {
			t.Errorf("%s: of every provider's rules %v are broken", name, every)
		}
	}
}

// TestManyCalls compares what a set finds in a long round with what comparing finds in a short one.
func TestManyCalls(t *testing.T) {
	for _, n := range []int{comparedCalls, comparedCalls + 1, 5_000} {
		head := Message{Role: Assistant}
		ms := []Message{said("go"), head}
		for i := range n {
			id := fmt.Sprint("c", i)
			head.Calls = append(head.Calls, ToolCall{ID: id, Name: "read"})
			ms = append(ms, answered(id))
		}
		ms[1] = head
		if err := Check(ms, AnyProvider); err != nil {
			t.Errorf("%d calls: %v", n, err)
		}
		head.Calls[n-1].ID, ms[n+1].CallID = "c0", "c0"
		if got := broken(t, ms, AnyProvider); len(got) != 1 {
			t.Errorf("%d calls, two of an id: %v", n, got)
		}
	}
}

func TestCheckReports(t *testing.T) {
	if err := Check([]Message{said("go")}, "telex"); err == nil || !strings.Contains(err.Error(), `"telex"`) {
		t.Errorf("unknown rules: %v", err)
	}
	var ms []Message
	for range 25 {
		ms = append(ms, answered("nobody"))
	}
	err := Check(ms, Anthropic)
	for _, want := range []string{`"anthropic"`, "message 0: results", "message 0: user first", `"nobody"`, "and 16 more"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
}

func TestCheckAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	view := []Message{said("prompt")}
	for range 100 {
		view = append(view, calling("a", "b"), answered("a"), answered("b"))
	}
	for _, r := range append(providerRules, AnyProvider) {
		if err := Check(view, r); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = Check(view, r) }); n != 0 {
			t.Errorf("Check of %d valid messages by %s allocates %.0f times", len(view), r, n)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	ms := []Message{said("go")}
	for range 1_000 {
		ms = append(ms, arguing(`{"path":"contextwindow/window.go","from":120,"to":180}`), answered("a"))
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(ms, AnyProvider); err != nil {
			b.Fatal(err)
		}
	}
}
