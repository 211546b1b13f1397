package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/sourcegraph/conc/pool"
	"github.com/spf13/cobra"
)

// doctorFlags are how doctor was typed.
type doctorFlags struct {
	modelFlags
	offline bool
	timeout time.Duration
	format  string
}

// doctorTime is how long doctor waits for a provider.
const doctorTime = 20 * time.Second

func newDoctor() *cobra.Command {
	f := &doctorFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Say which providers are configured, and whether they answer",
		Long: `doctor says which providers are configured, by which variable, and has a small model of each answer with one token; with
--model it asks that one only. It prints the model's window, the budget of a request, how many tokens the model counts for
an estimated one (measured, or 1 until its provider has counted), and the price in dollars of a million tokens of input,
cached input and output. Keys are never printed.

Exit codes: 0 the model, or at least one provider, works (--offline: is configured), 2 bad usage, 3 none does.`,
		Example: `  foray doctor
  foray doctor --offline --format json
  foray doctor --model ollama/qwen3 --window 32768`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return doctor(cmd, f) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.model, "model", "", "ask `PROVIDER/NAME` only")
	f.modelFlags.defineOne(cmd)
	flags.BoolVar(&f.offline, "offline", false, "reach nobody")
	flags.DurationVar(&f.timeout, "timeout", doctorTime, "wait for an answer for this `DURATION`")
	flags.StringVar(&f.format, "format", "text", "print as `FORM`: text or json")
	inGroup(cmd, runGroup, "offline", "timeout", "format")
	complete(cmd, "format", words(textOrJSON))
	cmd.SetUsageFunc(groupedUsage)
	return cmd
}

func doctor(cmd *cobra.Command, f *doctorFlags) error {
	if err := cmp.Or(oneOf("format", f.format, textOrJSON), f.modelFlags.check(cmd)); err != nil {
		return err
	}
	if f.timeout <= 0 {
		return usage("--timeout 20s", "--timeout %v is not above zero", f.timeout)
	}
	targets, err := f.targets()
	if err != nil {
		return err
	}
	findings := make([]finding, len(targets))
	p := pool.New()
	for i, t := range targets {
		p.Go(func() { findings[i] = f.examine(cmd.Context(), t) })
	}
	p.Wait()
	if f.format == "json" {
		err = writeJSON(cmd.OutOrStdout(), findings)
	} else {
		err = writeFindings(cmd.OutOrStdout(), findings)
	}
	if err != nil {
		return err
	}
	return f.verdict(cmd.Context(), findings)
}

// targets are what is looked at: the chosen model, or a model of each provider. No name is one that is still to be
// found.
func (f *doctorFlags) targets() ([]target, error) {
	if f.model != "" {
		if provider, _, _ := strings.Cut(f.model, "/"); provider == plannerProvider {
			return nil, usage("foray explore", "the offline planner needs nothing to be there")
		}
		b, name, err := parseModel(f.model)
		if err != nil {
			return nil, err
		}
		t, err := f.target(b, name)
		return []target{t}, err
	}
	if f.baseURL != "" || f.window > 0 {
		return nil, usage("--model PROVIDER/NAME", "--base-url and --window need a --model")
	}
	chosen, model, _ := strings.Cut(f.spec(), "/")
	if f.spec() != "" && chosen != plannerProvider {
		if _, _, err := parseModel(f.spec()); err != nil {
			return nil, err
		}
	}
	var all []target
	for _, b := range backends() {
		name := ""
		if b.name == chosen {
			name = model
		}
		t, err := f.target(b, name)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// verdict is how doctor ends: well if one provider works, or is configured where none was asked.
func (f *doctorFlags) verdict(ctx context.Context, findings []finding) error {
	failed := 0
	for _, r := range findings {
		switch {
		case r.Status == works, r.Status == notAsked && r.meant:
			return nil
		case r.Status == fails:
			failed++
		}
	}
	switch {
	case ctx.Err() != nil:
		return &exit{code: exitPartial, err: errors.New("cancelled")}
	case failed > 0: // the hints are told
		return &exit{code: exitPartial}
	}
	return &exit{code: exitPartial, err: errors.New("no provider is configured"), hint: "export OPENAI_API_KEY=…, or start a server on this machine: ollama serve"}
}
