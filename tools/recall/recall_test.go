package recall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/recall"
)

// call calls the tool in a run whose window stored body under s2.1.
func call(t testing.TB, body, args string) (string, error) {
	t.Helper()
	working := working.New(nil)
	scope := working.Open()
	if err := scope.Put("s2.1", body); err != nil {
		t.Fatal(err)
	}
	ctx := tools.WithRun(context.Background(), tools.Run{Scope: scope.ID()})
	out, err := recall.ReadWorkingMemory(working).Call(ctx, json.RawMessage(args))
	if err != nil {
		return "", err
	}
	kind, text := tools.Render(out)
	if kind != toollimit.Excerpt {
		t.Errorf("kind %q", kind)
	}
	return text, nil
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func Example() {
	working := working.New(nil)
	scope := working.Open()
	if err := scope.Put("s2.1", "one\ntwo\nthree\n"); err != nil {
		fmt.Println(err)
	}
	ctx := tools.WithRun(context.Background(), tools.Run{Scope: scope.ID()})
	out, err := recall.ReadWorkingMemory(working).Call(ctx, json.RawMessage(`{"id":"s2.1","start_line":2}`))
	_, text := tools.Render(out)
	fmt.Print(text, err)
	// Output:
	// two
	// three
	// [lines 2-3 of 3 of s2.1; end of s2.1]
	// <nil>
}

func TestPaging(t *testing.T) {
	body := numbers(1_000)
	whole, pages := "", 0
	for next := 1; next > 0; pages++ {
		text, err := call(t, body, fmt.Sprintf(`{"id":"[s2.1]","start_line":%d,"limit":300}`, next))
		if err != nil {
			t.Fatal(err)
		}
		content, footer, _ := strings.Cut(text, "[")
		whole += content
		if want := fmt.Sprintf("lines %d-%d of 1000 of s2.1; ", next, min(next+299, 1_000)); !strings.HasPrefix(footer, want) {
			t.Errorf("%q, want %q", footer, want)
		}
		if _, err := fmt.Sscanf(footer[strings.Index(footer, "; ")+2:], "next: start_line=%d]", &next); err != nil {
			next = 0
		}
	}
	if whole != body || pages != 4 {
		t.Errorf("%d pages, %d of %d bytes", pages, len(whole), len(body))
	}
}

func TestFind(t *testing.T) {
	text, err := call(t, numbers(1_000), `{"id":"s2.1","find":"LINE 99"}`)
	if err != nil || !strings.HasPrefix(text, "L99 line 99\nL990 line 990\n") ||
		!strings.HasSuffix(text, "[11 found in lines 1-1000 of 1000 of s2.1; end of s2.1]\n") {
		t.Errorf("%q %v", text, err)
	}
}

func TestProblems(t *testing.T) {
	for args, code := range map[string]string{
		`{"id":"s9.9"}`:                      "unknown_id",
		`{"id":"s2.1","start_line":4}`:       "past_end",
		`{"id":"s2.1","find":"nothing"}`:     "not_found",
		`{"id":"s2.1","offset":9999}`:        "past_end",
		`{"id":"s2.1","offset":1,"find":""}`: "",
	} {
		_, err := call(t, "a\nb\nc\n", args)
		problem := (*tools.Problem)(nil)
		if code == "" {
			if err != nil {
				t.Errorf("%s: %v", args, err)
			}
			continue
		}
		if !errors.As(err, &problem) || problem.Code != code || problem.Try == "" {
			t.Errorf("%s: %v, want %s", args, err, code)
		}
	}
	_, err := recall.ReadWorkingMemory(working.New(nil)).Call(context.Background(), json.RawMessage(`{"id":"s2.1"}`))
	if problem := (*tools.Problem)(nil); !errors.As(err, &problem) || problem.Code != "no_memory" {
		t.Errorf("a run without a memory: %v", err)
	}
}

func TestOneLongLine(t *testing.T) {
	body := strings.Repeat("词", 50_000)
	whole := ""
	for offset, more := 0, true; more; {
		text, err := call(t, body, fmt.Sprintf(`{"id":"s2.1","start_line":1,"offset":%d}`, offset))
		if err != nil {
			t.Fatal(err)
		}
		content, footer, _ := strings.Cut(text, "\n[")
		whole += content
		_, after, found := strings.Cut(footer, "offset=")
		if more = found; found {
			if _, err := fmt.Sscanf(after, "%d", &offset); err != nil {
				t.Fatal(err)
			}
		}
	}
	if whole != body {
		t.Errorf("read %d of %d bytes", len(whole), len(body))
	}
}

func FuzzRead(f *testing.F) {
	f.Add("one\ntwo\n", 1, 10, 0, "o")
	f.Add("\xff\n\n", 2, 1, 1, "")
	f.Fuzz(func(t *testing.T, body string, start, limit, offset int, find string) {
		args, err := json.Marshal(
			map[string]any{"id": "s2.1", "start_line": start, "limit": limit, "offset": offset, "find": find},
		)
		if err != nil {
			t.Fatal(err)
		}
		text, err := call(t, body, string(args))
		if err == nil && (!utf8.ValidString(text) || toollimit.Tokens(text) > 10_010) {
			t.Errorf("%d tokens: %q", toollimit.Tokens(text), text)
		}
	})
}
