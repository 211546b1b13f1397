package providers

import (
	"regexp"
	"slices"
	"strings"
)

// Rates are prices in US dollars for a million tokens.
type Rates struct {
	Input  float64 // of the request, without what is cached
	Cached float64 // of the request, read from the provider's cache
	Output float64 // of the answer, reasoning included
}

// A Price is one row of a price table.
type Price struct {
	Provider string // whose list it is: "openai", "gemini", "anthropic", "deepseek", or the provider of a model
	Model    string // the name without its version; "": each model of the provider
	Rates
	Above int   // a request of more input tokens than this costs Long; 0: one price for all
	Long  Rates // the whole request, not only what is above
}

// Cost returns what an answer costs in US dollars.
func (p Price) Cost(u Usage) float64 {
	r := p.Rates
	if p.Above > 0 && u.Input > p.Above {
		r = p.Long
	}
	cached := min(u.Cached, u.Input)
	return (float64(u.Input-cached)*r.Input + float64(cached)*r.Cached + float64(u.Output)*r.Output) / 1e6
}

// Prices is a price table. The first row that fits holds, so rows put in front override the others.
type Prices []Price

// version is what may follow a row's name: dates, build numbers, preview and latest. A minor version is another model.
var version = regexp.MustCompile(`^(-preview|-latest|-\d{8}|-\d{4}-\d\d-\d\d|-\d\d-\d\d|-\d\d-\d{4}|-\d{3,4})*$`)

// resellers are providers that ask the prices of the lists they name their models by, as in "google/gemini-2.5-pro".
var resellers = map[string]map[string]string{
	"openrouter": {"openai": "openai", "anthropic": "anthropic", "google": "gemini"},
}

// Of returns the price of a model of a provider, and false when no row knows it: its cost is unknown then, not nothing.
func (ps Prices) Of(provider, model string) (Price, bool) {
	provider, model = strings.ToLower(provider), strings.ToLower(strings.TrimPrefix(model, "models/"))
	if vendors, ok := resellers[provider]; ok {
		vendor, name, _ := strings.Cut(model, "/")
		if list := vendors[vendor]; list != "" {
			provider, model = list, name
		}
		if provider == "anthropic" {
			model = strings.ReplaceAll(model, ".", "-") // OpenRouter writes claude-sonnet-4.5
		}
	}
	if provider == "generativeai" {
		provider = "gemini"
	}
	for _, p := range ps {
		rest, ok := strings.CutPrefix(model, p.Model)
		if p.Provider == provider && (p.Model == "" || ok && version.MatchString(rest)) {
			return p, true
		}
	}
	return Price{}, false
}

// PriceTable returns the table that the package knows. Prices change: its source and date stand with the rows.
func PriceTable() Prices { return slices.Clone(prices) }

