package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/ostest"
)

// A written page, and what its script would read.
type parsed struct {
	text    string
	index   index
	details []*details // of each row; nil if it has none
}

// parse writes a report and reads it as its script does.
func parse(t *testing.T, dir string, b bounds) *parsed {
	t.Helper()
	var out bytes.Buffer
	if err := write(t.Context(), dir, &out, b); err != nil {
		t.Fatal(err)
	}
	p := &parsed{text: out.String()}
	blocks := make(map[string][]string)
	find := regexp.MustCompile(`<script type="text/plain" id="([a-z0-9-]+)">([^<]*)</script>`)
	for _, m := range find.FindAllStringSubmatch(p.text, -1) {
		blocks[m[1]] = strings.Split(m[2], "\n")
	}
	unpack(t, blocks["index"][0], &p.index)
	for _, r := range p.index.Rows {
		var d *details
		if r.Block >= 0 {
			d = &details{}
			unpack(t, blocks["block-"+strconv.Itoa(r.Block)][r.Line], d)
		}
		p.details = append(p.details, d)
	}
	return p
}

func unpack(t *testing.T, text string, v any) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(zipped).Decode(v); err != nil {
		t.Fatal(err)
	}
}

func TestPageHoldsEveryTrial(t *testing.T) {
	ostest.SkipRaced(t)
	p := parse(t, example(t), defaults)
	if len(p.index.Rows) != 72 || len(p.index.Subjects) != 3 {
		t.Fatalf("%d rows, subjects %q", len(p.index.Rows), p.index.Subjects)
	}
	passed, compactions := 0, 0
	for i, r := range p.index.Rows {
		d := p.details[i]
		if d == nil || d.Prompt == "" || len(d.Verdicts) != 2 || len(d.Checks) != 1 {
			t.Fatalf("row %d: %+v", i, d)
		}
		if r.Passed {
			passed++
		} else if r.Class == "" || r.Why == "" {
			t.Errorf("row %d failed without a reason: %+v", i, r)
		}
		if d.Trace == "" {
			continue
		}
		if s := d.Session; len(s.Requests) != len(s.Window) || len(s.Requests) == 0 {
			t.Errorf("row %d: %d requests, %d points: %q", i, len(s.Requests), len(s.Window), s.Left)
		}
		compactions += len(d.Session.Compactions)
	}
	if passed != 33 || compactions < 100 {
		t.Errorf("%d passed, %d compactions", passed, compactions)
	}
	for _, want := range []string{"<title>Results of retention</title>", "10 of 24", "(24 % to 61 %;", ">harness 2</button>", "Score against mean cost"} {
		if !strings.Contains(p.text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestPageRunsItsOwnScriptOnly holds the policy to the bytes of the script and the style, and the page to one of each.
func TestPageRunsItsOwnScriptOnly(t *testing.T) {
	text := parse(t, small(t), defaults).text
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1])
	for _, find := range []string{`(?s)<script>(.*?)</script>`, `(?s)<script type="module">(.*?)</script>`, `(?s)<style>(.*?)</style>`} {
		all := regexp.MustCompile(find).FindAllStringSubmatch(text, -1)
		if len(all) != 1 {
			t.Fatalf("%d of %s", len(all), find)
		}
		sum := sha256.Sum256([]byte(all[0][1]))
		if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("policy %q does not allow %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for _, bad := range []string{`src="`, "href=\"http", "url(", "@import", "innerHTML", "fetch(", "eval(", "style=\"", "onclick=\""} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"plain\n\ttext é 漢 👍\u00a0": "plain\n\ttext é 漢 👍\u00a0",
		"a\r\nb\rc":                 "a\nb⟨U+000D⟩c",
		"\u202eevil\u2066":          "⟨U+202E⟩evil⟨U+2066⟩",
		"a\u200bb\ufeff\u2028\x00":  "a⟨U+200B⟩b⟨U+FEFF⟩⟨U+2028⟩⟨U+0000⟩",
		"\xff\u3164\U000e0041":      "\ufffd⟨U+3164⟩⟨U+E0041⟩",
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
	if got := shown("ééééé", 6); got != "éé\n[… 4 bytes are not in this page …]\né" {
		t.Errorf("shown = %q", got)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add(hostile, 20)
	f.Add("é\u200b\r\n", 1)
	f.Fuzz(func(t *testing.T, s string, most int) {
		if most < 0 || most > 1000 {
			return
		}
		got := shown(s, most)
		for _, r := range got {
			if r != '\n' && r != '\t' && hidden(r) {
				t.Fatalf("shown(%q, %d) = %q has %U", s, most, got, r)
			}
		}
		if visible(got) != got {
			t.Fatalf("%q changes when it is made visible again", got)
		}
	})
}

// TestHostileTexts puts the same text wherever others write.
func TestHostileTexts(t *testing.T) {
	m := newMaker(t, hostile)
	m.info.Set, m.info.Foray = hostile, hostile
	m.task(task.Task{ID: hostile, Prompt: hostile})
	lines, _ := compacting(t, "lean", 3, hostile, hostile)
	m.row(trial.Row{Task: hostile, Subject: hostile, Trial: 1, Tags: []string{hostile}, Answer: hostile, Stop: hostile,
		Failure: &trial.Failure{Class: trial.Class(hostile), Text: hostile}}, lines)
	m.file("traces/odd.jsonl.gz", []byte("no gzip"))
	p := parse(t, m.done(), defaults)
	if n := strings.Count(p.text, "<script"); n != 4 {
		t.Errorf("%d scripts, want the early one, the details, the index and the module", n)
	}
	raw, err := json.Marshal([]any{p.index, p.details})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{p.text, string(raw)} {
		for _, r := range text {
			if r != '\n' && r != '\t' && hidden(r) {
				t.Fatalf("the page has %U", r)
			}
		}
		if strings.Contains(text, `\u202e`) || strings.Contains(text, `\u200b`) || strings.Contains(text, "<img") {
			t.Error("the page has characters that its reader would not see, or markup of others")
		}
	}
	if d := p.details[0]; !strings.Contains(d.Answer, "⟨U+202E⟩gnp.exe") || !strings.Contains(d.Session.Texts[0], "⟨U+") && len(d.Session.Left) > 0 {
		t.Errorf("answer %q, left %q", d.Answer, d.Session.Left)
	}
}
