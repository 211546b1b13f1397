package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// An itemParts collects one item of an answer.
type itemParts struct {
	index     int    // -1: the server sends none
	id        string // of the item
	raw       json.RawMessage
	parsed    outputItem // from raw, or from the item's first event
	arguments strings.Builder
	shown     bool // some of its text or reasoning was shown
}

// item returns the item of e: the one with its index, else with its id, else the newest. If none matches, it adds one.
func (a *responsesAnswer) item(e *event) *itemParts {
	for i := len(a.items) - 1; i >= 0; i-- {
		item := a.items[i]
		switch {
		case e.OutputIndex != nil && item.index == *e.OutputIndex,
			e.OutputIndex == nil && e.ItemID != "" && item.id == e.ItemID,
			e.OutputIndex == nil && e.ItemID == "":
			return item
		}
	}
	item := &itemParts{index: -1, id: e.ItemID}
	if e.OutputIndex != nil {
		item.index = *e.OutputIndex
	}
	a.items = append(a.items, item)
	return item
}

// addItem takes the first or last event of an item. After the last it returns what did not arrive in pieces.
func (a *responsesAnswer) addItem(e *event) ([]providers.Delta, error) {
	var parsed outputItem
	if err := json.Unmarshal(e.Item, &parsed); err != nil {
		return nil, a.model.report.Error(providers.Malformed, "reading an item of the answer: "+err.Error())
	}
	size := len(parsed.ID) + len(parsed.CallID) + len(parsed.Name) + len(parsed.Arguments)
	if err := a.held.Add(a.model.report, len(e.Item), size); err != nil {
		return nil, err
	}
	e.ItemID = parsed.ID
	if e.Type == "response.output_item.added" && e.OutputIndex == nil {
		a.items = append(a.items, &itemParts{index: -1, id: parsed.ID, parsed: parsed})
		return nil, nil
	}
	item := a.item(e)
	item.parsed, item.id = parsed, parsed.ID
	if e.Type == "response.output_item.added" {
		return nil, nil
	}
	item.raw = e.Item
	return a.show(item), nil
}

// show returns the text or reasoning of a complete item, unless it arrived in pieces.
func (a *responsesAnswer) show(item *itemParts) []providers.Delta {
	if item.shown {
		return nil
	}
	switch item.parsed.Type {
	case "message":
		return a.text(item, item.parsed.text())
	case "reasoning":
		var paragraphs []string
		for _, part := range slices.Concat(item.parsed.Summary, item.parsed.Content) {
			paragraphs = append(paragraphs, part.Text)
		}
		return a.reasoning(item, strings.Join(paragraphs, betweenMessages))
	}
	return nil
}

// text returns a piece of an item's text, after a blank line if it follows another message.
func (a *responsesAnswer) text(item *itemParts, piece string) (out []providers.Delta) {
	if piece == "" {
		return nil
	}
	if !item.shown && a.shown {
		out = append(out, providers.Delta{Text: betweenMessages})
	}
	item.shown, a.shown = true, true
	return append(out, providers.Delta{Text: piece})
}

func (a *responsesAnswer) reasoning(item *itemParts, piece string) []providers.Delta {
	if piece == "" {
		return nil
	}
	item.shown = true
	return []providers.Delta{{Reasoning: piece}}
}

// fill adds the items that only the last event contains, and returns their deltas.
func (a *responsesAnswer) fill() (out []providers.Delta, err error) {
	slices.SortStableFunc(a.items, func(x, y *itemParts) int { return x.index - y.index })
	for i, raw := range a.last.Output {
		if i == len(a.items) {
			if err := a.held.Begin(a.model.report, 1); err != nil {
				return nil, err
			}
			a.items = append(a.items, &itemParts{index: i})
		}
		item := a.items[i]
		if item.raw != nil {
			continue
		}
		if err := json.Unmarshal(raw, &item.parsed); err != nil {
			return nil, a.model.report.Error(providers.Malformed, "reading an item of the answer: "+err.Error())
		}
		item.raw = raw
		out = append(out, a.show(item)...)
	}
	return out, nil
}

// output returns the items in order. An item without a last event consists of its pieces.
func (a *responsesAnswer) output() (raw []json.RawMessage, items []outputItem) {
	for _, item := range a.items {
		if item.parsed.Arguments == "" {
			item.parsed.Arguments = text(item.arguments.String())
		}
		raw, items = append(raw, item.raw), append(items, item.parsed)
	}
	return raw, items
}

// keep returns the provider data of the message. It returns nil if the server did not send an item as a whole.
func (a *responsesAnswer) keep(
	raw []json.RawMessage, items []outputItem, calls []transcript.ToolCall,
) *transcript.ProviderData {
	if slices.ContainsFunc(raw, func(r json.RawMessage) bool { return r == nil }) {
		return nil
	}
	return a.model.keep(raw, items, calls, a.usage)
}
