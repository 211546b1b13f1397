package sessiontest

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// at is the time of records; its nanoseconds come back, too.
var at = time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)

func nan() float64 { return math.NaN() }

// prompts returns n small records, numbered from a number.
func prompts(from, n int) []session.Record {
	records := make([]session.Record, n)
	for i := range records {
		n := from + i
		records[i] = session.Record{Time: at.Add(time.Duration(n)), Run: &session.Run{Prompt: fmt.Sprint(n)}}
	}
	return records
}

// filler is text of a size that does not repeat itself.
func filler(size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%d\t\"%x\" <ü>\n", b.Len(), b.Len()*b.Len())
	}
	text := b.String()[:size]
	return strings.ToValidUTF8(text, "?")
}

// texts are what a store that encodes them may change.
var texts = []string{
	"a\x00b", "\x00", "\x00r", "\x00=x", "\x00=\x00", " leading and trailing ", "line\r\nbreak\n", "</script> & <!-- -->",
	"\u2028\u2029\ufeff\ufffd", "数える 👩‍👩‍👧", `\u0000 \ " '`, "\x7f\x1b[0m", "null", "{}", strings.Repeat("\x00", 2000),
}

// raws are JSON that encoding changes, though its bytes are part of a window.
var raws = []string{`{"b": 1,  "a<&>": "\u00e9é", "n": 1.50}`, `"\u0000"`, `"\u0000=x"`, "null", `[ ]`, `1e2`}

// large returns records with a text in the fields in which a run puts long ones.
func large(text string) []session.Record {
	raw, _ := json.Marshal(map[string]string{"text": text}) // a string always encodes
	unit := contextwindow.Unit{Messages: []transcript.Message{
		{Role: transcript.Assistant, Text: text, Calls: []transcript.ToolCall{{ID: "c", Name: "read_file", Args: raw}}},
		{Role: transcript.Tool, CallID: "c", Name: "read_file", Text: text},
	}}
	return []session.Record{
		{Time: at, Run: &session.Run{Prompt: text, Setup: raw}},
		{Time: at, Entries: []contextwindow.Entry{{Unit: &unit}, {Note: &contextwindow.Note{Kind: "k", Text: text}}}},
		{Time: at, Result: &session.Result{Record: session.ToolRecord{Value: raw}}},
	}
}

// everything returns a record of each kind with all fields set: each string to text, each raw JSON to raw, numbers to
// different values.
func everything(text, raw string) (records []session.Record) {
	n := int64(0)
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch v.Kind() {
		case reflect.String:
			v.SetString(text)
		case reflect.Int, reflect.Int64:
			v.SetInt(n)
		case reflect.Float64:
			v.SetFloat(1 / float64(n))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Slice:
			if v.Type() == reflect.TypeFor[json.RawMessage]() {
				v.SetBytes([]byte(raw))
				return
			}
			if v.Type().Elem().Kind() == reflect.Uint8 {
				v.SetBytes([]byte{0, 255, byte(n)})
				return
			}
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				v.Set(reflect.ValueOf(at.Add(time.Duration(n))))
				return
			}
			for i := range v.NumField() {
				if v.Type().Field(i).Tag.Get("json") != "-" { // else it is not stored
					fill(v.Field(i))
				}
			}
		default:
			panic("sessiontest: records have a new kind of field: " + v.Type().String())
		}
	}
	for i := range reflect.TypeFor[session.Record]().NumField() {
		r := session.Record{Time: at}
		fill(reflect.ValueOf(&r).Elem().Field(i))
		records = append(records, r)
	}
	return records
}

// broken returns records with what models and tools write that is neither text nor JSON. A window shows it, so that it
// has to survive.
func broken() []session.Record {
	said := transcript.Message{Role: transcript.Assistant, Text: "not \xff UTF-8", Calls: []transcript.ToolCall{
		{ID: "c1", Name: "edit", Args: json.RawMessage(`{"path": "a`)},
		{ID: "c2", Name: "edit"},
	}}
	result := transcript.Message{Role: transcript.Tool, Text: "\x00\xfe", CallID: "c1", Name: "edit"}
	unit := contextwindow.Unit{Messages: []transcript.Message{said, result}}
	return []session.Record{
		{Time: at, Entries: []contextwindow.Entry{{Unit: &unit}}},
		{Time: at, Answer: &session.Answer{Response: &providers.Response{Message: said}}},
		{Verdict: &session.Verdict{}}, // without a time
	}
}
