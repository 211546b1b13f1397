package replay_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/replay"
	"github.com/forayhq/foray/providers/scripted"
)

// recorded returns a recording of the answers to questions.
func recorded(t *testing.T, questions ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	m := replay.Record(scripted.New(scripted.Repeat(0, scripted.Func(func(r *providers.Request) scripted.Line {
		return scripted.Text("to " + r.Messages[0].Text)
	}))), &file)
	for _, q := range questions {
		drain(t.Context(), m, ask(q))
	}
	return file.Bytes()
}

func TestDamage(t *testing.T) {
	whole := recorded(t, "one", "two", "three")
	lines := bytes.SplitAfter(whole, []byte("\n"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	half := lines[2][:len(lines[2])/2]
	for _, tt := range []struct {
		name    string
		file    []byte
		left    int
		warning string
		err     string
	}{
		{"whole", whole, 3, "", ""},
		{"no line end", bytes.TrimSpace(whole), 3, "", ""},
		{"blank lines", join(lines[0], []byte("\n  \n"), lines[1]), 2, "", ""},
		{"joined", join(whole, whole), 6, "", ""},
		{"torn", join(lines[0], lines[1], half), 2, "line 3, the last, is torn", ""},
		{"torn by one byte", whole[:len(whole)-2], 2, "line 3, the last, is torn", ""},
		{"torn, then gone on", join(lines[0], half, lines[1], lines[2]), 0, "", "line 2: "},
		{"torn and ended", join(lines[0], half, []byte("\n"), lines[1]), 0, "", "line 2: "},
		{"torn between fields, and ended", join(lines[0], []byte("{\"foray_recording\":1,\n"), lines[1]), 0, "", "line 2: "},
		{"damaged at the end, without a line end", join(lines[0], []byte("not JSON")), 0, "", "line 2: "},
		{"only a torn line", half, 0, "", "no complete answer: line 1"},
		{"empty", nil, 0, "", "contains no answers"},
		{"damaged in the middle", join(lines[0], []byte("{\"foray_recording\":1,}\n"), lines[2]), 0, "", "line 2: "},
		{"damaged at the end", join(lines[0], []byte("not JSON\n")), 0, "", "line 2: "},
		{"another file", []byte("{\"name\":\"x\"}\n"), 0, "", "line 1: not an answer in format 1"},
		{"a later form", bytes.Replace(whole, []byte(`"foray_recording":1`), []byte(`"foray_recording":2`), 1), 0, "", "line 1: not an answer in format 1"},
		{"another request under the key", bytes.Replace(whole, []byte(`"role":"user"`), []byte(`"role":"tool"`), 1), 0, "", "line 1: the key does not match the request"},
		{"two on a line", join(bytes.TrimSpace(lines[0]), lines[1]), 0, "", "line 1: unexpected data"},
	} {
		m, err := replay.Open(bytes.NewReader(tt.file))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v", tt.name, err)
			}
			continue
		}
		if err != nil || m.Left() != tt.left || !strings.HasPrefix(m.Warning(), tt.warning) || (tt.warning == "") != (m.Warning() == "") {
			t.Errorf("%s: %+v, %v", tt.name, m, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	var file bytes.Buffer
	m := replay.Record(scripted.New(scripted.Repeat(0, scripted.Broken("half \xff"))), &file)
	drain(f.Context(), m, ask("one"))
	f.Add(file.Bytes())
	f.Add([]byte(`{"foray_recording":1,"request":{},"answer":[{"text":{"base64":"/w=="}},{"call":{}}],"error":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := replay.Open(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, req := range []*providers.Request{{}, ask("one")} {
			drain(t.Context(), m, req)
		}
	})
}
