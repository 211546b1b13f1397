package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/internal/ostest"
)

// outlines shows messages in a line each.
func outlines(ms []Message) string {
	var b strings.Builder
	for _, m := range ms {
		b.WriteString(string(m.Role))
		if m.CallID != "" || m.Role == Tool {
			fmt.Fprintf(&b, " of %s", m.CallID)
		}
		if m.Failed {
			b.WriteString(" failed")
		}
		if m.ProviderData != nil {
			b.WriteString(" sealed")
		}
		for _, call := range m.Calls {
			fmt.Fprintf(&b, " %s%s", call.ID, call.Args)
		}
		fmt.Fprintf(&b, ": %s\n", strings.ReplaceAll(m.Text, "\n", "|"))
	}
	return b.String()
}

func TestRepair(t *testing.T) {
	for name, c := range map[string]struct {
		ms   []Message
		want string
		did  []string // a part of each sentence
	}{
		"a missing result": {
			[]Message{said("go"), calling("a", "b"), answered("b"), said("on")},
			"user: go\nassistant a{} b{}: \ntool of a failed: interrupted\ntool of b: text of b\nuser: on\n",
			[]string{`Call "a" of message 1 has no result`},
		},
		"an orphan between a call and its result": {
			[]Message{said("go"), calling("a"), answered("z"), answered("a")},
			"user: go\nassistant a{}: \ntool of a: text of a\nuser: [result of a call that is missing, name \"read\", id \"z\"]|text of z\n",
			[]string{`Message 3, the result of call "a", moved after message 1`, `Message 2, a result without its call "z"`},
		},
		"two results of a call": {
			[]Message{said("go"), calling("a", "b"), answered("a"), {Role: Tool, CallID: "a", Text: "later"}, answered("b")},
			"user: go\nassistant a{} b{}: \ntool of a: later\ntool of b: text of b\n",
			[]string{`Message 2, a result of call "a", removed`},
		},
		"calls of one id": {
			[]Message{said("go"), calling("a", "a", "a_2"), answered("a"), {Role: Tool, CallID: "a", Text: "second"}, answered("a_2")},
			"user: go\nassistant a{} a_3{} a_2{}: \ntool of a: text of a\ntool of a_3: second\ntool of a_2: text of a_2\n",
			[]string{`Call 1 of message 1 renamed "a_3"`},
		},
		"calls without ids": {
			[]Message{said("go"), calling("", ""), {Role: Tool, Text: "first"}, {Role: Tool, Text: "second"}},
			"user: go\nassistant call{} call_2{}: \ntool of call: first\ntool of call_2: second\n",
			[]string{`renamed "call"`, `renamed "call_2"`},
		},
		"an id used again, one result lost": {
			[]Message{said("go"), calling("a"), calling("a"), answered("a")},
			"user: go\nassistant a{}: \ntool of a failed: interrupted\nassistant a{}: \ntool of a: text of a\n",
			[]string{`Call "a" of message 1`},
		},
		"a result out of order, late, and early": {
			[]Message{said("go"), answered("e"), calling("a", "b"), answered("b"), answered("a"), calling("l"), said("on"), answered("l"), calling("e")},
			"user: go\nassistant a{} b{}: \ntool of a: text of a\ntool of b: text of b\nassistant l{}: \ntool of l: text of l\nuser: on\nassistant e{}: \ntool of e: text of e\n",
			[]string{"Message 4, the result", "Message 3, the result", "Message 7, the result", "Message 1, the result"},
		},
		"the assistant at both ends": {
			[]Message{thought("hi"), said("go"), thought("done")},
			"user: " + unprompted + "\nassistant: hi\nuser: go\nassistant: done\nuser: " + unanswered + "\n",
			[]string{"does not begin with", "ends with"},
		},
		"nothing": {nil, "user: " + unprompted + "\n", []string{"does not begin with"}},
		"what says nothing": {
			[]Message{said(" "), said("go"), thought(""), {Role: "system"}, calling("a"), answered("a")},
			"user: go\nassistant a{}: \ntool of a: text of a\n",
			[]string{"Message 0 removed", "Message 2 removed", `Message 3, of role "system", removed`},
		},
		"a system prompt": {
			[]Message{{Role: "system", Text: "be kind"}, said("go")},
			"user: [message of role \"system\"]|be kind\nuser: go\n",
			[]string{`Message 0, of role "system", quoted`},
		},
		"arguments": {
			[]Message{said("go"), arguing(`"{\"path\":\"x\"}"`), answered("a"), arguing(`{"cut`), answered("a"), arguing(`[1]`), answered("a"), arguing(` null`), answered("a"), arguing(`"x"`), answered("a")},
			"user: go\nassistant a{\"path\":\"x\"}: \ntool of a: text of a\nassistant a{\"raw\":\"{\\\"cut\"}: \ntool of a: text of a\n" +
				"assistant a{\"raw\":[1]}: \ntool of a: text of a\nassistant a{}: \ntool of a: text of a\nassistant a{\"raw\":\"x\"}: \ntool of a: text of a\n",
			[]string{"of message 1", "of message 3", "of message 5", "of message 7", "of message 9"},
		},
		"what only the assistant has": {
			[]Message{opaque(said("go")), calling("a"), opaque(answered("a")), {Role: User, Text: "on", Calls: calling("a").Calls}},
			"user: go\nassistant a{}: \ntool of a: text of a\nuser: on\n",
			[]string{"Provider data of message 0", "Provider data of message 2", "Calls of message 3"},
		},
		"thinking before a repair and after it": {
			[]Message{said("go"), opaque(calling("a")), answered("a"), opaque(calling("b")), said("on"), opaque(thought("so")), said("on")},
			"user: go\nassistant sealed a{}: \ntool of a: text of a\nassistant sealed b{}: \ntool of b failed: interrupted\nuser: on\nassistant: so\nuser: on\n",
			[]string{"has no result", "Provider data after the first repair removed (1)"},
		},
		"thinking that would not stand first": {
			[]Message{said("go"), thought("so"), opaque(thought("")), opaque(calling("a")), answered("a"), opaque(calling("b")), answered("b")},
			"user: go\nassistant: so\nassistant a{}: \ntool of a: text of a\nassistant b{}: \ntool of b: text of b\n",
			[]string{"Provider data in", "Provider data in", "Provider data after"},
		},
	} {
		got, did := Repair(c.ms)
		if diff := cmp.Diff(c.want, outlines(got)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if !slices.EqualFunc(did, c.did, strings.Contains) {
			t.Errorf("%s: did %q, want %q", name, did, c.did)
		}
		checkRepaired(t, c.ms)
	}
}

// TestRepairOfManyDuplicates has a round whose calls and results all share an id, and a transcript that is one id.
func TestRepairOfManyDuplicates(t *testing.T) {
	head, ms := Message{Role: Assistant}, []Message{said("go"), {}}
	for range 3_000 {
		head.Calls = append(head.Calls, ToolCall{ID: "a", Name: "read"})
		ms = append(ms, answered("a"))
	}
	ms[1] = head
	checkRepaired(t, ms)
	ms = nil
	for range 3_000 {
		ms = append(ms, calling("a"), answered("a"), answered("a"))
	}
	checkRepaired(t, ms)
}

// checkRepaired checks what holds for every repair, and returns its result.
func checkRepaired(t testing.TB, ms []Message) []Message {
	t.Helper()
	before := fmt.Sprintf("%#v", clones(ms))
	got, did := Repair(ms)
	if fmt.Sprintf("%#v", clones(ms)) != before {
		t.Fatal("the input was modified")
	}
	if valid := Check(ms, AnyProvider) == nil; valid != (len(did) == 0) || valid && !cmp.Equal(ms, got) {
		t.Fatalf("of a transcript that is valid (%t) %d things were changed: %q", valid, len(did), did)
	}
	for _, r := range append(providerRules, AnyProvider) {
		if err := Check(got, r); err != nil {
			t.Fatalf("repaired:\n%s\nof:\n%s\n%v", outlines(got), outlines(ms), err)
		}
	}
	if again, did := Repair(got); did != nil || !cmp.Equal(got, again) {
		t.Fatalf("repaired again: %q", did)
	}
	for _, sentence := range did {
		if !strings.HasSuffix(sentence, ".") {
			t.Fatalf("no sentence: %q", sentence)
		}
	}
	checkUnits(t, got)
	return got
}

// checkUnits checks that Pair takes the units that Units makes of messages, and that nothing is lost.
func checkUnits(t testing.TB, ms []Message) {
	t.Helper()
	units, err := Units(ms)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, unit := range units {
		if again, err := Pair(unit[0], unit[1:]); err != nil || !cmp.Equal(again, unit) {
			t.Fatalf("unit %+v pairs as %+v, %v", unit, again, err)
		}
		for i, m := range unit {
			if m.Role != ms[n+i].Role || m.Text != ms[n+i].Text || len(m.Calls) != len(ms[n+i].Calls) || m.Role == Tool && m.CallID != ms[n+i].CallID {
				t.Fatalf("message %d became %+v", n+i, m)
			}
		}
		n += len(unit)
	}
	if n != len(ms) {
		t.Fatalf("units have %d of %d messages", n, len(ms))
	}
}

// clones copies messages and all that they point to, without pointers, so that the copy shows every byte.
func clones(ms []Message) []any {
	var all []any
	for _, m := range ms {
		o := ProviderData{}
		if m.ProviderData != nil {
			o = *m.ProviderData
		}
		m.ProviderData = nil
		all = append(all, m, o)
	}
	return all
}

// anyText makes at least n bytes of code, prose, Chinese, emoji, JSON, or bytes that are not UTF-8.
func anyText(r *rand.Rand, n int) string {
	pieces := []string{"func f() {\n", "the quick brown fox. ", "压缩级别如何选择?", "🧭👩‍🚀🇨🇭", `{"items":[1]}`, "\xff\xfe\x80bad", "\r\n", "</record></note>", "\x00"}
	text := "words "
	for len(text) < n {
		text += pieces[r.IntN(len(pieces))]
	}
	return text
}

// validTranscript makes a transcript that every provider takes.
func validTranscript(r *rand.Rand) []Message {
	ms := []Message{said("prompt " + anyText(r, 30))}
	for range r.IntN(8) {
		if r.IntN(3) == 0 {
			ms = append(ms, thought(anyText(r, 50)), said(anyText(r, 50)))
		}
		var ids []string
		for i := range 1 + r.IntN(4) {
			ids = append(ids, fmt.Sprint("c", i+len(ms)*r.IntN(2))) // used again now and then
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		head := calling(ids...)
		if ms[len(ms)-1].Role != Assistant && r.IntN(3) == 0 {
			head = opaque(head)
		}
		ms = append(ms, head)
		for _, id := range ids {
			ms = append(ms, answered(id))
		}
	}
	return ms
}

// mutate drops, doubles, moves or damages one message.
func mutate(r *rand.Rand, ms []Message) []Message {
	ms = slices.Clone(ms)
	if len(ms) == 0 {
		return ms
	}
	i, j := r.IntN(len(ms)), r.IntN(len(ms))
	m := &ms[i]
	m.Calls = slices.Clone(m.Calls)
	switch r.IntN(12) {
	case 0, 1:
		return slices.Delete(ms, i, i+1)
	case 2:
		return slices.Insert(ms, j, ms[i])
	case 3, 4:
		ms[i], ms[j] = ms[j], ms[i]
	case 5:
		r.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	case 6:
		m.Role = []Role{User, Assistant, Tool, "system", ""}[r.IntN(5)]
	case 7:
		m.Text = []string{"", " \n", "x"}[r.IntN(3)]
	case 8:
		m.CallID = []string{"", "c0", "c1", "\xff", "\xfe"}[r.IntN(5)]
	case 9:
		*m = opaque(*m)
	case 10:
		m.Origin = []Origin{Prompt, History, Runtime, "unheard of"}[r.IntN(4)]
	case 11:
		for k := range m.Calls {
			m.Calls[k].ID = []string{"", "c0", "c0_2", "\xff", "\xfe"}[r.IntN(5)]
			m.Calls[k].Args = json.RawMessage([]string{"", " ", "null", `{"cut`, `[]`, `"{}"`, "\xff", ` {"a":1}`}[r.IntN(8)])
		}
	}
	return ms
}

func TestRepairProperties(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and all in one goroutine")
	}
	for seed := range uint64(2_000) {
		r := rand.New(rand.NewPCG(seed, 0))
		ms := validTranscript(r)
		if err := Check(ms, AnyProvider); err != nil {
			t.Fatal(err)
		}
		for range r.IntN(8) {
			ms = mutate(r, ms)
		}
		checkRepaired(t, ms)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestRepairLosesNoText drops and moves messages of a transcript whose texts all differ.
func TestRepairLosesNoText(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		var ms []Message
		for i := range 6 {
			id := fmt.Sprint("c", i)
			ms = append(ms, said(fmt.Sprintf("said <%d>", i)), calling(id), answered("<"+id+">"))
			ms[len(ms)-1].CallID = id
		}
		r.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
		ms = ms[r.IntN(6):]
		shown := outlines(checkRepaired(t, ms))
		for _, m := range ms {
			if !strings.Contains(shown, m.Text) {
				t.Fatalf("seed %d: %q is lost of:\n%s\nin:\n%s", seed, m.Text, outlines(ms), shown)
			}
		}
	}
}

func TestUnits(t *testing.T) {
	record := said("[record]")
	record.Origin = Runtime
	strange := thought("x")
	strange.Origin = Prompt
	units, err := Units([]Message{record, strange, calling("a", "b"), answered("b"), answered("a"), thought("done")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range units {
		got = append(got, string(u[0].Origin)+" "+outlines(u))
	}
	want := []string{"history user: [record]\n", " assistant: x\n", " assistant a{} b{}: \ntool of a: text of a\ntool of b: text of b\n", " assistant: done\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, c := range map[string]struct {
		ms   []Message
		want error
	}{
		"message 1": {[]Message{said("go"), calling("a"), said("on")}, ErrUnpaired},
		"message 0": {[]Message{answered("a"), said("go")}, ErrUnpaired},
		"message 2": {[]Message{said("go"), said("on"), said("")}, ErrEmpty},
	} {
		if units, err := Units(c.ms); !errors.Is(err, c.want) || units != nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, units, err)
		}
	}
}

func FuzzRepair(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		ms := validTranscript(r)
		for range 4 {
			ms = mutate(r, ms)
		}
		if seed, err := json.Marshal(ms); err == nil { // broken arguments cannot be encoded
			f.Add(seed)
		}
	}
	f.Add([]byte(`[{"role":"tool","call_id":"a"},{"role":"assistant","calls":[{"id":"a","args":"{}"},{"id":"a","args":null}]},{"role":"user"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var ms []Message
		if json.Unmarshal(data, &ms) != nil {
			return
		}
		checkRepaired(t, ms)
	})
}

// A transcript that broke off between two results, and went on without them.
func ExampleRepair() {
	repaired, did := Repair([]Message{
		{Role: User, Text: "Which port?"},
		{Role: Assistant, Calls: []ToolCall{{ID: "a", Name: "read"}, {ID: "b", Name: "read"}}},
		{Role: Tool, CallID: "b", Text: "port: 8080"},
		{Role: User, Text: "Well?"},
	})
	for _, sentence := range did {
		fmt.Println(sentence)
	}
	fmt.Println(Check(repaired, AnyProvider))
	units, err := Units(repaired)
	fmt.Println(len(units), "units", err)
	// Output:
	// Call "a" of message 1 has no result: added one that says "interrupted".
	// <nil>
	// 3 units <nil>
}
