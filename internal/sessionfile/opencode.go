package sessionfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// An opencodeSession is what opencode keeps of a session beside its messages.
type opencodeSession struct {
	ID     string `json:"id"`
	Parent string `json:"parentID"`
	Dir    string `json:"directory"`
	Title  string `json:"title"`
	Time   struct {
		Created json.RawMessage `json:"created"`
	} `json:"time"`
	Revert opencodeRevert `json:"revert"`
}

// An opencodeRevert names the first message, and perhaps the first part of it, that the user took back.
type opencodeRevert struct {
	Message string `json:"messageID"`
	Part    string `json:"partID"`
}

// An opencodeMessage is a message with its parts.
type opencodeMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Summary json.RawMessage `json:"summary"` // true: of a compaction
	ModelID string          `json:"modelID"`
	Model   struct {
		ID string `json:"modelID"`
	} `json:"model"`
	Time struct {
		Created float64 `json:"created"` // in milliseconds since 1970
	} `json:"time"`
	parts []opencodePart
}

// An opencodePart is a part of a message: a text, a call with its result, or what happened.
type opencodePart struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Text    string `json:"text"`
	Ignored bool   `json:"ignored"` // not for the model
	Prompt  string `json:"prompt"`  // of a subagent that the user started
	Tail    string `json:"tail_start_id"`

	Metadata json.RawMessage `json:"metadata"` // of reasoning: an object by service

	Tool   string `json:"tool"`
	CallID string `json:"callID"`
	State  struct {
		Status      string          `json:"status"`
		Input       json.RawMessage `json:"input"`
		Output      string          `json:"output"`
		Error       string          `json:"error"`
		Attachments []media         `json:"attachments"`
	} `json:"state"`

	media
}

// compactedText is what the user says before the summary of a compaction.
const compactedText = "[the conversation so far was compacted; its summary follows]"

// An opencodeReader makes the messages of a session into runs.
type opencodeReader struct {
	draft
	before []draft
	starts map[string]int // indices of what messages said, by their id
	tail   string         // the first message that the last compaction kept
}

