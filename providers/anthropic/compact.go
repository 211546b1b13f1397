package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// compactBeta is the beta that compacts.
const compactBeta = "compact-2026-01-12"

// Bounds of the service on compaction.
const (
	leastCompact = 50_000 // tokens
	compactsFrom = 46     // version of the models
)

// compaction is the type of a block that replaces what precedes it.
const compaction = "compaction"

// compacts checks that the service compacts for the model, if it is asked to, and says so in the info.
func (c *Config) compacts() error {
	switch {
	case c.Compact == 0:
		return nil
	case version(c.Name) < compactsFrom:
		return fmt.Errorf("%w for %s: Claude has it from version 4.6 on", providers.ErrNoCompaction, c.Name)
	case c.Compact < leastCompact:
		return fmt.Errorf("%w for requests of %d tokens: the service takes %d or more", providers.ErrNoCompaction,
			c.Compact, leastCompact)
	}
	c.Info.Compaction = providers.Compaction{At: c.Compact, Dialect: name}
	return nil
}

// A management says how the service shortens a conversation.
type management struct {
	Edits []edit `json:"edits"`
}

type edit struct {
	Type    string  `json:"type"`
	Trigger trigger `json:"trigger"`
}

type trigger struct {
	Type  string `json:"type"`
	Value int    `json:"value"`
}

// manage returns how the service shortens the conversation of a request; nil: not at all.
func (m *Model) manage() *management {
	if m.config.Compact == 0 {
		return nil
	}
	return &management{[]edit{{"compact_20260112", trigger{"input_tokens", m.config.Compact}}}}
}

// wrote reports whether this model wrote provider data.
func (m *Model) wrote(d *transcript.ProviderData) bool {
	return d != nil && d.Dialect == name && d.Model == m.config.Name
}

// compacted returns the index of the message that a request begins with, the one with the newest compaction, since the
// service ignores what precedes it; and the index from which messages go without provider data. Unless it is asked to
// compact, the service refuses compactions: then all messages are sent, and from the first compaction on without
// thinking, which was issued for a shorter conversation.
func (m *Model) compacted(messages []transcript.Message) (from, without int) {
	without = len(messages)
	for i, in := range slices.Backward(messages) {
		if d := in.ProviderData; m.wrote(d) && d.Compacts {
			if m.config.Compact == 0 {
				without = i
			} else if m.begins(&in) {
				return i, without
			}
		}
	}
	return 0, without
}

// begins reports whether the blocks of a message, as they are sent, hold a compaction. They do not if an edit of the
// message forgot to drop its provider data.
func (m *Model) begins(in *transcript.Message) bool {
	return lastCompaction(m.said(in, true, false)) >= 0
}

// lastCompaction returns the index of the last compaction among blocks, -1 for none.
func lastCompaction(blocks []block) int {
	for i, b := range slices.Backward(blocks) {
		if b.compacts {
			return i
		}
	}
	return -1
}

// compaction returns a block of compaction as it is sent back: as it began, with what arrived of it later. It returns
// nil for one that failed, which has no content: the service ignores it, and refuses an empty one.
func (b *grown) compaction() json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(b.raw, &fields) != nil {
		return nil
	}
	raw := b.raw
	for name, value := range map[string]json.RawMessage{"content": b.content, "encrypted_content": b.encrypted} {
		if len(value) > 0 {
			fields[name], raw = value, nil
		}
	}
	if signature := b.signature.String(); signature != b.Signature {
		fields["signature"], raw = wire.Quoted(signature), nil
	}
	if content := string(fields["content"]); content == "" || content == "null" || content == `""` {
		return nil
	}
	if raw != nil {
		return raw
	}
	raw, err := line.JSON(fields)
	if err != nil {
		return nil
	}
	return raw
}
