// Package models knows the facts of language models by name: windows, output limits, token ratios, prices, and which
// models follow a JSON schema. Dialects use it to complete the [providers.Info] of a model; package catalog shows it to
// users.
//
// Start with [Complete]. The table is [families].
package models

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/providers"
)

// A Model is one row of the table: a model, or all models whose names start with Name.
type Model struct {
	Name      string  // without a provider: "gpt-4.1"
	Exact     bool    // Name is a whole name and not a prefix
	Window    int     // context window in tokens; 0: see the longest other row that starts the name
	MaxOutput int     // longest answer in tokens, if below 8,192
	Source    string  // where Window was published
	Ratio     float64 // tokens that the model counts for each estimated token; 0: not measured

	Rates providers.Rates // price; zero: see another row
	Above int             // requests with more input tokens cost Long; 0: one price for all
	Long  providers.Rates
}

// free are providers whose models cost nothing: they run on the user's machine or call no language model.
var free = []string{"scripted", "planner", "ollama"}

// resellers sell models at the vendors' list prices. They name a model by its vendor, as in "google/gemini-2.5-pro";
// the table translates the vendor to the name of its price list.
var resellers = map[string]map[string]string{
	"openrouter": {"openai": "openai", "anthropic": "anthropic", "google": "gemini"},
}

// withoutSchema matches OpenAI models released before structured output. See
// platform.openai.com/docs/guides/structured-outputs.
var withoutSchema = regexp.MustCompile(
	`^(?:ft:)?(?:gpt-3\.5|gpt-4(?:[-:]|$)|gpt-4o-2024-05-13|chatgpt-|o1-mini|o1-preview)`)

// Complete fills the zero fields Window, MaxOutput, Vision, TokenRatio and Price of info from the table.
func Complete(info providers.Info) providers.Info {
	m, _ := Size(info.Name)
	info.Window, info.MaxOutput = cmp.Or(info.Window, m.Window), cmp.Or(info.MaxOutput, m.MaxOutput)
	info.Vision = cmp.Or(info.Vision, Vision(info.Name))
	info.TokenRatio = cmp.Or(info.TokenRatio, Ratio(info.Name))
	price, _ := Price(info.Provider, info.Name)
	info.Price = cmp.Or(info.Price, price)
	return info
}

// All returns the rows with a window, by family.
func All() []Model {
	var all []Model
	for _, f := range families {
		for _, m := range f.models {
			if m.Window > 0 {
				all = append(all, m)
			}
		}
	}
	return all
}

// Size returns the row that says how large a model's window is: the row of the exact name, else the longest prefix. The
// name may carry a path: "openai/gpt-4o", "models/gemini-2.5-pro".
func Size(model string) (Model, bool) {
	return longest(model, func(m Model) bool { return m.Window > 0 })
}

// Ratio returns how many tokens a model counts for each token that toollimit.Tokens estimates; 0 if it was not
// measured for the model's family.
func Ratio(model string) float64 {
	m, _ := longest(model, func(m Model) bool { return m.Ratio > 0 })
	return m.Ratio
}

// FollowsSchema reports whether a model of OpenAI supports structured output.
func FollowsSchema(model string) bool { return !withoutSchema.MatchString(model) }

// Price returns the price of a model at a provider. Without one, the cost is unknown, not zero.
func Price(provider, model string) (providers.Price, bool) {
	provider, model = list(provider, model)
	if slices.Contains(free, provider) {
		return providers.Price{Provider: provider}, true
	}
	var best providers.Price
	for _, f := range families {
		if f.list == "" || f.list != provider {
			continue
		}
		for _, m := range f.models {
			p := providers.Price{Provider: f.list, Model: m.Name, Rates: m.Rates, Above: m.Above, Long: m.Long}
			p.Write, p.Long.Write = f.write*p.Input, f.write*p.Long.Input
			if m.Rates != (providers.Rates{}) && len(m.Name) > len(best.Model) && p.Covers(provider, model) {
				best = p
			}
		}
	}
	return best, best.Model != ""
}

// Priced returns the names of a provider's models with a price, in the order of the table.
func Priced(provider string) []string {
	provider, _ = list(provider, "")
	var names []string
	for _, f := range families {
		for _, m := range f.models {
			if f.list == provider && m.Rates != (providers.Rates{}) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// Family returns the price list of the family that a model's name belongs to, which may be none, and whether the table
// knows the name.
func Family(model string) (list string, known bool) {
	m, known := Size(model)
	for _, f := range families {
		if slices.Contains(f.models, m) {
			return f.list, known
		}
	}
	return "", known
}

// list returns the price list of a provider, and the model's name on it.
func list(provider, model string) (string, string) {
	provider, model = strings.ToLower(provider), strings.ToLower(strings.TrimPrefix(model, "models/"))
	if vendors, ok := resellers[provider]; ok {
		vendor, name, _ := strings.Cut(model, "/")
		if own := vendors[vendor]; own != "" {
			provider, model = own, name
		}
		if provider == "anthropic" {
			model = strings.ReplaceAll(model, ".", "-") // OpenRouter writes claude-sonnet-4.5
		}
	}
	if provider == "generativeai" {
		provider = "gemini"
	}
	return provider, model
}

// longest returns the row for a model among those that has accepts: the exact name, else the longest prefix.
func longest(model string, has func(Model) bool) (best Model, found bool) {
	name := baseName(model)
	for _, f := range families {
		for _, m := range f.models {
			switch {
			case !has(m):
			case m.Exact && m.Name == name:
				return m, true
			case !m.Exact && len(m.Name) > len(best.Name) && startsName(m.Name, name):
				best, found = m, true
			}
		}
	}
	return best, found
}

// baseName returns a model's name in lower case, without the path of a provider.
func baseName(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	name = name[strings.LastIndexByte(name, '/')+1:]
	if strings.HasPrefix(name, "meta-llama") {
		name = strings.TrimPrefix(name, "meta-")
	}
	return name
}

// startsName reports whether name starts with prefix and prefix ends at a border. "gpt-4" starts "gpt-4-0613", but
// neither "gpt-4o" nor "gpt-4.1": no letter may follow a prefix, and after a digit no digit and no minor version.
func startsName(prefix, name string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || prefix == "" {
		return false
	}
	last := prefix[len(prefix)-1]
	if rest == "" || last == '.' {
		return true
	}
	if rest[0] >= 'a' && rest[0] <= 'z' {
		return false
	}
	if !isDigit(last) {
		return true
	}
	minor := rest[0] == '.' && len(rest) > 1 && isDigit(rest[1])
	return !isDigit(rest[0]) && !minor
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
