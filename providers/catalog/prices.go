package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
)

// PriceDate is when the prices of the table were read from the vendors' lists, as year, month and day.
const PriceDate = models.PriceDate

// A PriceList is prices that take precedence over those of the table, for [Options].
type PriceList struct {
	Date   string // when they were valid: year, month and day
	Prices []providers.Price
}

// maxPrices is the size of a list, in bytes; maxRate is the highest price in one, in dollars for a million tokens.
const (
	maxPrices = 1 << 20
	maxRate   = 1e6
)

// A rate is the prices of a row in a list. Cached and Write, that of input written to a cache, may be missing: then
// such input costs as much as other input.
type rate struct {
	Input  *float64 `json:"input"`
	Cached *float64 `json:"cached"`
	Write  *float64 `json:"write"`
	Output *float64 `json:"output"`
}

// A priceRow is the price of one model, or of all models of a provider.
type priceRow struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	rate
	Above int   `json:"above"`
	Long  *rate `json:"long"`
}

// ReadPrices reads a list of prices:
//
//	{
//	  "date": "2026-11-01",
//	  "usd_per_million_tokens": [
//	    {"provider": "azure", "model": "my-gpt", "input": 2, "cached": 0.5, "output": 8},
//	    {"provider": "gemini", "model": "gemini-3.1-pro", "input": 2, "cached": 0.2, "output": 12,
//	     "above": 200000, "long": {"input": 4, "cached": 0.4, "output": 18}}
//	  ]
//	}
//
// A model without its version covers all versions; a row without a model covers all models of its provider. Above and
// long are the prices of requests with more input tokens. An unknown key or provider, a missing price, and a price
// below 0 or above 1,000,000 are errors that name their row.
func ReadPrices(r io.Reader) (PriceList, error) {
	var in struct {
		Date string     `json:"date"`
		Rows []priceRow `json:"usd_per_million_tokens"`
	}
	d := json.NewDecoder(io.LimitReader(r, maxPrices))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return PriceList{}, fmt.Errorf("not a list of prices: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return PriceList{}, errors.New("more than one list of prices, or more than 1 MiB")
	}
	if _, err := time.Parse(time.DateOnly, in.Date); err != nil {
		return PriceList{}, fmt.Errorf(`"date" is %.20q; it must be a day, as in "2026-11-01"`, in.Date)
	}
	list := PriceList{Date: in.Date}
	for i, row := range in.Rows {
		p, err := row.price()
		if err != nil {
			return PriceList{}, fmt.Errorf("price %d: %w", i+1, err)
		}
		same := func(q providers.Price) bool { return p.Provider == q.Provider && p.Model == q.Model }
		if slices.ContainsFunc(list.Prices, same) {
			return PriceList{}, fmt.Errorf("price %d: %s/%s has a price already", i+1, p.Provider, p.Model)
		}
		list.Prices = append(list.Prices, p)
	}
	if len(list.Prices) == 0 {
		return PriceList{}, errors.New(`"usd_per_million_tokens" lists no prices`)
	}
	return list, nil
}

func (row priceRow) price() (providers.Price, error) {
	p := providers.Price{Provider: row.Provider, Model: strings.ToLower(row.Model), Above: row.Above}
	if _, known := endpointOf(row.Provider); !known {
		near := line.Closest(row.Provider, endpointNames(), 1)[0]
		return p, fmt.Errorf("unknown provider %.40q; nearest: %s", row.Provider, near)
	}
	if (row.Above > 0) != (row.Long != nil) || row.Above < 0 {
		return p, errors.New(`"above", in tokens, and "long" belong together`)
	}
	var err error
	if p.Rates, err = row.rates(); err == nil && row.Long != nil {
		p.Long, err = row.Long.rates()
	}
	return p, err
}

func (r rate) rates() (providers.Rates, error) {
	if r.Input == nil || r.Output == nil {
		return providers.Rates{}, errors.New(`"input" or "output" is missing`)
	}
	if r.Cached == nil {
		r.Cached = r.Input
	}
	if r.Write == nil {
		r.Write = r.Input
	}
	for _, n := range []float64{*r.Input, *r.Cached, *r.Write, *r.Output} {
		if n < 0 || n > maxRate {
			return providers.Rates{}, fmt.Errorf("%v is not a price: it must be from 0 to 1,000,000 dollars", n)
		}
	}
	return providers.Rates{Input: *r.Input, Cached: *r.Cached, Write: *r.Write, Output: *r.Output}, nil
}

// Price returns the price of a model at a provider: that of the list which names it most exactly, else the table's. It
// is false if neither has one.
func (l PriceList) Price(provider, model string) (providers.Price, bool) {
	var best providers.Price
	found := false
	for _, p := range l.Prices {
		if p.Covers(provider, model) && (!found || len(p.Model) > len(best.Model)) {
			best, found = p, true
		}
	}
	if found {
		return best, true
	}
	return models.Price(provider, model)
}
