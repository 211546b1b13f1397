package catalog

import (
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/keep"
)

// A paced model is one on a server of the user, which may read slowly. Before each answer it yields a
// [providers.Reading]: what the request adds to the one before it, which the server holds in its cache, and how long
// that takes at the speed of the answers so far. It completes those of the server with the time left.
type paced struct {
	providers.Model
	seed      maphash.Seed
	file, key string // where the speed is kept

	mu    sync.Mutex
	last  []part  // of the last request
	ratio float64 // tokens that the server counts for each estimated one; 0: unknown
	speed speed   // of reading
	kept  float64 // the speed in the file, in tokens a second
}

// newPaced returns a paced model that knows the speed that an earlier process kept in file under key.
func newPaced(m providers.Model, file, key string) *paced {
	p := &paced{Model: m, seed: maphash.MakeSeed(), file: file, key: key}
	if p.kept = keep.Load[float64](file)[key]; p.kept >= 1 { // as it is saved
		p.speed = speed{leastRead, leastRead / p.kept}
	}
	return p
}

// A part is the prefix or one message of a request.
type part struct {
	sum    uint64
	tokens int // estimated
	answer bool
}

// A speed is a mean in which each measure has half the weight of the next, and large measures more than small ones.
type speed struct{ tokens, seconds float64 }

// leastRead is the smallest request, in tokens read anew, whose time says something about the speed. A speed that
// differs by less than otherSpeed from the one that is kept is the same.
const (
	leastRead  = 64
	otherSpeed = .2
)

func (s *speed) add(tokens, seconds float64) {
	if tokens >= leastRead && seconds > 0 {
		s.tokens, s.seconds = s.tokens/2+tokens, s.seconds/2+seconds
	}
}

// time returns how long reading takes; 0: unknown.
func (s speed) time(tokens int) time.Duration {
	if s.tokens == 0 {
		return 0
	}
	return time.Duration(s.seconds / s.tokens * float64(max(tokens, 0)) * float64(time.Second))
}

// Stream yields what is to be read, then the answer as it arrives.
func (p *paced) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		reading := p.expect(req)
		started, begun := time.Now(), time.Duration(0)
		defer func() {
			if begun == 0 { // cancelled while the server was reading
				p.forget()
			}
		}()
		if reading.Tokens > 0 && !yield(providers.Delta{Reading: &reading}, nil) {
			return
		}
		for d, err := range p.Model.Stream(ctx, req) {
			switch {
			case err != nil:
				p.forget()
			case d.Reading != nil:
				reading = p.complete(*d.Reading)
				d.Reading = &reading
			case begun == 0:
				begun = max(time.Since(started), 1)
			}
			if d.Usage != nil {
				p.measure(req, reading.Tokens, *d.Usage, begun)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// expect returns what the server will read anew, and takes the request as the last one.
func (p *paced) expect(req *providers.Request) providers.Reading {
	parts := p.parts(req)
	p.mu.Lock()
	defer p.mu.Unlock()
	same := 0
	for same < min(len(parts), len(p.last)) && parts[same].sum == p.last[same].sum {
		same++
	}
	if same == len(p.last) && same > 0 && same < len(parts) && parts[same].answer {
		same++ // the server wrote it
	}
	estimated := 0
	for _, part := range parts[same:] {
		estimated += part.tokens
	}
	p.last = parts
	r := providers.Reading{Tokens: estimated}
	if p.ratio > 0 {
		r.Tokens = int(p.ratio * float64(estimated))
	}
	r.Left = p.speed.time(r.Tokens)
	return r
}

// complete returns a reading of the server with the time left.
func (p *paced) complete(r providers.Reading) providers.Reading {
	if r.Left == 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		r.Left = p.speed.time(r.Tokens - r.Done)
	}
	return r
}

// measure learns from an answer that began after some time. It believes the server's own measure.
func (p *paced) measure(req *providers.Request, tokens int, u providers.Usage, begun time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := cmp.Or(p.ratio, 1)
	if n := providers.Size(req); n > 0 && u.Input > 0 {
		p.ratio = float64(u.Input) / float64(n)
	}
	if u.Read > 0 {
		p.speed.add(float64(u.Read), u.ReadTime)
	} else {
		p.speed.add(float64(tokens)/before*cmp.Or(p.ratio, 1), begun.Seconds())
	}
	if p.speed.seconds == 0 {
		return
	}
	if now := p.speed.tokens / p.speed.seconds; math.Abs(now-p.kept) > otherSpeed*p.kept {
		p.kept = math.Round(now)
		keep.Save(p.file, p.key, p.kept)
	}
}

// forget drops the last request: after an error, or if it was not read, it is unknown what the server holds.
func (p *paced) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = nil
}

// parts returns the parts of a request in the order in which servers read it: tools come with the system prompt.
func (p *paced) parts(req *providers.Request) []part {
	var h maphash.Hash
	h.SetSeed(p.seed)
	add := func(texts ...string) {
		for _, s := range texts {
			h.WriteString(s)
			h.WriteByte(0)
		}
	}
	parts := make([]part, 0, len(req.Messages)+1)
	put := func(tokens int, answer bool) {
		parts = append(parts, part{h.Sum64(), tokens, answer})
		h.Reset()
	}
	add(req.System, string(req.Schema))
	for _, t := range req.Tools {
		add(t.Name, t.Description, string(t.Schema))
	}
	put(providers.Size(&providers.Request{System: req.System, Tools: req.Tools, Schema: req.Schema}), false)
	for i := range req.Messages {
		m := &req.Messages[i]
		add(string(m.Role), m.Text, m.CallID)
		for _, c := range m.Calls {
			add(c.Name, string(c.Args))
		}
		size := providers.Size(&providers.Request{Messages: req.Messages[i : i+1]})
		put(size, m.Role == transcript.Assistant)
	}
	return parts
}
