package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/internal/toolcall"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type position struct {
	X int `json:"x" jsonschema:"description=column; 0 to 99"`
	Y int `json:"y,omitempty"`
}

type paint struct {
	Where  position `json:"where"`
	Colour string   `json:"colour" jsonschema:"enum=red,enum=blue"`
	Size   *int     `json:"size,omitempty" jsonschema:"minimum=1,maximum=9,description=brush size; 1 to 9"`
	Marks  []string `json:"marks,omitempty" jsonschema:"maxItems=2"`
	Label  string   `json:"label,omitempty" jsonschema:"minLength=2"`
	seen   int      // unexported: must not be seen
}

func painter(t testing.TB) (*tools.Set, tools.Tool) {
	t.Helper()
	tool := tools.New("paint", "Paints a dot.", func(_ context.Context, in paint) (paint, error) {
		in.seen++
		if in.Colour == "blue" {
			return in, &tools.Problem{Code: "out_of_paint", Message: "there is no blue", Try: `colour="red"`}
		}
		return in, nil
	})
	set, err := tools.NewSet(tool)
	if err != nil {
		t.Fatal(err)
	}
	return set, tool
}

func TestSchemaBytes(t *testing.T) {
	_, tool := painter(t)
	want := `{"properties":{"where":{"properties":{"x":{"type":"integer","description":"column; 0 to 99"},"y":{"type":"integer"}},"additionalProperties":false,"type":"object","required":["x"]},"colour":{"type":"string","enum":["red","blue"]},"size":{"type":"integer","maximum":9,"minimum":1,"description":"brush size; 1 to 9"},"marks":{"items":{"type":"string"},"type":"array","maxItems":2},"label":{"type":"string","minLength":2}},"additionalProperties":false,"type":"object","required":["colour","where"]}`
	if diff := cmp.Diff(want, string(tool.Schema)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	if _, again := painter(t); string(again.Schema) != string(tool.Schema) {
		t.Error("two tools of one type have different schemas")
	}
}

func TestValidateNamesEveryViolation(t *testing.T) {
	set, _ := painter(t)
	tests := map[string]struct {
		args string
		want []tools.Violation // nil: valid
	}{
		"valid":       {`{"where":{"x":1},"colour":"red","size":3}`, nil},
		"whole float": {`{"where":{"x":1.0},"colour":"red"}`, nil},
		"empty means {}": {``, []tools.Violation{
			{"/colour", "missing, but required"}, {"/where", "missing, but required"}}},
		"all at once": {
			`{"where":{"x":"1","z":2},"colour":"green","size":10,"marks":["a","b","c"],"colr":1,"label":"a"}`,
			[]tools.Violation{
				{"/colour", `must be one of "red","blue"`},
				{"/colr", `unknown field; the nearest is "colour", allowed are colour, label, marks, size, where`},
				{"/label", "has 1 characters, must have at least 2"},
				{"/marks", "has 3 items, must have at most 2"},
				{"/size", "got 10, must be at most 9 (brush size; 1 to 9)"},
				{"/where/x", "got string, want integer (column; 0 to 99)"},
				{"/where/z", `unknown field; the nearest is "x", allowed are x, y`}},
		},
		"in an item": {
			`{"where":{"x":1},"colour":"red","marks":[1]}`,
			[]tools.Violation{{"/marks/0", "got number, want string"}},
		},
		"pointer escape": {`{"where":{"x":1},"colour":"red","a/b~c":1}`, []tools.Violation{
			{"/a~1b~0c", `unknown field; the nearest is "label", allowed are colour, label, marks, size, where`}}},
		"array": {`[1]`, []tools.Violation{{"", "arguments must be one JSON object, got array"}}},
		"unclosed": {`"{\"city\": \"Bonn\""`, []tools.Violation{
			{"", "arguments must be one JSON object, but are not valid JSON: it ends too early, at byte 15"}}},
		"null": {`null`, []tools.Violation{{"", "arguments must be one JSON object, got null"}}},
		"cut off": {
			`{"where":{"x"`,
			[]tools.Violation{{"", "arguments are not valid JSON: it ends too early, at byte 13"}},
		},
		"two values": {`{} {}`, []tools.Violation{{"", "arguments are not valid JSON: text after the value at byte 4"}}},
		"not JSON": {
			`{where:1}`,
			[]tools.Violation{
				{"", "arguments are not valid JSON at byte 2: invalid character 'w' looking for beginning of object key string"},
			},
		},
		"huge exponent": {
			`{"where":{"x":1},"colour":"red","size":-1}`,
			[]tools.Violation{{"/size", "got -1, must be at least 1 (brush size; 1 to 9)"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := set.Validate("paint", json.RawMessage(tt.args))
			if tt.want == nil {
				if err != nil {
					t.Fatalf("valid arguments refused: %v", err)
				}
				return
			}
			var got *tools.ArgumentError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want an *ArgumentError", err)
			}
			if got.Tool != "paint" {
				t.Errorf("tool %q", got.Tool)
			}
			if diff := cmp.Diff(tt.want, got.Violations); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
	if err := set.Validate("pint", nil); err == nil || !strings.Contains(err.Error(), `nearest is "paint"`) {
		t.Errorf("unknown tool: %v", err)
	}
}

// TestUnderstand checks that arguments which are parsed once are read and refused as if they were parsed twice.
func TestUnderstand(t *testing.T) {
	set, tool := painter(t)
	for _, args := range []string{
		`{"where":{"x":1},"colour":"red"}`,
		`{"Where":{"x":"1"},"colour":["RED"],"size":"3"}`,
		`{"where":{"x":1},"colour":"green","frame":true}`,
		`"{\"where\":{\"x\":1},\"colour\":\"red\"}"`,
		`[1]`, `"red"`, `{"where":`, `{} {}`, ``, strings.Repeat("[", 100),
	} {
		wantRead, wantNotes := toolcall.Args(tool.Schema, json.RawMessage(args))
		want := set.Validate("paint", wantRead)
		read, notes, err := set.Understand("paint", json.RawMessage(args))
		if string(read) != string(wantRead) || !slices.Equal(notes, wantNotes) || fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%s: %s, %q, %v; want %s, %q, %v", args, read, notes, err, wantRead, wantNotes, want)
		}
	}
	if _, _, err := set.Understand("pint", nil); err == nil || !strings.Contains(err.Error(), `nearest is "paint"`) {
		t.Errorf("unknown tool: %v", err)
	}
}

func TestCallDecodesStrictly(t *testing.T) {
	_, tool := painter(t)
	for args, want := range map[string]string{
		`{"where":{"x":1.0},"colour":"red","size":2e0}`: "",
		`{"where":{"x":1},"colour":"blue"}`:             `out_of_paint: there is no blue; try: colour="red"`,
		`{"where":{"x":1.5},"colour":"red"}`:            "bad_arguments: where.x: got number 1.5, want integer; try: one JSON object with the fields of the tool's schema",
		`{"where":{"x":1},"colr":"red"}`:                `bad_arguments: unknown field "colr"; try: one JSON object with the fields of the tool's schema`,
		`{} {}`:                                         "bad_arguments: text after the arguments object; try: one JSON object with the fields of the tool's schema",
	} {
		out, err := tool.Call(t.Context(), json.RawMessage(args))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got error %q, want %q", args, got, want)
		}
		if err == nil && *out.(paint).Size != 2 {
			t.Errorf("%s: decoded %+v", args, out)
		}
	}
}

type recursive struct {
	Next *recursive `json:"next"`
}

func TestNewPanicsOnMistakes(t *testing.T) {
	mistakes := map[string]func(){
		"bad name": func() { tools.New("a b", "", func(context.Context, struct{}) (int, error) { return 0, nil }) },
		"long name": func() {
			tools.New(strings.Repeat("a", 65), "", func(context.Context, struct{}) (int, error) { return 0, nil })
		},
		"nil":       func() { tools.New[struct{}, int]("a", "", nil) },
		"no struct": func() { tools.New("a", "", func(context.Context, string) (int, error) { return 0, nil }) },
		"channel":   func() { tools.New("a", "", func(context.Context, struct{ C chan int }) (int, error) { return 0, nil }) },
		"recursive": func() { tools.New("a", "", func(context.Context, recursive) (int, error) { return 0, nil }) },
	}
	for name, f := range mistakes {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "tools.New: ") {
					t.Errorf("panicked with %q, want a message from tools.New", s)
				}
			}()
			f()
		})
	}
}

