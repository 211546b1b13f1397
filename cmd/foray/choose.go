package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/replay"
	"github.com/forayhq/foray/tools"
)

// A choice is the model that explores, with all that stands around it.
type choice struct {
	model    providers.Model
	rules    bool // the offline planner: no language model
	chain    []target
	meter    *providers.Meter // nil with the planner
	played   *replay.Model    // nil: the model is asked, and nothing is replayed
	recorded recordFile
}

// name is what the footer calls the model.
func (c *choice) name() string {
	if c.rules {
		return "offline planner (rules, no language model)"
	}
	info := c.model.Info()
	return info.Provider + "/" + info.Name
}

// answered returns the models of a chain that answered, nil if only the first did.
func (c *choice) answered() []string {
	if c.meter == nil {
		return nil
	}
	var names []string
	for _, b := range c.meter.Bills() {
		names = append(names, b.Provider+"/"+b.Model)
	}
	if len(names) == 0 || len(names) == 1 && names[0] == c.name() {
		return nil
	}
	return names
}

// chooseModel takes --replay, else --model, else FORAY_MODEL, else the planner. What the layers around the model do is
// told by say.
func chooseModel(f *modelFlags, say func(string)) (*choice, error) {
	if f.replay != "" {
		return choosePlayed(f, say)
	}
	spec := f.spec()
	switch provider, _, _ := strings.Cut(spec, "/"); {
	case spec == "" && f.baseURL != "":
		return nil, usage("--model openai/NAME --base-url "+f.baseURL, "--base-url needs a --model")
	case provider == plannerProvider || spec == "":
		if len(f.fallbacks) > 0 {
			return nil, usage("--model "+f.fallbacks[0], "--fallback needs a --model that can fail")
		}
		return &choice{model: rules.New(nil), rules: true}, nil
	}
	c := &choice{}
	for _, spec := range append([]string{spec}, f.fallbacks...) {
		b, name, err := parseModel(spec)
		if err != nil {
			return nil, err
		}
		t, err := f.target(b, name)
		if err != nil {
			return nil, err
		}
		c.chain = append(c.chain, t)
	}
	if err := checkPrices(f, c.chain); err != nil {
		return nil, err
	}
	return c, c.open(f, say)
}

// parseModel takes PROVIDER/NAME apart.
func parseModel(spec string) (backend, string, error) {
	provider, name, named := strings.Cut(strings.TrimSpace(spec), "/")
	b, ok := backendOf(provider)
	switch {
	case ok && name != "":
		return b, name, nil
	case ok:
		return b, "", usage("--model "+provider+"/"+b.names()[0], "--model %q names no model", spec)
	}
	all := strings.Join(backendNames(), ", ")
	if _, _, known := contextwindow.WindowSize(spec); known && !named {
		return b, "", usage("--model "+vendorOf(spec)+"/"+spec, "--model %q names no provider; there are %s", spec, all)
	}
	return b, "", usage("--model "+strings.TrimSuffix(nearest(provider, backendNames())+"/"+name, "/"),
		"there is no provider %q; there are %s", provider, all)
}

// vendorOf returns the provider whose price list has a model, else openai.
func vendorOf(model string) string {
	for _, b := range backends() {
		if p, ok := providers.PriceTable().Of(b.name, model); ok && p.Model != "" {
			return b.name
		}
	}
	return openaiProvider
}

// checkPrices refuses a bound on the cost that cannot be kept.
func checkPrices(f *modelFlags, chain []target) error {
	if f.maxCost == 0 {
		return nil
	}
	for _, t := range chain {
		if _, ok := providers.PriceTable().Of(t.name, t.model); !ok {
			hint := "--max-steps 12 in place of --max-cost"
			if near := tools.Closest(t.model, t.priced(), 1); len(near) > 0 {
				hint = "--model " + t.name + "/" + near[0] + ", or " + hint
			}
			return usage(hint, "no price is known for %s, so --max-cost cannot be kept", t.spec())
		}
	}
	return nil
}

// priced are the names of the models of b in the price table.
func (b backend) priced() []string {
	list := b.name
	if list == "generativeai" {
		list = "gemini"
	}
	var names []string
	for _, p := range providers.PriceTable() {
		if p.Provider == list && p.Model != "" {
			names = append(names, p.Model)
		}
	}
	return names
}

// names are the models of b that foray knows: those with a price, else all in the table of windows.
func (b backend) names() []string {
	if names := b.priced(); len(names) > 0 {
		return names
	}
	var names []string
	for _, size := range contextwindow.ModelSizes() {
		names = append(names, size.Name)
	}
	return names
}

// completeModelFlag offers the providers and, behind a provider, its models.
func completeModelFlag(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	provider, _, named := strings.Cut(typed, "/")
	b, ok := backendOf(provider)
	if !named || !ok {
		names := backendNames()
		for i := range names[:len(names)-1] {
			names[i] += "/"
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	var specs []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(b.names()))) {
		specs = append(specs, b.name+"/"+name)
	}
	return specs, cobra.ShellCompDirectiveNoFileComp
}
