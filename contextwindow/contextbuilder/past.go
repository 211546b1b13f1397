package contextbuilder

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder/internal/cache"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A past is what a thread holds before the input, as far as a build needs it.
type past struct {
	turns   []turn // ascending
	whole   bool   // nothing precedes the first turn
	last    int64  // number of the last message
	covered int64  // by a summary when it was read: a digest needs the turns after it

	forms *sync.Map // shortTurn by shortForm
}

const (
	pageSize    = 64  // messages read from a thread at once
	digestTurns = 100 // turns before the window that are read for a digest
	pastTime    = 5 * time.Minute
)

// A threadSummary is the summary of a thread and the number of the last message that it covers.
type threadSummary struct {
	text string
	last int64
}

// read reads the summary and the past of the query's thread into the plan and returns the summary, escaped.
func (b *Builder) read(ctx, deadline context.Context, p *plan) (string, error) {
	if p.q.Thread == "" || b.config.Recent == nil {
		p.past.whole = true
		return "", nil
	}
	text := b.readSummary(deadline, p)
	var err error
	p.past, err = b.pastOf(ctx, p.q, p.head.covered)
	return text, err
}

// readSummary reads the summary of the thread, under the deadline of sources.
func (b *Builder) readSummary(deadline context.Context, p *plan) string {
	s := b.config.Summary
	if s == nil || b.config.NoSummary {
		return ""
	}
	found := b.summaries.Look(cache.Lookup[threadSummary]{
		Conversation: p.q.Thread,
		Key:          summaryTag,
		Limit:        b.config.Deadline,
		Fetch: func(ctx context.Context) (got threadSummary, err error) {
			got.text, got.last, err = s.Through(ctx, p.q.Thread)
			return got, err
		},
	})
	got, err := b.summaries.Wait(deadline, found.Flight, func() bool { return deadline.Err() != context.DeadlineExceeded })
	if err != nil {
		p.stats.decide(SectionSummary, summaryTag, Missing, reason(err), 0)
		return ""
	}
	if strings.TrimSpace(got.text) == "" {
		return ""
	}
	p.head.covered = got.last
	return escape(bounded(strings.TrimSpace(got.text)))
}

// pastOf returns the past of the query's thread. It keeps one past a thread and reads only what was added since.
func (b *Builder) pastOf(ctx context.Context, q Query, covered int64) (past, error) {
	newest, err := b.recent(ctx, q, q.Seq, 1)
	if err != nil {
		return past{}, err
	}
	if len(newest) == 0 {
		return past{whole: true}, nil
	}
	last := newest[len(newest)-1].Seq
	known, ok := b.pasts.Peek(q.Thread, q.Agent)
	ok = ok && (known.whole || covered >= known.covered)
	if ok && known.last == last {
		return known, nil
	}
	grown := past{}
	if ok {
		if grown, ok, err = b.extend(ctx, q, known, last); err != nil {
			return past{}, err
		}
	}
	if !ok {
		grown, err = cache.Recover(func() (past, error) {
			return readPast(ctx, b.heard(q.Agent), q.Thread, last+1, covered, b.config.Turns)
		})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return past{}, err
		}
		grown.covered, grown.forms = covered, new(sync.Map)
	}
	grown.last = last
	b.pasts.Keep(q.Thread, q.Agent, grown, pastTime)
	return grown, nil
}

// extend adds the messages after a known past, up to the one numbered last. It reports false if the past does not lead
// there in whole turns: messages were removed, or too many were added.
func (b *Builder) extend(ctx context.Context, q Query, known past, last int64) (past, bool, error) {
	limit := last - known.last + 1
	if limit < 2 || limit > pageSize {
		return past{}, false, nil
	}
	page, err := b.recent(ctx, q, last+1, int(limit))
	if err != nil {
		return past{}, false, err
	}
	if err := checkPage(page, last+1); err != nil {
		return past{}, false, fmt.Errorf("reading thread %q: %w", q.Thread, err)
	}
	i := slices.IndexFunc(page, func(m Message) bool { return m.Seq == known.last })
	if i < 0 || i+1 == len(page) || page[i+1].Role != transcript.User {
		return past{}, false, nil
	}
	added := split([][]Message{page[i+1:]}, b.config.Turns)
	turns := slices.Concat(known.turns, added)
	if len(turns) == 0 { // a thread of messages without text
		return past{}, false, nil
	}
	if n := len(turns) - b.config.Turns - digestTurns; n > 0 {
		turns, known.whole = slices.Clone(turns[n:]), false
	}
	for i := range max(len(turns)-b.config.Turns, 0) {
		turns[i].reduce()
	}
	known.turns, known.forms = turns, known.recentForms(turns[max(len(turns)-b.config.Turns, 0)].first)
	return known, true, nil
}

