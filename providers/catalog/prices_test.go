package catalog

import (
	"math"
	"strings"
	"testing"

	"github.com/forayhq/foray/providers"
)

const someCost = `{"date": "2026-11-01", "usd_per_million_tokens": [
	{"provider": "azure", "model": "Mine", "input": 2, "cached": 0.5, "output": 8},
	{"provider": "azure", "input": 1, "output": 4},
	{"provider": "openai", "model": "gpt-4.1", "input": 20, "output": 80, "above": 1000, "long": {"input": 40, "output": 160}}
]}`

// Rule: a list of prices decides what an answer costs, the row with the longest name first, then the table.
func TestPriceList(t *testing.T) {
	noKeys(t)
	list, err := ReadPrices(strings.NewReader(someCost))
	if err != nil || list.Date != "2026-11-01" {
		t.Fatalf("%v, %v", list, err)
	}
	million := providers.Usage{Input: 1e6, Cached: 5e5, Output: 1e6}
	for _, tt := range []struct {
		provider, model string
		usage           providers.Usage
		want            float64
	}{
		{"azure", "mine-2026-01-01", million, 1 + .25 + 8},
		{"azure", "other", million, 1 + 4},
		{"openai", "gpt-4.1", million, 40 + 160},
		{"openai", "gpt-4.1", providers.Usage{Input: 1000}, .02},
		{"openai", "gpt-4.1-mini", providers.Usage{Output: 1e6}, 1.6},
	} {
		p, ok := list.Price(tt.provider, tt.model)
		if got := p.Cost(tt.usage); !ok || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s/%s costs %v, %v, want %v", tt.provider, tt.model, got, ok, tt.want)
		}
	}
	if p, ok := list.Price("bedrock", "mine"); ok {
		t.Errorf("bedrock/mine costs %v", p)
	}
	meter := providers.NewMeter(0)
	m, err := Open("azure/mine", &Options{Key: "sk-0123456789", BaseURL: "https://shop.example/v1", Prices: list, Meter: meter})
	if err != nil || m.Info().Price.Output != 8 {
		t.Errorf("the model opened with the list costs %v, %v", m.Info().Price, err)
	}
	if m, err = Open("openai/gpt-4.1", &Options{Key: "sk-0123456789", Prices: list}); err != nil || m.Info().Price.Input != 20 {
		t.Errorf("the model opened with the list costs %v, %v", m.Info().Price, err)
	}
}

// Rule: what is no list of prices is refused, with the row and what is wrong.
func TestBadPriceLists(t *testing.T) {
	row := func(text string) string { return `{"date":"2026-11-01","usd_per_million_tokens":[` + text + `]}` }
	for text, want := range map[string]string{
		"":                  "not a list of prices",
		"[]":                "not a list of prices",
		someCost[1:]:        "not a list of prices",
		someCost + someCost: "more than one list",
		`{"date":"today","usd_per_million_tokens":[]}`:                                             `"date" is "today"`,
		`{"date":"2026-11-01"}`:                                                                    "lists no prices",
		`{"date":"2026-11-01","euro_per_million_tokens":[]}`:                                       `unknown field "euro_per_million_tokens"`,
		row(`{"provider":"azure","input":1,"output":2,"chached":1}`):                               `unknown field "chached"`,
		row(`{"provider":"azur","input":1,"output":2}`):                                            `price 1: unknown provider "azur"; nearest: azure`,
		row(`{"provider":"azure","input":1}`):                                                      `price 1: "input" or "output" is missing`,
		row(`{"provider":"azure","input":-1,"output":2}`):                                          "-1 is not a price",
		row(`{"provider":"azure","input":1,"output":2e9}`):                                         "2e+09 is not a price",
		row(`{"provider":"azure","input":"1","output":2}`):                                         "not a list of prices",
		row(`{"provider":"azure","input":1,"output":2,"above":5}`):                                 `"above", in tokens, and "long" belong together`,
		row(`{"provider":"azure","input":1,"output":2},{"provider":"azure","input":1,"output":3}`): "price 2: azure/ has a price already",
	} {
		if _, err := ReadPrices(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: error %v, want %q", text, err, want)
		}
	}
}
