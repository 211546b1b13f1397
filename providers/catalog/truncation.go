package catalog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// A watched model says once when its server runs a smaller window than is known: it seems to truncate requests, as
// Ollama does without an error, since it counts far fewer tokens than were sent; or it refuses a request and names its
// limit.
type watched struct {
	providers.Model
	target Target

	mu    sync.Mutex
	ratio float64 // the highest of counted to estimated tokens so far; 0: none measured
	said  bool
}

// watched puts the layer around the model of a server on the user's own machines, or at an address of the user's.
func (t Target) watched(m providers.Model) providers.Model {
	if t.server().ask == nil && !t.Elsewhere() {
		return m
	}
	return &watched{Model: m, target: t}
}

// Stream passes the answer on and compares its usage with the size of the request.
func (w *watched) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		for d, err := range w.Model.Stream(ctx, req) {
			if d.Usage != nil && w.Info().Compaction.At == 0 { // what a service compacted is not sent again
				w.compare(req, d.Usage.Input)
			}
			if e, ok := errors.AsType[*providers.Error](err); ok && e.Class == providers.Overflow {
				w.refused(e.Limit)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// refused says which window to pass after the server refused a request that is longer than limit.
func (w *watched) refused(limit int) {
	known := windowOf(w.Info())
	w.mu.Lock()
	say := limit >= MinWindow && limit < known && !w.said
	w.said = w.said || say
	w.mu.Unlock()
	if !say {
		return
	}
	text := fmt.Sprintf("warning: the server runs a window of %s tokens, not %s. Pass --window %d",
		line.Number(limit), line.Number(known), limit)
	if more := w.target.more(known); more != "" {
		text += ", or run it with more: " + more
	}
	w.target.options.notify(text)
}

// Smaller requests say nothing, because the template around the messages outweighs them.
const leastCompared = 500

// A count below these parts of the estimate is a truncation. Estimates of an unknown tokenizer are wrong by up to a
// third; a whole number of kibitokens is not a coincidence.
const (
	farFewer   = .5
	fewerRound = .75
	kibitoken  = 1024
)

func (w *watched) compare(req *providers.Request, counted int) {
	w.mu.Lock()
	sent := w.estimate(req)
	truncated := counted > 0 && sent >= leastCompared && (float64(counted) < farFewer*float64(sent) ||
		counted%kibitoken == 0 && float64(counted) < fewerRound*float64(sent))
	if size := providers.Size(req); !truncated && size >= leastCompared {
		w.ratio = max(w.ratio, float64(counted)/float64(size))
	}
	say := truncated && !w.said
	w.said = w.said || truncated
	w.mu.Unlock()
	if say {
		w.target.options.notify(w.warning(sent, counted))
	}
}

// estimate returns about how many tokens req has, by the highest ratio measured so far. Until one is measured, tools do
// not count: the templates of some models leave them out.
func (w *watched) estimate(req *providers.Request) int {
	if w.ratio > 0 {
		return int(w.ratio * float64(providers.Size(req)))
	}
	n := toollimit.Tokens(req.System)
	for _, m := range req.Messages {
		n += toollimit.Tokens(m.Text)
	}
	if r := w.Info().TokenRatio; r > 0 {
		return int(r * float64(n))
	}
	return n
}

func (w *watched) warning(sent, counted int) string {
	text := fmt.Sprintf("warning: the server counted %s tokens of a request of about %s: it truncates requests to its "+
		"window. Pass --window %d", line.Number(counted), line.Number(sent), counted)
	if more := w.target.more((sent/kibitoken + 1) * kibitoken); more != "" {
		text += ", or run it with more: " + more
	}
	return text
}
