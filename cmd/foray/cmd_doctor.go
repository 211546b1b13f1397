package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/sourcegraph/conc/pool"
	"github.com/spf13/cobra"

	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/toollimit/line"
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
		err = ui.JSON(cmd.OutOrStdout(), findings)
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
		t, err := catalog.Resolve(f.model, f.options(nil))
		if err != nil {
			return nil, nameUsage(err)
		}
		return []target{{t}}, nil
	}
	if f.baseURL != "" || f.window > 0 {
		return nil, usage("--model PROVIDER/NAME", "--base-url and --window need a --model")
	}
	chosen, model, _ := strings.Cut(f.spec(), "/")
	if f.spec() != "" && chosen != plannerProvider {
		if _, err := catalog.Resolve(f.spec(), nil); err != nil {
			return nil, nameUsage(err)
		}
	}
	var all []target
	for _, e := range catalog.Endpoints() {
		name := ""
		if e.Name == chosen {
			name = model
		}
		t, err := e.Target(name, f.options(nil))
		if err != nil {
			return nil, nameUsage(err)
		}
		all = append(all, target{t})
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

// A status is what doctor found of a provider.
type status string

const (
	works         status = "works"
	fails         status = "fails"
	absent        status = "not running"    // a server for this machine that nobody started
	notConfigured status = "not configured" // no key
	notAsked      status = "not asked"      // configured, and --offline
)

// A finding is what doctor says of a provider.
type finding struct {
	Provider string   `json:"provider"`
	Status   status   `json:"status"`
	Key      string   `json:"key_variable,omitempty"` // the variable that holds the key
	Keys     []string `json:"key_variables"`          // that may hold it
	NoKey    bool     `json:"no_key_needed,omitempty"`
	BaseURL  string   `json:"base_url"`
	*modelFacts
	Millis int64            `json:"round_trip_ms,omitempty"`
	Usage  *providers.Usage `json:"tokens,omitempty"` // of the round trip
	Error  string           `json:"error,omitempty"`
	Hint   string           `json:"hint,omitempty"`

	meant bool // the user chose it, or set something for it
}

// modelFacts are what foray knows of a model. Sizes are in tokens.
type modelFacts struct {
	Model    string     `json:"model"`
	Window   int        `json:"window"`
	Source   string     `json:"window_source"`
	Budget   int        `json:"budget"` // of a request of explore
	Ratio    float64    `json:"ratio"`
	Measured bool       `json:"ratio_measured"`
	Price    *modelRate `json:"price,omitempty"` // nil: not known
}

// A modelRate is a price in dollars for a million tokens.
type modelRate struct {
	List   string  `json:"list"` // whose price list it is
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
}

// rateOf returns the price of a model, nil if none is known.
func rateOf(provider, model string) *modelRate {
	p, ok := catalog.PriceOf(provider, model)
	if !ok {
		return nil
	}
	return &modelRate{p.Provider, p.Input, p.Cached, p.Output}
}

func factsOf(info providers.Info) *modelFacts {
	b := guide.Budget(info, contextwindow.Lean)
	f := &modelFacts{Model: info.Name, Window: b.Window, Source: b.Source, Budget: b.Limit, Price: rateOf(info.Provider, info.Name)}
	f.Ratio, f.Measured = cmp.Or(info.TokenRatio, 1), info.TokenRatio > 0
	return f
}

// examine looks at one provider.
func (f *doctorFlags) examine(ctx context.Context, t target) finding {
	r := finding{Provider: t.Name, Key: t.KeyVariable, Keys: t.Keys, NoKey: t.NoKey, BaseURL: t.SafeURL()}
	r.meant = t.HasKey() || t.Elsewhere() || t.Model != ""
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	switch {
	case !r.meant && !t.NoKey:
		r.Status, r.Hint = notConfigured, "export "+t.Keys[0]+"=…"
		return r
	case t.Model == "" && !f.offline:
		probe := t
		if probe.Model = "any"; probe.refused() != nil {
			return r.failed(probe.refused(), "") // before the key goes anywhere
		}
		t.Model = t.small(ctx)
	case t.Model == "":
		t.Model = t.SmallModel
	}
	if t.Model == "" {
		r.Status, r.Error, r.Hint = fails, "it names no model", "--model "+t.Name+"/NAME"
		switch {
		case f.offline:
			r.Status, r.Error, r.Hint = notAsked, "", ""
		case !r.meant:
			r.Status, r.Error, r.Hint = absent, "", ""
		}
		return r
	}
	m, err := t.open()
	if err != nil {
		return r.failed(err, "")
	}
	r.modelFacts = factsOf(m.Info())
	if r.Status = notAsked; !f.offline {
		r.ask(ctx, providers.Timeouts(m, &providers.TimeoutOptions{First: f.timeout, Idle: f.timeout}), t)
	}
	return r
}

// refused says why a server cannot be asked at all.
func (t target) refused() error {
	_, err := t.open()
	return err
}

// tooFew are the words of services that refuse to answer with one token.
var tooFew = regexp.MustCompile(`(?i)max_?\w*_?tokens|output limit|maxOutputTokens`)

// answerTokens are how long an answer may be: one token, or more for services that refuse so few.
var answerTokens = []int{1, 64}

// ask has the model answer.
func (r *finding) ask(ctx context.Context, m providers.Model, t target) {
	var answer *providers.Response
	var err error
	var took time.Duration
	for _, tokens := range answerTokens {
		started := time.Now()
		answer, err = providers.Ask(ctx, m, &providers.Request{
			Messages: []transcript.Message{{Role: transcript.User, Text: "Say: ok"}}, MaxOutput: tokens,
		})
		took = time.Since(started)
		if providers.ClassOf(err) != providers.Invalid || !tooFew.MatchString(err.Error()) {
			break
		}
	}
	e := (*providers.Error)(nil)
	switch {
	case err == nil:
		r.Status, r.Millis, r.Usage = works, max(took.Milliseconds(), 1), &answer.Usage
	case errors.As(err, &e) && e.Class == providers.Cancelled && errors.Is(ctx.Err(), context.DeadlineExceeded):
		*r = r.failed(errors.New("no answer within "+ui.Seconds(took)), "--timeout with more, or: "+networkHint(t, e))
	case errors.As(err, &e):
		*r = r.failed(err, t.hint(context.WithoutCancel(ctx), e))
	default:
		*r = r.failed(err, "")
	}
}

// failed is the finding of a provider that does not work.
func (r finding) failed(err error, hint string) finding {
	r.Status, r.Error, r.Hint = fails, strings.TrimSpace(ui.Line(err.Error())), hint
	if e := (*exit)(nil); errors.As(err, &e) {
		r.Hint = e.hint
	}
	return r
}

// small returns the name of the model to ask: of the provider's own service the small one, else the first that the
// server lists.
func (t target) small(ctx context.Context) string {
	if name := t.SmallModel; name != "" && !t.Elsewhere() {
		return name
	}
	if names := t.List(ctx); len(names) > 0 {
		return names[0]
	}
	return t.SmallModel
}

// writeFindings prints a table, what is configured first, and behind it what fails, each with a hint.
func writeFindings(w io.Writer, findings []finding) error {
	rows := [][]string{{"PROVIDER", "ANSWER", "MODEL", "WINDOW", "BUDGET", "RATIO", "PRICE", "KEY", "BASE URL"}}
	for _, last := range []bool{false, true} {
		for _, r := range findings {
			if (r.Status == notConfigured) == last {
				rows = append(rows, r.row())
			}
		}
	}
	if err := ui.Table(w, "", rows); err != nil {
		return err
	}
	for _, r := range findings {
		if r.Status != fails {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", r.Provider, ui.Printable(r.Error)); err != nil {
			return err
		}
		if r.Hint != "" {
			fmt.Fprintf(w, "hint: %s\n", ui.Printable(r.Hint))
		}
	}
	return nil
}

// row is the finding as cells of the table.
func (r finding) row() []string {
	answer, key := string(r.Status), r.Key
	if r.Status == works {
		answer = fmt.Sprintf("%d ms", r.Millis)
	}
	switch {
	case key == "" && r.NoKey:
		key = "none needed"
	case key == "":
		key = strings.Join(r.Keys, " or ") + " is not set"
	}
	model, window, budget, ratio, price := "-", "-", "-", "-", "-"
	if f := r.modelFacts; f != nil {
		model, window, budget = f.Model, line.Number(f.Window), line.Number(f.Budget)
		ratio, price = ratioText(f.Ratio, f.Measured), f.Price.String()
	}
	return []string{r.Provider, answer, model, window, budget, ratio, price, key, r.BaseURL}
}

// ratioText says how many tokens a model counts for an estimated one.
func ratioText(ratio float64, measured bool) string {
	if !measured {
		return "not measured"
	}
	return strconv.FormatFloat(ratio, 'f', 2, 64)
}

// String says a price: of input, cached input and output.
func (r *modelRate) String() string {
	switch {
	case r == nil:
		return "unknown"
	case *r == modelRate{List: r.List}:
		return "none"
	}
	text := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return text(r.Input) + " / " + text(r.Cached) + " / " + text(r.Output)
}
