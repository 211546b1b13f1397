package contextbuilder

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder/internal/cache"
)

// built renders the plan and completes the stats.
func (p *plan) built() Built {
	out := Built{System: p.q.System, History: p.history(), Prompt: p.prompt(), Known: p.blocks.known()}
	if p.head.text() != "" {
		out.Head = 1
	}
	if p.pin > 0 {
		out.Notes = []contextwindow.Note{{Kind: NotePinned, Text: p.pinned.text()}}
	}
	for _, b := range p.blocks.all {
		if b.shown() {
			block := b.Block
			block.Text = b.text
			out.Blocks = append(out.Blocks, block)
		}
	}
	p.reportBlocks()
	p.reportWindow()
	p.reportSections()
	for _, d := range p.stats.Decisions {
		if d.Verdict == Dropped || d.Verdict == Missing {
			out.Dropped = append(out.Dropped, d)
		}
	}
	out.Stats = *p.stats
	return out
}

func (p *plan) reportBlocks() {
	in := &p.stats.Injection
	in.Tokens = p.blocks.tokens
	for _, b := range p.blocks.all {
		size := b.tokens
		switch b.verdict {
		case Dropped:
			in.Dropped = append(in.Dropped, b.Type)
			size = b.size
		case Truncated:
			in.Shortened = append(in.Shortened, b.Type)
		case Included, Stale, Missing:
		}
		if b.shown() {
			in.Injected = append(in.Injected, b.Type)
			in.Memories += memoriesIn(b)
		}
		p.stats.decide(SectionRetrieved, b.Type, b.verdict, b.why, size)
	}
}

// reportWindow records which messages are shown. If neither window nor summary show some, it requests an update of the
// summary.
func (p *plan) reportWindow() {
	w := &p.stats.Window
	w.Turns, w.Tokens = len(p.window.turns), p.window.tokens
	for _, t := range p.window.turns {
		w.Messages += len(t.messages)
	}
	if p.head.summary != "" {
		w.Covered = p.head.covered
	}
	if len(p.past.turns) == 0 {
		return
	}
	first := p.firstShown()
	w.Excluded = first - 1
	if len(p.window.turns) > 0 {
		w.From, w.Whole = first, p.window.whole
	}
	if turns, older := p.uncovered(); len(turns) > 0 || older {
		w.Gap = max(first-1-w.Covered, 0)
		why := "the summary does not cover what the window leaves out"
		p.stats.decide(SectionSummary, digestTag, Included, why, p.head.tokens)
		if s := p.b.config.Summary; s != nil && !p.b.config.NoSummary {
			_, _ = cache.Recover(func() (bool, error) { s.Update(p.q.Thread); return true, nil })
		}
	}
	verdict, why := Included, ""
	if w.Excluded > 0 {
		verdict, why = Truncated, "older turns exceed the room or the number of turns"
	}
	p.stats.decide(SectionRecent, "turns", verdict, why, p.window.tokens)
	if n := p.window.shortened(); n > 0 {
		why := fmt.Sprintf("%d of %d are shortened", n, w.Messages)
		p.stats.decide(SectionRecent, "messages", Truncated, why, p.window.tokens)
	}
}

// shortened returns how many messages of the window differ from what was received.
func (w *window) shortened() int {
	n := 0
	for _, t := range w.turns {
		for i := range t.received {
			if t.received[i].Text != t.messages[i].Text {
				n++
			}
		}
	}
	return n
}

func (p *plan) reportSections() {
	sizes := []SectionStats{
		{Section: SectionSystem, Tokens: p.system},
		{Section: SectionSummary, Tokens: p.head.tokens},
		{Section: SectionRetrieved, Tokens: p.blocks.tokens},
		{Section: SectionRecent, Tokens: p.window.tokens},
		{Section: SectionInput, Tokens: p.input.tokens},
		{Section: SectionPinned, Tokens: p.pin},
	}
	for i := range sizes {
		x := &sizes[i]
		x.Share = p.room.share(x.Section)
		for _, d := range p.stats.Decisions {
			switch {
			case d.Section != x.Section:
			case d.Verdict == Dropped || d.Verdict == Missing:
				x.Dropped++
			case d.Verdict == Truncated:
				x.Cut++
			default:
				x.Included++
			}
		}
		p.stats.Tokens += x.Tokens
	}
	p.stats.Sections = slices.Clip(sizes)
}
