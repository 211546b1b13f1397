package compaction

import (
	"math"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/evals/internal/words"
)

// A shortening policy shows everything, with other texts of some results.
type shortening struct {
	policy.Policy
	shows map[string]string // by the id of the call
}

func (p *shortening) View() ([]transcript.Message, error) {
	view, err := p.Policy.View()
	for i := range view {
		if text, ok := p.shows[view[i].CallID]; ok {
			view[i].Text = text
		}
	}
	return view, err
}

func sightOfOne(t *testing.T, shows string, units ...recording.Unit) *tally {
	t.Helper()
	tr := &recording.Trajectory{ID: "x", Source: "own", Units: []recording.Unit{{{Role: transcript.User, Text: "Go."}}}}
	tr.Units = append(tr.Units, units...)
	tr.Units = append(tr.Units, recording.Unit{{Role: transcript.Assistant, Text: "Done."}})
	last := units[len(units)-1][1].CallID
	p := policy.Named{Name: "shortening", New: func(st policy.Setting) policy.Policy {
		return &shortening{Policy: newNone(st), shows: map[string]string{last: shows}}
	}}
	y, err := play(t.Context(), prepare(tr, &recording.Counters()[0]), p, handBudget, nil)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// TestFirstSight holds what was worked out by hand.
func TestFirstSight(t *testing.T) {
	// 17, 12 and 13 bytes; the closing bracket belongs to the line before it.
	const body = "1\tfunc scan() int {\n2\t\treturn one()\n3\t}\n4\t// after scan\n"
	const first, second, third, all = 17, 13, 13, 43
	other := unit("o", "read", `{"path":"a.go"}`, "    return one()\n")
	for name, c := range map[string]struct {
		shows  string
		before []recording.Unit
		want   float64
	}{
		"whole":                  {shows: body, want: 1},
		"nothing":                {shows: "[cut]", want: 0},
		"none of it":             {shows: "", want: 0},
		"one line":               {shows: "1\tfunc scan() int {\n…", want: first},
		"other numbers":          {shows: "7: return one()", want: second},
		"in color":               {shows: "\x1b[31m// after\x1b[0m scan", want: third},
		"a part of a line":       {shows: "func scan() i…", want: 0},
		"elsewhere, in a result": {shows: "[cut]", before: []recording.Unit{other}, want: second},
		"elsewhere, in a call": {shows: "// after scan",
			before: []recording.Unit{unit("o", "write", `{"text":"x\n  return one()\n"}`, "ok")}, want: second + third},
	} {
		y := sightOfOne(t, c.shows, append(c.before, unit("x", "read", `{"path":"b.go"}`, body))...)
		want := c.want
		if want > 1 {
			want /= all
		}
		sum := y.Sight[0]
		for _, u := range c.before { // these are whole
			sum.Weight -= recording.Tokens(len(u[1].Text))
			sum.Seen -= float64(recording.Tokens(len(u[1].Text)))
		}
		if got := sum.share(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %.3f seen, want %.3f", name, got, want)
		}
	}
}

func TestFirstSightOfLongLines(t *testing.T) {
	long := strings.Repeat("0123456789", 50) // 500 bytes: six pieces of 80 and one of 20
	y := sightOfOne(t, long[:200]+"…", unit("x", "bash", `{"command":"cd x && cat long"}`, long))
	// The pieces are alike, so each of the six stands in what is shown, and the last one too.
	if y.Sight[0].share() != 1 {
		t.Errorf("%.3f seen of equal pieces", y.Sight[0].share())
	}
	var b strings.Builder
	for i := range 3_000 {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), 6) + string(rune('A'+i/26%26)) + string(rune('A'+i/676)) + ",")
	}
	text := b.String() // 27,000 bytes, 6,750 tokens
	y = sightOfOne(t, text[:810], unit("x", "bash", `{"command":"cd x && cat long"}`, text))
	if got := y.Sight[3]; got.Weight != mostWeight || got.UnderQuarter != 1 || math.Abs(got.share()-800./27_000) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if got := y.Roles[roleRead]; got != y.Sight[3] {
		t.Errorf("as a read: %+v", got)
	}
}

func TestFragments(t *testing.T) {
	for in, want := range map[string]string{
		"a/b.go:12: x := 1\n":          "x := 1",
		"a/b.go:12:4: bad\n":           "bad",
		"  12\tx\n\n 13→y\n14 | z":     "x y z",
		"\x1b]0;title\x07\x1b[1mok":    "ok",
		"http://x.org is no path:12:x": "http://x.org is no path:12:x",
		"10:30:05 started":             "30:05 started",
	} {
		var got []string
		for f := range words.Fragments(in) {
			got = append(got, f)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestRoleOf(t *testing.T) {
	for call, want := range map[string]role{
		`Read {"file_path":"x"}`: roleRead, `Grep {}`: roleSearch, `MultiEdit {}`: roleEdit, `think {}`: roleOther,
		`str_replace_editor {"command":"view","path":"x"}`:     roleRead,
		`str_replace_editor {"command":"create","path":"x"}`:   roleEdit,
		`bash {"command":"cat x.go"}`:                          roleRead,
		`bash {"command":"cd /x && sed -n 1,20p x.go | head"}`: roleRead,
		`bash {"command":"sed -i s/a/b/ x.go"}`:                roleShell,
		`bash {"command":"cat > x.go <<EOF\nEOF"}`:             roleShell,
		`bash {"command":"FOO=1 go test ./... 2>&1 | tail"}`:   roleShell,
		`bash {"command":"find . -name x 2>/dev/null | head"}`: roleSearch,
		`execute_bash {"command":"git grep x"}`:                roleSearch,
		`shell {"command":["bash","-lc","rg -n x src"]}`:       roleSearch,
		`shell {"cmd":"python3 x.py"}`:                         roleShell,
		`read_working_memory {"id":"s1.1"}`:                    roleRead,
	} {
		name, args, _ := strings.Cut(call, " ")
		texts, _ := words.Leaves([]byte(args))
		if got := roleOf(transcript.ToolCall{Name: name, Args: []byte(args)}, texts); got != want {
			t.Errorf("%s: %s, want %s", call, roleNames[got], roleNames[want])
		}
	}
}
