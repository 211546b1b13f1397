package tools

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type textual struct {
	Addr  netip.Addr      `json:"addr,omitzero"`
	Level slog.Level      `json:"level,omitzero"`
	At    time.Time       `json:"at,omitzero"`
	Big   *big.Int        `json:"big,omitempty"`
	Num   json.Number     `json:"num,omitempty"`
	Raw   json.RawMessage `json:"raw,omitempty"`
	Nets  []netip.Prefix  `json:"nets,omitempty"`
	Tiny  int8            `json:"tiny,omitempty"`
	Port  uint16          `json:"port,omitempty"`
	Count uint            `json:"count,omitempty"`
	N     int             `json:"n,omitempty"`
}

func setOf[In any](t *testing.T) (*Set, Tool) {
	t.Helper()
	tool := New("x", "Takes anything.", func(_ context.Context, in In) (In, error) { return in, nil })
	set, err := NewSet(tool)
	if err != nil {
		t.Fatal(err)
	}
	return set, tool
}

// The schema says what the decoder takes: a string of a type that decodes itself from text, the range of an integer.
func TestSchemaAndDecoderAgree(t *testing.T) {
	set, tool := setOf[textual](t)
	for args, fault := range map[string]string{
		`{"addr":"192.0.2.1","level":"WARN","at":"2026-01-31T00:00:00Z","nets":["192.0.2.0/24"]}`: "",
		`{"addr":{}}`:                          "/addr: got object, want string",
		`{"level":4}`:                          "/level: got number, want string",
		`{"nets":[1]}`:                         "/nets/0: got number, want string",
		`{"big":12,"num":1.5}`:                 "",
		`{"raw":{"any":[1]}}`:                  "",
		`{"tiny":-128,"port":65535,"count":0}`: "",
		`{"tiny":127.0}`:                       "",
		`{"tiny":300}`:                         "/tiny: got 300, must be at most 127",
		`{"tiny":-129}`:                        "/tiny: got -129, must be at least -128",
		`{"port":65536}`:                       "/port: got 65536, must be at most 65535",
		`{"count":-1}`:                         "/count: got -1, must be at least 0",
		`{"n":9007199254740993}`:               "",
	} {
		err := set.Validate("x", json.RawMessage(args))
		if (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, want %q", args, err, fault)
		}
		if _, callErr := tool.Call(t.Context(), json.RawMessage(args)); (callErr == nil) != (err == nil) {
			t.Errorf("%s: the schema says %v, the decoder %v", args, err, callErr)
		}
	}
	for args, want := range map[string]string{
		`{"addr":"nowhere"}`:         "nowhere",
		`{"n":1e30}`:                 "n: got 1e30, must be from -9223372036854775808 to 9223372036854775807",
		`{"n":12345678901234567890}`: "n: got 12345678901234567890, must be from -9223372036854775808",
	} {
		var p *Problem
		if _, err := tool.Call(t.Context(), json.RawMessage(args)); !errors.As(err, &p) ||
			!strings.Contains(p.Message, want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// A rule in a tag that the schema would not have is refused when the tool is made.
func TestTagsWithoutEffect(t *testing.T) {
	type inner struct {
		N int `jsonschema:"minItems=1"`
	}
	for want, made := range map[string]func(){
		`field N: jsonschema tag: unknown keyword "minimun"; nearest: minimum`: func() {
			setOf[struct {
				N int `jsonschema:"minimun=1"`
			}](t)
		},
		`minimum does not take "abc"`: func() {
			setOf[struct {
				N int `jsonschema:"minimum=abc"`
			}](t)
		},
		`enum does not take "few"`: func() {
			setOf[struct {
				N []int `jsonschema:"enum=1,enum=few"`
			}](t)
		},
		`maxLength does not take "-1"`: func() {
			setOf[struct {
				S string `jsonschema:"maxLength=-1"`
			}](t)
		},
		`minimum has no effect on a value of type string`: func() {
			setOf[struct {
				S string `jsonschema:"minimum=1"`
			}](t)
		},
		`minLength has no effect on a value of type any`: func() {
			setOf[struct {
				S any `jsonschema:"minLength=1"`
			}](t)
		},
		`" 1 to 9" is not KEYWORD=VALUE; put`: func() {
			setOf[struct {
				N int `jsonschema:"description=n, 1 to 9"`
			}](t)
		},
		`unknown keyword " maximum"`: func() {
			setOf[struct {
				N int `jsonschema:"minimum=1, maximum=2"`
			}](t)
		},
		`field M: field N: jsonschema tag: minItems has no`: func() { setOf[struct{ M map[string][]*inner }](t) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			made()
		}()
	}
	_, tool := setOf[struct {
		A []string  `jsonschema:"minItems=1,minLength=2,uniqueItems=true,default=a"`
		B *int      `jsonschema:"nullable,exclusiveMaximum=1e3,description=a\\, b,required"`
		C time.Time `json:"c,omitzero" jsonschema:"format=date"`
		D int       `json:"d,string" jsonschema:"pattern=^[0-9]+$"`
		E bool      `jsonschema:"default=true"`
		F []byte    `jsonschema:"maxLength=8"`
		G any       `jsonschema:"oneof_type=string;integer,title=g"`
	}](t)
	for _, rule := range []string{`"minItems":1`, `"minLength":2`, `"exclusiveMaximum":1e3`, `"a, b"`, `"format":"date"`, `"pattern":"^[0-9]+$"`} {
		if !strings.Contains(string(tool.Schema), rule) {
			t.Errorf("no %s in %s", rule, tool.Schema)
		}
	}
}

type list struct{ Next *list }

type tree struct{ Below map[string][]tree }

// A selfMade refers to itself, but decodes itself.
type selfMade struct{ Next *selfMade }

func (s *selfMade) UnmarshalJSON([]byte) error { return nil }

// A recursive type is refused when the tool is made, and one that decodes itself takes any value.
func TestRecursiveTypes(t *testing.T) {
	for want, made := range map[string]func(){
		"list contains itself": func() { setOf[list](t) },
		"tree contains itself": func() { setOf[tree](t) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			made()
		}()
	}
	if _, err := AnswerOf[list](); err == nil || !strings.Contains(err.Error(), "contains itself") {
		t.Errorf("an answer of a list: %v", err)
	}
	set, tool := setOf[struct {
		S selfMade `json:"s"`
	}](t)
	if diff := cmp.Diff(`{"properties":{"s":true},"additionalProperties":false,"type":"object","required":["s"]}`, string(tool.Schema)); diff != "" {
		t.Error(diff)
	}
	if err := set.Validate("x", json.RawMessage(`{"s":[1,{"a":2}]}`)); err != nil {
		t.Error(err)
	}
}

// A nullable field takes its other keywords whatever their order is.
func TestNullableTags(t *testing.T) {
	type in struct {
		A int `jsonschema:"minimum=1,nullable"`
		B int `jsonschema:"nullable,minimum=1"`
		C int `jsonschema:"nullable,nullable"`
	}
	schema := string(New("n", "n", func(context.Context, in) (string, error) { return "", nil }).Schema)
	if strings.Count(schema, `"minimum":1`) != 2 || strings.Count(schema, `"null"`) != 3 {
		t.Error(schema)
	}
}
