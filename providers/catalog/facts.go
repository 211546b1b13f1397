package catalog

import (
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
)

// A Size is one row of the table of context windows.
type Size struct {
	Name   string // of a model or, unless Exact, the start of the names of a family
	Exact  bool
	Window int    // tokens
	Source string // where the size was published
}

// Sizes returns the table of context windows, by family.
func Sizes() []Size {
	var all []Size
	for _, m := range models.All() {
		all = append(all, Size{m.Name, m.Exact, m.Window, m.Source})
	}
	return all
}

// BudgetFor returns the budget of a model under a profile, with its window and the source of that figure. The name may
// have a path: "openai/gpt-4o", "models/gemini-2.5-pro". Ratio is 0 if it was not measured for the model's family. For
// an unknown model, Fallback is set and the window is an assumption (see [contextwindow.BudgetOf]).
func BudgetFor(model string, p contextwindow.Profile) contextwindow.Budget {
	m, known := models.Size(model)
	b := contextwindow.BudgetOf(m.Window, m.MaxOutput, p)
	b.Model, b.Ratio = model, models.Ratio(model)
	if known {
		b.Source = m.Source
	}
	return b
}

// VisionOf returns how a model sees pictures, by its name.
func VisionOf(model string) providers.Vision { return models.Vision(model) }

// PriceOf returns the price of a model at a provider, and false if it is unknown.
func PriceOf(provider, model string) (providers.Price, bool) { return models.Price(provider, model) }

// Priced returns the names of the endpoint's models whose price is known.
func (e Endpoint) Priced() []string { return models.Priced(e.Name) }

// Models returns the names of the endpoint's models: those with a price, else all in the table of windows.
func (e Endpoint) Models() []string {
	if names := models.Priced(e.Name); len(names) > 0 {
		return names
	}
	var names []string
	for _, m := range models.All() {
		names = append(names, m.Name)
	}
	return names
}