// prices are the list prices of standard processing, as of 2026-07-24, taken from model_prices_and_context_window.json of
// the project LiteLLM, which collects the lists of the providers (platform.openai.com/docs/pricing,
// ai.google.dev/gemini-api/docs/pricing, docs.anthropic.com, api-docs.deepseek.com). Writing to a cache, batches,
// priority and tools of the provider have other prices and are not in it. Where a list has no price for cached input, it
// costs what input costs. What runs on the own machine costs nothing.
var prices = Prices{
	{Provider: "offline"},
	{Provider: "planner"},
	{Provider: "ollama"},

	{Provider: "openai", Model: "gpt-5.5", Rates: Rates{5, 0.5, 30}, Above: 272_000, Long: Rates{10, 1, 45}},
	{Provider: "openai", Model: "gpt-5.5-pro", Rates: Rates{30, 3, 180}, Above: 272_000, Long: Rates{60, 6, 270}},
	{Provider: "openai", Model: "gpt-5.4", Rates: Rates{2.5, 0.25, 15}, Above: 272_000, Long: Rates{5, 0.5, 22.5}},
	{Provider: "openai", Model: "gpt-5.4-mini", Rates: Rates{0.75, 0.075, 4.5}},
	{Provider: "openai", Model: "gpt-5.4-nano", Rates: Rates{0.2, 0.02, 1.25}},
	{Provider: "openai", Model: "gpt-5.4-pro", Rates: Rates{30, 3, 180}, Above: 272_000, Long: Rates{60, 6, 270}},
	{Provider: "openai", Model: "gpt-5.3-codex", Rates: Rates{1.75, 0.175, 14}},
	{Provider: "openai", Model: "gpt-5.3-chat", Rates: Rates{1.75, 0.175, 14}},
	{Provider: "openai", Model: "gpt-5.2", Rates: Rates{1.75, 0.175, 14}},
	{Provider: "openai", Model: "gpt-5.2-chat", Rates: Rates{1.75, 0.175, 14}},
	{Provider: "openai", Model: "gpt-5.2-codex", Rates: Rates{1.75, 0.175, 14}},
	{Provider: "openai", Model: "gpt-5.2-pro", Rates: Rates{21, 21, 168}},
	{Provider: "openai", Model: "gpt-5.1", Rates: Rates{1.25, 0.125, 10}},
	{Provider: "openai", Model: "gpt-5.1-chat", Rates: Rates{1.25, 0.125, 10}},
	{Provider: "openai", Model: "gpt-5.1-codex", Rates: Rates{1.25, 0.125, 10}},
	{Provider: "openai", Model: "gpt-5.1-codex-max", Rates: Rates{1.25, 0.125, 10}},
	{Provider: "openai", Model: "gpt-5.1-codex-mini", Rates: Rates{0.25, 0.025, 2}},
	{Provider: "openai", Model: "gpt-5", Rates: Rates{1.25, 0.125, 10}},
	{Provider: "openai", Model: "gpt-5-chat", Rates: Rates{1.25, 0.125, 10}},
	{Provider: "openai", Model: "gpt-5-codex", Rates: Rates{1.25, 0.125, 10}},
	{Provider: "openai", Model: "gpt-5-mini", Rates: Rates{0.25, 0.025, 2}},
	{Provider: "openai", Model: "gpt-5-nano", Rates: Rates{0.05, 0.005, 0.4}},
	{Provider: "openai", Model: "gpt-5-pro", Rates: Rates{15, 15, 120}},
	{Provider: "openai", Model: "gpt-4.1", Rates: Rates{2, 0.5, 8}},
	{Provider: "openai", Model: "gpt-4.1-mini", Rates: Rates{0.4, 0.1, 1.6}},
	{Provider: "openai", Model: "gpt-4.1-nano", Rates: Rates{0.1, 0.025, 0.4}},
	{Provider: "openai", Model: "gpt-4o-2024-05-13", Rates: Rates{5, 5, 15}},
	{Provider: "openai", Model: "gpt-4o", Rates: Rates{2.5, 1.25, 10}},
	{Provider: "openai", Model: "gpt-4o-mini", Rates: Rates{0.15, 0.075, 0.6}},
	{Provider: "openai", Model: "gpt-4-turbo", Rates: Rates{10, 10, 30}},
	{Provider: "openai", Model: "gpt-4-0125", Rates: Rates{10, 10, 30}},
	{Provider: "openai", Model: "gpt-4-1106", Rates: Rates{10, 10, 30}},
	{Provider: "openai", Model: "gpt-4", Rates: Rates{30, 30, 60}},
	{Provider: "openai", Model: "gpt-3.5-turbo-1106", Rates: Rates{1, 1, 2}},
	{Provider: "openai", Model: "gpt-3.5-turbo", Rates: Rates{0.5, 0.5, 1.5}},
	{Provider: "openai", Model: "o1", Rates: Rates{15, 7.5, 60}},
	{Provider: "openai", Model: "o1-pro", Rates: Rates{150, 150, 600}},
	{Provider: "openai", Model: "o3", Rates: Rates{2, 0.5, 8}},
	{Provider: "openai", Model: "o3-mini", Rates: Rates{1.1, 0.55, 4.4}},
	{Provider: "openai", Model: "o3-pro", Rates: Rates{20, 20, 80}},
	{Provider: "openai", Model: "o4-mini", Rates: Rates{1.1, 0.275, 4.4}},

	{Provider: "gemini", Model: "gemini-3.5-flash", Rates: Rates{1.5, 0.15, 9}},
	{Provider: "gemini", Model: "gemini-3.5-flash-lite", Rates: Rates{0.3, 0.03, 2.5}},
	{Provider: "gemini", Model: "gemini-3.1-pro", Rates: Rates{2, 0.2, 12}, Above: 200_000, Long: Rates{4, 0.4, 18}},
	{Provider: "gemini", Model: "gemini-3.1-flash-lite", Rates: Rates{0.25, 0.025, 1.5}},
	{Provider: "gemini", Model: "gemini-3-pro", Rates: Rates{2, 0.2, 12}, Above: 200_000, Long: Rates{4, 0.4, 18}},
	{Provider: "gemini", Model: "gemini-3-flash", Rates: Rates{0.5, 0.05, 3}},
	{Provider: "gemini", Model: "gemini-2.5-pro", Rates: Rates{1.25, 0.125, 10}, Above: 200_000, Long: Rates{2.5, 0.25, 15}},
	{Provider: "gemini", Model: "gemini-2.5-flash", Rates: Rates{0.3, 0.03, 2.5}},
	{Provider: "gemini", Model: "gemini-2.5-flash-lite", Rates: Rates{0.1, 0.01, 0.4}},
	{Provider: "gemini", Model: "gemini-2.0-flash", Rates: Rates{0.1, 0.025, 0.4}},
	{Provider: "gemini", Model: "gemini-2.0-flash-lite", Rates: Rates{0.075, 0.01875, 0.3}},

	{Provider: "anthropic", Model: "claude-opus-4-8", Rates: Rates{5, 0.5, 25}},
	{Provider: "anthropic", Model: "claude-opus-4-7", Rates: Rates{5, 0.5, 25}},
	{Provider: "anthropic", Model: "claude-opus-4-6", Rates: Rates{5, 0.5, 25}},
	{Provider: "anthropic", Model: "claude-opus-4-5", Rates: Rates{5, 0.5, 25}},
	{Provider: "anthropic", Model: "claude-opus-4-1", Rates: Rates{15, 1.5, 75}},
	{Provider: "anthropic", Model: "claude-opus-4", Rates: Rates{15, 1.5, 75}},
	{Provider: "anthropic", Model: "claude-sonnet-4-6", Rates: Rates{3, 0.3, 15}},
	{Provider: "anthropic", Model: "claude-sonnet-4-5", Rates: Rates{3, 0.3, 15}, Above: 200_000, Long: Rates{6, 0.6, 22.5}},
	{Provider: "anthropic", Model: "claude-sonnet-4", Rates: Rates{3, 0.3, 15}, Above: 200_000, Long: Rates{6, 0.6, 22.5}},
	{Provider: "anthropic", Model: "claude-haiku-4-5", Rates: Rates{1, 0.1, 5}},
	{Provider: "anthropic", Model: "claude-3-7-sonnet", Rates: Rates{3, 0.3, 15}},
	{Provider: "anthropic", Model: "claude-3-opus", Rates: Rates{15, 1.5, 75}},
	{Provider: "anthropic", Model: "claude-3-haiku", Rates: Rates{0.25, 0.03, 1.25}},

	{Provider: "deepseek", Model: "deepseek-v4-flash", Rates: Rates{0.14, 0.0028, 0.28}},
	{Provider: "deepseek", Model: "deepseek-v4-pro", Rates: Rates{0.435, 0.00363, 0.87}},
	{Provider: "deepseek", Model: "deepseek-chat", Rates: Rates{0.28, 0.028, 0.42}},
	{Provider: "deepseek", Model: "deepseek-reasoner", Rates: Rates{0.28, 0.028, 0.42}},
}
