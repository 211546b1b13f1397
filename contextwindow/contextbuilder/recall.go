package contextbuilder

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/toollimit"
)

// TypeEarlierLines is the type of the block that the builder adds: lines of earlier messages that the window does not
// show and that the message seems to ask about.
const TypeEarlierLines = "earlier_lines"

const (
	earlierHead = "Lines of earlier messages that are not shown above, each after the number of the message that began " +
		"its turn. Where two contradict each other, the later one holds.\n"
	earlierRoom  = 300       // tokens that are kept free for the block
	earlierMost  = 6         // lines
	earlierRunes = 200       // of a line
	searchedMost = 128 << 10 // bytes of text that is not shown, the newest, that are searched
	comparedMost = 2_000     // bytes of a line that are compared
	askedBytes   = 2_000     // of the message: a longer one is no question
	askedMost    = 40        // words of the message that are no stop words
	termsAWord   = 4         // of a script without spaces: pairs of characters, and each character
	leastShare   = .2        // of what the terms of the message are worth, in a line
	nearBest     = .5        // of the worth of the best line, in a line
)

// A termSet is a set of the terms of a message, by number. It has room for askedMost words of any script.
type termSet [3]uint64

func (s *termSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s *termSet) addAll(of termSet) {
	for i := range s {
		s[i] |= of[i]
	}
}

func (s termSet) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// within reports whether another set has all terms of this one.
func (s termSet) within(other termSet) bool {
	for i := range s {
		if s[i]&^other[i] != 0 {
			return false
		}
	}
	return true
}

// A line of a message, with the terms of the input that it has.
type messageLine struct {
	turn  int64 // number of the first message of its turn
	text  string
	terms termSet
	worth float64
}

// recall adds the lines that are not shown and have most of what the input asks about, and leaves out memories of the
// thread. Where a line that is shown has as much, neither is there: what is shown is not said twice, and a corrected
// statement does not come back beside its correction.
func (p *plan) recall() {
	asked := newAsked(p.q.Input)
	if len(asked.terms) == 0 {
		return
	}
	shown := asked.shown(p)
	repeats := func(l messageLine) bool {
		return l.terms != termSet{} && slices.ContainsFunc(shown, func(s messageLine) bool { return asked.repeats(l, s) })
	}
	for _, b := range p.blocks.all {
		b.forget(func(memory string) bool { return repeats(messageLine{text: memory, terms: asked.in(memory)}) })
	}
	p.blocks.measure()
	if lines := asked.earlierLines(p, repeats); lines != nil {
		p.blocks.all = append(p.blocks.all, lines)
		sortBlocks(p.blocks.all)
	}
}

// forget leaves out the memories of the thread that are repeated. The block stays known as it is.
func (p *placement) forget(repeated func(memory string) bool) {
	if p.content.text == "" || p.Type != TypeUserMemory && p.Type != TypeMemories {
		return
	}
	without := func(text string) (string, int) {
		lines := slices.DeleteFunc(strings.Split(text, "\n"),
			func(l string) bool { return strings.HasSuffix(l, ownThread) && repeated(textOf(l)) })
		text = strings.Join(lines, "\n")
		return text, toollimit.Tokens(text) + frameOf(p.Type)
	}
	text, size := without(p.content.text)
	if text == p.content.text {
		return
	}
	shown := p.shown()
	p.content.text, p.size = text, size
	p.short, p.shortSize = without(p.short)
	switch {
	case text == "":
		p.verdict, p.why = Dropped, "the window shows what it says"
	case shown:
		p.show()
	}
}

// earlierLines returns a block with the hidden lines that have most of what is asked about, or nil without such a line.
func (a *asked) earlierLines(p *plan, repeats func(messageLine) bool) *placement {
	hidden, of := a.hidden(p)
	worth := make([]float64, len(a.terms))
	whole := 0.
	for i := range a.terms {
		having := 0
		for _, l := range hidden {
			if l.terms.has(i) {
				having++
			}
		}
		if having > 0 {
			worth[i] = textsearch.Rarity(float64(of), float64(having))
			whole += worth[i]
		}
	}
	best := 0.
	for i := range hidden {
		hidden[i].worth = sumOf(worth, hidden[i].terms)
		best = max(best, hidden[i].worth)
	}
	least := max(nearBest*best, leastShare*whole)
	hidden = slices.DeleteFunc(hidden, func(l messageLine) bool { return l.worth < least || repeats(l) })
	if len(hidden) == 0 {
		return nil
	}
	return earlierBlock(hidden)
}

// earlierBlock makes a block of the best lines, the best first: those that have no room come last.
func earlierBlock(found []messageLine) *placement {
	slices.SortStableFunc(found, func(a, b messageLine) int { return cmp.Compare(b.worth, a.worth) })
	var b strings.Builder
	for _, l := range found[:min(len(found), earlierMost)] {
		b.WriteString("\n[" + strconv.FormatInt(l.turn, 10) + "] " + oneLine(l.text, earlierRunes))
	}
	block := &placement{content: content{Block: Block{Type: TypeEarlierLines, Priority: P1}}, verdict: Dropped}
	block.resize(escape(strings.TrimSuffix(earlierHead, "\n") + b.String()))
	return block
}

