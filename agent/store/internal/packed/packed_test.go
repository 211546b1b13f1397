package packed

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/google/go-cmp/cmp"
)

// Rule: a quoted text is what encoding/json writes, whatever bytes it has.
func FuzzQuoted(f *testing.F) {
	for _, text := range []string{"", "plain", "a\"b\\c\n\t\r\b\f\x00\x1f\x7f", "<a href='&'>", "é 世界 \u2028\u2029", "\xff\xc3", "\ufffd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendQuoted([]byte("x"), text)); got != "x"+string(want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	})
}

// stepOf returns the records of a step whose tool returned a text, with the value that quotes it.
func stepOf(t testing.TB, text string, value any) []session.Record {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	unit := contextwindow.Unit{Step: 1, Messages: []transcript.Message{
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "c"}}}, {Role: transcript.Tool, CallID: "c", Text: text},
	}}
	return []session.Record{
		{Entries: []contextwindow.Entry{{Unit: &unit}}},
		{Step: &session.Stepped{Tools: []session.ToolRecord{{Value: raw}}}},
	}
}

// Rule: a text that a value quotes is stored once, and the value comes back byte for byte.
func TestValueQuotesText(t *testing.T) {
	text := strings.Repeat("if a < b && \"c\" {\n\treturn é\n}\n", 200)
	bad := text + "\xff"
	escaped := strings.Repeat("\x00\u2028é\"\xff", 1000)
	for name, c := range map[string]struct {
		text   string
		value  any
		bodies int
	}{
		"string":             {text, text, 1},
		"field":              {text, map[string]any{"path": "a.go", "text": text, "lines": 3}, 1},
		"twice":              {text, []string{text, "and", text}, 1},
		"not UTF-8":          {bad, bad, 1},
		"another text":       {text, text + "more", 2},
		"a long rest":        {text, []string{text, strings.Repeat("rest", 1000)}, 2},
		"a NUL in the value": {text, []string{text, "\x00"}, 1},
		"short":              {"short", "short", 0},
		"after escapes":      {text, []string{`\"`, `\\`, text, "\"" + text}, 2},
		"most is escaped":    {escaped, []string{escaped, "é\u2028"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var p Packer
			records := stepOf(t, c.text, c.value)
			for _, want := range records {
				stored, err := p.Pack(&want)
				if err != nil {
					t.Fatal(err)
				}
				u := Unpacker{Body: func(hash Hash, asText bool) (Body, error) {
					if asText {
						return Body{Text: p.Bodies[hash]}, nil
					}
					return Body{Raw: []byte(p.Bodies[hash])}, nil
				}}
				if got, err := u.Unpack(stored); err != nil || !cmp.Equal(got, want) {
					t.Errorf("%v: %s", err, cmp.Diff(want, got))
				}
			}
			if len(p.Bodies) != c.bodies {
				t.Errorf("%d bodies, want %d", len(p.Bodies), c.bodies)
			}
		})
	}
}

// Rule: a text of one step is not looked for in the values of the next: packing a whole session stays linear.
func TestStepsDoNotShareQuotes(t *testing.T) {
	text := strings.Repeat("a line\n", 400)
	var p Packer
	first := stepOf(t, text, "short")
	second := stepOf(t, "other", text)
	for _, r := range append(first, second...) {
		if _, err := p.Pack(&r); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.Bodies) != 2 {
		t.Errorf("%d bodies, want the text and the value", len(p.Bodies))
	}
}

// BenchmarkPack packs the step of calls that each return another 200 KB, which their values quote.
func BenchmarkPack(b *testing.B) {
	for _, calls := range []int{1, 16} {
		var texts []session.Record
		var step session.Stepped
		for i := range calls {
			records := stepOf(b, strings.Repeat(fmt.Sprintf("\tif a < %d && \"c\" {\n\t\treturn\n\t}\n", i), 6000), nil)
			text := records[0].Entries[0].Unit.Messages[1].Text
			raw, err := json.Marshal(map[string]any{"lines": 3, "text": text})
			if err != nil {
				b.Fatal(err)
			}
			texts = append(texts, records[0])
			step.Tools = append(step.Tools, session.ToolRecord{Value: raw})
		}
		b.Run(fmt.Sprint("calls=", calls), func(b *testing.B) {
			for b.Loop() {
				var p Packer
				for _, r := range append(texts, session.Record{Step: &step}) {
					if _, err := p.Pack(&r); err != nil {
						b.Fatal(err)
					}
				}
				if len(p.Bodies) != calls {
					b.Fatalf("%d bodies, want %d", len(p.Bodies), calls)
				}
			}
		})
	}
}
