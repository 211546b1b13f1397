package said

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// A Pool holds the sentences of evicted messages that are still worth choosing from. It takes bounded memory: adding
// and choosing take time by its size, however many messages it has seen.
type Pool struct {
	Most  int     // tokens that it keeps at most
	Least float64 // value below which a sentence is not quoted
	items []item
	last  int // newest step
}

// An item is a sentence of the message of a step.
type item struct {
	*Sentence
	step  int
	total int     // sentences of the message
	value float64 // its own, or more if it replaces something worth more
	group int32   // of what resembles it, 0 for none
	was   earlier
}

// An earlier is what a sentence replaces.
type earlier struct {
	step   int // 0 if it replaces nothing
	values string
}

// Bounds of the newest messages, which find room first.
const (
	newestPart   = 4    // they get a quarter of the room
	newestTokens = 300  // of each
	newestPasted = 60   // of these, of what may be pasted
	oldestValue  = .85  // of the value that the same sentence would have in the newest message
	leastValue   = .004 // of a pasted line that is kept: a line of a log that several others resemble is worth less
)

// Clone returns a pool to which Add can be applied without changing p.
func (p *Pool) Clone() Pool { return Pool{p.Most, p.Least, slices.Clone(p.items), p.last} }

// Add takes the messages of steps, which must be ascending and above those already in the pool.
func (p *Pool) Add(steps []int, read func(step int) *Message) {
	known := newIndex(p.items)
	for _, step := range steps {
		m := read(step)
		from := len(p.items)
		for i := range m.Sentences {
			it := item{Sentence: &m.Sentences[i], step: step, total: m.Total}
			it.value = it.Value
			if it.value >= p.Least && p.settle(known, &it) && (!it.weak || it.was.step > 0) {
				p.items = append(p.items, it)
			}
		}
		for i := from; i < len(p.items); i++ {
			known.add(p.items, i)
		}
		p.last = max(p.last, step)
	}
	p.items = slices.DeleteFunc(p.items, func(it item) bool { return it.Sentence == nil })
	group(p.items)
	p.prune()
}

// settle compares a new item with an older one that is about the same. It removes the older one, or reports that the
// new one adds nothing.
func (p *Pool) settle(known index, it *item) bool {
	i, found := known.find(it.Sentence)
	if !found || p.items[i].Sentence == nil {
		p.correct(it)
		return true
	}
	old := &p.items[i]
	same := old.key == 0 || old.values == it.values
	if !same && !it.mayReplace(old.Sentence) {
		return true
	}
	if old.Own && !it.Own {
		return !same // the writer's own words stay; a pasted sentence replaces none of them
	}
	it.value, it.was = max(it.value, old.value), old.was
	if !same {
		it.was = earlier{old.step, old.values}
	}
	old.Sentence = nil
	return true
}

// correct removes the newest older item that a new one corrects in other words.
func (p *Pool) correct(it *item) {
	for i, old := range slices.Backward(p.items) {
		if old.Sentence == nil || old.step == it.step {
			continue
		}
		if values := it.corrects(old.Sentence); values != "" {
			it.value, it.was = max(it.value, old.value), earlier{old.step, values}
			p.items[i].Sentence = nil
			return
		}
	}
}

// An index finds the newest item about something, or the newest in own words with the same text.
type index struct {
	byKey  map[uint64]int
	byText map[string]int
}

func newIndex(items []item) index {
	x := index{make(map[uint64]int, len(items)), make(map[string]int, len(items))}
	for i := range items {
		x.add(items, i)
	}
	return x
}

func (x index) add(items []item, i int) {
	s := items[i].Sentence
	switch {
	case s.key == 0 && s.Own:
		x.byText[s.Text] = i
		return
	case s.key == 0: // pasted lines that are equal divide their value
		return
	}
	if i, ok := x.byKey[s.key]; ok && items[i].Sentence != nil {
		known := items[i].Sentence
		if known.Own && !s.Own || known.topic.isFirm() && !s.topic.isFirm() {
			return
		}
	}
	x.byKey[s.key] = i
}

func (x index) find(s *Sentence) (int, bool) {
	if s.key == 0 {
		i, ok := x.byText[s.Text]
		return i, ok
	}
	i, ok := x.byKey[s.key]
	return i, ok
}

