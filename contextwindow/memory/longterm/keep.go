package longterm

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
	"github.com/forayhq/foray/internal/lazyregexp"
)

// A statement is something worth remembering that an exchange states.
type statement struct {
	Content    string
	Category   Category
	Importance int
	Replaces   string // id of a memory that no longer holds; empty if unknown
}

// keep makes a memory of a statement. It supersedes the memories that the statement contradicts; otherwise it replaces
// one that says the same, or links similar ones.
func (e *Extractor) keep(ctx context.Context, x Exchange, s statement) (Memory, error) {
	l := e.config.Memories
	m := Memory{
		User: x.User, Category: s.Category, Content: s.Content, Importance: s.Importance, Created: x.At,
		Provenance: Provenance{Thread: x.Thread, Message: x.Message},
	}
	old := refilled(l.List(x.User, "", false), m)
	var linked []string
	for _, other := range l.similar(ctx, m) {
		if other.Category != m.Category && !stated.SameWords(m.Content, other.Content) && !stated.Updates(m.Content, other.Content) {
			continue
		}
		together := together(other.Memory, m)
		replaces := stated.Replaces(s.Content, other.Content) || stated.Moves(s.Content, other.Content)
		beside := stated.Beside(s.Content, other.Content)
		switch {
		case other.ID == s.Replaces, !together && s.Category != Skill && replaces,
			other.Similarity >= e.config.LinkSimilarity && !beside && contradicts(s.Content, other.Content):
			old = append(old, other.ID)
		case other.Similarity >= e.config.UpdateSimilarity && len(old) == 0 && stated.Names(s.Content, other.Content) &&
			(!together || stated.SameWords(m.Content, other.Content)):
			return e.update(ctx, other.Memory, m)
		case other.Similarity >= e.config.LinkSimilarity:
			linked = append(linked, other.ID)
		}
	}
	if s.Replaces != "" {
		old = append(old, s.Replaces)
	}
	slices.Sort(old)
	old = slices.Compact(old)
	var err error
	switch {
	case len(old) > 0:
		for _, id := range old {
			if before, err := l.Get(id); err == nil {
				m.Content = withRest(m.Content, before.Content)
			}
		}
		m, err = l.Supersede(ctx, m, x.At, old...)
	case len(linked) > 0:
		m, err = l.link(ctx, m, x.At, linked...)
	default:
		m, err = l.Save(ctx, m, x.At)
	}
	if err != nil {
		return Memory{}, err
	}
	e.saved.Add(1)
	e.superseded.Add(int64(len(old)))
	if len(old) == 0 && len(linked) > 0 {
		e.linked.Add(1)
	}
	return m, nil
}

// update gives a memory a new wording.
func (e *Extractor) update(ctx context.Context, old, m Memory) (Memory, error) {
	updated, err := e.config.Memories.Update(ctx, old.ID, m.Created, func(u *Memory) {
		u.Content, u.Provenance = m.Content, m.Provenance
		u.Importance = max(u.Importance, m.Importance)
	})
	if err == nil {
		e.updated.Add(1)
	}
	return updated, err
}

// similar returns the memories of the same user that resemble a new one, most similar first.
func (l *Memories) similar(ctx context.Context, m Memory) []Match {
	return alike(l, m, l.embedder.statement(ctx, m.Content))
}

// mostSimilar is how many memories a new one is compared with.
const mostSimilar = 64

func alike(l *Memories, m Memory, said probe) []Match {
	l.mu.RLock()
	defer l.mu.RUnlock()
	found := l.shelf.similar(m, said)
	return found[:min(len(found), mostSimilar)]
}

// about returns the memories that the model is shown with an exchange.
func (l *Memories) about(x Exchange) []Match {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.shelf.search(Query{User: x.User, Text: ends(x.Question+" "+x.Answer, maxContent), Limit: maxLimit,
		MinSimilarity: -1, At: x.At}, probe{})
}

// correct adds the corrections in an exchange, unless a statement says the same: those that name the old value, and
// other sentences that give a new value for what a memory says. A correction that names the old value replaces the
// newest memory with it. Without such a memory, it is added only if it names both values.
func (e *Extractor) correct(found []statement, x Exchange) []statement {
	for _, s := range stated.Sentences(x.Question) {
		if m, ok := e.outdated(x.User, &s); ok {
			found = addUpdate(found, &s, m)
		}
	}
	corrections := stated.Corrections(x.Question)
	if len(corrections) == 0 {
		return found
	}
	known := e.config.Memories.List(x.User, "", false)
	known = known[max(0, len(known)-maxRefilled):]
	renewed := make(map[string]string) // by the id of a memory: its content with the new values
	for _, c := range corrections {
		said := statement{Content: c.Text, Category: ProjectContext, Importance: ofCorrection}
		for _, m := range slices.Backward(known) {
			if !c.Corrects(m.Content) {
				continue
			}
			said.Category, said.Importance, said.Replaces = m.Category, m.Importance, m.ID
			if now := c.Renew(cmp.Or(renewed[m.ID], m.Content)); now != "" && saysMore(now, c.Text) {
				said.Content, renewed[m.ID] = now, now
			}
			break
		}
		found = replaceOrAdd(found, said, c.Text, c.SaysNew())
	}
	return found
}

