package contextwindow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A bodies is a store that a test can look into.
type bodies map[string]string

func (b bodies) Put(id, body string) error {
	b[id] = body
	return nil
}

func (b bodies) Get(id string) (string, error) {
	if body, ok := b[id]; ok {
		return body, nil
	}
	return "", contextwindow.ErrNoBody
}

// pointerIDs finds the ids that marks of the runtime name.
var pointerIDs = regexp.MustCompile(`(?:id=|\[… |"_cut":")(s\d+\.\d+)\b`)

// hugeResults are results of 5 MB, by what is peculiar about them.
func hugeResults() map[string]transcript.Message {
	const size = 5 << 20
	fill := func(line string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strconv.Itoa(i))
			b.WriteString(line)
		}
		return b.String()
	}
	return map[string]transcript.Message{
		"one line":      {Kind: toollimit.Output, Text: fill(";var a_1=b.c(d)")},
		"lines":         {Kind: toollimit.File, Text: fill(" is the name_of_something in a line of words\n")},
		"failed":        {Kind: toollimit.Error, Failed: true, Text: fill(" at 漢字.module(file.js:12:7)\n")},
		"invalid UTF-8": {Text: fill("\xff\xfe\x00\x01")},
		"json":          {Kind: toollimit.JSON, Text: `{"items":[` + fill(`,{"id":1,"name":"x_y"},`) + `{}]}`},
	}
}

// TestHugeResultFitsEveryProfile appends one result of 5 MB to a window of 4,000 tokens.
func TestHugeResultFitsEveryProfile(t *testing.T) {
	for name, result := range hugeResults() {
		for _, profile := range contextwindow.Profiles() {
			t.Run(name+"/"+string(profile), func(t *testing.T) {
				t.Parallel()
				hugeResult(t, result, profile)
			})
		}
	}
}

func hugeResult(t *testing.T, result transcript.Message, profile contextwindow.Profile) {
	store := bodies{}
	w := contextwindow.New(contextwindow.BudgetOf(4_000, 0, profile), &contextwindow.Options{Store: store})
	appendAll(t, w, transcript.Message{Role: transcript.User, Text: "find it"})
	result.Role, result.CallID, result.Name = transcript.Tool, "c1", "read_it"
	call := transcript.ToolCall{ID: "c1", Name: "read_it", Args: json.RawMessage(`{}`)}
	appendAll(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}}, result)
	if _, err := w.Fit(); err != nil {
		t.Fatal(err)
	}
	if u := w.Usage(); u.Tokens > u.Limit {
		t.Errorf("%d tokens in %d", u.Tokens, u.Limit)
	}
	view := w.View()
	if err := transcript.Check(view, transcript.AnyProvider); err != nil {
		t.Error(err)
	}
	shown := view[len(view)-1].Text
	ids := pointerIDs.FindAllStringSubmatch(shown, -1)
	if len(ids) == 0 {
		t.Errorf("no pointer in %.300q", shown)
	}
	for _, id := range ids {
		if store[id[1]] != result.Text {
			t.Errorf("%s holds %d bytes, want the %d that were received", id[1], len(store[id[1]]), len(result.Text))
		}
	}
}

func appendAll(t testing.TB, w *contextwindow.Window, head transcript.Message, results ...transcript.Message) {
	t.Helper()
	if _, err := w.Append(head, results...); err != nil {
		t.Fatal(err)
	}
}

// TestSystemPromptLargerThanTheBudget checks that a frame that cannot fit is refused with its sizes and nothing changed,
// and that the window works on once a smaller one is opened.
func TestSystemPromptLargerThanTheBudget(t *testing.T) {
	for _, profile := range contextwindow.Profiles() {
		w := contextwindow.New(contextwindow.Budget{Limit: 2_000, Profile: profile}, nil)
		w.Open(contextwindow.Prefix{System: strings.Repeat("some words of a rule ", 2_000)})
		appendAll(t, w, transcript.Message{Role: transcript.User, Text: "prompt"})
		for i := range 3 {
			appendAll(t, w, transcript.Message{Role: transcript.Assistant, Text: fmt.Sprint("answer ", i)})
			appendAll(t, w, transcript.Message{Role: transcript.User, Text: fmt.Sprint("question ", i)})
		}
		before, view := len(w.Entries(0)), fmt.Sprint(w.View())
		_, err := w.Fit()
		sizes := (*contextwindow.IrreducibleError)(nil)
		if !errors.Is(err, contextwindow.ErrIrreducible) || !errors.As(err, &sizes) {
			t.Fatalf("%s: %v", profile, err)
		}
		if sizes.Limit != 2_000 || sizes.System <= 2_000 || sizes.Prompt <= 0 || !strings.Contains(err.Error(), fmt.Sprint(sizes.System)) {
			t.Errorf("%s: sizes %+v in %q", profile, sizes, err)
		}
		if len(w.Entries(0)) != before || fmt.Sprint(w.View()) != view {
			t.Errorf("%s: a refusal changed the window", profile)
		}
		w.Open(contextwindow.Prefix{System: "be brief"})
		if _, err := w.Fit(); err != nil {
			t.Errorf("%s: with a smaller system prompt: %v", profile, err)
		}
		if u := w.Usage(); u.Tokens > u.Limit {
			t.Errorf("%s: %d tokens in %d", profile, u.Tokens, u.Limit)
		}
	}
}

