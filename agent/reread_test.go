package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// fourHundred returns 400 lines of nine tokens.
func fourHundred(name string) string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "%s line %d: value_%d\n", name, i+1, i*7919%1_000)
	}
	return b.String()
}

// cat returns a text for each name.
var cat = tools.New("cat", "Show a file.", func(_ context.Context, in struct {
	Name string `json:"name"`
}) (string, error) {
	if in.Name == "json" {
		return `{"rows":[` + strings.Repeat(`{"id":12345,"name":"a name"},`, 180_000) + `0]}`, nil
	}
	return fourHundred(in.Name), nil
})

func callCat(name string) scripted.Call {
	return scripted.Call{Name: "cat", Args: map[string]string{"name": name}}
}

func callRead(id string) scripted.Call {
	return scripted.Call{Name: toollimit.ReadTool, Args: map[string]string{"id": id}}
}

func offers(req providers.Request, tool string) bool {
	return slices.ContainsFunc(req.Tools, func(s transcript.ToolSchema) bool { return s.Name == tool })
}

// untilEnd reads an id again by the id alone until the model sees its end, at most so many times, then answers.
func untilEnd(id string, most int) scripted.Line {
	n := 0
	return scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		if n++; n > most || req.Choice == providers.None || strings.Contains(req.Messages[len(req.Messages)-1].Text, "; end of "+id) {
			return scripted.Text("read")
		}
		return scripted.Calls(callRead(id))
	}))
}

// readings returns what the model saw of each call that read again.
func readings(requests []providers.Request) []string {
	var all []string
	for _, req := range requests[1:] {
		if m := req.Messages[len(req.Messages)-1]; m.Name == toollimit.ReadTool {
			all = append(all, m.Text)
		}
	}
	return all
}

func TestReadingAgainByTheIDAlone(t *testing.T) {
	for _, profile := range contextwindow.Profiles() {
		if profile == contextwindow.Off {
			continue
		}
		for limit, memory := range map[int]*working.Memory{4_000: nil, 6_000: working.New(nil), 8_000: nil, 8_001: working.New(nil)} {
			c := agent.Config{Tools: []tools.Tool{cat}, Memory: memory, Budget: contextwindow.Budget{Limit: limit, Profile: profile}}
			result, requests := run(t, c, scripted.Calls(callCat("a")), untilEnd("s2.1", 12))
			if result.Text != "read" || !strings.Contains(lastText(requests[1]), "read_working_memory id=s2.1]") {
				t.Fatalf("%s: %s %q\n%s", profile, result.Stop, result.Text, lastText(requests[1]))
			}
			var shown strings.Builder
			seen := readings(requests)
			for _, text := range seen {
				content, footer, ok := strings.Cut(text, "\n[lines ")
				if !ok || !strings.Contains(footer, " of 400 of s2.1; ") || regexp.MustCompile(`s[3-9]\.\d`).MatchString(text) {
					t.Errorf("%s: no excerpt:\n%s", profile, text)
				}
				shown.WriteString(content + "\n")
			}
			if shown.String() != fourHundred("a") {
				t.Errorf("%s: %d of %d bytes in %d readings", profile, shown.Len(), len(fourHundred("a")), len(seen))
			}
			if most := map[bool]int{true: 4, false: 8}[limit >= 6_000]; len(seen) > most {
				t.Errorf("%s at %d: %d readings, want %d", profile, limit, len(seen), most)
			}
			t.Logf("%s at %d: %d tokens in %d readings, %d requests, %d compactions", profile, limit,
				toollimit.Tokens(fourHundred("a")), len(seen), len(requests), len(result.Compactions))
		}
	}
}

func TestReadingALineOfFiveMegabytes(t *testing.T) {
	c := agent.Config{Tools: []tools.Tool{cat}, Budget: contextwindow.Budget{Limit: 8_000}}
	result, requests := run(t, c, scripted.Calls(callCat("json")), scripted.Repeat(6, scripted.Calls(callRead("s2.1"))), scripted.Text("done"))
	if result.Stop != agent.Answered {
		t.Fatalf("%s %v", result.Stop, result.Warnings)
	}
	at := 0
	for _, text := range readings(requests) {
		var from, to int
		_, footer, _ := strings.Cut(text, "\n[")
		if _, err := fmt.Sscanf(footer, "lines 1-1 of 1 of s2.1, bytes %d-%d of", &from, &to); err != nil || from != at || to <= from {
			t.Fatalf("after byte %d: %v\n%s", at, err, text)
		}
		at = to
	}
	if at < 5_000 {
		t.Errorf("six readings show %d bytes", at)
	}
}