// ranked returns the items by their value, the highest first: a newer sentence is worth more than an older one, a
// pasted line less for each other of its shape, and one in own words less for each newer one that resembles it, from
// the fifth on. What states nothing is left out from there on. The last ones, from worth on, are not worth their room.
func (p *Pool) ranked() (order []int, worth int) {
	shapes, alike := make(map[uint64]float64), make(map[int32]int)
	for i := range p.items {
		if it := &p.items[i]; !it.Own {
			shapes[it.shape]++
		}
	}
	order, values := make([]int, 0, len(p.items)), make([]float64, len(p.items))
	for i := range slices.Backward(p.items) {
		it := &p.items[i]
		newer := alike[it.group]
		if it.group > 0 {
			alike[it.group]++
		}
		if it.group > 0 && newer >= freeAlike && !it.states && it.was.step == 0 {
			continue
		}
		order = append(order, i)
		values[i] = it.value * (oldestValue + (1-oldestValue)*float64(it.step)/float64(max(p.last, 1)))
		switch {
		case !it.Own:
			values[i] /= shapes[it.shape]
		case it.group > 0:
			values[i] *= repetition(newer)
		}
		if !it.Own && values[i] < leastValue {
			values[i] -= leastValue // below all others
			continue
		}
		worth++
	}
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order, worth
}

// prune drops the items that are worth least once the pool holds more than it may.
func (p *Pool) prune() {
	tokens := 0
	for i := range p.items {
		tokens += p.items[i].Tokens
	}
	if tokens <= p.Most {
		return
	}
	c := p.choose(p.Most, func(int) bool { return true }, func(it *item) int { return it.Tokens })
	kept := make([]item, 0, len(c))
	for i := range p.items {
		if c[i] {
			kept = append(kept, p.items[i])
		}
	}
	p.items = kept
}

// choose picks items in a room: first those of the newest messages, then by value.
func (p *Pool) choose(room int, may func(int) bool, cost func(*item) int) map[int]bool {
	chosen := make(map[int]bool)
	order, worth := p.ranked()
	take := func(i, room int) int {
		if chosen[i] || !may(i) {
			return 0
		}
		tokens := cost(&p.items[i])
		if tokens > room {
			return 0
		}
		chosen[i] = true
		return tokens
	}
	room -= p.chooseNewest(order, room/newestPart, take)
	for _, i := range order[:worth] {
		room -= take(i, room)
	}
	return chosen
}

// chooseNewest takes what is worth most of each of the newest messages and returns its size.
func (p *Pool) chooseNewest(order []int, room int, take func(i, room int) int) (used int) {
	var steps []int // of the newest messages, descending
	of := make(map[int]int)
	tokens := 0 // of what they may take together
	for end := len(p.items); end > 0 && tokens < room; {
		step, size := p.items[end-1].step, 0
		for ; end > 0 && p.items[end-1].step == step; end-- {
			size += p.items[end-1].Tokens
		}
		of[step] = len(steps)
		steps = append(steps, step)
		tokens += min(size, newestTokens)
	}
	byMessage := make([][]int, len(steps))
	for _, i := range order {
		if n, newest := of[p.items[i].step]; newest {
			byMessage[n] = append(byMessage[n], i)
		}
	}
	for _, items := range byMessage {
		left, pasted := min(newestTokens, room-used), newestPasted
		for _, i := range items {
			if p.items[i].Own {
				n := take(i, left)
				used, left = used+n, left-n
				continue
			}
			n := take(i, min(left, pasted))
			used, left, pasted = used+n, left-n, pasted-n
		}
	}
	return used
}

// Live are the sentences that the view still shows, which replace those in a pool.
type Live struct {
	items []item
}

// Add takes the message of a step that stays in the view.
func (l *Live) Add(step int, m *Message) {
	for i := range m.Sentences {
		l.items = append(l.items, item{Sentence: &m.Sentences[i], step: step})
	}
}

// A Quote is what a pool says in a room.
type Quote struct {
	Text     string // a line for each sentence or more, "" without any
	Messages int    // that it quotes
	Short    bool   // some of them not whole
}

