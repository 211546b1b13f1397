package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/providers"
)

// A row is one check on one outcome.
type row struct {
	check   string
	outcome check.Outcome
	passed  bool
	score   float64
	why     string // what Why has
}

// said is the outcome of an answer alone.
func said(answer string) check.Outcome { return check.Outcome{Answer: answer} }

func play(t *testing.T, rows []row, o *check.Options) {
	t.Helper()
	for _, r := range rows {
		c, err := check.Parse(json.RawMessage(r.check), o)
		if err != nil {
			t.Errorf("%s: %v", r.check, err)
			continue
		}
		v := check.Judge(t.Context(), []check.Check{c}, &r.outcome)[0]
		if v.Err != "" {
			t.Errorf("%s on %.80q: error %s", r.check, r.outcome.Answer, v.Err)
			continue
		}
		if v.Passed != r.passed || v.Score < r.score-1e-9 || v.Score > r.score+1e-9 || !strings.Contains(v.Why, r.why) {
			t.Errorf("%s on %.80q: %+v, want passed %t, score %v, why %q", r.check, r.outcome.Answer, v, r.passed, r.score, r.why)
		}
		if v.Passed == (v.Why != "" && v.Score < 1) {
			t.Errorf("%s on %.80q: passed %t with reason %q", r.check, r.outcome.Answer, v.Passed, v.Why)
		}
	}
}

func TestTexts(t *testing.T) {
	play(t, []row{
		{`{"kind":"exact","text":"42"}`, said(" 42\n"), true, 1, ""},
		{`{"kind":"exact","text":"42"}`, said("42."), false, 0, `"42."`},
		{`{"kind":"exact","text":["yes","Ja"],"ignore_case":true}`, said("JA"), true, 1, ""},
		{`{"kind":"exact","text":""}`, said(""), true, 1, ""},
		{`{"kind":"contains","all":["port","8080"]}`, said("the port is 8080"), true, 1, ""},
		{`{"kind":"contains","all":["port","8080"]}`, said("the port is 80"), false, .5, `"8080"`},
		{`{"kind":"contains","all":"Port"}`, said("the port"), false, 0, ""},
		{`{"kind":"contains","all":"Port","ignore_case":true}`, said("THE PORT"), true, 1, ""},
		{`{"kind":"contains","any":["a1","b1"]}`, said("b1"), true, 1, ""},
		{`{"kind":"contains","any":["a1","b1"],"all":"x"}`, said("x"), false, .5, "any of"},
		{`{"kind":"contains","all":"8080","not":"9090"}`, said("8080 or 9090"), false, 0, `has "9090"`},
		{`{"kind":"contains","not":"9090"}`, said(""), true, 1, ""},
		{`{"kind":"regex","pattern":"(?i)^yes\\b"}`, said("Yes, it is"), true, 1, ""},
		{`{"kind":"regex","pattern":["a","b"]}`, said("a"), false, .5, "b"},
		{`{"kind":"contains","all":"12","no_citations":true}`, said("see main.go:12"), false, 0, "lacks"},
		{`{"kind":"contains","all":"12","no_citations":true}`, said("12, see main.go:12"), true, 1, ""},
		{`{"kind":"regex","pattern":"\\b12\\b","no_citations":true}`, said("see main.go:10-12"), false, 0, ""},
		{`{"kind":"regex","not":"x*"}`, said("y"), false, 0, "matches"},
	}, nil)
}

