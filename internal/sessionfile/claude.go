package sessionfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
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
	Session   string          `json:"sessionId"`
	Streamed  string          `json:"session_id"`
	Dir       string          `json:"cwd"`
	Timestamp json.RawMessage `json:"timestamp"`

	// Attachment is what the program adds for the model. Of a queued_command, it is what the user typed meanwhile.
	Attachment *struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
	} `json:"attachment"`

	// Of titles.
	Summary string `json:"summary"`
	Leaf    string `json:"leafUuid"` // the last line of what the summary is about
	Custom  string `json:"customTitle"`
	AI      string `json:"aiTitle"`
}

// A claudeNode is a line in its tree.
type claudeNode struct {
	parent, root int // indices of nodes; a root is its own root, and its parent is -1
	sidechain    bool
	message      string // the id of the response that the line is a part of
	model        string // that made the response
	said         []said
	anonymous    bool // it has no uuid, so that no line can follow it
	used         bool // it belongs to the run

	session, dir string
	created      time.Time
}

// A claudeSession is the nodes of a file, in the order of its lines.
type claudeSession struct {
	nodes  []claudeNode
	at     map[string]int    // nodes by uuid
	latest [2]int            // the newest node of the session and of its side chains, plus one
	title  string            // of the session
	titles map[string]string // of trees, by the uuid of a line
	custom bool              // the user chose the title
}

// claude adds a line of a session.
func (r *Reader) claude(raw []byte) error {
	var l claudeLine
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	s := &r.session
	if s.at == nil {
		s.at, s.titles = make(map[string]int), make(map[string]string)
	}
	if title := cmp.Or(l.Custom, l.AI, l.Summary); title != "" && l.UUID == "" {
		s.name(&l, title)
		return nil
	}
	at := place{line: r.n}
	if _, twice := s.at[l.UUID]; twice && len(l.Message) > 0 {
		r.report.add(repeated, at)
		return nil
	} else if twice || l.UUID == "" && len(l.Message) == 0 && l.Attachment == nil {
		return nil
	}
	n := claudeNode{root: len(s.nodes), sidechain: l.Sidechain || l.Caller != "", anonymous: l.UUID == "", dir: l.Dir,
		session: cmp.Or(l.Session, l.Streamed), created: created(l.Timestamp)}
	err := n.read(&l, at, r.report)
	if n.parent = s.parent(&n, l.Parent, at, r.report); n.parent >= 0 {
		n.root = s.nodes[n.parent].root
	}
	if l.UUID != "" {
		s.at[l.UUID] = len(s.nodes)
	}
	s.nodes = append(s.nodes, n)
	s.latest[chain(n.sidechain)] = len(s.nodes)
	return err
}

// name keeps a title. One that the user chose wins.
func (s *claudeSession) name(l *claudeLine, title string) {
	switch {
	case l.Leaf != "":
		s.titles[l.Leaf] = title
	case l.Custom != "" || !s.custom:
		s.title, s.custom = title, l.Custom != ""
	}
}

func chain(sidechain bool) int {
	if sidechain {
		return 1
	}
	return 0
}

// parent returns the node that a line follows; -1 if it begins a tree. What cannot begin one follows the line before.
func (s *claudeSession) parent(n *claudeNode, parent json.RawMessage, at place, report *Report) int {
	var id string
	if len(parent) > 0 {
		_ = json.Unmarshal(parent, &id) // anything but a text is an id that no line has
	}
	if at, ok := s.at[id]; ok && id != "" {
		return at
	}
	begins := len(n.said) == 0 || n.said[0].role == "user"
	if string(parent) == "null" && begins {
		return -1
	}
	if len(parent) > 0 && len(s.nodes) > 0 {
		report.add(parentless, at)
	}
	return s.latest[chain(n.sidechain)] - 1
}

// read sets what the line says.
func (n *claudeNode) read(l *claudeLine, at place, report *Report) error {
	if l.Attachment != nil {
		return n.attached(l, at, report)
	}
	if len(l.Message) == 0 || l.Type != "user" && l.Type != "assistant" {
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
	if l.Error || m.Model == "<synthetic>" { // the program's own words, not the model's
		report.add(program, at)
		return nil
	}
	n.message, n.model = m.ID, m.Model
	if !slices.Contains(roles, m.Role) {
		m.Role = l.Type
	}
	var err error
	if n.said, err = m.said(at); err != nil {
		return fmt.Errorf("message: %w", err)
	}
	return nil
}

// attached sets what the user typed while the model answered.
func (n *claudeNode) attached(l *claudeLine, at place, report *Report) (err error) {
	if l.Attachment.Type != "queued_command" {
		report.add(attached, at)
		return nil
	}
	m := chatMessage{Role: "user", Content: l.Attachment.Prompt}
	if n.said, err = m.said(at); err != nil {
		return fmt.Errorf("attachment: %w", err)
	}
	return nil
}

// runs returns one run for each tree.
func (s *claudeSession) runs(report *Report) (runs []draft) {
	last := make(map[int]int) // by root
	for i, n := range s.nodes {
		last[n.root] = i
	}
	titles := make(map[int]string) // by root
	for uuid, title := range s.titles {
		if at, ok := s.at[uuid]; ok {
			titles[s.nodes[at].root] = title
		}
	}
	members := make(map[int][]int)
	for i, n := range s.nodes {
		members[n.root] = append(members[n.root], i)
	}
	for i, n := range s.nodes {
		if n.root != i {
			continue
		}
		s.use(last[i], members[i])
		d := s.run(members[i], report)
		if d.Title = titles[i]; !n.sidechain {
			d.Title = cmp.Or(s.title, d.Title)
		} else {
			d.Parent = d.Session
		}
		runs = append(runs, d)
	}
	return runs
}

// use marks what the model saw at the newest line of a tree: the lines on its path from the root, the other parts of
// their responses, and the results of these parts. Parallel calls have results on branches of their own.
func (s *claudeSession) use(last int, tree []int) {
	responses, calls := make(map[string]bool), make(map[string]bool)
	for i := last; i >= 0; i = s.nodes[i].parent {
		s.nodes[i].used = true
		responses[s.nodes[i].message] = s.nodes[i].message != ""
	}
	for _, i := range tree {
		n := &s.nodes[i]
		n.used = n.used || responses[n.message]
		for _, m := range n.said {
			for _, call := range m.calls {
				calls[call.id] = n.used
			}
		}
	}
	for _, i := range tree {
		n := &s.nodes[i]
		n.used = n.used || n.anonymous && n.parent >= 0 && s.nodes[n.parent].used ||
			slices.ContainsFunc(n.said, func(m said) bool { return m.role == "tool" && calls[m.callID] })
	}
}

// run joins the used lines of a tree. The lines of one response become one message.
func (s *claudeSession) run(tree []int, report *Report) draft {
	var d draft
	response := make(map[string]int) // index of its message, by id
	for _, i := range tree {
		n := &s.nodes[i]
		d.Session, d.Dir, d.Model = cmp.Or(d.Session, n.session), cmp.Or(d.Dir, n.dir), cmp.Or(n.model, d.Model)
		if d.Created.IsZero() {
			d.Created = n.created
		}
		if len(n.said) == 0 {
			continue
		}
		if !n.used {
			report.add(branch, n.said[0].at)
			continue
		}
		if at, ok := response[n.message]; ok && n.message != "" {
			d.said[at].join(&n.said[len(n.said)-1])
			continue
		}
		d.said = append(d.said, n.said...)
		response[n.message] = len(d.said) - 1
	}
	return d
}