// addUpdate adds a sentence that updates a memory, unless a statement says the same or replaces that memory.
func addUpdate(found []statement, s *stated.Sentence, m Memory) []statement {
	for i := range found {
		f := &found[i]
		switch {
		case share(f.Content, s.Text) >= coveredShare && stated.Names(f.Content, s.Text):
			f.Replaces = cmp.Or(f.Replaces, m.ID)
			return found
		case s.Updates(f.Content): // which was said before it in the same message
			*f = statement{s.Text, m.Category, m.Importance, m.ID}
			return found
		case f.Replaces == m.ID:
			return found
		}
	}
	return append(found, statement{s.Text, m.Category, m.Importance, m.ID})
}

// outdated returns the memory that a sentence updates, as a whole or in one of its clauses.
func (e *Extractor) outdated(user string, s *stated.Sentence) (Memory, bool) {
	for _, m := range alike(e.config.Memories, Memory{User: user, Content: s.Text}, probe{}) {
		if s.Updates(m.Content) || slices.ContainsFunc(partEnd.Split(m.Content, -1), s.Updates) {
			return m.Memory, true
		}
	}
	return Memory{}, false
}

// replaceOrAdd puts what a correction says into the statement that says the same, or that corrects the same memory, or
// adds it. Text is the correction as it was said.
func replaceOrAdd(found []statement, said statement, text string, saysNew bool) []statement {
	i := slices.IndexFunc(found, func(s statement) bool {
		return coveredShare <= share(s.Content, text) || said.Replaces != "" && s.Replaces == said.Replaces
	})
	switch {
	case i < 0 && (said.Replaces != "" || saysNew):
		return append(found, said)
	case i >= 0 && said.Replaces != "":
		found[i].Replaces = said.Replaces
		if said.Content != text {
			found[i].Content = said.Content
		}
	}
	return found
}

// ofCorrection is the importance of what somebody took the trouble to correct.
const ofCorrection = 7

// partEnd matches the end of a clause that a clause about something else may follow.
var partEnd = lazyregexp.New(`[,;，；。]|\.\s|\s(?:and|but|und|aber)\s`)

// others returns the clauses of a statement that share no word with a text, provided that another clause shares one.
func others(statement, text string) (all []string) {
	in, some := terms(text), false
	for _, clause := range partEnd.Split(statement, -1) {
		of := terms(clause)
		shared := false
		for t := range of {
			shared = shared || in[t]
		}
		if some = some || shared; !shared && len(of) > 1 {
			all = append(all, strings.TrimSpace(clause))
		}
	}
	if !some {
		return nil
	}
	return all
}

// saysMore reports whether an older statement, with its value brought up to date, says more than a correction of it,
// and the correction little more than the value.
func saysMore(renewed, correction string) bool {
	return len(others(renewed, correction)) > 0 ||
		stated.Beyond(renewed, correction) >= muchMore && stated.Beyond(correction, renewed) <= muchMore+1 // its "not"
}

// muchMore is how many words make a statement say more than another one.
const muchMore = 2

// pronoun matches the beginning of a clause that may be about a value that no longer holds.
var pronoun = lazyregexp.New(`(?i)^(?:it|they|he|she|this|that|these|those|which|who|es|er|sie|das|dies|der|die)\b|^[它他她这那]`)

// withRest returns a statement with the clauses of the one that it supersedes that are about something else: "We target
// Android 13 now" leaves "Oksana signs off every release".
func withRest(now, before string) string {
	for _, clause := range others(before, now) {
		if longer := strings.TrimRight(now, " .。") + ". " + upperFirst(clause); !pronoun.MatchString(clause) && len(longer) <= maxStatement {
			now = longer
		}
	}
	return now
}

func upperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// coveredShare is the least share of a statement's terms in a text that says the same.
const coveredShare = .7

// share returns the share of the terms of a statement that a text has.
func share(statement, text string) float64 {
	of, in, n := terms(statement), terms(text), 0
	for t := range of {
		if in[t] {
			n++
		}
	}
	return float64(n) / float64(max(len(of), 1))
}

// maxRefilled is how many of the latest memories are compared by their slots.
const maxRefilled = 2000

// refilled returns the ids of the memories that a new one outdates, even if they share no word with it: those that have
// another value for one of its slots, as a user has one name, one home and one deadline for each thing; and preferences
// for the other value, such as "I prefer tabs".
func refilled(list []Memory, now Memory) (ids []string) {
	slots := stated.Slots(now.Content)
	if len(slots) == 0 && now.Category != UserPreference {
		return nil
	}
	for _, m := range list[max(0, len(list)-maxRefilled):] {
		prefers := now.Category == UserPreference && m.Category == UserPreference && !together(m, now)
		if stated.Refills(slots, now.Content, m.Content) || prefers && stated.Replaces(now.Content, m.Content) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// together reports whether two memories were said in one message.
func together(a, b Memory) bool { return a.Created.Equal(b.Created) && a.Provenance == b.Provenance }
