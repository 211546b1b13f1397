package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// A guided run is one that is told, before each request, what is pinned and which blocks have changed since it began. The
// guide within says everything else.
type guided struct {
	agent.Guide
	turn  *turn
	ctx   context.Context // of the run, which is over when the guide is asked no more
	known []contextbuilder.Block
	notes []contextwindow.Note // the pinned ones first, then the newest of each block that has changed
}

// guided returns the guide of the turn's run.
func (t *turn) guided(ctx context.Context, built contextbuilder.Built) agent.Guide {
	g := &guided{turn: t, ctx: ctx, known: built.Known, notes: slices.Clone(built.Notes)}
	if t.config.Agent.Guide != nil {
		g.Guide = t.config.Agent.Guide()
	}
	return g
}

// Next is that of the guide within, with the notes before its status.
func (g *guided) Next(s agent.Step) agent.Move {
	m := agent.Move{Stop: s.Answered()}
	if g.Guide != nil {
		m = g.Guide.Next(s)
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

// refresh asks for the blocks again. What cannot be asked stays as it is.
func (g *guided) refresh() {
	t := g.turn
	changed, known, err := t.setup.builder.Refresh(g.ctx, t.query(), g.known)
	if err != nil {
		return
	}
	g.known = known
	for _, n := range changed {
		g.notes = append(slices.DeleteFunc(g.notes, func(old contextwindow.Note) bool { return old.Kind == n.Kind }), n)
	}
}