func TestNumbers(t *testing.T) {
	play(t, []row{
		{`{"kind":"number","equals":42}`, said("It is 42."), true, 1, ""},
		{`{"kind":"number","equals":42}`, said("6 × 7 = 42"), true, 1, ""},
		{`{"kind":"number","equals":6,"which":"first"}`, said("6 × 7 = 42"), true, 1, ""},
		{`{"kind":"number","equals":7,"after":"Times"}`, said("6 times 7 is 42"), true, 1, ""},
		{`{"kind":"number","equals":42,"after":"times","which":"last"}`, said("6 times 7 is 42"), true, 1, ""},
		{`{"kind":"number","equals":42,"after":"total"}`, said("42"), false, 0, "lacks"},
		{`{"kind":"number","equals":0}`, said("none"), false, 0, "no number"},
		{`{"kind":"number","equals":0}`, said("0"), true, 1, ""},
		{`{"kind":"number","equals":3}`, said("3 (by sha256)"), true, 1, ""},
		{`{"kind":"number","equals":256}`, said("sha256"), false, 0, "no number"},
		{`{"kind":"number","equals":3}`, said("3 since v1.2.3, not 10.0.0.1"), true, 1, ""},
		{`{"kind":"number","equals":3}`, said("it is 3 (main.go:12)."), true, 1, ""},
		{`{"kind":"number","equals":12}`, said("main.go:12"), true, 1, ""},
		{`{"kind":"number","equals":-5}`, said("-$5"), true, 1, ""},
		{`{"kind":"number","equals":5}`, said("**5**"), true, 1, ""},
		{`{"kind":"number","equals":5}`, said("_5_"), true, 1, ""},
		{`{"kind":"number","equals":0.5}`, said("about .5."), true, 1, ""},
		{`{"kind":"number","equals":10}`, said("it took 10ms"), true, 1, ""},
		{`{"kind":"number","equals":42}`, said("答案是42。"), true, 1, ""},
		{`{"kind":"number","equals":7}`, said("Done.7"), false, 0, ""},
		{`{"kind":"number","equals":-3.5}`, said("about -3.5 degrees"), true, 1, ""},
		{`{"kind":"number","equals":20}`, said("lines 10-20"), true, 1, ""},
		{`{"kind":"number","equals":1234567.5}`, said("1,234,567.50 USD"), true, 1, ""},
		{`{"kind":"number","equals":3e8}`, said("3e8 m/s"), true, 1, ""},
		{`{"kind":"number","equals":3.14159,"tolerance":0.01}`, said("3.15"), true, 1, ""},
		{`{"kind":"number","equals":3.14159,"tolerance":0.005}`, said("3.15"), false, 0, "3.15, not 3.14159"},
		{`{"kind":"number","equals":200,"relative":0.1}`, said("220"), true, 1, ""},
		{`{"kind":"number","equals":200,"relative":0.1}`, said("221"), false, 0, ""},
	}, nil)
}