// TestWhoHasTheReadingTool checks that a pointer names the tool that a run has, and no other.
func TestWhoHasTheReadingTool(t *testing.T) {
	own := tools.New("fetch", "Fetch a text.", func(context.Context, textInput) (string, error) { return "", nil })
	same := tools.New(toollimit.ReadTool, "Mine.", func(context.Context, textInput) (string, error) { return "", nil })
	store := forgetful{}
	for name, test := range map[string]struct {
		config agent.Config
		tool   string // that pointers name
		added  bool
	}{
		"default":       {agent.Config{}, toollimit.ReadTool, true},
		"ladder":        {agent.Config{Profile: contextwindow.Ladder}, toollimit.ReadTool, true},
		"memory":        {agent.Config{Memory: working.New(nil)}, toollimit.ReadTool, true},
		"own tool":      {agent.Config{Tools: []tools.Tool{same}}, toollimit.ReadTool, false},
		"own store":     {agent.Config{Window: contextwindow.Options{Store: store}}, "", false},
		"both":          {agent.Config{Tools: []tools.Tool{same}, Window: contextwindow.Options{Store: store}}, toollimit.ReadTool, false},
		"other name":    {agent.Config{Tools: []tools.Tool{own}, Window: contextwindow.Options{Store: store, ReadTool: "fetch"}}, "fetch", false},
		"off":           {agent.Config{Profile: contextwindow.Off}, "", false},
		"tiny":          {agent.Config{Budget: contextwindow.Budget{Limit: 1_500}}, "", false},
		"off by levels": {agent.Config{Profile: contextwindow.Off, Window: contextwindow.Options{Ladder: []contextwindow.Level{{Name: "L1", At: .3, Over: 400, To: 300}}}}, toollimit.ReadTool, true},
	} {
		c := test.config
		c.Tools = append(c.Tools, cat)
		if c.Budget.Limit == 0 {
			c.Budget = contextwindow.Budget{Limit: 8_000, Profile: c.Profile}
		}
		_, requests := run(t, c, scripted.Calls(callCat("a")), scripted.Calls(callCat("b")), scripted.Calls(callCat("c")), scripted.Text("done"))
		brought := slices.ContainsFunc(c.Tools, func(tool tools.Tool) bool { return tool.Name == toollimit.ReadTool })
		last := requests[len(requests)-1]
		if got := offers(last, toollimit.ReadTool); got != (test.added || brought) {
			t.Errorf("%s: offered %t", name, got)
		}
		all := ""
		for _, m := range last.Messages {
			all += m.Text
		}
		named := regexp.MustCompile(`(\w+) id=s\d`).FindStringSubmatch(strings.ReplaceAll(all, "; id=", "id="))
		if !strings.Contains(all, "s2.1") && !strings.Contains(all, "s3.1") {
			t.Errorf("%s: nothing was shortened", name)
		} else if got := append(named, "", "")[1]; got != test.tool {
			t.Errorf("%s: pointers name %q, want %q", name, got, test.tool)
		}
	}
}

// forgetful is a store that loses everything.
type forgetful map[string]string

func (b forgetful) Put(id, body string) error { return nil }

func (b forgetful) Get(string) (string, error) { return "", contextwindow.ErrNoBody }

func TestOneAnswerNeedsNoReadingTool(t *testing.T) {
	for name, test := range map[string]struct {
		task agent.Task
		want bool
	}{
		"prompt":  {agent.Task{}, false},
		"history": {agent.Task{History: []transcript.Message{{Role: transcript.User, Text: "q"}, {Role: transcript.Assistant, Text: "a"}}}, true},
		"tools":   {agent.Task{Tools: []tools.Tool{echo}}, true},
		"guide":   {agent.Task{Guide: nagging}, true},
		"window":  {agent.Task{Window: contextwindow.New(contextwindow.Budget{Limit: 8_000}, nil)}, true},
		"off":     {agent.Task{Window: contextwindow.New(contextwindow.Budget{Limit: 8_000, Profile: contextwindow.Off}, nil)}, false},
	} {
		a, model := start(t, agent.Config{}, scripted.Text("one"), scripted.Text("two"))
		test.task.Prompt = "prompt"
		if _, err := a.Do(t.Context(), test.task); err != nil {
			t.Fatal(err)
		}
		if got := offers(model.Requests()[0], toollimit.ReadTool); got != test.want {
			t.Errorf("%s: offered %t", name, got)
		}
	}
}