// sumOf adds what the terms of a line are worth.
func sumOf(worth []float64, terms termSet) (sum float64) {
	for i, w := range worth {
		if terms.has(i) {
			sum += w
		}
	}
	return sum
}

// hidden returns the lines with terms that the window does not show, as far as the past holds them, oldest first, and
// of how many lines they are.
func (a *asked) hidden(p *plan) (hidden []messageLine, of int) {
	room := searchedMost
	before := len(p.past.turns) - len(p.window.turns)
	add := func(t turn, text, seen string) {
		if text != seen && room > 0 {
			text = ends(text, room, "")
			room -= len(text)
			lines, n := a.linesOf(t.first, text, seen)
			slices.Reverse(lines)
			hidden, of = append(hidden, lines...), of+n
		}
	}
	for i, t := range slices.Backward(p.past.turns) {
		for k := range slices.Backward(t.messages) {
			seen := ""
			if i >= before {
				seen = p.window.turns[i-before].messages[k].Text
			}
			add(t, t.messages[k].Text, seen)
		}
		for _, said := range slices.Backward(t.said) {
			add(t, said, "")
		}
	}
	slices.Reverse(hidden)
	return hidden, of
}

// shown returns the lines with terms of the messages that the window shows, except those of the model's answers.
// Summary and digest do not count: what has the words of a statement there may have lost its value.
func (a *asked) shown(p *plan) (all []messageLine) {
	for _, t := range p.window.turns {
		for _, m := range t.messages {
			if m.Role != transcript.Assistant {
				lines, _ := a.linesOf(0, bounded(m.Text), "")
				all = append(all, lines...)
			}
		}
	}
	return all
}

// asked is what an input asks about.
type asked struct {
	terms  []string
	runs   []int              // the terms of scripts without spaces, by number
	starts []string           // of the other terms: a line without any of them has none of these
	known  map[string]termSet // terms by word, of the words met so far: stemming one takes most of the time

	compared map[string][]string // all terms of lines that were compared
}

func newAsked(input string) *asked {
	a := &asked{known: make(map[string]termSet), compared: make(map[string][]string)}
	if len(input) > askedBytes {
		return a
	}
	terms := textsearch.Terms(input)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	for i, t := range terms {
		const letters = 4
		if isRun(t) {
			a.runs = append(a.runs, i)
		} else {
			a.starts = append(a.starts, t[:min(len(t), letters)])
		}
	}
	if len(a.starts)+len(a.runs)/termsAWord <= askedMost {
		a.terms = terms
	}
	return a
}

// isRun reports whether a term is of a script without spaces between words.
func isRun(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return textsearch.Unspaced(r)
}

// repeats reports whether a line that is shown says as much of what is asked about as a hidden one, and is about the
// same thing: it has half of what the hidden one says at all. A second port is no correction of the first.
func (a *asked) repeats(hidden, shown messageLine) bool {
	if !hidden.terms.within(shown.terms) {
		return false
	}
	own, its := a.allOf(hidden.text), a.allOf(shown.text)
	same := 0
	for _, t := range own {
		if slices.Contains(its, t) {
			same++
		}
	}
	return 2*same >= len(own)
}

// allOf returns all terms of a line.
func (a *asked) allOf(line string) []string {
	terms, ok := a.compared[line]
	if !ok {
		terms = textsearch.Terms(line[:min(len(line), comparedMost)])
		a.compared[line] = terms
	}
	return terms
}

// linesOf returns the lines with terms of a text that another text does not have, and of how many lines they are. A
// question says nothing, so it has no terms.
func (a *asked) linesOf(turn int64, text, seen string) (lines []messageLine, of int) {
	var known map[string]bool
	if seen != "" {
		known = make(map[string]bool)
		for line := range strings.Lines(seen) {
			known[strings.TrimSpace(line)] = true
		}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || known[line] {
			continue
		}
		of++
		if terms := a.in(line); terms != (termSet{}) {
			lines = append(lines, messageLine{turn: turn, text: line, terms: terms})
		}
	}
	return lines, of
}

// in returns the terms that a line has.
func (a *asked) in(line string) (has termSet) {
	line = line[:min(len(line), comparedMost)]
	if strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？") {
		return has
	}
	low := strings.ToLower(line)
	if len(a.runs) > 0 && strings.ContainsFunc(low, textsearch.Unspaced) {
		for _, i := range a.runs {
			if strings.Contains(low, a.terms[i]) {
				has.add(i)
			}
		}
	}
	if !slices.ContainsFunc(a.starts, func(s string) bool { return strings.Contains(low, s) }) {
		return has
	}
	for _, w := range textsearch.Words(low) {
		if !isRun(w) {
			has.addAll(a.termsOf(w))
		}
	}
	return has
}

// termsOf returns the terms that a word is.
func (a *asked) termsOf(word string) termSet {
	terms, ok := a.known[word]
	if !ok {
		for _, t := range textsearch.Terms(word) {
			if i, ok := slices.BinarySearch(a.terms, t); ok {
				terms.add(i)
			}
		}
		a.known[word] = terms
	}
	return terms
}
