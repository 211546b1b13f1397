package contextbuilder

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow"
)

// built renders the plan.
func (p *plan) built() Built {
	out := Built{System: p.q.System, History: p.history(), Prompt: p.prompt(), Known: known(p.blocks)}
	if p.headText() != "" {
		out.Head = 1
	}
	if p.pinned != "" {
		out.Notes = []contextwindow.Note{{Kind: NotePinned, Text: p.pinned}}
	}
	for _, b := range p.blocks {
		if b.shown() {
			block := b.Block
			block.Text = b.text
			out.Blocks = append(out.Blocks, block)
		}
	}
	p.tellBlocks()
	p.tellWindow()
	p.tellSections()
	for _, d := range p.stats.Decisions {
		if d.Verdict == Dropped || d.Verdict == Missing {
			out.Dropped = append(out.Dropped, d)
		}
	}
	out.Stats = *p.stats
	return out
}

// tellBlocks writes down what became of each block.
func (p *plan) tellBlocks() {
	in := &p.stats.Injection
	in.Tokens = p.blockSize
	for _, b := range p.blocks {
		size := b.tokens
		switch b.verdict {
		case Dropped:
			in.Dropped = append(in.Dropped, b.Type)
			size = b.size
		case Cut:
			in.Shortened = append(in.Shortened, b.Type)
		case Included, Stale, Missing:
		}
		if b.shown() {
			in.Injected = append(in.Injected, b.Type)
		}
		p.stats.decide(SectionRetrieved, b.Type, b.verdict, b.why, size)
	}
}

// tellWindow writes down which messages are shown. A gap starts an update of the summary.
func (p *plan) tellWindow() {
	w := &p.stats.Window
	w.Turns, w.Tokens = len(p.window), p.recent
	for _, t := range p.window {
		w.Messages += len(t.messages)
	}
	if p.summary != "" {
		w.Covered = p.covered
	}
	if len(p.past.turns) == 0 {
		return
	}
	from := p.shownFrom()
	w.Excluded = from - 1
	if len(p.window) > 0 {
		w.From = from
	}
	if turns, older := p.uncovered(); len(turns) > 0 || older {
		w.Gap = max(from-1-w.Covered, 0)
		p.stats.decide(SectionSummary, digestTag, Included, "the summary does not cover what the window leaves out", p.headSize)
		if s := p.b.config.Summary; s != nil && !p.b.config.NoSummary {
			_, _ = caught(func() (bool, error) { s.Update(p.q.Thread); return true, nil })
		}
	}
	verdict, why := Included, ""
	if w.Excluded > 0 {
		verdict, why = Cut, "older turns than there is room for, or than the window has turns"
	}
	p.stats.decide(SectionRecent, "turns", verdict, why, p.recent)
	if n := p.shortened(); n > 0 {
		p.stats.decide(SectionRecent, "messages", Cut, fmt.Sprintf("%d of %d are shown shortened", n, w.Messages), p.recent)
	}
}

// shortened returns how many messages of the window are not as they were received.
func (p *plan) shortened() int {
	n := 0
	for _, t := range p.window {
		for i := range t.received {
			if t.received[i].Text != t.messages[i].Text {
				n++
			}
		}
	}
	return n
}

// tellSections sums up what each section takes.
func (p *plan) tellSections() {
	sizes := []SectionStats{
		{Section: SectionSystem, Tokens: p.system},
		{Section: SectionSummary, Tokens: p.headSize},
		{Section: SectionRetrieved, Tokens: p.blockSize},
		{Section: SectionRecent, Tokens: p.recent},
		{Section: SectionInput, Tokens: p.inputTokens},
		{Section: SectionPinned, Tokens: p.pinnedSize},
	}
	for i := range sizes {
		x := &sizes[i]
		x.Share = p.share(p.shareOf(x.Section).Share)
		for _, d := range p.stats.Decisions {
			switch {
			case d.Section != x.Section:
			case d.Verdict == Dropped || d.Verdict == Missing:
				x.Dropped++
			case d.Verdict == Cut:
				x.Cut++
			default:
				x.Included++
			}
		}
		p.stats.Tokens += x.Tokens
	}
	p.stats.Sections = slices.Clip(sizes)
}
