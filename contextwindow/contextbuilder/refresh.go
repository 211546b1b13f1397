package contextbuilder

import (
	"context"
	"slices"

	"github.com/forayhq/foray/contextwindow"
)

// withdrawn is the note for a block that has nothing to say any more.
const withdrawn = "[no longer applies]"

// Refresh asks the sources again before a further request of the same run: live ones, and those whose cached block has
// expired. Pass [Built.Known], or what the previous Refresh returned as now. The notes hold each block that changed.
// Sources that are late or fail keep what is known. The only error is that of ctx.
func (b *Builder) Refresh(
	ctx context.Context, q Query, known []Block,
) (notes []contextwindow.Note, now []Block, err error) {
	deadline, cancel := context.WithTimeout(ctx, b.config.Deadline)
	defer cancel()
	asked := b.ask(q)
	given, err := b.gather(ctx, deadline, asked, new(Stats))
	if err != nil {
		return nil, known, err
	}
	now = slices.Clone(known)
	for _, p := range given {
		if p.verdict == Missing || p.origin == Stale {
			continue
		}
		i := slices.IndexFunc(now, func(k Block) bool { return k.Type == p.Type })
		switch {
		case i < 0:
			now = append(now, p.Block)
		case now[i].Text == p.Block.Text:
			continue
		default:
			now[i] = p.Block
		}
		notes = append(notes, contextwindow.Note{Kind: p.Type, Text: p.content.text})
	}
	for i := len(now) - 1; i >= 0; i-- {
		if isEmptied(asked, given, now[i].Type) {
			notes = append(notes, contextwindow.Note{Kind: now[i].Type, Text: withdrawn})
			now = slices.Delete(now, i, i+1)
		}
	}
	return notes, now, nil
}

// isEmptied reports whether a source was asked for a block of this type and returned no text.
func isEmptied(asked []request, given []*placement, name string) bool {
	has := slices.ContainsFunc(given, func(p *placement) bool { return p.Type == name })
	return !has && slices.ContainsFunc(asked, func(r request) bool { return r.block.Type == name })
}