// recentForms returns the forms of turns from one on.
func (p *past) recentForms(first int64) *sync.Map {
	recent := new(sync.Map)
	p.forms.Range(func(key, value any) bool {
		if key.(shortForm).first >= first {
			recent.Store(key, value)
		}
		return true
	})
	return recent
}

// recent reads the thread. A panic of [Config].Recent becomes an error.
func (b *Builder) recent(ctx context.Context, q Query, before int64, limit int) ([]Message, error) {
	ms, err := cache.Recover(func() ([]Message, error) { return b.heard(q.Agent)(ctx, q.Thread, before, limit) })
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("reading thread %q: %w", q.Thread, err)
	}
	return ms, nil
}

// A recent is a [Config].Recent.
type recent func(ctx context.Context, thread string, before int64, limit int) ([]Message, error)

// heard reads threads as one agent hears them: the answers of other agents say whose they are.
func (b *Builder) heard(agent string) recent {
	return func(ctx context.Context, thread string, before int64, limit int) ([]Message, error) {
		ms, err := b.config.Recent(ctx, thread, before, limit)
		return attributed(ms, agent), err
	}
}

// attributed marks the answers of others than one agent.
func attributed(ms []Message, agent string) []Message {
	named := func(m Message) bool { return m.Role == transcript.Assistant && m.Name != "" }
	if !slices.ContainsFunc(ms, named) {
		return ms
	}
	ms = slices.Clone(ms)
	for i := range ms {
		m := &ms[i]
		if !named(*m) {
			continue
		}
		if m.Name != agent && m.Text != "" {
			m.Text, m.ProviderData = "[answer of "+oneLine(m.Name, digestRunes)+"]\n"+m.Text, nil
		}
		m.Name = ""
	}
	return ms
}

// readPast reads the newest turns before a message: enough for the window, and for the digest of those that no summary
// covers.
func readPast(ctx context.Context, read recent, thread string, before, covered int64, window int) (past, error) {
	var pages [][]Message
	turns := 0
	for {
		page, err := read(ctx, thread, before, pageSize)
		if err != nil {
			return past{}, fmt.Errorf("reading thread: %w", err)
		}
		if err := checkPage(page, before); err != nil {
			return past{}, fmt.Errorf("reading thread: %w", err)
		}
		if len(page) > 0 {
			pages = append(pages, page)
			before = page[0].Seq
			for _, m := range page {
				if m.Role == transcript.User {
					turns++
				}
			}
		}
		if len(page) < pageSize {
			return past{turns: split(pages, window), whole: true}, nil
		}
		enough := turns > window && (before <= covered+1 || turns > window+digestTurns)
		if enough || len(pages) > window+digestTurns {
			all := split(pages, window)
			return past{turns: all[max(0, min(1, len(all)-1)):]}, nil // the first turn may have begun on an earlier page
		}
	}
}

// checkPage returns what is wrong with a page of a thread.
func checkPage(page []Message, before int64) error {
	if len(page) > pageSize {
		return fmt.Errorf("got %d messages, asked for %d", len(page), pageSize)
	}
	last := int64(0)
	for _, m := range page {
		if m.Seq <= last || before > 0 && m.Seq >= before {
			return fmt.Errorf("message %d is out of order", m.Seq)
		}
		last = m.Seq
	}
	return nil
}

// split divides pages, newest first, into turns, oldest first. Only the newest turns, as many as the window may show,
// keep their messages. Each older one is reduced to its line in a digest.
func split(pages [][]Message, window int) []turn {
	pages = slices.Clone(pages)
	slices.Reverse(pages)
	all := slices.Concat(pages...)
	var spans [][]Message
	begun := 0
	for i := range all {
		if all[i].Role == transcript.User && i > begun {
			spans, begun = append(spans, all[begun:i]), i
		}
	}
	if begun < len(all) {
		spans = append(spans, all[begun:])
	}
	turns := make([]turn, 0, len(spans))
	for i, span := range spans {
		if t := newTurn(span, len(spans)-i > window); len(t.messages) > 0 || t.digest != "" {
			turns = append(turns, t)
		}
	}
	return turns
}