// TestReadingOnAfterLoading goes on in another window where the reading in the first one ended.
func TestReadingOnAfterLoading(t *testing.T) {
	c := agent.Config{Tools: []tools.Tool{cat}}
	b := contextwindow.Budget{Limit: 8_000}
	w := contextwindow.New(b, nil)
	a, model := start(t, c, scripted.Calls(callCat("a")), scripted.Calls(callRead("s2.1")), scripted.Text("one"))
	if _, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Window: w}); err != nil {
		t.Fatal(err)
	}
	before := readings(model.Requests())
	saved, err := json.Marshal(w.Entries(0))
	if err != nil {
		t.Fatal(err)
	}
	var entries []contextwindow.Entry
	if err := json.Unmarshal(saved, &entries); err != nil {
		t.Fatal(err)
	}
	w, err = contextwindow.Load(entries, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, model = start(t, c, scripted.Calls(callRead("s2.1")), scripted.Text("two"))
	if _, err := a.Do(t.Context(), agent.Task{Prompt: "go on", Window: w}); err != nil {
		t.Fatal(err)
	}
	after := readings(model.Requests())
	_, next, _ := strings.Cut(before[0], "start_line=")
	next, _, _ = strings.Cut(next, "]")
	if len(after) != 1 || !strings.HasPrefix(after[0], "a line "+next+": ") {
		t.Errorf("the first reading ended before line %s, the second begins with %.60q", next, after)
	}
}

// TestStoreThatLosesItsTexts reads ids that no longer have a text, and ids that never had one.
func TestStoreThatLosesItsTexts(t *testing.T) {
	w := contextwindow.New(contextwindow.Budget{Limit: 8_000}, &contextwindow.Options{Store: forgetful{}})
	a, model := start(t, agent.Config{Tools: []tools.Tool{cat}}, scripted.Calls(callCat("a")),
		scripted.Calls(callRead("s2.1"), callRead("s9.1"), callRead("nonsense"), callRead("s1.0")), scripted.Text("done"))
	result, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Window: w})
	if err != nil || result.Text != "done" {
		t.Fatalf("%v %+v", err, result)
	}
	messages := model.Requests()[2].Messages
	for i, want := range []string{
		`the text of s2.1 is lost: it was the result of cat {"name":"a"} (`, `nothing is stored under "s9.1"`,
		"take one of these ids: s2.1", "s1.0 was not shortened",
	} {
		got := messages[len(messages)-4+i].Text
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q in it", got, want)
		}
		t.Log(got)
	}
	if problem := (*tools.Problem)(nil); !errors.As(result.Tools[1].Err, &problem) || problem.Code != "lost" {
		t.Errorf("%v", result.Tools[1].Err)
	}
}

func TestReadingPastTheEnd(t *testing.T) {
	c := agent.Config{Tools: []tools.Tool{cat}, Budget: contextwindow.Budget{Limit: 24_000}}
	at := func(args string) scripted.Line {
		return scripted.Calls(scripted.Call{Name: toollimit.ReadTool, Args: args})
	}
	result, requests := run(t, c, scripted.Calls(callCat("a"), callCat("b"), callCat("c")),
		at(`{"id":"s2.1","start_line":395}`), at(`{"id":"s2.1"}`), at(`{"id":"s2.1"}`), at(`{"id":"s2.1","start_line":401}`),
		at(`{"id":"s2.1","start_line":-1}`), at(`{"id":"s2.1","start_line":99999999999999999999}`), at(`{"id":"s2.1","start_line":1,"limit":2}`),
		at(`{"id":"s2.1"}`), at(`{"id":"s2.1","find":"line 399"}`), scripted.Text("done"))
	if result.Text != "done" {
		t.Fatal(result.Stop)
	}
	for i, want := range []string{
		"[lines 395-400 of 400 of s2.1; end of s2.1]", "[end of s2.1: line 400 was its last", "[end of s2.1: line 400 was its last",
		"s2.1 ends at line 400", "start_line", "start_line", "[lines 1-2 of 400 of s2.1; next: start_line=3]",
		"a line 3: ", "[1 found in lines 1-400 of 400 of s2.1; end of s2.1]",
	} {
		got := lastText(requests[i+2])
		if !strings.Contains(got, want) {
			t.Errorf("reading %d: %q, want %q in it", i, got, want)
		}
	}
}

