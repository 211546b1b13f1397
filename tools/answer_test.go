package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/forayhq/foray/tools"
)

type place struct {
	Path  string `json:"path" jsonschema:"minLength=1,description=of the file"`
	Lines []int  `json:"lines,omitempty" jsonschema:"maxItems=2"`
}

type finding struct {
	Title  string    `json:"title" jsonschema:"maxLength=10"`
	Weight string    `json:"weight,omitempty" jsonschema:"enum=low,enum=high"`
	Places []place   `json:"places" jsonschema:"minItems=1"`
	Seen   time.Time `json:"seen,omitzero"`
}

func TestStrictSchema(t *testing.T) {
	a, err := tools.AnswerOf[finding]()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
		"properties":{
			"title":{"type":"string"},
			"weight":{"enum":["low","high",null],"type":["string","null"]},
			"places":{"items":{
				"properties":{
					"path":{"type":"string","description":"of the file"},
					"lines":{"items":{"type":"integer"},"maxItems":2,"type":["array","null"]}},
				"additionalProperties":false,"type":"object","required":["path","lines"]},
				"type":"array","minItems":1},
			"seen":{"format":"date-time","type":["string","null"]}},
		"additionalProperties":false,"type":"object","required":["title","weight","places","seen"]}`
	if diff := cmp.Diff(strings.NewReplacer("\n", "", "\t", "").Replace(want), string(a.Strict)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	type withMap struct {
		Counts map[string]int `json:"counts"`
	}
	type withAny struct {
		Value []any `json:"value"`
	}
	if m, err := tools.AnswerOf[withMap](); err != nil || m.Strict != nil || m.Schema == nil {
		t.Errorf("a map: %v, %s", err, m.Strict)
	}
	if v, err := tools.AnswerOf[*withAny](); err != nil || v.Strict != nil {
		t.Errorf("any value: %v, %s", err, v.Strict)
	}
}

func TestAnswersOfTypesThatNoObjectFills(t *testing.T) {
	if _, err := tools.AnswerOf[[]finding](); err == nil {
		t.Error("a list is taken")
	}
	if _, err := tools.AnswerOf[struct{ C chan int }](); err == nil || !strings.Contains(err.Error(), "no JSON form") {
		t.Errorf("a channel: %v", err)
	}
}

func TestParseAnswer(t *testing.T) {
	a, err := tools.AnswerOf[finding]()
	if err != nil {
		t.Fatal(err)
	}
	whole := finding{Title: "t", Weight: "low", Places: []place{{Path: "a.go", Lines: []int{1, 2}}}}
	for text, want := range map[string]finding{
		`{"title":"t","weight":"low","places":[{"path":"a.go","lines":[1,2.0]}],"seen":null}`: whole,
		`{"title":"t","weight":null,"places":[{"path":"a.go","lines":null}]}`:                 {Title: "t", Places: []place{{Path: "a.go"}}},
	} {
		got, err := a.Parse(json.RawMessage(text))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
	for text, want := range map[string]string{
		`{"title":null,"places":[{"path":"a.go"}]}`:                  "/title: got null, want string",
		`{"title":"t","places":[{"path":""}],"weight":"much"}`:       "/places/0/path: has 0 characters",
		`{"title":"longer than ten","places":[]}`:                    "/title: has 15 characters",
		`{"title":"t","places":[{"path":"a.go"}],"more":null}`:       "/more: unknown field",
		`{"title":"t","places":[{"path":"a.go"}],"seen":"tomorrow"}`: "bad_arguments",
		`{"title":"t"`:     "not valid JSON",
		`{"title":"t"} {}`: "text after the value",
		`["t"]`:            "must be one JSON object, got array",
		``:                 "missing, but required",
	} {
		_, err := a.Parse(json.RawMessage(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v does not say %q", text, err, want)
		}
		var bad *tools.ArgumentError
		if !errors.As(err, &bad) && want != "bad_arguments" {
			t.Errorf("%s: %T", text, err)
		}
	}
}

// What is parsed follows the schema, and what follows it is parsed to the value that it came from. An empty list counts
// as none: omitempty leaves both out.
func FuzzParseAnswer(f *testing.F) {
	a, err := tools.AnswerOf[finding]()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"title":"t","weight":"low","places":[{"path":"a.go","lines":[1,2]}],"seen":null}`)
	f.Add(`{"places":[null,{"path":null}]}`)
	f.Add(`{"title":"t","weight":"low","places":[{"path":"a.go","lines":[]}]}`)
	f.Add(`[[[]]]`)
	f.Fuzz(func(t *testing.T, text string) {
		first, err := a.Parse(json.RawMessage(text))
		if err != nil {
			return
		}
		raw, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		second, err := a.Parse(raw)
		if diff := cmp.Diff(first, second, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s gives %s, and that: %v\n%s", text, raw, err, diff)
		}
	})
}

// The answer of a model is one object of a type.
func ExampleAnswerOf() {
	type city struct {
		Name    string `json:"name"`
		Country string `json:"country,omitempty"`
	}
	a, err := tools.AnswerOf[city]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(a.Strict))
	fmt.Println(a.Parse(json.RawMessage(`{"name":"Ulm","country":null}`)))
	fmt.Println(a.Parse(json.RawMessage(`{"country":"Germany"}`)))
	// Output:
	// {"properties":{"name":{"type":"string"},"country":{"type":["string","null"]}},"additionalProperties":false,"type":"object","required":["name","country"]}
	// {Ulm } <nil>
	// { } invalid arguments for answer:
	// - /name: missing, but required
}
