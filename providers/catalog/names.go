package catalog

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers/internal/models"
)

// A NameError is the error for a name that is not PROVIDER/MODEL with a known provider.
type NameError struct {
	Name        string
	Reason      string
	Suggestions []string // full names, the closest first
}

// Error says what is wrong with the name. It leaves the suggestions to the caller.
func (e *NameError) Error() string { return fmt.Sprintf("model name %q: %s", e.Name, e.Reason) }

// maxSuggestions bounds the names that a [NameError] suggests.
const maxSuggestions = 3

// parse splits PROVIDER/MODEL.
func parse(name string) (Endpoint, string, error) {
	name = strings.TrimSpace(name)
	provider, model, slash := strings.Cut(name, "/")
	e, known := endpointOf(provider)
	switch {
	case known && model != "":
		return e, model, nil
	case known:
		return e, "", &NameError{name, "the model is missing", []string{e.Name + "/" + e.Models()[0]}}
	}
	reason := "unknown provider; known are " + strings.Join(endpointNames(), ", ")
	switch {
	case provider == "local":
		reason = "a server on this machine has the name of its kind, such as ollama/MODEL; catalog.FindLocal finds it"
	case provider == "" || !slash:
		reason = "it must be PROVIDER/MODEL, such as openai/gpt-4.1; providers are " + strings.Join(endpointNames(), ", ")
	}
	return e, "", &NameError{Name: name, Reason: reason, Suggestions: suggest(provider, model)}
}

// suggest returns the full names closest to a name with an unknown provider. The user may have misspelt the provider,
// or typed a model without its provider.
func suggest(provider, model string) []string {
	if model != "" {
		var full []string
		for _, e := range endpoints {
			full = append(full, e.Name+"/"+model)
		}
		for _, e := range endpoints {
			for _, m := range models.Priced(e.Name) {
				full = append(full, e.Name+"/"+m)
			}
		}
		return line.Closest(provider+"/"+model, full, maxSuggestions)
	}
	switch list, known := models.Family(provider); {
	case known && list == "": // open models, which many servers run
		return []string{ollamaName + "/" + provider}
	case known:
		if _, priced := models.Price(list, provider); priced {
			return []string{list + "/" + provider}
		}
	}
	full := map[string]string{}
	var short []string
	for _, e := range endpoints {
		short = append(short, e.Name)
		full[e.Name] = e.Name + "/" + e.Models()[0]
		for _, m := range models.Priced(e.Name) {
			if full[m] == "" {
				short, full[m] = append(short, m), e.Name+"/"+m
			}
		}
	}
	near := line.Closest(provider, short, maxSuggestions)
	for i, n := range near {
		near[i] = full[n]
	}
	return near
}

// Provider guesses the provider of a model name without one: the provider with a price for it, else openai.
func Provider(model string) string {
	for _, e := range endpoints {
		if p, ok := models.Price(e.Name, model); ok && p.Model != "" {
			return e.Name
		}
	}
	return openaiName
}
