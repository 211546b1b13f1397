package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/providers/replay"

	"github.com/forayhq/foray/toollimit/line"
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
	o := f.options(say)
	targets, err := catalog.Chain(spec, o)
	if err != nil {
		return nil, nameUsage(err)
	}
	c := &choice{meter: o.Meter}
	for _, t := range targets {
		c.chain = append(c.chain, target{t})
	}
	if err := checkPrices(f, c.chain); err != nil {
		return nil, err
	}
	if c.model, err = catalog.Open(spec, o); err != nil {
		return nil, openUsage(err)
	}
	return c, nil
}

// options returns how the flags reach a model.
func (f *modelFlags) options(say func(string)) *catalog.Options {
	return &catalog.Options{
		BaseURL: f.baseURL, AllowHTTP: f.allowHTTP, Window: f.window, Fallbacks: f.fallbacks,
		Meter: providers.NewMeter(&providers.MeterOptions{MaxCost: f.maxCost}), Notify: say,
	}
}

// nameUsage turns an error of [catalog.Resolve] into bad usage with a hint.
func nameUsage(err error) error {
	var unknown *catalog.NameError
	if errors.As(err, &unknown) {
		return usage("--model "+unknown.Suggestions[0], "%v", err)
	}
	return usage("--window 8192", "%v", err)
}

// openUsage turns an error of [catalog.Target.Open] into bad usage with a hint.
func openUsage(err error) error {
	var failed *catalog.OpenError
	if !errors.As(err, &failed) {
		return err
	}
	t := failed.Target
	hint := "--base-url " + t.BaseURL
	switch class := providers.ClassOf(err); {
	case class == providers.Auth && t.KeyVariable == "":
		hint = "export " + t.Keys[0] + "=…"
		if t.Name == "openai" {
			hint += ", or a server without a key: --model ollama/NAME"
		}
		return usage(hint, "the environment variable %s is not set", strings.Join(t.Keys, " or "))
	case class == providers.Invalid && t.Name == "generativeai":
		hint = "--model gemini/" + t.Model
	case errors.Is(err, providers.ErrNotEncrypted):
		hint = "https:// in --base-url, or --allow-http if nobody else is on the way"
	case errors.Is(err, providers.ErrKeyForm):
		hint = "export " + t.KeyVariable + "=… without spaces and line ends"
	case errors.Is(err, providers.ErrModelName):
		hint = "foray doctor --model " + t.Name + "/NAME"
	}
	return usage(hint, "%v", err)
}

// checkPrices refuses a bound on the cost that cannot be kept.
func checkPrices(f *modelFlags, chain []target) error {
	if f.maxCost == 0 {
		return nil
	}
	for _, t := range chain {
		if _, ok := catalog.PriceOf(t.Name, t.Model); !ok {
			hint := "--max-steps 12 in place of --max-cost"
			if near := line.Closest(t.Model, t.Priced(), 1); len(near) > 0 {
				hint = "--model " + t.Name + "/" + near[0] + ", or " + hint
			}
			return usage(hint, "no price is known for %s, so --max-cost cannot be kept", t)
		}
	}
	return nil
}

// A target is one model of the chain.
type target struct{ catalog.Target }

// open returns the model without layers. Its errors say what to type instead.
func (t target) open() (providers.Model, error) {
	m, err := t.Open()
	if err != nil {
		return nil, openUsage(&catalog.OpenError{Target: t.Target, Err: err})
	}
	return m, nil
}

// The names that --model knows beside those of the catalog.
const plannerProvider = "planner"

// providerNames returns the names that --model may begin with.
func providerNames() []string {
	var names []string
	for _, e := range catalog.Endpoints() {
		names = append(names, e.Name)
	}
	return append(names, plannerProvider)
}

// endpointOf returns the endpoint of a name.
func endpointOf(name string) (catalog.Endpoint, bool) {
	all := catalog.Endpoints()
	i := slices.IndexFunc(all, func(e catalog.Endpoint) bool { return e.Name == name })
	if i < 0 {
		return catalog.Endpoint{}, false
	}
	return all[i], true
}

// completeModelFlag offers the providers and, behind a provider, its models.
func completeModelFlag(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	provider, _, named := strings.Cut(typed, "/")
	e, ok := endpointOf(provider)
	if !named || !ok {
		names := providerNames()
		for i := range names[:len(names)-1] {
			names[i] += "/"
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	var specs []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(e.Models()))) {
		specs = append(specs, e.Name+"/"+name)
	}
	return specs, cobra.ShellCompDirectiveNoFileComp
}
