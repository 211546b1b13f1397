package tui

// A history is the blocks of a conversation and the part of them that is on the screen.
type history struct {
	blocks        []*block
	style         *style
	width, height int

	away   bool  // the reader has scrolled back, so the end is not followed
	top    spot  // first line on the screen
	chosen int   // block that the keyboard folds; -1: none
	rows   []int // block of each line on the screen
}

// A spot is a line of a block.
type spot struct{ block, line int }

func newHistory(s *style) *history { return &history{style: s, chosen: -1} }

// add appends a block and returns it.
func (t *history) add(b *block) *block {
	t.blocks = append(t.blocks, b)
	return b
}

// last returns the last block if it is of a kind, else nil.
func (t *history) last(k kind) *block {
	if n := len(t.blocks); n > 0 && t.blocks[n-1].kind == k {
		return t.blocks[n-1]
	}
	return nil
}

// clear removes all blocks.
func (t *history) clear() { *t = history{style: t.style, width: t.width, height: t.height, chosen: -1} }

// restyle makes all blocks render again.
func (t *history) restyle(s *style) {
	t.style = s
	for _, b := range t.blocks {
		b.growing = stream{}
		b.changed()
	}
}

// lines returns the lines of a block with the blank one that sets it apart.
func (t *history) lines(i int) []string {
	b := t.blocks[i]
	lines := b.render(t.style, t.width)
	if i == t.chosen && len(lines) > 0 {
		lines = append([]string{t.style.mark.Render(plain(lines[0]))}, lines[1:]...)
	}
	if i > 0 && !adjacent(t.blocks[i-1].kind, b.kind) {
		return append([]string{""}, lines...)
	}
	return lines
}

// adjacent reports whether blocks of two kinds follow each other without a blank line.
func adjacent(above, below kind) bool {
	small := func(k kind) bool { return k == call || k == note || k == thought }
	return small(above) && small(below)
}

// view returns the lines on the screen, at most height.
func (t *history) view() []string {
	if !t.away {
		t.top = t.up(spot{len(t.blocks), 0}, t.height)
	}
	var shown []string
	t.rows = t.rows[:0]
	at := t.top
	for ; at.block < len(t.blocks) && len(shown) < t.height; at = (spot{at.block + 1, 0}) {
		lines := t.lines(at.block)
		lines = lines[min(at.line, len(lines)):]
		lines = lines[:min(len(lines), t.height-len(shown))]
		shown = append(shown, lines...)
		for range lines {
			t.rows = append(t.rows, at.block)
		}
	}
	if t.away && len(shown) < t.height {
		t.away = false
		return t.view()
	}
	return shown
}

// up returns the spot n lines above another one, or the first.
func (t *history) up(from spot, n int) spot {
	if from.line >= n {
		return spot{from.block, from.line - n}
	}
	n -= from.line
	for i := from.block - 1; i >= 0; i-- {
		size := len(t.lines(i))
		if size >= n {
			return spot{i, size - n}
		}
		n -= size
	}
	return spot{}
}

// down returns the spot n lines below another one.
func (t *history) down(from spot, n int) spot {
	for i := from.block; i < len(t.blocks); i++ {
		size := len(t.lines(i)) - from.line
		if n < size {
			return spot{i, from.line + n}
		}
		n -= size
		from.line = 0
	}
	return spot{len(t.blocks), 0}
}

// scroll moves the view by n lines, up if n is negative.
func (t *history) scroll(n int) {
	t.view() // sets the top
	if n < 0 {
		t.away, t.top = true, t.up(t.top, -n)
		return
	}
	if t.away {
		t.top = t.down(t.top, n)
	}
}

// follow shows the end again.
func (t *history) follow() { t.away = false }

// choose moves the choice to the next block that folds, in the direction of n, and shows it.
func (t *history) choose(n int) {
	at := t.chosen
	if at < 0 {
		at = len(t.blocks)
	}
	for at += n; at >= 0 && at < len(t.blocks); at += n {
		if t.blocks[at].folds() {
			t.chosen = at
			t.reveal(at)
			return
		}
	}
	if n > 0 {
		t.chosen = -1
		t.follow()
	}
}

// reveal scrolls so that the first line of a block is on the screen.
func (t *history) reveal(i int) {
	t.view()
	for _, row := range t.rows {
		if row == i {
			return
		}
	}
	t.away, t.top = true, t.up(spot{i, 0}, t.height/3)
}

// fold folds a block out or in; without one, all of them as the last one is not.
func (t *history) fold(i int) {
	if i >= 0 && i < len(t.blocks) && t.blocks[i].folds() {
		t.blocks[i].open = !t.blocks[i].open
		t.blocks[i].changed()
	}
}

// foldAll folds all blocks out, or in if the last one is out.
func (t *history) foldAll() {
	var open, found bool
	for i := len(t.blocks) - 1; i >= 0; i-- {
		b := t.blocks[i]
		if !b.folds() {
			continue
		}
		if !found {
			found, open = true, !b.open
		}
		b.open = open
		b.changed()
	}
}
