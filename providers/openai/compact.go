package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// leastCompact is the smallest size at which the service compacts, in tokens.
const leastCompact = 1_000

// compaction is the type of an item that replaces what precedes it.
const compaction = "compaction"

// compacts checks that the service compacts for the model, if it is asked to, and says so in the info.
func (c *Config) compacts(dialect string) error {
	switch {
	case c.Compact == 0:
		return nil
	case c.Wire != Responses || c.Quirks.NoReasoningBack:
		return fmt.Errorf("%w for %s: OpenAI has it on its responses wire", providers.ErrNoCompaction, c.Name)
	case !c.reasons():
		return fmt.Errorf("%w for %s: OpenAI has it for its models that reason", providers.ErrNoCompaction, c.Name)
	case c.Compact < leastCompact:
		return fmt.Errorf("%w for requests of %d tokens: the service takes %d or more", providers.ErrNoCompaction,
			c.Compact, leastCompact)
	}
	c.Info.Compaction = providers.Compaction{At: c.Compact, Dialect: dialect}
	return nil
}

// A management says how the service shortens a conversation.
type management struct {
	Type      string `json:"type"`
	Threshold int    `json:"compact_threshold"`
}

// manage returns how the service shortens the conversation of a request; nil: not at all.
func (m *Model) manage() []management {
	if m.config.Compact == 0 {
		return nil
	}
	return []management{{compaction, m.config.Compact}}
}

// compacted returns the index of the message that a request begins with, the one with the newest compaction, since the
// item carries what precedes it; and the index from which messages go without provider data. Unless the service is
// asked to compact, all messages are sent, and from the first compaction on without reasoning, which was issued for a
// shorter conversation.
func (m *Model) compacted(messages []transcript.Message) (from, without int) {
	without = len(messages)
	for i, in := range slices.Backward(messages) {
		if in.ProviderData == nil || !in.ProviderData.Compacts {
			continue
		}
		switch items, ok := m.restoreItems(&in); {
		case !ok:
		case m.config.Compact == 0:
			without = i
		case lastCompaction(items) >= 0:
			return i, without
		}
	}
	return 0, without
}

// lastCompaction returns the index of the last compaction among items, -1 for none.
func lastCompaction(items []json.RawMessage) int {
	for i, raw := range slices.Backward(items) {
		var item outputItem
		if json.Unmarshal(raw, &item) == nil && item.Type == compaction {
			return i
		}
	}
	return -1
}

// sealedTokens estimates the tokens of an encrypted text: four bytes each, in base64.
func sealedTokens(text string) int { return len(text) * 3 / 4 / 4 }