func TestNewSetReportsAllFaults(t *testing.T) {
	call := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	object := json.RawMessage(`{"type":"object"}`)
	_, err := tools.NewSet(
		tools.Tool{Name: "a", Schema: object, Call: call}, tools.Tool{Name: "a", Schema: object, Call: call},
		tools.Tool{Name: "b c", Schema: object, Call: call}, tools.Tool{Name: "d", Schema: object},
		tools.Tool{Name: "e", Call: call}, tools.Tool{Name: "f", Schema: json.RawMessage(`{"type":5}`), Call: call},
		tools.Tool{Name: "g", Schema: json.RawMessage(`{"type":"array"}`), Call: call},
		tools.Tool{Name: "h", Schema: json.RawMessage(`{"type":"object","$ref":"file:///etc/passwd"}`), Call: call})
	if err == nil {
		t.Fatal("faulty tools accepted")
	}
	for _, want := range []string{`"a": given twice`, `"b c"`, `"d": no function`, `"e": schema`, `"f": schema`, `"g": schema: type must be`, "only references inside"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	set, err := tools.NewSet(
		tools.Tool{Name: "b", Schema: object, Call: call},
		tools.Tool{Name: "a", Schema: object, Call: call},
	)
	if err != nil || set.All()[0].Name != "a" {
		t.Errorf("not sorted by name: %v, %v", set, err)
	}
	empty, err := tools.NewSet()
	if err != nil || empty.Nearest("x") != "" {
		t.Errorf("empty set: %v, nearest %q", err, empty.Nearest("x"))
	}
}

func TestNearest(t *testing.T) {
	call := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	var ts []tools.Tool
	for _, n := range []string{"read_file", "search", "list_dir", "glob"} {
		ts = append(ts, tools.Tool{Name: n, Schema: json.RawMessage(`{"type":"object"}`), Call: call})
	}
	set, err := tools.NewSet(ts...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"readfile": "read_file", "SEARCH_": "search", "ls_dir": "list_dir", "golb": "glob", "glob": "glob"} {
		if got := set.Nearest(name); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
	if got := set.Nearest(strings.Repeat("x", 1<<20)); got == "" {
		t.Error("no nearest for a long name")
	}
}

type texter struct{}

func (texter) Text() (toollimit.Kind, string) { return toollimit.Listing, "a\nb" }

type panicker struct{}

func (*panicker) MarshalJSON() ([]byte, error) { panic("no") }

type nilTexter struct{ s string }

func (n *nilTexter) Text() (toollimit.Kind, string) { return toollimit.Text, n.s }

func TestRender(t *testing.T) {
	tests := map[string]struct {
		v    any
		kind toollimit.Kind
		text string
	}{
		"nil":        {nil, toollimit.Text, ""},
		"texter":     {texter{}, toollimit.Listing, "a\nb"},
		"string":     {"<a>", toollimit.Text, "<a>"},
		"bytes":      {[]byte("a"), toollimit.Text, "a"},
		"binary":     {[]byte{0xff}, toollimit.Binary, "1 bytes that are not text"},
		"error":      {errors.New("no"), toollimit.Error, "no"},
		"struct":     {map[string]string{"b": "<&>", "a": "x"}, toollimit.JSON, `{"a":"x","b":"<&>"}`},
		"raw":        {json.RawMessage(`{"a":1}`), toollimit.JSON, `{"a":1}`},
		"raw broken": {json.RawMessage(`{"a`), toollimit.Text, `{"a`},
		"channel": {
			make(chan int),
			toollimit.Error,
			"rendering the result of type chan int: json: unsupported type: chan int",
		},
		"panics": {&panicker{}, toollimit.Error, "rendering the result of type *tools_test.panicker: panic: no"},
		"nil texter": {
			(*nilTexter)(nil),
			toollimit.Error,
			"rendering the result of type *tools_test.nilTexter: panic: runtime error: invalid memory address or nil pointer dereference",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			kind, text := tools.Render(tt.v)
			if kind != tt.kind || text != tt.text {
				t.Errorf("got %q %q, want %q %q", kind, text, tt.kind, tt.text)
			}
		})
	}
}

func TestRunFrom(t *testing.T) {
	want := tools.Run{Thread: "t", Agent: "a", Step: 3, CallID: "c"}
	if got := tools.RunFrom(tools.WithRun(t.Context(), want)); got != want {
		t.Errorf("got %+v", got)
	}
	if got := tools.RunFrom(t.Context()); got != (tools.Run{}) {
		t.Errorf("without one: %+v", got)
	}
}

func TestValidateConcurrently(t *testing.T) {
	set, _ := painter(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if set.Validate("paint", json.RawMessage(`{"where":{"x":1},"colour":"red"}`)) != nil ||
					set.Validate("paint", json.RawMessage(`{"colour":1}`)) == nil {
					t.Error("wrong verdict")
					return
				}
			}
		})
	}
	wg.Wait()
}

