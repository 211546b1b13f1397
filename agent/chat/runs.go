package chat

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/contextbuilder/blocks"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// A pastRun is a call of a tool or a sub-agent in a thread.
type pastRun struct {
	Seq   int64 `json:"seq"`             // of the user's message that it served
	Agent bool  `json:"agent,omitempty"` // it asked a model
	contextbuilder.AgentRun
}

const (
	maxRuns   = 5   // of sub-agents, and of tools, that a thread keeps
	runRunes  = 200 // of a sub-agent's input and output
	callRunes = 60  // of those of a tool, which can be called again
)

// runOf returns what a thread keeps of a call.
func runOf(seq int64, rec *agent.ToolRecord) pastRun {
	most := callRunes
	if rec.Tokens > 0 {
		most = runRunes
	}
	clip := func(text string) string {
		return line.Truncate(line.Flat(strings.ToValidUTF8(text[:min(len(text), 4*most)], "")), most)
	}
	var output string
	if rec.Err != nil {
		output = "failed: " + rec.Err.Error()
	} else {
		_, output = tools.Render(rec.Value)
	}
	r := pastRun{Seq: seq, Agent: rec.Tokens > 0, AgentRun: contextbuilder.AgentRun{
		Name: rec.Made.Name, Started: rec.Started, Duration: rec.Duration, Tokens: rec.Tokens,
		Input: clip(string(rec.Made.Args)), Output: clip(output),
	}}
	if !r.Agent {
		r.Tokens = toollimit.Tokens(output)
	}
	return r
}

// addRuns keeps the last calls of a run, and the last of those before.
func (s *state) addRuns(seq int64, records []agent.ToolRecord) {
	added := map[bool]int{}
	var runs []pastRun
	for i := len(records) - 1; i >= 0; i-- {
		rec := &records[i]
		if ofAgent := rec.Tokens > 0; !rec.Started.IsZero() && added[ofAgent] < maxRuns {
			added[ofAgent]++
			runs = append(runs, runOf(seq, rec))
		}
	}
	for _, r := range slices.Backward(s.Runs) {
		if added[r.Agent] < maxRuns {
			added[r.Agent]++
			runs = append(runs, r)
		}
	}
	slices.Reverse(runs)
	s.Runs = runs
}

// runs returns what a request says of past runs: those of sub-agents, and the calls of tools that served messages
// before the one numbered from.
func (s *state) runs(from int64) []contextbuilder.AgentRun {
	var all []contextbuilder.AgentRun
	for _, r := range s.Runs {
		if r.Agent || r.Seq < from {
			all = append(all, r.AgentRun)
		}
	}
	return all
}

// pastRuns returns the past runs for the requests of a turn. Listing them changes the newest message, so that the next
// turn extends a shorter prefix. Calls of tools are worth that only to a program with a block of past runs, and only
// once the request no longer shows them.
func pastRuns(c *Chat, s *state) []contextbuilder.AgentRun {
	if slices.ContainsFunc(c.config.Builder.Sources, listsRuns) {
		return s.runs(s.From)
	}
	return s.runs(0)
}

// listsRuns reports whether a source is the block of past runs.
func listsRuns(s contextbuilder.Source) bool {
	switch s.(type) {
	case blocks.ActiveAgentsHistory, *blocks.ActiveAgentsHistory:
		return true
	}
	return false
}