// opencode adds an exported session: its description, and its messages with their parts.
func (r *Reader) opencode(raw []byte) error {
	var export struct {
		Info     opencodeSession `json:"info"`
		Messages []struct {
			Info  json.RawMessage   `json:"info"`
			Parts []json.RawMessage `json:"parts"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &export); err != nil {
		return err
	}
	var all []opencodeMessage
	for i, m := range export.Messages {
		at := place{r.n, i + 1, ""}
		var one opencodeMessage
		if err := json.Unmarshal(m.Info, &one); err != nil {
			r.report.skip(at, plain(err))
			continue
		}
		for _, raw := range m.Parts {
			one.add(raw, "", at, r.report)
		}
		all = append(all, one)
	}
	r.sessions(opencode, export.Info.runs(all)...)
	return nil
}

// add adds a part. Id is that of a part that does not have it in itself.
func (m *opencodeMessage) add(raw []byte, id string, at place, report *Report) {
	var p opencodePart
	if err := json.Unmarshal(raw, &p); err != nil {
		report.skip(at, plain(err))
		return
	}
	p.ID = cmp.Or(p.ID, id)
	m.parts = append(m.parts, p)
}

// runs returns a run for each compaction, and the rest.
func (s *opencodeSession) runs(all []opencodeMessage) []draft {
	slices.SortStableFunc(all, func(a, b opencodeMessage) int {
		return cmp.Or(cmp.Compare(a.Time.Created, b.Time.Created), strings.Compare(a.ID, b.ID))
	})
	r := opencodeReader{starts: make(map[string]int)}
	r.Run = Run{ID: s.ID, Session: s.ID, Parent: s.Parent, Dir: s.Dir, Title: s.Title, Created: created(s.Time.Created)}
	reverted := false
	for i := range all {
		m := &all[i]
		slices.SortStableFunc(m.parts, func(a, b opencodePart) int { return strings.Compare(a.ID, b.ID) })
		at := place{id: "message " + m.ID}
		if reverted = reverted || s.Revert.Message == m.ID && m.ID != ""; reverted {
			kept := m.parts[:0]
			for _, p := range m.parts {
				if s.Revert.Message == m.ID && s.Revert.Part != "" && p.ID < s.Revert.Part {
					kept = append(kept, p)
				}
			}
			r.drops = append(r.drops, note{undone, at})
			if m.parts = kept; len(kept) == 0 {
				continue
			}
		}
		r.starts[m.ID] = len(r.said)
		r.message(m, at)
	}
	return append(r.before, r.draft)
}

func (r *opencodeReader) message(m *opencodeMessage, at place) {
	if m.Role != "assistant" {
		r.user(m, at)
		return
	}
	r.Model = cmp.Or(m.ModelID, r.Model)
	if string(m.Summary) == "true" && slices.ContainsFunc(m.parts, func(p opencodePart) bool { return p.Text != "" }) {
		r.compacted(m, at)
		return
	}
	r.steps(m, at)
}

// compacted begins a run with a summary and the messages that the compaction kept.
func (r *opencodeReader) compacted(m *opencodeMessage, at place) {
	old := r.draft
	r.before = append(r.before, old)
	r.draft = draft{Run: old.Run, said: []said{{role: "user", text: compactedText, at: at}}}
	start, keeps := r.starts[r.tail]
	r.steps(m, at)
	if r.tail != "" && keeps && start < len(old.said) {
		r.said = append(r.said, old.said[start:]...)
	}
	clear(r.starts)
}

// user adds what the user said. A request to compact says nothing.
func (r *opencodeReader) user(m *opencodeMessage, at place) {
	one := said{role: m.Role, at: at}
	var texts []string
	for _, p := range m.parts {
		switch p.Type {
		case "text":
			if p.Ignored {
				one.notes = append(one.notes, excluded)
				continue
			}
			texts = append(texts, p.Text)
		case "file":
			one.notes = append(one.notes, picture)
			texts = append(texts, p.placeholder(p.Type))
		case "subtask":
			texts = append(texts, "[the user started a subagent]\n"+p.Prompt)
		case "compaction":
			r.tail = p.Tail
			return
		}
	}
	one.text = strings.Join(texts, "\n")
	r.said = append(r.said, one)
}

// steps adds the answers of a message: each step is one answer with its calls and their results.
func (r *opencodeReader) steps(m *opencodeMessage, at place) {
	step, results := said{role: "assistant", at: at}, []said(nil)
	end := func() {
		if step.text != "" || step.reasoning != "" || len(step.calls) > 0 || len(step.notes) > 0 {
			r.said = append(append(r.said, step), results...)
		}
		step, results = said{role: "assistant", at: at}, nil
	}
	for i := range m.parts {
		switch p := &m.parts[i]; p.Type {
		case "step-start":
			end()
		case "text":
			step.text = joined(step.text, p.Text)
		case "reasoning":
			step.reasoning = joined(step.reasoning, p.Text)
			step.notes = append(step.notes, p.sealed()...)
		case "file":
			step.notes = append(step.notes, picture)
			step.text = joined(step.text, p.placeholder(p.Type))
		case "tool":
			id := cmp.Or(p.CallID, p.ID)
			step.calls = append(step.calls, called{id, p.Tool, p.State.Input})
			if result, ok := p.result(id, at); ok {
				results = append(results, result)
			}
		}
	}
	end()
}

// sealed notes what only the account that made the reasoning can send.
func (p *opencodePart) sealed() []kind {
	var services map[string]json.RawMessage
	_ = json.Unmarshal(p.Metadata, &services) // anything else says nothing
	for _, raw := range services {
		var service struct {
			Signature string `json:"signature"`
			Redacted  string `json:"redactedData"`
			Encrypted string `json:"reasoningEncryptedContent"`
		}
		_ = json.Unmarshal(raw, &service) // other services keep other fields
		switch {
		case service.Encrypted != "" || service.Redacted != "":
			return []kind{encrypted}
		case service.Signature != "":
			return []kind{signatures}
		}
	}
	return nil
}

// result returns the result of a call, unless the call was under way.
func (p *opencodePart) result(id string, at place) (said, bool) {
	one := said{role: "tool", callID: id, name: p.Tool, at: at}
	switch p.State.Status {
	case "completed":
		one.text = p.State.Output
	case "error":
		one.text, one.failed = p.State.Error, true
	default:
		return one, false
	}
	for i := range p.State.Attachments {
		one.notes = append(one.notes, picture)
		one.text = fmt.Sprint(one.text, "\n", p.State.Attachments[i].placeholder("file"))
	}
	return one, true
}