// FuzzValidate: no input panics, what is accepted decodes, what is refused says why.
func FuzzValidate(f *testing.F) {
	for _, s := range []string{`{}`, `{"where":{"x":1},"colour":"red","size":3}`, `{"size":1e400}`, `[`, `{"a~/b":null}`, `{"marks":[[[]]]}`, "{\"\xff\":1}"} {
		f.Add([]byte(s))
	}
	set, tool := painter(f)
	f.Fuzz(func(t *testing.T, args []byte) {
		err := set.Validate("paint", args)
		var invalid *tools.ArgumentError
		switch {
		case err == nil:
			var p *tools.Problem
			if _, err := tool.Call(t.Context(), args); errors.As(err, &p) && p.Code == "bad_arguments" &&
				!strings.Contains(p.Message, "number") {
				t.Errorf("accepted, then refused: %v", err)
			}
		case !errors.As(err, &invalid) || len(invalid.Violations) == 0:
			t.Errorf("no violation: %v", err)
		case len(invalid.Error()) > 30_000:
			t.Errorf("an error of %d bytes", len(invalid.Error()))
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	set, _ := painter(b)
	args := json.RawMessage(`{"where":{"x":1},"colour":"red","size":3}`)
	for b.Loop() {
		if err := set.Validate("paint", args); err != nil {
			b.Fatal(err)
		}
	}
}