// Choose quotes what is worth most in at most room tokens, in the order in which it was said. A message that is
// not quoted whole begins with its id. Live sentences are not said again, and replace older ones.
func (p *Pool) Choose(room int, live *Live, id func(step int) string) Quote {
	hidden := p.settled(live)
	chosen := p.choose(room, func(i int) bool { return !hidden[i] }, func(it *item) int {
		return it.Tokens + toollimit.Tokens(it.mark(id)) + lineTokens
	})
	for order, _ := p.ranked(); ; {
		if len(chosen) == 0 {
			return Quote{}
		}
		q := p.quote(chosen, id)
		if toollimit.Tokens(q.Text) <= room {
			return q
		}
		for len(order) > 0 && !chosen[order[len(order)-1]] {
			order = order[:len(order)-1]
		}
		delete(chosen, order[len(order)-1])
	}
}

const lineTokens = 8 // of what precedes a sentence: a new line, an id, an ellipsis

// settled compares the pool with what the view shows. It returns the items that live sentences repeat or replace; an
// item that replaces an older live sentence is marked.
func (p *Pool) settled(live *Live) map[int]bool {
	hidden := make(map[int]bool)
	known := newIndex(p.items)
	for i := range live.items {
		l := &live.items[i]
		at, found := known.find(l.Sentence)
		if !found {
			p.hideCorrected(hidden, l)
			continue
		}
		it := &p.items[at]
		switch same := it.key == 0 || it.values == l.values; {
		case same:
			hidden[at] = true
		case l.step > it.step && (l.Own || !it.Own) && l.mayReplace(it.Sentence):
			hidden[at] = true
		case l.step < it.step && it.was.step == 0 && (it.Own || !l.Own) && it.mayReplace(l.Sentence):
			it.was = earlier{-1, l.values}
		}
	}
	return hidden
}

// hideCorrected hides the items that a live sentence corrects in other words.
func (p *Pool) hideCorrected(hidden map[int]bool, l *item) {
	for i := range p.items {
		if it := &p.items[i]; it.step < l.step && l.corrects(it.Sentence) != "" {
			hidden[i] = true
		}
	}
}

// mark says what the sentence replaces.
func (it *item) mark(id func(step int) string) string {
	switch {
	case it.was.step == 0:
		return ""
	case it.was.step < 0: // the view still shows it
		return fmt.Sprintf(" [replaces %s]", it.was.values)
	}
	return fmt.Sprintf(" [replaces %s: %s]", id(it.was.step), it.was.values)
}

// The titles of what follows the statements of the writers, which would otherwise be hard to find among questions,
// asides and lines of code.
const (
	passingTitle = "Also, in passing:\n"
	pastedTitle  = "In what they pasted:\n"
)

func (p *Pool) quote(chosen map[int]bool, id func(step int) string) Quote {
	var q Quote
	var own, passing, pasted strings.Builder
	for from := 0; from < len(p.items); {
		end := from
		var said, copied []*item
		for ; end < len(p.items) && p.items[end].step == p.items[from].step; end++ {
			switch it := &p.items[end]; {
			case chosen[end] && it.Own:
				said = append(said, it)
			case chosen[end]:
				copied = append(copied, it)
			}
		}
		list := &own
		if !slices.ContainsFunc(said, func(it *item) bool { return it.states || it.was.step != 0 }) {
			list = &passing
		}
		q.Short = writeMessage(list, said, id) || q.Short
		q.Short = writeMessage(&pasted, copied, id) || q.Short
		if len(said)+len(copied) > 0 {
			q.Messages++
		}
		from = end
	}
	if q.Text = own.String(); own.Len() > 0 && passing.Len() > 0 {
		q.Text += passingTitle
	}
	q.Text += passing.String()
	if pasted.Len() > 0 {
		q.Text += pastedTitle + pasted.String()
	}
	return q
}

// writeMessage writes sentences of one message, after its id if something of it is missing, and reports whether.
func writeMessage(b *strings.Builder, picked []*item, id func(step int) string) bool {
	if len(picked) == 0 {
		return false
	}
	cut := len(picked) < picked[0].total
	for _, it := range picked {
		cut = cut || it.Cut
	}
	b.WriteString("- ")
	if cut {
		b.WriteString("[" + id(picked[0].step) + "] ")
	}
	for n, it := range picked {
		switch {
		case n > 0 && it.Line != picked[n-1].Line:
			b.WriteString("\n  ")
		case n > 0:
			b.WriteString(" ")
		}
		if n > 0 && it.Number > picked[n-1].Number+1 || n == 0 && it.inner {
			b.WriteString("… ")
		}
		b.WriteString(it.Text + it.mark(id))
	}
	b.WriteString("\n")
	return cut
}
