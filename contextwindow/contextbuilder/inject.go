package contextbuilder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/toollimit"
)

// A filled is a block with its texts ready to be shown, and their sizes. It is shared through the cache and not modified.
type filled struct {
	Block
	text, short     string // escaped
	size, shortSize int    // in their fences, in tokens
	come            Verdict
	note            string // why it is not as it should be
}

// revalidateTime is how long a fetch that was late may go on for the next one who asks.
const revalidateTime = 5 * time.Second

// An asking is one source that was asked for a query.
type asking struct {
	block Block
	found found[filled]
	err   error // the source could not even say what it has
}

// ask starts all sources that have a block for the query and are not cached. It does not wait.
func (b *Builder) ask(q Query) []asking {
	all := make([]asking, 0, len(b.sources))
	taken := make(map[string]bool, len(b.sources))
	for i, s := range b.sources {
		a := asking{}
		described, err := caught(func() (described, error) {
			block, ok := s.Describe(q)
			return described{block, ok}, nil
		})
		a.block, a.err = described.Block, err
		_, automatic := s.(ofConfig)
		if err == nil && (!described.ok || automatic && taken[a.block.Type]) {
			continue
		}
		if a.err == nil && (!fenceName.MatchString(a.block.Type) || taken[a.block.Type]) {
			a.err = fmt.Errorf("its type %q is no name of lower-case letters, digits and _, or another source's", a.block.Type)
		}
		if a.err != nil {
			a.block.Type = fmt.Sprintf("source_%d", i)
		}
		taken[a.block.Type] = true
		a.block.Priority = min(max(a.block.Priority, P0), P2)
		if a.err == nil {
			a.found = b.blocks.look(b.wanted(s, q, a.block, i))
		}
		all = append(all, a)
	}
	return all
}

type described struct {
	Block
	ok bool
}

// wanted is what the cache is asked for.
func (b *Builder) wanted(s Source, q Query, block Block, i int) want[filled] {
	w := want[filled]{
		conversation: q.Thread,
		key:          block.Type + "\x00" + strconv.Itoa(i) + "\x00" + block.Key,
		ttl:          max(block.TTL, 0),
		limit:        max(revalidateTime, b.config.Deadline),
		fetch: func(ctx context.Context) (filled, error) {
			got, err := s.Fill(ctx, q, block)
			if err != nil {
				return filled{}, err
			}
			block.Text, block.Short, block.Value = got.Text, got.Short, got.Value
			return b.fill(block), nil
		},
	}
	if block.TTL <= 0 {
		w.limit = b.config.Deadline
	}
	return w
}

// longBlock is how much of a block's text is looked at, in bytes.
const longBlock = 256 << 10

// fill makes the texts of a block ready to be shown. One that is larger than the section ever may be is cut; of P0, than
// everything.
func (b *Builder) fill(block Block) filled {
	f := filled{Block: block, come: Included}
	text := strings.TrimSpace(block.Text)
	f.text = escape(ends(text, longBlock, ""))
	if f.text == "" {
		return f
	}
	most := int(b.retrievedCeiling * float64(b.config.Total))
	if block.Priority == P0 {
		most = b.config.Total
	}
	short, cut := toollimit.Truncate(toollimit.Text, f.text, toollimit.Quota{MaxTokens: most})
	if cut {
		f.text, f.come, f.note = short, Cut, fmt.Sprintf("a block of %d bytes", len(text))
	}
	f.short = escape(ends(strings.TrimSpace(block.Short), longBlock, ""))
	if f.short == "" {
		f.short, _, _ = strings.Cut(f.text, "\n")
	}
	f.short, _ = toollimit.Truncate(toollimit.Text, f.short, toollimit.Quota{MaxTokens: shortTokens})
	frame := frameOf(block.Type)
	f.size, f.shortSize = toollimit.Tokens(f.text)+frame, toollimit.Tokens(f.short)+frame
	f.Text, f.Short = f.text, f.short
	return f
}

// shortTokens is the most that a short form takes, in tokens.
const shortTokens = 120

// gather waits for sources until the deadline of all together, which is the end of a context made of ctx. Who is late or
// fails is shown as it was before, if it was; the error is that of ctx alone.
func (b *Builder) gather(ctx, deadline context.Context, asked []asking, stats *Stats) ([]*placed, error) {
	var all []*placed
	for i := range asked {
		a := &asked[i]
		value, err := a.found.value, a.err
		verdict, why := Included, ""
		switch {
		case a.err != nil:
		case a.found.fresh:
			stats.Injection.Hits++
		default:
			stats.Injection.Calls++
			value, err = b.blocks.wait(deadline, a.found.flight, func() bool { return ctx.Err() != nil })
		}
		if ctx.Err() != nil {
			b.abandon(asked[i+1:])
			return nil, ctx.Err()
		}
		if err != nil {
			why = lateOr(err)
			verdict = Missing
			if a.found.stale {
				value, verdict = a.found.value, Stale
			}
		}
		if p := place(a.block, value, verdict, why); p != nil {
			all = append(all, p)
		}
	}
	order(all)
	return all, nil
}

// abandon leaves the flights that a cancelled build has not waited for.
func (b *Builder) abandon(asked []asking) {
	for _, a := range asked {
		if a.found.flight != nil {
			b.blocks.leave(a.found.flight, true)
		}
	}
}

// place makes a part of the plan of what a source gave; nil if that is nothing.
func place(block Block, value filled, verdict Verdict, why string) *placed {
	if verdict == Missing {
		return &placed{filled: filled{Block: block}, verdict: Missing, why: why}
	}
	if value.text == "" {
		return nil
	}
	if verdict == Stale {
		value.come, value.note = Stale, why
	}
	p := &placed{filled: value, verdict: Dropped}
	if value.Priority == P0 {
		p.show()
	}
	return p
}

// lateOr says why a source gave nothing.
func lateOr(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "late"
	}
	return clip(err.Error(), lineRunes)
}

// known returns the blocks that there are, whether they are shown or not.
func known(blocks []*placed) []Block {
	var all []Block
	for _, b := range blocks {
		if b.filled.text != "" {
			all = append(all, b.Block)
		}
	}
	return slices.Clip(all)
}