// drawTranscript draws messages as a program that lost track might hand them in: results missing, without a call,
// twice, in another order, messages of no role or text.
func drawTranscript(t *rapid.T) (ms []transcript.Message) {
	ids := rapid.SampledFrom([]string{"a", "b", "c", "call_1", "", "\xff"})
	text := rapid.SampledFrom([]string{"", " ", "words", strings.Repeat("long words ", 200), "\xff\xfe", "<record>"})
	for range rapid.IntRange(0, 14).Draw(t, "messages") {
		switch rapid.IntRange(0, 6).Draw(t, "form") {
		case 0, 1:
			ms = append(ms, transcript.Message{Role: transcript.User, Text: text.Draw(t, "text")})
		case 2:
			m := transcript.Message{Role: transcript.Assistant, Text: text.Draw(t, "text")}
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				args := rapid.SampledFrom([]string{`{}`, `{"path":"a.go"}`, `[1]`, `{"broken`, ``}).Draw(t, "arguments")
				m.Calls = append(m.Calls, transcript.ToolCall{ID: ids.Draw(t, "id"), Name: "read", Args: json.RawMessage(args)})
			}
			ms = append(ms, m)
		case 3, 4, 5:
			ms = append(ms, transcript.Message{Role: transcript.Tool, CallID: ids.Draw(t, "id"), Text: text.Draw(t, "text")})
		case 6:
			ms = append(ms, transcript.Message{Role: rapid.SampledFrom([]transcript.Role{"", "system", "function"}).Draw(t, "role"), Text: text.Draw(t, "text")})
		}
	}
	if len(ms) > 1 && rapid.Bool().Draw(t, "shuffled") {
		ms = rapid.Permutation(ms).Draw(t, "order")
	}
	return ms
}

// TestRepairedTranscriptsAppend hands in transcripts as they come: repaired, they pass Check, and every unit of theirs
// is taken by a window that keeps its budget.
func TestRepairedTranscriptsAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := drawTranscript(t)
		before := fmt.Sprintf("%#v", ms)
		repaired, did := transcript.Repair(ms)
		if fmt.Sprintf("%#v", ms) != before {
			t.Fatal("the transcript was modified")
		}
		if err := transcript.Check(repaired, transcript.AnyProvider); err != nil {
			t.Fatalf("%v, after %q", err, did)
		}
		w := contextwindow.New(contextwindow.Budget{Limit: 1_500, Profile: rapid.SampledFrom(contextwindow.Profiles()).Draw(t, "profile")}, nil)
		for at := 0; at < len(repaired); {
			end := at + 1
			for end < len(repaired) && repaired[end].Role == transcript.Tool {
				end++
			}
			if _, err := w.Append(repaired[at], repaired[at+1:end]...); err != nil {
				t.Fatalf("message %d: %v", at, err)
			}
			if _, err := w.Fit(); err != nil && !errors.Is(err, contextwindow.ErrIrreducible) && !errors.Is(err, contextwindow.ErrThrash) {
				t.Fatalf("message %d: %v", at, err)
			}
			at = end
		}
	})
}

