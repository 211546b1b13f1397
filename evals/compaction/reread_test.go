package compaction

import (
	"math"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
)

// TestEffectiveCost holds what was worked out by hand from testdata/hand.jsonl.
func TestEffectiveCost(t *testing.T) {
	// A request is the system prompt, the prompt and what is shown: 13, 39 and 13 characters.
	const window = (13 + 39 + 13) / 4.
	price := func(tokens float64) float64 { return .10*window + 5*60 + (1.25+4*.10)*(60+tokens) }
	// The read of unit 1 holds 68 characters, the search of unit 2 82.
	const read, search = 17, 21
	// Before unit 2 readDigits is missing: the read. It stays for units 3 to 6. Before unit 7, readDigits, lexer_state and
	// two lines are missing. Three messages cover two of these; the search is the newest. What remains are the lines: the
	// read holds the old text, and the other line alone, the path of unit 1, is not worth a call.
	want := price(read) + price(search) + price(read)
	y := playFixed(t, "nothing of it", nil)
	if y.Rereads != 3 || math.Abs(y.RereadCost-want) > 1e-9 || math.Abs(want-1292.625) > 1e-9 {
		t.Errorf("%d rereads for %v, want 3 for %v", y.Rereads, y.RereadCost, want)
	}
	if math.Abs(y.effective()-y.cost()-want) > 1e-9 {
		t.Errorf("effective cost %v of cost %v", y.effective(), y.cost())
	}
	for shows, rereads := range map[string]int{
		"readDigits lexer_state":                                          1, // the old text
		"readDigits\nsrc/lexer_state.go\nreturn readDigits(input)":        0, //
		policy.SummaryTitle + "\n" + policy.PathsTitle + "lexer_state.go": 3, // a list shows nothing
		"return readDigits(input)":                                        1, // the path: the search is newer than the call
	} {
		if y := playFixed(t, shows, nil); y.Rereads != rereads {
			t.Errorf("%q: %d rereads, want %d", shows, y.Rereads, rereads)
		}
	}
}

// A ending policy shows everything, and would have ended the run at a request.
type ending struct {
	policy.Policy
	asked, at int
}

func (p *ending) View() ([]transcript.Message, error) {
	p.asked++
	return p.Policy.View()
}

func (p *ending) Ended() bool { return p.asked >= p.at }

func TestGoesOn(t *testing.T) {
	s := hand(t, "hand")
	// Unit 7 is the seventh request: its two long-range identifiers and the second message of the user come after the end.
	p := policy.Named{Name: "ending", New: func(st policy.Setting) policy.Policy { return &ending{Policy: newNone(st), at: 5} }}
	y, err := play(t.Context(), s, p, handBudget, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := playNone(t, s)
	if y.GoesOn != 4 || y.Requests != 8 || y.Identifiers != whole.Identifiers || y.SeenIdentifiers != 1 || y.SeenLongRange != 0 || y.SeenLines != 0 {
		t.Errorf("%+v", y)
	}
	if y.cost() != whole.cost() || whole.GoesOn != 0 {
		t.Errorf("cost %v, of one that does not end %v", y.cost(), whole.cost())
	}
	// The results of units 1 to 3 arrive before the end; those of units 4 to 7 after it.
	if got := y.Sight[0]; got.Results != 7 || got.Whole != 3 || got.Nothing != 4 {
		t.Errorf("%+v", got)
	}
}

func playNone(t *testing.T, s *script) *tally {
	t.Helper()
	y, err := play(t.Context(), s, policy.Named{Name: "none", New: newNone}, handBudget, nil)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// unit returns a call of a tool with its result.
func unit(id, tool, args, result string) recording.Unit {
	return recording.Unit{
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: tool, Args: []byte(args)}}},
		{Role: transcript.Tool, CallID: id, Name: tool, Text: result},
	}
}
