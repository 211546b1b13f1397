package recording

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Kinds of repairs of sessions.
const (
	repairParent = "session lines whose parent is missing, joined to the line before"
	repairBranch = "session messages on abandoned branches, left out"
)

// A claudeLine is a line of a session of Claude Code. Lines form trees: the session, what follows each of its
// compactions, and the side chains of its subagents. Lines of other types than user and assistant have no message.
type claudeLine struct {
	Type      string          `json:"type"`
	UUID      string          `json:"uuid"`
	Parent    json.RawMessage `json:"parentUuid"` // null begins a tree; streamed sessions have none
	Sidechain bool            `json:"isSidechain"`
	Error     bool            `json:"isApiErrorMessage"`
	Message   json.RawMessage `json:"message"`
	Caller    string          `json:"parent_tool_use_id"` // of a subagent in a streamed session
}

// A claudeNode is a line in its tree.
type claudeNode struct {
	parent, root int // indices of nodes; a root is its own root, and its parent is -1
	sidechain    bool
	message      string // the id of the response that the line is a part of
	said         []recordedMessage
	used         bool // it belongs to the run
}

// A claudeSession is the nodes of a file, in the order of its lines.
type claudeSession struct {
	nodes []claudeNode
	at    map[string]int // nodes by uuid
}

// claude adds a line of a session.
func (f *file) claude(line []byte) error {
	var l claudeLine
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	s := &f.session
	if _, twice := s.at[l.UUID]; twice || l.UUID == "" && len(l.Message) == 0 {
		return nil
	}
	n := claudeNode{root: len(s.nodes), sidechain: l.Sidechain || l.Caller != ""}
	err := n.read(&l)
	if n.parent = s.parent(&n, l.Parent, f.c.Repairs); n.parent >= 0 {
		n.root = s.nodes[n.parent].root
	}
	if s.at == nil {
		s.at = make(map[string]int)
	}
	if l.UUID != "" {
		s.at[l.UUID] = len(s.nodes)
	}
	s.nodes = append(s.nodes, n)
	return err
}

// parent returns the node that a line follows; -1 if it begins a tree. What cannot begin one follows the line before.
func (s *claudeSession) parent(n *claudeNode, parent json.RawMessage, repairs map[string]int) int {
	var id string
	if len(parent) > 0 {
		_ = json.Unmarshal(parent, &id) // anything but a text is an id that no line has
	}
	if at, ok := s.at[id]; ok {
		return at
	}
	begins := len(n.said) == 0 || n.said[0].Role == "user"
	if string(parent) == "null" && begins {
		return -1
	}
	if len(parent) > 0 && len(s.nodes) > 0 {
		repairs[repairParent]++
	}
	return s.latest(n.sidechain)
}

// read sets what the line says.
func (n *claudeNode) read(l *claudeLine) error {
	if len(l.Message) == 0 || l.Error || l.Type != "user" && l.Type != "assistant" {
		return nil
	}
	var m struct {
		chatMessage
		ID    string `json:"id"`
		Model string `json:"model"`
	}
	if err := json.Unmarshal(l.Message, &m); err != nil {
		return fmt.Errorf("message: %w", err)
	}
	if m.Model == "<synthetic>" { // the program's own words, not the model's
		return nil
	}
	n.message = m.ID
	var err error
	n.said, err = m.recorded()
	if err != nil {
		return fmt.Errorf("message: %w", err)
	}
	return nil
}

// latest returns the newest node of the session, or of its side chains; -1 if it has none.
func (s *claudeSession) latest(sidechain bool) int {
	for i := len(s.nodes) - 1; i >= 0; i-- {
		if s.nodes[i].sidechain == sidechain {
			return i
		}
	}
	return -1
}

// runs returns one run for each tree.
func (s *claudeSession) runs(repairs map[string]int) (runs []recordedRun) {
	last := make(map[int]int) // by root
	for i, n := range s.nodes {
		last[n.root] = i
	}
	for i, n := range s.nodes {
		if n.root == i {
			s.use(last[i])
			if run := s.run(i, repairs); run.answered() {
				runs = append(runs, run)
			}
		}
	}
	return runs
}

// use marks what the model saw at the newest line of a tree: the lines on its path from the root, the other parts of
// their responses, and the results of these parts. Parallel calls have results on branches of their own.
func (s *claudeSession) use(last int) {
	root := s.nodes[last].root
	responses, calls := make(map[string]bool), make(map[string]bool)
	for i := last; i >= 0; i = s.nodes[i].parent {
		s.nodes[i].used = true
		responses[s.nodes[i].message] = s.nodes[i].message != ""
	}
	for i := range s.nodes {
		if n := &s.nodes[i]; n.root == root {
			n.used = n.used || responses[n.message]
			for _, m := range n.said {
				for _, call := range m.Calls {
					calls[call.ID] = n.used
				}
			}
		}
	}
	for i := range s.nodes {
		if n := &s.nodes[i]; n.root == root && !n.used {
			n.used = slices.ContainsFunc(n.said, func(m recordedMessage) bool { return m.Role == "tool" && calls[m.CallID] })
		}
	}
}

// run joins the used lines of a tree. The lines of one response become one message.
func (s *claudeSession) run(root int, repairs map[string]int) recordedRun {
	var run recordedRun
	response := make(map[string]int) // index of its message, by id
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.root != root || len(n.said) == 0 {
			continue
		}
		if !n.used {
			repairs[repairBranch]++
			continue
		}
		if at, ok := response[n.message]; ok && n.message != "" {
			run.Messages[at].join(&n.said[len(n.said)-1])
			continue
		}
		run.Messages = append(run.Messages, n.said...)
		response[n.message] = len(run.Messages) - 1
	}
	return run
}

// join appends a part of a response.
func (m *recordedMessage) join(part *recordedMessage) {
	if part.Content != "" {
		if m.Content != "" {
			m.Content += "\n\n"
		}
		m.Content += part.Content
	}
	m.Calls = append(m.Calls, part.Calls...)
}

// answered reports whether the assistant spoke.
func (r *recordedRun) answered() bool {
	return slices.ContainsFunc(r.Messages, func(m recordedMessage) bool { return m.Role == "assistant" })
}
