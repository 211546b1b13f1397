package providers

import (
	"cmp"
	"regexp"
	"strings"
)

// Rates are prices in US dollars for a million tokens.
type Rates struct {
	Input  float64 // request tokens that were not cached
	Cached float64 // request tokens read from the provider's cache
	Write  float64 // request tokens written to it; 0: as Input
	Output float64 // answer tokens, including reasoning
}

// A Price is what one model costs. The zero Price is unknown, not free.
type Price struct {
	Provider string // as in [Info]
	Model    string // the name without its version; empty: every model of the provider
	Rates
	Above int   // a request with more input tokens costs Long; 0: one price for all
	Long  Rates // for the whole request, not only the tokens above
}

// Cost returns what an answer costs in US dollars.
func (p Price) Cost(u Usage) float64 {
	r := p.Rates
	if p.Above > 0 && max(u.Input-u.Compacted, u.Compacted) > p.Above { // to compact is a request of its own
		r = p.Long
	}
	cached := min(u.Cached, u.Input)
	written := min(u.Written, u.Input-cached)
	return (float64(u.Input-cached-written)*r.Input + float64(cached)*r.Cached +
		float64(written)*cmp.Or(r.Write, r.Input) + float64(u.Output)*r.Output) / 1e6
}

// version matches the suffixes that do not change the price of a model: dates, build numbers, "preview" and "latest". A
// minor version, as in "-4.1", is another model.
var version = regexp.MustCompile(`^(-preview|-latest|-\d{8}|-\d{4}-\d\d-\d\d|-\d\d-\d\d|-\d\d-\d{4}|-\d{3,4})*$`)

// Covers reports whether p is the price of a model at a provider.
func (p Price) Covers(provider, model string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(model), p.Model)
	return p.Provider == strings.ToLower(provider) && (p.Model == "" || ok && version.MatchString(rest))
}
