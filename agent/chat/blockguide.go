package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// A blockGuide wraps another guide. To its status it adds the pinned instruction and the blocks that have changed since
// the run started.
type blockGuide struct {
	inner   agent.Guide                 // nil: until an answer
	ctx     context.Context             // of the run
	query   func() contextbuilder.Query // with the current task
	builder *contextbuilder.Builder
	known   []contextbuilder.Block
	notes   []contextwindow.Note // pinned ones first, then the newest of each changed block
}

// next asks the inner guide and puts the notes before its status.
func (g *blockGuide) next(s agent.Step) agent.Move {
	m := agent.Move{Stop: s.Answered()}
	if g.inner != nil {
		m = g.inner(s)
	}
	if m.Stop {
		return m
	}
	if s.Number > 0 {
		g.refresh()
	}
	var parts []string
	for _, n := range g.notes {
		text := n.Text
		if n.Kind != contextbuilder.NotePinned {
			text = n.Kind + ": " + text
		}
		parts = append(parts, text)
	}
	m.Status = strings.TrimSpace(strings.Join(append(parts, m.Status), "\n\n"))
	return m
}

// refresh asks for the blocks again. On an error, the known ones stay.
func (g *blockGuide) refresh() {
	changed, known, err := g.builder.Refresh(g.ctx, g.query(), g.known)
	if err != nil {
		return
	}
	g.known = known
	for _, n := range changed {
		g.notes = append(slices.DeleteFunc(g.notes, func(old contextwindow.Note) bool { return old.Kind == n.Kind }), n)
	}
}
