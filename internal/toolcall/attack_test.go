package toolcall

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/forayhq/foray/internal/attacktable"
)

// hostile are arguments that would take up to a gigabyte to decode, and what their error says.
var hostile = map[string]struct {
	args string
	want []string
}{
	"fields":   {manyFields(500_000), []string{"bytes, at most 1048576", `"field0", "field1", "field2"`}},
	"values":   {manyFields(maxValues + 1), []string{"more than 20000 fields", `"field0", "field1", "field2"`}},
	"elements": {`{"a":[` + strings.Repeat("1,", 400_000) + "1]}", []string{"more than 20000 fields", `"a"`}},
	"depth":    {`{"b":1,"a":` + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) + "}", []string{"64 levels", `"b", "a"`}},
	"bytes":    {`{"a":"` + strings.Repeat("x", 10<<20) + `"}`, []string{"10485768 bytes", `"a"`}},
	"a name":   {`{"` + strings.Repeat("x", 10<<20) + `":1}`, []string{"bytes, at most"}},
	"a text":   {`"` + strings.Repeat(`{\"a\":1,`, 100_000) + `"`, nil}, // one value: what it holds is bounded when it is read
}

func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"field%d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// Arguments that take much memory are refused unread, in a sentence that names their first fields.
func TestAttackArguments(t *testing.T) {
	attacktable.Watch(t, "internal/toolcall", "arguments are refused unread")
	schema := json.RawMessage(`{"properties":{"a":{"type":"array","items":{"type":"number"}}}}`)
	for name, c := range hostile {
		args := json.RawMessage(c.args)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Bounded(args)
		read, notes := Args(schema, args)
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 16 {
			t.Errorf("%s: took %d MiB, want at most 16", name, took)
		}
		if &read[0] != &args[0] || len(notes) > 0 {
			t.Errorf("%s: arguments were read, with %d notes", name, len(notes))
		}
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
				t.Errorf("%s: error %.500v, want one with %q", name, err, want)
			}
		}
	}
	for _, args := range []string{``, `{}`, `{"a":"` + strings.Repeat(`[\",{`, 100_000) + `"}`, manyFields(maxValues), strings.Repeat("[", maxDepth)} {
		if err := Bounded(json.RawMessage(args)); err != nil {
			t.Errorf("%.40s… of %d bytes: %v", args, len(args), err)
		}
	}
}
