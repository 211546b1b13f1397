package anthropic

import (
	"encoding/json"

	"github.com/forayhq/foray/providers"
)

type usage struct {
	Input   int `json:"input_tokens"` // neither read from the cache nor written to it
	Written int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

// A pass is the usage of one reading of the request: to compact the conversation, or to answer it.
type pass struct {
	Type string
	usage
}

// count takes the counts of an event, which are totals; later ones replace earlier ones. Counts of another form are
// left out: the answer is worth more.
func (a *answer) count(raw json.RawMessage) {
	var u struct {
		usage
		Iterations []pass
	}
	if json.Unmarshal(raw, &u) != nil {
		return
	}
	if len(u.Iterations) > 0 {
		a.passes = u.Iterations
	}
	a.usage = usage{
		max(a.usage.Input, u.Input), max(a.usage.Written, u.Written), max(a.usage.Cached, u.Cached),
		max(a.usage.Output, u.Output),
	}
}

// provider returns the usage as all dialects count it: the input includes what the cache gave and took. Where the
// service counts its passes, their sum is what it bills, since the total leaves out compaction.
func (a *answer) provider() *providers.Usage {
	if len(a.passes) == 0 {
		return a.usage.provider()
	}
	var total providers.Usage
	for _, p := range a.passes {
		if u := p.provider(); u != nil {
			if p.Type == compaction {
				u.Compacted = u.Input
			}
			total = total.Add(*u)
		}
	}
	if total == (providers.Usage{}) {
		return nil
	}
	return &total
}

func (u usage) provider() *providers.Usage {
	if u == (usage{}) {
		return nil
	}
	return &providers.Usage{
		Input: u.Input + u.Written + u.Cached, Cached: u.Cached, Written: u.Written, Output: u.Output,
	}
}