// savedLog is the log of a session with parallel calls, cuts, folds, notes, counts and a pin, as JSON.
func savedLog(t testing.TB) [][]byte {
	w := contextwindow.New(contextwindow.Budget{Limit: 1_500}, nil)
	w.Open(contextwindow.Prefix{System: "be brief", Tools: []transcript.ToolSchema{{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}}})
	appendAll(t, w, transcript.Message{Role: transcript.User, Text: "find the store"})
	for i := range 14 {
		calls := []transcript.ToolCall{{ID: fmt.Sprint("a", i), Name: "read", Args: json.RawMessage(`{"path":"a.go"}`)}, {ID: fmt.Sprint("b", i), Name: "find"}}
		var results []transcript.Message
		for _, c := range calls {
			text := strings.Repeat(fmt.Sprintf("call_%d of store_%d\n", i, i), 8+10*i)
			results = append(results, transcript.Message{Role: transcript.Tool, CallID: c.ID, Text: text})
		}
		appendAll(t, w, transcript.Message{Role: transcript.Assistant, Text: "next", Calls: calls}, results...)
		w.Note("status", fmt.Sprint("step ", i))
		if i == 5 {
			if err := w.Pin(4); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Fit(); err != nil && !errors.Is(err, contextwindow.ErrThrash) {
			t.Fatal(err)
		}
		w.Observe(w.Usage().Tokens + 50)
	}
	var lines [][]byte
	folds := 0
	for _, e := range w.Entries(0) {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if e.Edit != nil && e.Edit.Op == "fold" {
			folds++
		}
		lines = append(lines, b)
	}
	if folds == 0 {
		t.Fatal("the log wants a fold")
	}
	return lines
}

// damage changes lines of a log as a disk, a hand or a program that mixed up two runs might.
func damage(t *rapid.T, lines [][]byte) [][]byte {
	lines = slices.Clone(lines)
	for range rapid.IntRange(1, 4).Draw(t, "damages") {
		if len(lines) == 0 {
			break
		}
		i, j := rapid.IntRange(0, len(lines)-1).Draw(t, "line"), rapid.IntRange(0, len(lines)-1).Draw(t, "other")
		switch rapid.IntRange(0, 5).Draw(t, "damage") {
		case 0:
			lines = slices.Delete(lines, i, i+1)
		case 1:
			lines = slices.Insert(lines, j, lines[i])
		case 2:
			lines[i], lines[j] = lines[j], lines[i]
		case 3:
			lines = lines[:i]
		case 4: // a bit
			b := slices.Clone(lines[i])
			b[rapid.IntRange(0, len(b)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			lines[i] = b
		case 5: // a number
			b := slices.Clone(lines[i])
			if at := slices.IndexFunc(b[len(b)/2:], func(c byte) bool { return c >= '0' && c <= '9' }); at >= 0 {
				b[len(b)/2+at] = byte('0' + rapid.IntRange(0, 9).Draw(t, "digit"))
			}
			lines[i] = b
		}
	}
	return lines
}

// TestLoadOfDamagedLogs checks that a damaged log is refused with ErrDamaged, or gives a window that works: its view
// passes Check and it takes another unit. The entries stay as they are.
func TestLoadOfDamagedLogs(t *testing.T) {
	lines := savedLog(t)
	refused, loaded := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var entries []contextwindow.Entry
		for _, l := range damage(t, lines) {
			var e contextwindow.Entry
			if json.Unmarshal(l, &e) != nil {
				continue // a reader of lines stops or leaves it out
			}
			entries = append(entries, e)
		}
		before, err := json.Marshal(entries)
		if err != nil {
			t.Fatal(err)
		}
		w, err := contextwindow.Load(entries, contextwindow.Budget{Limit: 1_500}, nil)
		if after, failed := json.Marshal(entries); failed != nil || string(after) != string(before) {
			t.Fatal("the entries were modified")
		}
		if err != nil {
			if !errors.Is(err, contextwindow.ErrDamaged) || w != nil {
				t.Fatal(err)
			}
			refused++
			return
		}
		loaded++
		checkLoaded(t, w)
	})
	if refused == 0 || loaded == 0 {
		t.Errorf("%d logs refused, %d loaded: the test wants both", refused, loaded)
	}
}

// checkLoaded holds the view of a window against the rules, as far as its last message goes, and goes on with it.
func checkLoaded(t *rapid.T, w *contextwindow.Window) {
	checkView(t, w, "as loaded")
	if _, err := w.Append(transcript.Message{Role: transcript.User, Text: "go on"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Fit(); err != nil && !errors.Is(err, contextwindow.ErrIrreducible) && !errors.Is(err, contextwindow.ErrThrash) {
		t.Fatal(err)
	}
	checkView(t, w, "after another unit")
}

// checkView holds a view against what all providers ask for. Which message a run begins with is the caller's matter: a
// log that was cut short may begin or end with the assistant, or be empty.
func checkView(t *rapid.T, w *contextwindow.Window, when string) {
	broken := (*transcript.InvalidError)(nil)
	err := transcript.Check(w.View(), transcript.AnyProvider)
	if err == nil {
		return
	}
	if !errors.As(err, &broken) {
		t.Fatalf("%s: %v", when, err)
	}
	for _, v := range broken.Violations { // a window keeps arguments as the model wrote them: providers repair them
		if v.Rule != "user or tool last" && v.Rule != "user first" && v.Rule != "arguments are a JSON object" {
			t.Fatalf("%s: %v", when, err)
		}
	}
}
