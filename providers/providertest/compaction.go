package providertest

import "github.com/forayhq/foray/providers"

// compactionCases are about a service that compacts the conversation.
func compactionCases(s Suite) []testCase {
	if s.Compacting == nil {
		return nil
	}
	listed := calls(Call{ID: "c1", Name: "list_dir", Args: []string{`{"path":"first folder"}`}})
	listed.Signature = "signature 1"
	compacts := calls(Call{ID: "c2", Name: "read_file", Args: []string{`{"path":"b.go"}`}})
	compacts.Signature, compacts.Compaction = "signature 2", "summary+/=é<&>"
	compacts.Usage = providers.Usage{Input: 90_000, Compacted: 80_000, Output: 7}
	compacts.Wants = []string{"What is in a.go?", "first folder"}
	next := calls(Call{ID: "c3", Name: "read_file", Args: []string{`{"path":"c.go"}`}})
	next.Wants = []string{compacts.Compaction, compacts.Signature, "b.go"}
	next.Bars = []string{"What is in a.go?", "first folder", listed.Signature}
	again := next
	again.Compaction, again.Signature, again.Usage = "second summary", "signature 3", compacts.Usage
	last := says("fine")
	last.Wants, last.Bars = []string{again.Compaction, again.Signature, "c.go"}, []string{compacts.Compaction, "b.go"}
	whole := says("fine")
	whole.Wants = []string{"What is in a.go?", "first folder", "b.go"}
	whole.Bars = []string{compacts.Compaction, compacts.Signature}
	return []testCase{
		{"compaction", "What the service compacted returns in place of all before it, and of what it compacted earlier.",
			[]Turn{listed, compacts, again, last}, (*check).compacted},
		{"compaction split and stored", "It is the same however the wire splits it, and after it was stored as JSON.",
			[]Turn{listed, compacts.scattered(1), next.scattered(1)}, (*check).compactedStored},
		{"compaction of another", "Another model, and a service that is not asked to compact, get all that was said, and " +
			"nothing that the service issued for less.", []Turn{listed, compacts, whole}, (*check).compactedElsewhere},
	}
}

func (c *check) compacted() {
	c.model = c.suite.Compacting(c.T, c.turns...)
	c.proceed()
}

func (c *check) compactedStored() {
	c.model = c.suite.Compacting(c.T, c.turns...)
	c.proceedStored()
}

// compactedElsewhere sends the last request of a conversation to a model whose service does not compact, and then to
// another model.
func (c *check) compactedElsewhere() {
	plain, req, turns := c.model, request(), c.turns
	c.model = c.suite.Compacting(c.T, turns[:2]...)
	for range turns[:2] {
		m := c.ask(req).Message
		req.Messages = append(req.Messages, m, result(m.Calls[0], "package a", false))
	}
	last := &req.Messages[len(req.Messages)-2]
	if !c.model.Info().Compacted(last.ProviderData) || plain.Info().Compacted(last.ProviderData) {
		c.Fatalf("the data of a compaction is %+v", last.ProviderData)
	}
	c.model = c.suite.New(c.T, turns[2])
	c.fine(req)
	foreign := *last.ProviderData
	foreign.Model = "another"
	last.ProviderData = &foreign
	c.model = c.suite.Compacting(c.T, turns[2])
	c.fine(req)
}
