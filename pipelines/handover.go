package pipelines

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/tools"
)

// A Handover is what a stage leaves for those behind it. It is bounded: the newest text decides, and lists keep what came
// first.
type Handover struct {
	Findings []Finding `json:"findings,omitempty"` // points of the newest text that cite lines
	Files    []string  `json:"files,omitempty"`    // that were read
	Negative []string  `json:"negative,omitempty"` // calls that found nothing
	Open     []string  `json:"open,omitempty"`     // points under a heading of the newest text that says what is open
	Log      []string  `json:"log,omitempty"`      // the calls, a line a step
}

// The most that a Handover keeps of each list.
const (
	maxFindings = 100
	maxFiles    = 200
	maxNegative = 40
	maxOpen     = 20
	maxLog      = 60
	maxLine     = 200 // runes
)

// JSON is the hand-over as it stands in a prompt.
func (h Handover) JSON() string {
	raw, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		panic(err) // plain data
	}
	return string(raw)
}

// add takes an attempt in. Its text replaces what the one before it said; what it did is added.
func (h *Handover) add(r *agent.Result) {
	if strings.TrimSpace(r.Text) != "" {
		h.Findings = firstOf(findingsIn(r.Text), maxFindings)
		h.Open = firstOf(openPoints(r.Text), maxOpen)
	}
	step, line := 0, ""
	for _, rec := range r.Tools {
		if rec.Step != step && line != "" {
			h.Log = append(h.Log, shorten(line, maxLine))
			line = ""
		}
		step = rec.Step
		if line != "" {
			line += "; "
		}
		line += rec.Call.Name + " " + string(rec.Call.Args)
		h.addCall(rec)
	}
	if line != "" {
		h.Log = append(h.Log, shorten(line, maxLine))
	}
	h.Log = firstOf(h.Log, maxLog)
}

// addCall takes in what a call read, or that it found nothing.
func (h *Handover) addCall(rec agent.ToolRecord) {
	if rec.Err != nil {
		return
	}
	for _, f := range contextwindow.FactsByArguments(rec.Call, transcript.Message{}) {
		if f.Kind == contextwindow.FactRead && !looksAround(rec.Call) && len(h.Files) < maxFiles && !slices.Contains(h.Files, f.Ref) {
			h.Files = append(h.Files, f.Ref)
		}
	}
	if foundNothing(rec.Value) && len(h.Negative) < maxNegative {
		line := shorten(fmt.Sprintf("%s %s found nothing", rec.Call.Name, rec.Call.Args), maxLine)
		if !slices.Contains(h.Negative, line) {
			h.Negative = append(h.Negative, line)
		}
	}
}

// looksAround reports whether a call lists or searches below its path and reads no file.
func looksAround(c transcript.ToolCall) bool {
	var args map[string]json.RawMessage
	if strings.HasPrefix(c.Name, "list") || json.Unmarshal(c.Args, &args) != nil {
		return true
	}
	return args["pattern"] != nil || args["patterns"] != nil || args["query"] != nil
}

// foundNothing reports whether a result says of itself that it holds nothing: an object with a total of zero, or no text.
func foundNothing(value any) bool {
	if _, text := tools.Render(value); strings.TrimSpace(text) == "" {
		return true
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return false
	}
	var o struct {
		Total *int `json:"total"`
	}
	return json.Unmarshal(raw, &o) == nil && o.Total != nil && *o.Total == 0
}

// openWords are words of headings under which a text says what is open.
var openWords = []string{"open", "not covered", "unclear", "unresolved", "missing", "未", "待"}

// openPoints are the points below such a heading.
func openPoints(text string) []string {
	var all []string
	under := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		m := bullet.FindStringSubmatch(line)
		switch {
		case m != nil && under:
			all = append(all, shorten(m[1], maxLine))
		case m == nil && line != "":
			lower := strings.ToLower(strings.Trim(line, "#*: "))
			heading := strings.HasPrefix(line, "#") || strings.HasSuffix(line, ":") || strings.HasPrefix(line, "**")
			under = heading && len(line) < 80 && slices.ContainsFunc(openWords, func(w string) bool { return strings.Contains(lower, w) })
		}
	}
	return all
}

func firstOf[T any](all []T, n int) []T { return all[:min(len(all), n)] }