func TestStallsByWhatIsShown(t *testing.T) {
	long := strings.Repeat("the same page with the same words\n", 10)
	same := tools.New("same", "Give the same page.", func(context.Context, textInput) (string, error) { return long, nil })
	save := tools.New("save", "Save.", func(context.Context, textInput) (string, error) { return long, nil })
	save.Effects = true
	short := tools.New("look", "Look.", func(context.Context, textInput) (string, error) { return "no match", nil })
	n := 0
	poll := tools.New("poll", "Poll.", func(context.Context, textInput) (string, error) { n++; return fmt.Sprint(n, long), nil })
	others := func(tool string) []scripted.Line {
		var lines []scripted.Line
		for i := range 8 {
			lines = append(lines, scripted.Calls(scripted.Call{Name: tool, Args: map[string]string{"text": fmt.Sprint(i)}}))
		}
		return lines
	}
	for name, test := range map[string]struct {
		lines []scripted.Line
		stop  agent.Stop
	}{
		"other arguments":          {others("same"), agent.Stalled},
		"effects":                  {others("save"), agent.Answered},
		"short":                    {others("look"), agent.Answered},
		"polling":                  {[]scripted.Line{scripted.Repeat(8, scripted.Calls(scripted.Call{Name: "poll", Args: `{"text":"x"}`}))}, agent.Answered},
		"reading on":               {[]scripted.Line{scripted.Calls(callCat("json")), scripted.Repeat(8, scripted.Calls(callRead("s2.1")))}, agent.Answered},
		"the end again and again":  {[]scripted.Line{scripted.Calls(callCat("a"), callCat("b")), scripted.Repeat(16, scripted.Calls(callRead("s2.1")))}, agent.Stalled},
		"the same lines, by range": {[]scripted.Line{scripted.Calls(callCat("a"), callCat("b")), scripted.Repeat(8, scripted.Calls(scripted.Call{Name: toollimit.ReadTool, Args: `{"id":"s2.1","start_line":5,"limit":9}`}))}, agent.Stalled},
	} {
		c := agent.Config{Tools: []tools.Tool{cat, same, save, short, poll}, Budget: contextwindow.Budget{Limit: 12_000}}
		result, requests := run(t, c, append(test.lines, scripted.Repeat(0, scripted.Text("done")))...)
		if result.Stop != test.stop || result.Text != "done" && result.Text != "" {
			t.Errorf("%s: %s after %d requests, %q", name, result.Stop, len(requests), result.Text)
		}
		if name == "other arguments" && !strings.Contains(lastText(requests[3]), "same was called with other arguments in 3 steps") {
			t.Errorf("no note: %q", lastText(requests[3]))
		}
	}
}

// TestSubagentsReadAgain has a sub-agent whose own window shortens.
func TestSubagentsReadAgain(t *testing.T) {
	inner := scripted.New(scripted.Calls(callCat("a")), untilEnd("s2.1", 9))
	sub := mustNew(t, agent.Config{Name: "sub", Model: inner, Tools: []tools.Tool{cat}, Budget: contextwindow.Budget{Limit: 8_000}})
	result, _ := run(t, agent.Config{Tools: []tools.Tool{agent.AsTool(sub, "ask", "Ask.")}},
		scripted.Calls(scripted.Call{Name: "ask", Args: `{"task":"read"}`}), scripted.Text("done"))
	if seen := readings(inner.Requests()); result.Text != "done" || len(seen) == 0 || len(seen) > 4 || !strings.Contains(seen[len(seen)-1], "end of s2.1") {
		t.Errorf("%s after %d readings", result.Stop, len(seen))
	}
}

// TestTheReadingToolIsSmall bounds what the tool adds to each request.
func TestTheReadingToolIsSmall(t *testing.T) {
	with, without := mustNew(t, agent.Config{Model: scripted.New()}), mustNew(t, agent.Config{Model: scripted.New(), Profile: contextwindow.Off})
	if n := with.ToolTokens() - without.ToolTokens(); n < 50 || n > 200 {
		t.Errorf("the tool takes %d tokens", n)
	} else {
		t.Log(n)
	}
}
