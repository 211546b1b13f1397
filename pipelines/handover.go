package pipelines

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
)

// A Handover is what a stage leaves to the stages after it. Findings and Open come from the newest text of the stage,
// the rest from the tool calls of all its attempts. Each list is bounded and keeps its first entries.
type Handover struct {
	Findings []Finding `json:"findings,omitempty"` // list items that cite lines
	Files    []string  `json:"files,omitempty"`    // files read
	Negative []string  `json:"negative,omitempty"` // calls that found nothing
	Open     []string  `json:"open,omitempty"`     // list items under a heading such as Open
	Log      []string  `json:"log,omitempty"`      // the calls, one line per step
}

// How many entries of each list a [Handover] keeps.
const (
	maxFindings = 100
	maxFiles    = 200
	maxNegative = 40
	maxOpen     = 20
	maxLog      = 60
	maxLine     = 200 // runes
)

// JSON writes the handover for a prompt.
func (h Handover) JSON() string {
	raw, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		panic(err) // plain data
	}
	return string(raw)
}

func (h *Handover) add(r *agent.Result) {
	if strings.TrimSpace(r.Text) != "" {
		h.Findings = firstOf(ParseFindings(r.Text), maxFindings)
		h.Open = firstOf(openItems(r.Text), maxOpen)
	}
	step, entry := 0, ""
	for _, rec := range r.Tools {
		if rec.Step != step && entry != "" {
			h.Log = append(h.Log, line.Truncate(line.Flat(entry), maxLine))
			entry = ""
		}
		step = rec.Step
		if entry != "" {
			entry += "; "
		}
		entry += rec.Made.Name + " " + string(rec.Made.Args)
		h.addCall(rec)
	}
	if entry != "" {
		h.Log = append(h.Log, line.Truncate(line.Flat(entry), maxLine))
	}
	h.Log = firstOf(h.Log, maxLog)
}

func (h *Handover) addCall(rec agent.ToolRecord) {
	if rec.Err != nil {
		return
	}
	for _, f := range contextwindow.FactsByArguments(rec.Made, transcript.Message{}) {
		read := f.Kind == contextwindow.FactRead && !looksAround(rec.Made)
		if read && len(h.Files) < maxFiles && !slices.Contains(h.Files, f.Ref) {
			h.Files = append(h.Files, f.Ref)
		}
	}
	if foundNothing(rec.Value) && len(h.Negative) < maxNegative {
		entry := line.Truncate(line.Flat(fmt.Sprintf("%s %s found nothing", rec.Made.Name, rec.Made.Args)), maxLine)
		if !slices.Contains(h.Negative, entry) {
			h.Negative = append(h.Negative, entry)
		}
	}
}

// looksAround reports whether a call lists or searches below its path instead of reading a file.
func looksAround(c transcript.ToolCall) bool {
	var args map[string]json.RawMessage
	if strings.HasPrefix(c.Name, "list") || json.Unmarshal(c.Args, &args) != nil {
		return true
	}
	return args["pattern"] != nil || args["patterns"] != nil || args["query"] != nil
}

// foundNothing reports whether a result is empty: an object with a total of zero, or no text.
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

func firstOf[T any](all []T, n int) []T { return all[:min(len(all), n)] }
