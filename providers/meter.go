package providers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/forayhq/foray/toollimit"
)

// MeterOptions say what a Meter knows and allows. Nil and zero values are the defaults.
type MeterOptions struct {
	Prices  []Price // override [Info.Price]; the first that covers a model holds
	MaxCost float64 // dollars that all answers together may cost; 0: no bound
}

// A Bill is what answers cost.
type Bill struct {
	Provider, Model string // of the model; "" in a total
	Answers         int    // begun, also those that broke off
	Estimated       int    // of these, how many the provider did not count: their usage is an estimate
	Unpriced        int    // of these, how many were by models without a known price: Cost is without them
	Usage           Usage
	Cost            float64 // dollars, of the answers with a price
}

// Known reports whether Cost is that of all answers.
func (b Bill) Known() bool { return b.Unpriced == 0 }

// String says the cost: "$0.0123", or "unknown", or both where only a part has a price.
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

// A Meter sums up what the answers of the models it watches cost, and ends the spending at a bound. It is safe for
// concurrent use.
type Meter struct {
	prices []Price
	most   float64

	mu    sync.Mutex
	bills []Bill // one a model, in the order of their first answers
}

// NewMeter returns a meter on which nothing is spent.
func NewMeter(o *MeterOptions) *Meter {
	t := &Meter{}
	if o != nil {
		t.prices, t.most = o.Prices, o.MaxCost
	}
	return t
}

// Watch returns m with its answers on the meter. Put it next to the model, within Fallback and Retry, so that each answer
// goes on the bill of the model that gave it. With a MaxCost, a request fails with class Spent when as much is spent, so
// that what is spent goes over the bound by what is under way at most; and with class Invalid when m has no known price,
// for then no bound could be kept.
func (t *Meter) Watch(m Model) Model {
	info := m.Info()
	price := info.Price
	if i := slices.IndexFunc(t.prices, func(p Price) bool { return p.Covers(info.Provider, info.Name) }); i >= 0 {
		price = t.prices[i]
	}
	w := watch{meter: t, model: m, price: price, known: price != (Price{})}
	return layer{m, w.stream}
}

// Bills returns the bills so far, one a model, in the order of their first answers.
func (t *Meter) Bills() []Bill {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Bill(nil), t.bills...)
}

// Total returns the sum of the bills so far.
func (t *Meter) Total() Bill {
	var sum Bill
	for _, b := range t.Bills() {
		sum = sum.add(b)
	}
	return sum
}

func (t *Meter) book(b Bill) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, old := range t.bills {
		if old.Provider == b.Provider && old.Model == b.Model {
			t.bills[i] = old.add(b)
			return
		}
	}
	t.bills = append(t.bills, b)
}

// A watch is a meter at one model.
type watch struct {
	meter *Meter
	model Model
	price Price
	known bool
}

var errNoPrice = errors.New("no price is known for this model, so the bound on the cost cannot be kept: give its price, or no bound")

func (w *watch) stream(ctx context.Context, req *Request, yield func(Delta, error) bool) {
	if most := w.meter.most; most > 0 {
		if !w.known {
			refuse(w.model, Invalid, errNoPrice, yield)
			return
		}
		if spent := w.meter.Total().Cost; spent >= most {
			refuse(w.model, Spent, fmt.Errorf("$%.4f are spent, the bound is $%.4f", spent, most), yield)
			return
		}
	}
	var a metered
	defer func() { w.book(req, &a) }() // also what broke off has its price
	for d, err := range w.model.Stream(ctx, req) {
		if err == nil {
			a.add(d)
		}
		if !yield(d, err) {
			return
		}
	}
}

// book puts an answer that is over on the bill.
func (w *watch) book(req *Request, a *metered) {
	if !a.begun {
		return
	}
	info := w.model.Info()
	b := Bill{Provider: info.Provider, Model: info.Name, Answers: 1, Usage: a.usage}
	if a.usage == (Usage{}) {
		b.Estimated, b.Usage = 1, Usage{Input: Size(req), Output: toollimit.Tokens(string(a.said))}
	}
	if w.known {
		b.Cost = w.price.Cost(b.Usage)
	} else {
		b.Unpriced = 1
	}
	w.meter.book(b)
}

// A metered answer is what was seen of one answer.
type metered struct {
	begun bool
	usage Usage
	said  []byte
}

func (a *metered) add(d Delta) {
	a.begun = true
	a.said = append(append(a.said, d.Text...), d.Reasoning...)
	if d.Call != nil {
		a.said = append(append(a.said, d.Call.Name...), d.Call.Args...)
	}
	if d.Usage != nil {
		a.usage = *d.Usage
	}
}
