package contextwindow

import "testing"

func TestPlanText(t *testing.T) {
	for raw, want := range map[string]string{
		`[{"content":"Read","status":"completed","activeForm":"Reading"},{"content":"Fix it","status":"pending"}]`: "- [completed] Read\n- [pending] Fix it",
		`["one "," two"]`:        "- one\n- two",
		`[{"step":"look"}]`:      "- look",
		`[{"id":1}]`:             `[{"id":1}]`,
		`[1,2]`:                  `[1,2]`,
		"1. read\n2. write":      "1. read\n2. write",
		`{"todos":"elsewhere"}`:  `{"todos":"elsewhere"}`,
		`[{"status":"done"}]`:    `[{"status":"done"}]`,
		`[]`:                     "",
		`[{"title":"x"},"y",""]`: "- x\n- y\n- ",
	} {
		if got := planText(raw); got != want {
			t.Errorf("%s:\n%q, want\n%q", raw, got, want)
		}
	}
}
