package sessionfile

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// piTypes are the types of lines in sessions of pi that other agents do not have.
var piTypes = []string{"session", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom",
	"custom_message", "label", "session_info"}

// A piLine is a line of a session of pi. Since version 2, lines form a tree, and the last one is where the user is.
type piLine struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Parent    *string         `json:"parentId"`
	Timestamp json.RawMessage `json:"timestamp"`
	Message   *piMessage      `json:"message"`

	// Of the session.
	Version    int    `json:"version"`
	Dir        string `json:"cwd"`
	Forked     string `json:"parentSession"`
	BranchedOf string `json:"branchedFrom"`
	Model      string `json:"modelId"` // also of a change of it
	Name       string `json:"name"`    // of the session's title

	// Of compactions, of other branches, and of messages of extensions.
	Summary   string          `json:"summary"`
	Kept      string          `json:"firstKeptEntryId"`
	KeptIndex *int            `json:"firstKeptEntryIndex"` // in version 1, counted with the line of the session
	Content   json.RawMessage `json:"content"`
}

// A piMessage is a message of a session of pi.
type piMessage struct {
	chatMessage
	Model    string `json:"model"`
	CallID   string `json:"toolCallId"`
	Tool     string `json:"toolName"`
	Failed   bool   `json:"isError"`
	Summary  string `json:"summary"`
	Command  string `json:"command"` // that the user ran
	Output   string `json:"output"`
	ExitCode *int   `json:"exitCode"`
	Excluded bool   `json:"excludeFromContext"`
}

// A piNode is a line in the tree.
type piNode struct {
	parent    int // index; -1: none
	at        place
	said      []said
	model     string
	compacted bool
	kept      string // the first line that the compaction kept
	keptNode  int    // or its index; -1: none
}

// A piSession is the nodes of a file, in the order of its lines.
type piSession struct {
	meta   Run
	linear bool // version 1: every line follows the one before
	nodes  []piNode
	ids    map[string]int
}

// pi adds a line of a session.
func (r *Reader) pi(raw []byte) error {
	var l piLine
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	s, at := &r.tree, place{line: r.n}
	if s.ids == nil {
		s.ids = make(map[string]int)
	}
	if l.Type == "session" {
		s.linear = l.Version < 2
		s.meta = Run{Session: l.ID, Dir: l.Dir, Model: l.Model, Parent: cmp.Or(l.Forked, l.BranchedOf),
			Created: created(l.Timestamp)}
		return nil
	}
	if _, twice := s.ids[l.ID]; twice && l.ID != "" {
		r.report.add(repeated, at)
		return nil
	}
	n := piNode{parent: len(s.nodes) - 1, at: at, model: l.Model, keptNode: -1}
	err := n.read(&l)
	if known := s.known(l.Parent); known >= 0 {
		n.parent = known
	} else if l.Parent != nil {
		r.report.add(parentless, at)
	} else if l.ID != "" && !s.linear {
		n.parent = -1
	}
	if l.Type == "session_info" {
		s.meta.Title = l.Name
	}
	if l.ID != "" {
		s.ids[l.ID] = len(s.nodes)
	}
	s.nodes = append(s.nodes, n)
	return err
}

// known returns the node that a line names as its parent; -1: none.
func (s *piSession) known(parent *string) int {
	if parent != nil {
		if at, ok := s.ids[*parent]; ok {
			return at
		}
	}
	return -1
}

// read sets what the line says.
func (n *piNode) read(l *piLine) (err error) {
	switch {
	case l.Type == "compaction":
		n.compacted, n.kept = true, l.Kept
		if l.KeptIndex != nil {
			n.keptNode = *l.KeptIndex - 1
		}
		n.user("[summary of the conversation so far]\n" + l.Summary)
	case l.Type == "branch_summary" && l.Summary != "":
		n.user("[summary of a branch that the user left]\n" + l.Summary)
	case l.Type == "custom_message":
		m := chatMessage{Role: "user", Content: l.Content}
		n.said, err = m.said(n.at)
	case l.Type == "message" && l.Message != nil:
		err = n.message(l.Message)
	}
	if err != nil {
		return fmt.Errorf("message: %w", err)
	}
	return nil
}

func (n *piNode) user(text string) { n.said = []said{{role: "user", text: text, at: n.at}} }

func (n *piNode) message(m *piMessage) (err error) {
	switch m.Role {
	case "bashExecution":
		text := "[the user ran: " + m.Command + "]\n" + m.Output
		if m.ExitCode != nil && *m.ExitCode != 0 {
			text += fmt.Sprintf("\n[exit code %d]", *m.ExitCode)
		}
		n.user(text)
	case "branchSummary", "compactionSummary":
		n.user("[summary]\n" + m.Summary)
	case "custom", "hookMessage":
		m.Role = "user"
		n.said, err = m.said(n.at)
	case "toolResult":
		m.Role, m.chatMessage.CallID, m.chatMessage.Name, m.chatMessage.Failed = "tool", m.CallID, m.Tool, m.Failed
		n.said, err = m.said(n.at)
	default:
		n.model = m.Model
		n.said, err = m.said(n.at)
	}
	if m.Excluded {
		n.said = []said{{notes: []kind{excluded}, at: n.at}}
	}
	return err
}

// runs returns what the model saw at the last line: a run for each compaction on its way from the root, and the rest.
func (s *piSession) runs(report *Report) (runs []draft) {
	var path []int
	used := make([]bool, len(s.nodes))
	for i := len(s.nodes) - 1; i >= 0; i = s.nodes[i].parent {
		path = append(path, i)
		used[i] = true
	}
	for i, n := range s.nodes {
		if len(n.said) > 0 && !used[i] {
			report.add(branch, n.at)
		}
	}
	d := draft{Run: s.meta}
	for at := len(path) - 1; at >= 0; at-- {
		n := &s.nodes[path[at]]
		d.Model = cmp.Or(n.model, d.Model)
		if !n.compacted {
			d.append(n)
			continue
		}
		next := draft{Run: d.Run}
		next.append(n)
		kept, keeps := s.first(n), false
		for before := len(path) - 1; before > at; before-- {
			b := &s.nodes[path[before]]
			if keeps = keeps || path[before] == kept; keeps && !b.compacted {
				next.append(b)
			}
		}
		runs, d = append(runs, d), next
	}
	return append(runs, d)
}

// first returns the first node that a compaction kept; -1: none.
func (s *piSession) first(n *piNode) int {
	if at, ok := s.ids[n.kept]; ok {
		return at
	}
	return n.keptNode
}

// append adds what a line says, or a note on what it keeps from the model.
func (d *draft) append(n *piNode) {
	for _, m := range n.said {
		if m.role != "" {
			d.said = append(d.said, m)
			continue
		}
		for _, k := range m.notes {
			d.drops = append(d.drops, note{k, m.at})
		}
	}
}
