package contextbuilder

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder/internal/cache"
	"github.com/forayhq/foray/toollimit"
)

// A content is a block with its texts, ready to be shown. The cache shares it, so it is never modified.
type content struct {
	Block
	text, short     string // escaped
	size, shortSize int    // of text and short in their fences, in tokens
	origin          Verdict
	note            string // why origin is not Included
}

const (
	revalidateTime = 5 * time.Second // how long a late fetch continues for the next build
	longBlock      = 256 << 10       // bytes of a block's text that are processed
	shortTokens    = 120             // upper bound of a short form
)

// A request is a source that was asked about a query.
type request struct {
	block Block
	found cache.Found[content]
	err   error // from Describe
}

// ask asks all sources, and starts to fetch blocks that are not cached. It does not wait for them.
func (b *Builder) ask(q Query) []request {
	all := make([]request, 0, len(b.sources))
	taken := make(map[string]bool, len(b.sources))
	for i, s := range b.sources {
		block, ok, err := describe(s, q)
		_, auto := s.(automatic)
		if err == nil && (!ok || auto && taken[block.Type]) {
			continue
		}
		if err == nil && (!fenceName.MatchString(block.Type) || taken[block.Type]) {
			err = fmt.Errorf("block type %q is taken, or not made of lower-case letters, digits and _", block.Type)
		}
		if err != nil {
			block.Type = fmt.Sprintf("source_%d", i)
		}
		taken[block.Type] = true
		block.Priority = min(max(block.Priority, P0), P2)
		r := request{block: block, err: err}
		if err == nil {
			r.found = b.blocks.Look(b.lookup(s, q, block, i))
		}
		all = append(all, r)
	}
	return all
}

// describe asks a source for its block. A panic becomes an error.
func describe(s Source, q Query) (block Block, ok bool, err error) {
	_, err = cache.Recover(func() (struct{}, error) {
		block, ok = s.Describe(q)
		return struct{}{}, nil
	})
	return block, ok, err
}

func (b *Builder) lookup(s Source, q Query, block Block, i int) cache.Lookup[content] {
	l := cache.Lookup[content]{
		Conversation: q.Thread,
		Key:          block.Type + "\x00" + strconv.Itoa(i) + "\x00" + block.Key,
		TTL:          max(block.TTL, 0),
		Limit:        max(revalidateTime, b.config.Deadline),
		Fetch: func(ctx context.Context) (content, error) {
			got, err := s.Fill(ctx, q, block)
			if err != nil {
				return content{}, err
			}
			block.Text, block.Short, block.Value = got.Text, got.Short, got.Value
			return fill(block), nil
		},
	}
	if block.TTL <= 0 {
		l.Limit = b.config.Deadline
	}
	return l
}

// fill prepares the texts of a block.
func fill(block Block) content {
	f := content{Block: block, origin: Included}
	text := strings.TrimSpace(block.Text)
	f.text = escape(ends(text, longBlock, ""))
	if f.text == "" {
		return f
	}
	if len(text) > longBlock {
		f.origin, f.note = Truncated, fmt.Sprintf("a block of %d bytes", len(text))
	}
	f.short = escape(ends(strings.TrimSpace(block.Short), longBlock, ""))
	if f.short == "" {
		f.short, _, _ = strings.Cut(f.text, "\n")
	}
	f.short, _ = toollimit.Truncate(toollimit.Text, f.short, toollimit.Quota{MaxTokens: shortTokens})
	f.shortSize = toollimit.Tokens(f.short) + frameOf(block.Type)
	f.resize(f.text)
	f.Short = f.short
	return f
}

// resize sets the text, escaped.
func (c *content) resize(text string) {
	c.text, c.Text = text, text
	c.size = toollimit.Tokens(text) + frameOf(c.Type)
}

// gather waits for the sources until deadline, a context derived from ctx. A source that is late or fails keeps its
// previous text, if it has one. The only error is that of ctx.
func (b *Builder) gather(ctx, deadline context.Context, asked []request, stats *Stats) ([]*placement, error) {
	var all []*placement
	for i, r := range asked {
		value, err := r.found.Value, r.err
		switch {
		case err != nil:
		case r.found.Fresh:
			stats.Injection.Hits++
		default:
			if r.block.TTL > 0 {
				stats.Injection.Calls++
			} else {
				stats.Injection.Live++
			}
			value, err = b.blocks.Wait(deadline, r.found.Flight, func() bool { return ctx.Err() != nil })
		}
		if ctx.Err() != nil {
			b.abandon(asked[i+1:])
			return nil, ctx.Err()
		}
		verdict, why := Included, ""
		if err != nil {
			verdict, why = Missing, reason(err)
			if r.found.Stale {
				value, verdict = r.found.Value, Stale
			}
		}
		if p := place(r.block, value, verdict, why); p != nil {
			all = append(all, p)
		}
	}
	all = joinMemories(all)
	sortBlocks(all)
	return all, nil
}

// abandon leaves the flights that a canceled build has not waited for.
func (b *Builder) abandon(asked []request) {
	for _, r := range asked {
		if r.found.Flight != nil {
			b.blocks.Leave(r.found.Flight, true)
		}
	}
}

// place makes a placement of what a source returned, or nil if it returned no text.
func place(block Block, value content, verdict Verdict, why string) *placement {
	if verdict == Missing {
		return &placement{content: content{Block: block}, verdict: Missing, why: why}
	}
	if value.text == "" {
		return nil
	}
	if verdict == Stale {
		value.origin, value.note = Stale, why
	}
	p := &placement{content: value, verdict: Dropped}
	if value.Priority == P0 {
		p.show()
	}
	return p
}

// reason says in one line why a source returned nothing.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "late"
	}
	return oneLine(err.Error(), digestRunes)
}