func TestBounds(t *testing.T) {
	spent := check.Outcome{Steps: 3, Cost: .3, Took: 3 * time.Second, Usage: providers.Usage{Input: 200, Output: 100}}
	play(t, []row{
		{`{"kind":"steps","max":3}`, spent, true, 1, ""},
		{`{"kind":"steps","max":2}`, spent, false, .5, "3 steps, above 2"},
		{`{"kind":"steps","max":1.5}`, spent, false, 0, ""},
		{`{"kind":"steps","max":1}`, spent, false, 0, ""},
		{`{"kind":"cost","max":0.2}`, spent, false, .5, "0.3 US dollars"},
		{`{"kind":"cost","max":0.4}`, spent, true, 1, ""},
		{`{"kind":"seconds","max":4}`, spent, true, 1, ""},
		{`{"kind":"tokens","max":240}`, spent, false, .75, "300 tokens"},
		{`{"kind":"tokens","max":1}`, check.Outcome{Steps: 1}, true, 1, "0 tokens reported"},
		{`{"kind":"seconds","max":4}`, check.Outcome{Took: time.Second}, true, 1, ""},
	}, nil)
	for _, kind := range []string{"cost", "tokens", "steps"} {
		c, err := check.Parse(json.RawMessage(`{"kind":"`+kind+`","max":1}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		v := check.Judge(t.Context(), []check.Check{c}, &check.Outcome{Answer: "x"})[0]
		if !strings.Contains(v.Err, "unknown, not 0") {
			t.Errorf("%s of a subject that reports nothing: %+v", kind, v)
		}
		unpriced := check.Outcome{Steps: 1, Usage: providers.Usage{Input: 1}}
		if v := check.Judge(t.Context(), []check.Check{c}, &unpriced)[0]; (v.Err != "") != (kind == "cost") {
			t.Errorf("%s of a subject without a price: %+v", kind, v)
		}
		unpriced.Priced = true
		if v := check.Judge(t.Context(), []check.Check{c}, &unpriced)[0]; v.Err != "" || !v.Passed {
			t.Errorf("%s of a free subject: %+v", kind, v)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for raw, want := range map[string]string{
		``:                               "ends too early",
		`"exact"`:                        "must be an object",
		`{}`:                             "must be one of",
		`{"kind":"reegx"}`:               `did you mean "regex"?`,
		`{"kind":"exact"}`:               "text is missing",
		`{"kind":"exact","text":7}`:      "a string or an array of strings",
		`{"kind":"exact","txt":"x"}`:     `did you mean "text"?`,
		`{"kind":"contains"}`:            "give all, any or not",
		`{"kind":"contains","all":""}`:   "the empty text",
		`{"kind":"regex","pattern":"("}`: "missing closing )",
		`{"kind":"regex","pattern":""}`:  "the empty pattern",
		`{"kind":"number"}`:              "equals is missing",
		`{"kind":"number","equals":1,"which":"third"}`: "first or last",
		`{"kind":"number","equals":"1"}`:               "equals must be a number, not string",
		`{"kind":"steps"}`:                             "above 0",
		`{"kind":"steps","max":-1}`:                    "above 0",
		`{"kind":7}`:                                   "kind must be a string",
	} {
		_, err := check.Parse(json.RawMessage(raw), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", raw, err, want)
		}
	}
}

func TestParseKeepsTheLimit(t *testing.T) {
	c, err := check.Parse(json.RawMessage(`{"kind":"command","shell":"true","seconds":3600}`), nil)
	if err != nil || c.Limit != time.Hour {
		t.Errorf("limit %v, error %v", c.Limit, err)
	}
}

func TestNameReplacesTheKind(t *testing.T) {
	c, err := check.Parse(json.RawMessage(`{"kind":"exact","name":"port","text":"80"}`), nil)
	if err != nil || c.Name != "port" {
		t.Errorf("name %q, error %v", c.Name, err)
	}
}

func TestKindsOfOnesOwn(t *testing.T) {
	o := &check.Options{Kinds: map[string]func(json.RawMessage) (check.Check, error){
		"polite": func(json.RawMessage) (check.Check, error) {
			return check.Check{Run: func(context.Context, *check.Outcome) (check.Verdict, error) {
				return check.Verdict{Passed: true, Score: 1}, nil
			}}, nil
		},
		"broken": func(json.RawMessage) (check.Check, error) { return check.Check{}, errors.New("no max") },
		"empty":  func(json.RawMessage) (check.Check, error) { return check.Check{}, nil },
	}}
	for raw, want := range map[string]string{`{"kind":"polite"}`: "polite", `{"kind":"polite","name":"kind"}`: "kind"} {
		c, err := check.Parse(json.RawMessage(raw), o)
		if err != nil || c.Name != want || c.Run == nil {
			t.Errorf("%s: %v, %+v", raw, err, c)
		}
	}
	for raw, want := range map[string]string{
		`{"kind":"broken"}`: "check broken: no max",
		`{"kind":"empty"}`:  "check empty: it has no function Run",
		`{"kind":"polit"}`:  `did you mean "polite"?`,
	} {
		if _, err := check.Parse(json.RawMessage(raw), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"kind":"contains","all":["a"],"any":"b","not":[]}`), "a b")
	f.Add([]byte(`{"kind":"number","equals":1,"after":"x"}`), "x -1,000.5e3")
	f.Add([]byte(`{"kind":"regex","pattern":"a|b"}`), "b")
	f.Add([]byte(`{"kind":"tokens","max":1e300}`), "")
	f.Add([]byte(`{"kind":"json","path":"a[0].b","equals":1,"schema":{"type":"number"}}`), `{"a":[{"b":1}]}`)
	f.Add([]byte(`{"kind":"cites","want":["a.go:1-2","b"],"first":2}`), "a.go:1 b")
	f.Add([]byte(`{"kind":"cites","want":"b"}`), "a.go:1 b")
	f.Add([]byte(`{"kind":"calls","mode":"f1","want":[{"name":"a","args":{"b":1}}]}`), "")
	f.Add([]byte(`{"kind":"canary","in":"view","subject":"a b","value":"c","gone":{"value":"d"}}`), "a b c\nd [replaced]")
	f.Fuzz(func(t *testing.T, raw []byte, answer string) {
		c, err := check.Parse(raw, nil)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		var h struct{ Kind string }
		if json.Unmarshal(raw, &h) != nil || h.Kind == "command" || h.Kind == "harbor" {
			return // these run programs
		}
		o := &check.Outcome{Answer: answer, View: []transcript.Message{{Role: transcript.User, Text: answer}}}
		v := check.Judge(t.Context(), []check.Check{c}, o)[0]
		if v.Passed && v.Score == 0 || strings.HasPrefix(v.Err, "panic") {
			t.Errorf("%s: %+v", raw, v)
		}
	})
}
