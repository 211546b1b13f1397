package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

var update = flag.Bool("update", false, "write the golden screens")

// golden waits until the screen is that of a file: what a test has seen may have been drawn before the rest.
func (x *terminal) golden(name string) {
	x.t.Helper()
	path := filepath.Join("testdata", name+".screen")
	if *update {
		if err := os.WriteFile(path, []byte(x.shown()), 0o644); err != nil {
			x.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		x.t.Fatal(err)
	}
	got := x.shown()
	for end := time.Now().Add(patience); got != string(want) && time.Now().Before(end); got = x.shown() {
		time.Sleep(5 * time.Millisecond)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		x.t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

const sample = "The lock is taken in `LockThread`, " +
	"which waits for the file **agent/store/lock.go:65-81**.\n\n" +
	"1. It opens the file.\n2. It asks for the lock, 世界, é.\n\n" +
	"```go\nfunc (s *Store) LockThread(ctx context.Context) error {\n\treturn s.lock.Wait(ctx) // until it is free\n}\n```\n\n" +
	"| step | time |\n|---|---|\n| open | 1 ms |\n| wait | 5 s |\n"

// A question with a call and an answer, on terminals of four widths.
func TestScreens(t *testing.T) {
	for _, width := range []int{40, 60, 110, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			m := scripted.New(
				scripted.Calls(scripted.Call{Name: "look", Args: map[string]string{"Path": "agent/store/lock.go"}}),
				scripted.Text(sample))
			x := open(t, width, 32, m, func(c *agent.Config, _ *Host, _ *Screen) {
				c.Tools = []tools.Tool{look("65: func lock()\n66: }\n")}
			})
			x.types("where is a thread locked?\r")
			x.sees("5 s")
			x.rests()
			x.golden(fmt.Sprintf("answer%d", width))
			x.types("\x14") // Ctrl-T
			x.sees("65: func lock()")
			x.golden(fmt.Sprintf("folded%d", width))
		})
	}
}

// A paste is one message with all its bytes, whatever its size, and the editor shows how large it is.
func TestPastes(t *testing.T) {
	ostest.SkipRaced(t)
	got := make(chan string, 1)
	x := open(t, 80, 24, echo(), func(_ *agent.Config, h *Host, _ *Screen) {
		h.Handle = func(_ context.Context, text string) bool { got <- text; return false }
	})
	small := "one\ntwo"
	large := strings.Repeat("a line of a log, with a tab\tand 世界, of fifty bytes\n", 100_000) // 5 MB
	x.types("look: ")
	x.pastes(small)
	x.sees("two")
	x.pastes(large)
	x.sees("[100,000 lines pasted]")
	x.types(" end\r")
	if text := <-got; text != "look: "+small+large+" end" {
		t.Errorf("the message has %d bytes, want %d", len(text), len("look: "+small+large+" end"))
	}
	x.pastes(large)
	x.sees("[100,000 lines pasted]")
	x.types("\x7fshort\r") // backspace removes the paste as a whole
	if text := <-got; text != "short" {
		t.Errorf("the message is %.40q", text)
	}
}

// What others wrote cannot steer the terminal, from wherever it comes.
func TestNothingSteersTheTerminal(t *testing.T) {
	const evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b]0;evil\x07\u202eevil\u2066\u200bgone\u00ad\U000e0041\x9b31m"
	m := scripted.New(
		scripted.Calls(scripted.Call{Name: "look", Args: map[string]string{"Path": evil}}),
		scripted.Text("an answer "+evil+"\n\n```\n"+evil+"\n```\n[x](http://e.org/"+evil+") done"))
	x := open(t, 100, 40, m, func(c *agent.Config, h *Host, s *Screen) {
		c.Tools = []tools.Tool{look(evil)}
		s.Notice("notice " + evil)
		h.Files = func(context.Context) []string { return []string{"file" + evil} }
	})
	x.types("a question\r")
	x.sees("done")
	x.types("\x14@file")
	x.sees("an answer")
	for _, bad := range []string{"\x1b]52", "\x1b]0;evil", "\u202e", "\u2066", "\u200b", "\u00ad", "\U000e0041", "\x9b"} {
		if strings.Contains(x.written(), bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
}

// A message that is typed while the model works joins the run; Esc goes back and branches.
func TestSteerAndGoBack(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	slow := tools.New("slow", "Wait.", func(context.Context, struct{}) (string, error) {
		close(reached)
		<-release
		return "waited", nil
	})
	m := scripted.New(
		scripted.Calls(scripted.Call{Name: "slow", Args: map[string]string{}}),
		scripted.Func(func(req *providers.Request) scripted.Line {
			for _, m := range req.Messages {
				if m.Text == "be short" {
					return scripted.Text("Short, as you said.")
				}
			}
			return scripted.Text("Long.")
		}),
		scripted.Text("Another answer."))
	x := open(t, 80, 24, m, func(c *agent.Config, _ *Host, _ *Screen) { c.Tools = []tools.Tool{slow} })
	x.types("a question\r")
	<-reached
	x.types("be short\r")
	x.sees("be short (sent to the run)")
	close(release)
	x.sees("Short, as you said.")
	x.misses("(sent to the run)")
	x.answered("be short")
	x.rests()
	first := x.id()
	x.types("\x1b")
	x.sees("Go back to (2 of 2)")
	x.types("question")
	x.sees("(1 of 2)")
	x.types("\r")
	x.sees("> a question")
	x.misses("Short, as you said.")
	x.types(" anew\r")
	x.sees("Another answer.")
	x.answered("a question anew")
	if x.id() == first {
		t.Error("the branch is the same thread")
	}
	ms, err := x.chat.Messages(t.Context(), x.id(), 0, 10)
	if err != nil || len(ms) != 2 || ms[0].Text != "a question anew" {
		t.Errorf("the branch has %v, %v", ms, err)
	}
}

// After a command that removes messages or changes to another thread, the screen shows what the thread holds now, and
// what the command said.
func TestCommandsRewriteTheScreen(t *testing.T) {
	var opened atomic.Pointer[terminal]
	x := open(t, 80, 24, echo(), func(_ *agent.Config, h *Host, s *Screen) {
		h.Commands = []Command{{Name: "undo", Rewrites: true}, {Name: "new"}, {Name: "threads", Args: "ID"}}
		h.Thread = func() string {
			if x := opened.Load(); x != nil && x.thread.Load() != nil {
				return x.id()
			}
			return ""
		}
		h.Handle = func(ctx context.Context, text string) bool {
			x := opened.Load()
			switch name, id, _ := strings.Cut(text, " "); name {
			case "/undo":
				if _, err := x.chat.Undo(ctx, x.id()); err != nil {
					t.Error(err)
				}
				s.Notice("removed 2 messages")
			case "/new":
				x.thread.Store(nil)
				s.Notice("the next message starts a thread")
			case "/threads":
				x.thread.Store(&id)
				s.Notice("resuming it")
			default:
				return x.handle(ctx, s, text)
			}
			return false
		}
	})
	opened.Store(x)
	x.types("question one\r")
	x.answered("question one")
	x.sees("thread " + x.id()[:6])
	first := x.id()
	x.types("question two\r")
	x.sees("You said: question two")
	x.rests()
	x.types("/undo\r")
	x.misses("question two")
	x.sees("removed 2 messages")
	x.sees("You said: question one")
	x.types("/new\r")
	x.misses("question one")
	x.sees("the next message starts a thread")
	x.types("question three\r")
	x.sees("You said: question three")
	x.rests()
	x.sees("the next message starts a thread") // a message removes nothing
	x.types("/threads " + first + "\r")
	x.misses("question three")
	x.sees("You said: question one")
	x.sees("resuming it")
}

// What the host says when it enters a thread that was chosen from a list is not lost.
func TestEnteringIsSaid(t *testing.T) {
	x := open(t, 80, 24, echo(), func(_ *agent.Config, h *Host, s *Screen) {
		branch := h.Branch
		h.Branch = func(ctx context.Context, before int64) error {
			s.Notice("this thread branches off another")
			return branch(ctx, before)
		}
		h.Threads = func(context.Context) ([]Choice, error) { return []Choice{{ID: "gone", Title: "gone"}}, nil }
		h.Enter = func(context.Context, string) error { return errors.New("no such thread") }
	})
	x.types("a question\r")
	x.answered("a question")
	x.rests()
	x.types("/threads\r")
	x.sees("Threads (1 of 1)")
	x.types("\r")
	x.sees("no such thread")
	x.sees("You said: a question") // which is still the thread
	x.types("\x1b")
	x.sees("Go back to (1 of 1)")
	x.types("\r")
	x.sees("this thread branches off another")
	x.misses("You said: a question")
}

// A call with effects is asked for where the conversation is.
func TestApproval(t *testing.T) {
	made := 0
	change := tools.New("change", "Change.", func(context.Context, struct{ Path string }) (string, error) {
		made++
		return "changed", nil
	})
	change.Effects = true
	call := scripted.Calls(scripted.Call{Name: "change", Args: map[string]string{"Path": "main.go"}})
	x := open(t, 80, 24, scripted.New(call, call, scripted.Text("Done.")), func(c *agent.Config, _ *Host, s *Screen) {
		c.Tools = []tools.Tool{change}
		c.Approve = func(ctx context.Context, c transcript.ToolCall) (agent.Decision, error) { return s.Ask(ctx, c) }
	})
	x.types("change it\r")
	x.sees("May change be called with")
	x.sees("main.go")
	x.types("n")
	x.sees("the user said no")
	x.sees("May change be called with")
	x.types("y")
	x.sees("Done.")
	if made != 1 {
		t.Errorf("%d calls were made", made)
	}
}

// Whoever is asked about a change sees it as a diff, and a text of several lines as it is; nothing in it steers the
// terminal.
func TestApprovalShowsTheChange(t *testing.T) {
	type change struct {
		Path      string `json:"path,omitempty"`
		OldString string `json:"old_string,omitempty"`
		NewString string `json:"new_string,omitempty"`
		Patch     string `json:"patch,omitempty"`
		Why       string `json:"why,omitempty"`
		Times     int    `json:"times,omitempty"`
	}
	edit := tools.New("edit", "Edit.", func(context.Context, change) (string, error) { return "edited", nil })
	edit.Effects = true
	call := scripted.Calls(scripted.Call{Name: "edit", Args: change{
		Path: "a.go", OldString: "func a() {\n\treturn 1\n}", NewString: "func a() {\n\treturn 2 \x1b[2Jevil\n}",
		Why: "one line\nand another", Times: 3,
	}}, scripted.Call{Name: "edit", Args: change{Patch: "@@ -1 +1 @@\n-was\n+is\n" + strings.Repeat("+long\n", 100)}})
	x := open(t, 80, 24, scripted.New(call, scripted.Text("Done.")), func(c *agent.Config, _ *Host, s *Screen) {
		c.Tools = []tools.Tool{edit}
		c.Approve = func(ctx context.Context, c transcript.ToolCall) (agent.Decision, error) { return s.Ask(ctx, c) }
	})
	x.types("change it\r")
	x.sees("waiting for your yes or no · Ctrl-C cancels")
	x.sees("May edit be called with")
	x.sees("\n  func a() {\n-     return 1\n+     return 2 \uFFFD[2Jevil\n  }\n")
	x.sees("\n  why:\n    one line\n    and another\n")
	x.sees("\n  times: 3\n")
	if raw := x.written(); !strings.Contains(raw, "\x1b[31m- ") || !strings.Contains(raw, "\x1b[32m+ ") {
		t.Error("the change has no colours")
	}
	x.types("y")
	x.sees("\n- was\n+ is\n")
	x.sees("y: yes · n: no · ↑ ↓: lines 1 to 18 of 104")
	x.types("\x1b[B\x1b[6~")
	x.sees("lines 20 to 37 of 104")
	x.types("\x1b[F")
	x.sees("lines 87 to 104 of 104")
	x.types("\x1b[5~\x1b[A")
	x.misses("lines 87 to")
	x.types("y")
	x.sees("Done.")
}

// A letter of a word that is being typed answers no question.
func TestTypingIsNoAnswer(t *testing.T) {
	a := newApp(t.Context(), &Host{})
	a.begin(func() {}, a.now(), "working")
	press := func(r rune) { a.Update(tea.KeyPressMsg{Code: r, Text: string(r)}) }
	press('w')
	var got []bool
	a.Update(askMsg{ask{name: "edit", answer: func(d agent.Decision) { got = append(got, d.Approved) }}})
	press('h')
	press('y')
	if len(got) > 0 || a.edit.text() != "why" {
		t.Fatalf("answered %v, typed %q", got, a.edit.text())
	}
	a.typed = a.typed.Add(-pause)
	press('x')
	press('y')
	if !slices.Equal(got, []bool{true}) || a.edit.text() != "why" {
		t.Errorf("answered %v, typed %q", got, a.edit.text())
	}
}

// What was typed while an answer was in progress follows it, also if it is cancelled.
func TestCancelKeepsWhatWasTyped(t *testing.T) {
	hang := scripted.Text("Half")
	hang.Hang = true
	x := open(t, 80, 24, scripted.New(hang, scripted.Text("Whole.")), nil)
	x.types("a question\r")
	x.sees("Half")
	x.types("/nothing\r")
	x.sees("after this answer: /nothing")
	x.types("\x03")
	x.sees("> /nothing")
	x.sees("Whole.")
}

// Arguments with two values of one name, or that are not an object, are shown whole.
func TestAskedShowsAll(t *testing.T) {
	for args, want := range map[string][]string{
		`{"old_string":"a","old_string":"b","new_string":"c"}`: {"old_string: \"a\"", "old_string: \"b\"", "new_string: \"c\""},
		`{"old_string":"a"}`:                        {"old_string: \"a\""},
		`{"old_string":"a","new_string":{"x":"b"}}`: {"old_string: \"a\"", "new_string: {", "  \"x\": \"b\"", "}"},
		`["a"]`:  {"[", "  \"a\"", "]"},
		`{"a":1`: {`{"a":1`},
		`{}`:     {"{}"},
	} {
		var got []string
		for _, l := range asked([]byte(args)) {
			got = append(got, l.text)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

// The list of files at the end of an answer, which its text has named, is not drawn, in whatever pieces it comes; Ctrl-O
// knows it. A text about such lists is whole.
func TestListOfFiles(t *testing.T) {
	const answered = "It is in `a.go`.\n\n| 1 | `a.go:1-3` |\n\nMore with --long.\n\n"
	const list = "**RELEVANT_FILES:**\n- a.go:1-3\n- b.go:4\n"
	st := &style{theme: newTheme(true), markdown: newMarkdown(80, true)}
	b := &block{kind: answer}
	for _, r := range answered + "##\n\n" + list {
		b.text += string(r)
		b.changed()
		b.render(st, 80)
	}
	if got := strings.Join(b.render(st, 80), "\n"); strings.Contains(got, "b.go") || !strings.Contains(got, "More with") {
		t.Errorf("drawn:\n%s", got)
	}
	for _, whole := range []string{
		list, "It names " + list, answered + "RELEVANT_FILES:\n\nThe head a.go:1-3 of it.\n", answered + "RELEVANT_FILES:\n- c.go\n",
	} {
		if got := withoutList(whole); got != whole {
			t.Errorf("%q becomes %q", whole, got)
		}
	}
}

// Rules search; only a model is waited for.
func TestRulesSearch(t *testing.T) {
	for rules, want := range map[bool]string{true: "searching", false: "waiting for the model"} {
		hang := scripted.Text("")
		hang.Hang = true
		x := open(t, 80, 24, scripted.New(hang), func(_ *agent.Config, h *Host, _ *Screen) { h.Rules = rules })
		x.types("a question\r")
		x.sees(want)
		x.types("\x03")
		x.rests()
	}
}

// The search in earlier messages lists each once, and the call before the first run is by nobody else.
func TestSmallLists(t *testing.T) {
	a := newApp(t.Context(), &Host{})
	a.edit.said = []string{"again", "other", "again"}
	a.searchSaid()
	if got := len(a.pick.rows); got != 2 || a.pick.rows[0].Title != "again" {
		t.Errorf("%d messages are listed: %v", got, a.pick.rows)
	}
	a.begin(func() {}, a.now(), "working")
	a.ran(agent.ToolStarted{Agent: "chat", Call: transcript.ToolCall{ID: "1", Name: "evidence"}})
	if b := a.log.last(call); b == nil || strings.Contains(b.call.title, "chat") {
		t.Errorf("the call is shown as %v", b)
	}
}

// A message of many lines, such as one with a file, shows its beginning; folded out, it is whole.
func TestLongMessagesFold(t *testing.T) {
	var text strings.Builder
	for i := range 130 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	st := &style{theme: newTheme(true), markdown: newMarkdown(80, true)}
	b := &block{kind: said, text: strings.TrimSpace(text.String())}
	lines := b.draw(st, 80)
	if last := ansi.Strip(lines[len(lines)-1]); len(lines) != firstSaid+1 || last != "  … 122 more lines" {
		t.Errorf("%d lines: %q", len(lines), last)
	}
	b.open = true
	if lines := b.draw(st, 80); len(lines) != 130 || !strings.HasSuffix(lines[129], "line 129") {
		t.Errorf("%d lines folded out", len(lines))
	}
	if short := (&block{kind: said, text: "one\ntwo"}); short.folds() {
		t.Error("a short message folds")
	}
}

// linkParts matches the parts of a line that are a link, with the link's id.
var linkParts = regexp.MustCompile("\x1b\\]8;id=([^;]*);file://([^\a]*)\a(.*?)\x1b\\]8;;\a")

// A place that wraps, in text or in a cell of a table, is a link on each of its lines, and nothing else is one.
func TestLinksWrap(t *testing.T) {
	const long, short = "agent/explore/rules/internal/pages/section.go:123-145", "a.go:1"
	text := "The limiter retries in `doCall` [" + long + "], `" + long + "` and [b.go:9].\n\n" +
		"- 等待 [" + long + "5], item [" + long + "]\n\n| # | where | symbol | why |\n|---|---|---|---|\n| 1 | " + long +
		" | Search.Beside | the words of the question |\n| 2 | " + short + " | x | y |\n\nIn **" + long + "**"
	s := &style{locate: func(c string) (string, int, bool) {
		return "/tree/" + strings.Split(c, ":")[0], 1, c == long || c == short || c == strings.TrimSuffix(long, "3-145")
	}}
	for width := 24; width <= 120; width++ {
		lines := newMarkdown(width, true).lines(text)
		linked := map[string]string{}
		for i, l := range s.link(text, lines) {
			if ansi.Strip(l) != ansi.Strip(lines[i]) {
				t.Fatalf("width %d: %q became %q", width, lines[i], l)
			}
			for _, m := range linkParts.FindAllStringSubmatch(l, -1) {
				linked[m[1]+" "+m[2]] += ansi.Strip(m[3])
			}
		}
		want := map[string]string{
			strings.Replace(long, ":", "-", 1) + " /tree/" + strings.Split(long, ":")[0]: strings.Repeat(long, 5),
			"a.go-1 /tree/a.go": short,
		}
		if !maps.Equal(linked, want) {
			t.Errorf("width %d: %q\n%s", width, linked, ansi.Strip(strings.Join(lines, "\n")))
		}
	}
}

// Tags are text in an answer about code, and no character reference steers the terminal.
func TestMarkdownShowsWhatIsMeant(t *testing.T) {
	m := newMarkdown(80, true)
	for text, want := range map[string]string{
		"Use Vec<String>, <T> and <!-- x -->": "Use Vec<String>, <T> and <!-- x -->",
		"<div>\ninside\n</div>\n\nafter":      "<div> inside </div>\n\nafter",
		"- a &lt;b&gt; &amp; \\<c>":           "• a <b> & <c>",
		"`&lt;` and `a<b>`":                   "&lt; and a<b>",
		"```\n&#27;[2J\n```":                  "&#27;[2J",
		"x &#27;]52;c;eA&#7; &#X1b;[2J":       "x &#27;]52;c;eA&#7; &#X1b;[2J",
		"**&#27[2J** *&#x202e;*":              "&#27[2J &#x202e;",
		"`&#27;[2J` &amp;#27;":                "&#27;[2J &#27;",
		"# h &#27;[2J":                        "# h &#27;[2J",
		"> [l&#27;c](u)":                      "│ l&#27;c /u",
	} {
		drawn := strings.Join(m.lines(clean(text)), "\n")
		if got := ansi.Strip(drawn); strings.Trim(got, "\n ") != want || strings.Contains(drawn, "\x1b[2J") || strings.Contains(drawn, "\x1bc") {
			t.Errorf("%q is drawn as %q", text, drawn)
		}
	}
	cells := ansi.Strip(strings.Join(m.lines("| a | b |\n|---|---|\n| one<br>two | &#27;[2J <T> |"), "\n"))
	if !strings.Contains(cells, " one two ") || !strings.Contains(cells, " &#27;[2J <T>") {
		t.Errorf("cells:\n%s", cells)
	}
}

// @ names files with blanks in their names, each once, and completes none whose name cannot be shown.
func TestMentions(t *testing.T) {
	files := []string{"a.go", "my notes.md", "my notes.md.bak", "docs/my", "evil\u202eog.go", "b\x1b[2J.go"}
	for text, want := range map[string][2][]string{
		"see @a.go, @my notes.md and @a.go.":        {{"a.go", "my notes.md"}},
		"@my notes.md.bak":                          {{"my notes.md.bak"}},
		"(@a.go) me@a.go @a.goo @my notes.mdown @x": {nil, {"a.goo"}},
		"x\t@docs/my\r\n@a.go":                      {{"docs/my", "a.go"}},
	} {
		if got, others := mentioned(text, files); !slices.Equal(got, want[0]) || !slices.Equal(others, want[1]) {
			t.Errorf("%q mentions %q and %q, want %q", text, got, others, want)
		}
	}
	if got := fileRows(files, ".go"); len(got) != 1 || got[0].Title != "a.go" {
		t.Errorf("completed: %v", got)
	}
}

// A file that does not join a message is named, and a word that is no file is not.
func TestFilesThatDoNotJoin(t *testing.T) {
	x := open(t, 80, 24, echo(), func(_ *agent.Config, h *Host, _ *Screen) {
		h.Files = func(context.Context) []string { return []string{"a.go"} }
		h.Read = func(context.Context, string) (string, error) { return "package a", nil }
		h.Unlisted = func(_ context.Context, path string) string {
			return map[string]string{".env": "it holds credentials", ".hidden": "it is hidden"}[path]
		}
	})
	x.types("see @a.go @.env @.hidden and @types/node\r")
	x.sees("@.env does not join the message: it holds credentials\n@.hidden does not join the message: it is hidden\n")
	x.sees("package a")
	x.rests()
	if strings.Contains(x.shown(), "node does not") {
		t.Errorf("what is no file is named:\n%s", x.shown())
	}
}

// The help fits narrow and wide terminals, in the same words.
func TestHelpFits(t *testing.T) {
	words := func(width int) []string {
		a := newApp(t.Context(), &Host{Commands: []Command{{Name: "image", Args: "[PATH|none]", Help: strings.Repeat("add a picture ", 9)}}})
		a.resize(width, 24)
		for l := range strings.Lines(a.help()) {
			if n := columns(strings.TrimRight(l, "\n")); n > width || strings.HasSuffix(l, " \n") {
				t.Errorf("%d of %d columns: %q", n, width, l)
			}
		}
		return strings.Fields(a.help())
	}
	for _, width := range []int{40, 60, 110} {
		if got := words(width); !slices.Equal(got, words(200)) {
			t.Errorf("%d columns have other words: %q", width, got)
		}
	}
}
