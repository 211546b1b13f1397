package providers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/forayhq/foray/toollimit"
)

// A Bill is the cost of answers.
type Bill struct {
	Provider, Model string // empty in a total
	Answers         int    // all that began, including those that broke off
	Estimated       int    // answers that the provider did not count: their usage is an estimate
	Unpriced        int    // answers of models without a known price: Cost leaves them out
	Usage           Usage
	Cost            float64 // in dollars
}

// Known reports whether Cost covers all answers.
func (b Bill) Known() bool { return b.Unpriced == 0 }

// String returns the cost as "$0.0123" or "unknown", or both if only some answers have a price.
func (b Bill) String() string {
	switch {
	case b.Known():
		return fmt.Sprintf("$%.4f", b.Cost)
	case b.Unpriced == b.Answers:
		return "unknown"
	}
	return fmt.Sprintf("$%.4f and an unknown part", b.Cost)
}

func (b Bill) add(c Bill) Bill {
	b.Answers += c.Answers
	b.Estimated += c.Estimated
	b.Unpriced += c.Unpriced
	b.Usage = b.Usage.Add(c.Usage)
	b.Cost += c.Cost
	return b
}

// A Meter adds up the cost of the answers of the models it watches, and stops them at a bound. It is safe for
// concurrent use.
type Meter struct {
	prices  []Price // override Info.Price
	maxCost float64 // in dollars; 0: no bound

	mu    sync.Mutex
	bills []Bill // one for each model, in the order of their first answers
}

// NewMeter returns a meter that has counted nothing. MaxCost bounds the cost of all answers, in dollars; 0 means no
// bound. Prices override [Info]'s Price: the first that covers a model is used.
func NewMeter(maxCost float64, prices ...Price) *Meter {
	return &Meter{prices: prices, maxCost: maxCost}
}

// Watch returns m with its answers on the meter. Put it next to the model, inside [Retry] and [Fallback], so that each
// answer is billed to the model that gave it.
//
// With a bound, a request fails with class [Spent] once the cost has reached it; only requests already in flight can
// exceed it. With a bound, a request to a model without a known price fails with class [Invalid], because its cost
// cannot be counted.
func (t *Meter) Watch(m Model) Model {
	info := m.Info()
	price := info.Price
	if i := slices.IndexFunc(t.prices, func(p Price) bool { return p.Covers(info.Provider, info.Name) }); i >= 0 {
		price = t.prices[i]
	}
	w := watch{meter: t, model: m, price: price, known: price != (Price{})}
	return layer{m, w.stream}
}

// Bills returns one bill for each model so far, in the order of their first answers.
func (t *Meter) Bills() []Bill {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.bills)
}

// Total returns the sum of the bills so far.
func (t *Meter) Total() Bill {
	var sum Bill
	for _, b := range t.Bills() {
		sum = sum.add(b)
	}
	return sum
}

// Carry adds a bill of an earlier process, so that the total and the bound are those of the whole run.
func (t *Meter) Carry(b Bill) { t.book(b) }

func (t *Meter) book(b Bill) {
	t.mu.Lock()
	defer t.mu.Unlock()
	same := func(old Bill) bool { return old.Provider == b.Provider && old.Model == b.Model }
	if i := slices.IndexFunc(t.bills, same); i >= 0 {
		t.bills[i] = t.bills[i].add(b)
	} else {
		t.bills = append(t.bills, b)
	}
}

// A watch bills the answers of one model to a meter.
type watch struct {
	meter *Meter
	model Model
	price Price
	known bool
}

var errNoPrice = errors.New("the price of this model is unknown: set its price, or remove the bound on the cost")

func (w *watch) stream(ctx context.Context, req *Request, yield func(Delta, error) bool) {
	if maxCost := w.meter.maxCost; maxCost > 0 {
		if !w.known {
			refuse(w.model, Invalid, errNoPrice, yield)
			return
		}
		if spent := w.meter.Total().Cost; spent >= maxCost {
			refuse(w.model, Spent, fmt.Errorf("$%.4f of $%.4f", spent, maxCost), yield)
			return
		}
	}
	var a tally
	defer func() { w.book(req, &a) }() // an answer that broke off costs something too
	for d, err := range w.model.Stream(ctx, req) {
		if err == nil {
			a.add(d)
		}
		if !yield(d, err) {
			return
		}
	}
}

// book adds a finished answer to the bill.
func (w *watch) book(req *Request, a *tally) {
	if !a.begun {
		return
	}
	info := w.model.Info()
	b := Bill{Provider: info.Provider, Model: info.Name, Answers: 1, Usage: a.usage}
	if a.usage == (Usage{}) {
		b.Estimated, b.Usage = 1, Usage{Input: Size(req), Output: a.tokens + toollimit.Tokens(string(a.text))}
	}
	if w.known {
		b.Cost = w.price.Cost(b.Usage)
	} else {
		b.Unpriced = 1
	}
	w.meter.book(b)
}

// A tally counts one answer.
type tally struct {
	begun bool
	usage Usage

	// For an estimate: text is the end of the answer, with reasoning and calls, and tokens what came before.
	text   []byte
	tokens int
}

// maxTally is how many bytes of an answer a tally holds.
const maxTally = 64 << 10

func (a *tally) add(d Delta) {
	a.begun = true
	a.text = append(append(a.text, d.Text...), d.Reasoning...)
	if d.Call != nil {
		a.text = append(append(a.text, d.Call.Name...), d.Call.Args...)
	}
	if len(a.text) > maxTally {
		a.tokens, a.text = a.tokens+toollimit.Tokens(string(a.text)), nil
	}
	if d.Usage != nil {
		a.usage = *d.Usage
	}
}
