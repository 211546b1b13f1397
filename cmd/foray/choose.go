package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/providers/planner"
)

// The providers that --model can name.
const (
	plannerProvider = "planner"
	openaiProvider  = "openai"
)

var providerNames = []string{openaiProvider, plannerProvider}

// A choice is the model that explores.
type choice struct {
	model providers.Model
	rules bool   // the offline planner: no language model
	base  string // where the model is asked; "": nowhere
}

// name is what the footer calls the model.
func (c choice) name() string {
	info := c.model.Info()
	if c.rules {
		return "offline planner (rules, no language model)"
	}
	return info.Provider + "/" + info.Name
}

// chooseModel takes --model, else FORAY_MODEL, else the planner.
func chooseModel(flag, baseURL string) (choice, error) {
	spec := cmp.Or(strings.TrimSpace(flag), strings.TrimSpace(os.Getenv("FORAY_MODEL")))
	provider, name, named := strings.Cut(spec, "/")
	switch {
	case spec == "" && baseURL != "":
		return choice{}, usage("--model openai/NAME --base-url "+baseURL, "--base-url needs a --model")
	case spec == "", provider == plannerProvider:
		return choice{model: planner.New(nil), rules: true}, nil
	case provider == openaiProvider && name != "":
		return chooseOpenAI(name, baseURL)
	case provider == openaiProvider:
		return choice{}, usage("--model openai/gpt-4.1", "--model %q names no model", spec)
	}
	if _, _, known := contextwindow.WindowSize(spec); known && !named {
		return choice{}, usage("--model openai/"+spec, "--model %q names no provider; there are %s", spec, strings.Join(providerNames, ", "))
	}
	return choice{}, usage("--model "+strings.TrimSuffix(nearest(provider, providerNames)+"/"+name, "/"),
		"there is no provider %q; there are %s", provider, strings.Join(providerNames, ", "))
}

func chooseOpenAI(name, baseURL string) (choice, error) {
	base := cmp.Or(baseURL, os.Getenv("OPENAI_BASE_URL"), openai.BaseURL)
	model, err := openai.New(openai.Config{Name: name, BaseURL: base, Key: strings.TrimSpace(os.Getenv("OPENAI_API_KEY"))})
	switch {
	case providers.ClassOf(err) == providers.Auth:
		return choice{}, usage("export OPENAI_API_KEY=…, or a server without a key: --base-url http://localhost:11434/v1",
			"the environment variable OPENAI_API_KEY is not set")
	case err != nil:
		return choice{}, usage("--base-url http://localhost:11434/v1", "%v", err)
	}
	return choice{model: model, base: base}, nil
}

// hints are what to try about an error of a model, by its class. %s is where the model is asked.
var hints = map[providers.Class]string{
	providers.Auth:      "check the key in OPENAI_API_KEY",
	providers.Invalid:   "check the model's name: curl %s/models",
	providers.Overflow:  "--budget with fewer tokens",
	providers.Rate:      "wait a minute, or choose another --model",
	providers.Transient: "try again in a minute",
	providers.Refused:   "ask in other words",
	providers.Network:   "is the server there? curl %s/models",
	providers.Malformed: "check --base-url: it usually ends in /v1",
}

// unusable are the classes of errors that no second attempt of the same command can mend.
var unusable = map[providers.Class]bool{providers.Auth: true, providers.Invalid: true, providers.Malformed: true}

// explain is the end of a run by an error, with what to try about it. If the run came nowhere and the same command can
// never work, it is bad usage.
func (c choice) explain(err error, steps int) error {
	class := providers.ClassOf(err)
	hint := hints[class]
	if strings.Contains(hint, "%s") {
		hint = fmt.Sprintf(hint, strings.TrimSuffix(c.base, "/"))
	}
	if errors.Is(err, contextwindow.ErrIrreducible) {
		hint, class = "--budget with more tokens, or a shorter question", providers.Invalid
	}
	code := exitPartial
	if steps == 0 && unusable[class] {
		code = exitUsage
	}
	return &exit{code: code, err: err, hint: hint}
}

func completeModelFlag(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := []string{plannerProvider}
	for _, size := range contextwindow.ModelSizes() {
		names = append(names, openaiProvider+"/"+size.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
