package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc/pool"
	"github.com/spf13/cobra"

	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/providers/textcalls"
)

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	modelFlags
	offline bool
	timeout time.Duration
	format  string
}

// doctorTime is the default of --timeout.
const doctorTime = 20 * time.Second

func newDoctor() *cobra.Command {
	f := &doctorFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Check which providers are configured and answer",
		Long: `List the providers, the environment variables of their keys, and whether they
answer: doctor asks a small model of each configured provider for one token, or
only the one that --model names, and which models it has. It never prints keys.

Of your own servers it asks which window they run the model with, and for one
call of a tool; it waits while they load the model. The smaller of that window
and --window counts.

RATIO is how many tokens the model counts per estimated token, where measured.
PRICE is in dollars per million tokens of input, cached input and output.

Exit codes: 0 a provider works (with --offline: is configured), 2 bad usage,
3 none does.`,
		Example: `  foray doctor
  foray doctor --model local
  foray doctor --offline --format json
  foray doctor --model ollama/qwen3 --window 32768`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd, f) },
	}
	f.definePrices(cmd)
	f.modelFlags.defineOne(cmd, "ask `PROVIDER/NAME` only (default: a small model of each provider)")
	cmd.Flags().BoolVar(&f.offline, "offline", false, "ask no provider")
	cli.TimeoutFlag(cmd, &f.timeout, doctorTime, "wait at most `DURATION` for an answer")
	cli.FormatFlag(cmd, &f.format, cli.TextOrJSON)
	cli.InGroup(cmd, cli.RunGroup, "offline", "timeout", "format")
	return cmd
}

func runDoctor(cmd *cobra.Command, f *doctorFlags) error {
	if err := f.readPrices(); err != nil {
		return err
	}
	targets, err := f.targets(cmd.Context())
	if err != nil {
		return err
	}
	findings := make([]finding, len(targets))
	p := pool.New()
	say := cli.NoticesTo(cmd.ErrOrStderr())
	for i, t := range targets {
		p.Go(func() { findings[i] = f.examine(cmd.Context(), t, say) })
	}
	p.Wait()
	err = cli.PrintAs(cmd, f.format, findings, func(w io.Writer) error { return writeFindings(w, findings) })
	if err != nil {
		return err
	}
	return f.verdict(cmd.Context(), findings)
}

// targets returns the model of --model, or one target for each provider. An empty name means a model still to be found.
func (f *doctorFlags) targets(ctx context.Context) ([]target, error) {
	if f.model == localModel {
		found, err := f.local(ctx)
		all := make([]target, len(found))
		for i, t := range found {
			all[i] = target{t}
		}
		return all, err
	}
	if f.model != "" {
		if isRules(f.model) {
			return nil, cli.Usage("foray explore", "the heuristic explorer needs no provider")
		}
		t, err := catalog.Resolve(f.model, f.options(nil))
		if err != nil {
			return nil, nameUsage(err)
		}
		return []target{{t}}, nil
	}
	if f.baseURL != "" || f.window > 0 {
		return nil, cli.Usage("--model PROVIDER/NAME", "--base-url and --window need a --model")
	}
	chosen, model, _ := strings.Cut(f.spec(), "/")
	if f.spec() != "" && !isRules(chosen) && chosen != localModel {
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

// verdict returns how doctor ends: well if a provider works, or is configured with --offline.
func (f *doctorFlags) verdict(ctx context.Context, findings []finding) error {
	failed := 0
	for _, r := range findings {
		switch {
		case r.Status == statusWorks, r.Status == notAsked && r.meant:
			return nil
		case r.Status == statusFails:
			failed++
		}
	}
	switch {
	case ctx.Err() != nil:
		return &cli.Exit{Code: cli.ExitPartial, Err: ctx.Err()}
	case failed > 0: // with hints printed
		return &cli.Exit{Code: cli.ExitPartial}
	}
	return &cli.Exit{Code: cli.ExitPartial, Err: errors.New("no provider is configured"),
		Hint: "export OPENAI_API_KEY=…, or start a local server: ollama serve"}
}

// A status says whether a provider works.
type status string

const (
	statusWorks   status = "works"
	statusFails   status = "fails"
	statusAbsent  status = "not running"    // a local server that is not running
	notConfigured status = "not configured" // no key
	notAsked      status = "not asked"      // configured, and --offline
)

// A finding is what doctor knows about a provider.
type finding struct {
	Provider string   `json:"provider"`
	Status   status   `json:"status"`
	Key      string   `json:"key_variable,omitempty"` // the variable that is set
	Keys     []string `json:"key_variables"`          // all variables that may hold the key
	NoKey    bool     `json:"no_key_needed,omitempty"`
	BaseURL  string   `json:"base_url"`
	*modelFacts
	Millis    int64            `json:"round_trip_ms,omitempty"`
	Usage     *providers.Usage `json:"tokens,omitempty"`      // of the test request
	Server    *catalog.Served  `json:"server,omitempty"`      // what the server says about the model
	Calls     string           `json:"calls,omitempty"`       // how the model wrote a call: "native", or a form of text
	CallError string           `json:"calls_error,omitempty"` // why the test call failed
	Models    []string         `json:"models,omitempty"`      // that the provider lists
	Notice    string           `json:"notice,omitempty"`      // how the server's window differs from what was asked for
	Error     string           `json:"error,omitempty"`
	Hint      string           `json:"hint,omitempty"`

	meant bool // the user chose it, or configured it
}

// modelFacts are the facts about a model. Sizes are in tokens.
type modelFacts struct {
	Model    string     `json:"model"`
	Window   int        `json:"window"`
	Source   string     `json:"window_source"`
	Budget   int        `json:"budget"` // of a request of explore
	Ratio    float64    `json:"ratio"`
	Measured bool       `json:"ratio_measured"`
	Price    *modelRate `json:"price,omitempty"` // nil if unknown
}

// sourceServer is the source of a window that the server runs the model with.
const sourceServer = "server"

func (f *doctorFlags) factsOf(info providers.Info) *modelFacts {
	b := guide.Budget(info, contextwindow.Lean)
	facts := &modelFacts{Model: info.Name, Window: b.Window, Source: b.Source, Budget: b.Limit,
		Price: f.rateOf(info.Provider, info.Name)}
	facts.Ratio, facts.Measured = cmp.Or(info.TokenRatio, 1), info.TokenRatio > 0
	return facts
}

// examine checks one provider.
func (f *doctorFlags) examine(ctx context.Context, t target, say func(string)) finding {
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
		if probe.Model = "any"; probe.openError() != nil {
			return r.failed(probe.openError(), "") // before the key is sent anywhere
		}
		t.Model = t.small(ctx)
	case t.Model == "":
		t.Model = t.SmallModel
	}
	if t.Model == "" {
		r.Status, r.Error, r.Hint = statusFails, "the server lists no model", "--model "+t.Name+"/NAME"
		switch {
		case f.offline:
			r.Status, r.Error, r.Hint = notAsked, "", ""
		case !r.meant:
			r.Status, r.Error, r.Hint = statusAbsent, "", ""
		}
		return r
	}
	asked := t.Window
	if !f.offline {
		s := t.wait(ctx, say)
		if s.Loading {
			err := errors.New("the server is still loading the model after " + ui.Seconds(f.timeout))
			return r.failed(err, "a longer --timeout")
		}
		if t.Target, r.Notice = t.Adopt(s); s.Window > 0 || s.Longest > 0 {
			r.Server = &s
		}
	}
	m, err := t.open()
	if err != nil {
		return r.failed(err, "")
	}
	switch r.modelFacts = f.factsOf(m.Info()); {
	case r.Server != nil && t.Window == r.Server.Window && t.Window != asked:
		r.Source = sourceServer
	case t.Window != asked:
		r.Source = "requested"
	}
	if r.Status = notAsked; !f.offline {
		m = providers.Timeouts(m, f.timeout, f.timeout)
		if r.ask(ctx, m, t); r.Status == statusWorks {
			r.Models = t.List(ctx)
		}
		if t.NoKey && r.Status == statusWorks {
			r.calls(ctx, m, f.timeout)
		}
	}
	return r
}

// noCalls is the form of a model that does not call the tool.
const noCalls = "none"

// calls asks the model to call a tool. The request has a timeout of its own.
func (r *finding) calls(ctx context.Context, m providers.Model, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	form, err := textcalls.Probe(ctx, m)
	switch r.Calls = cmp.Or(form, noCalls); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.Calls, r.CallError = "", "no answer within "+ui.Seconds(timeout)+" (--timeout)"
	case err != nil:
		r.Calls, r.CallError = "", strings.TrimSpace(ui.Line(err.Error()))
	}
}

// openError returns the error of opening a model of the provider, if any.
func (t target) openError() error {
	_, err := t.open()
	return err
}

// tooFew matches errors of services that refuse to answer with one token.
var tooFew = regexp.MustCompile(`(?i)max_?\w*_?tokens|output limit|maxOutputTokens`)

// answerTokens are the answer limits to try, the second for services that refuse one token.
var answerTokens = []int{1, 64}

// ask asks the model for an answer.
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
		r.Status, r.Millis, r.Usage = statusWorks, max(took.Milliseconds(), 1), &answer.Usage
	case errors.As(err, &e) && e.Class == providers.Cancelled && errors.Is(ctx.Err(), context.DeadlineExceeded):
		*r = r.failed(errors.New("no answer within "+ui.Seconds(took)), "use a longer --timeout, or: "+networkHint(t, e))
	case errors.As(err, &e):
		*r = r.failed(err, t.hint(context.WithoutCancel(ctx), e))
	default:
		*r = r.failed(err, "")
	}
}

// failed returns the finding for a provider that does not work.
func (r finding) failed(err error, hint string) finding {
	r.Status, r.Error, r.Hint = statusFails, strings.TrimSpace(ui.Line(err.Error())), hint
	if e := (*cli.Exit)(nil); errors.As(err, &e) {
		r.Hint = e.Hint
	}
	return r
}

// small returns the model to ask: the provider's small one, or the first that another server lists.
func (t target) small(ctx context.Context) string {
	if name := t.SmallModel; name != "" && !t.Elsewhere() {
		return name
	}
	if names := t.List(ctx); len(names) > 0 {
		return names[0]
	}
	return t.SmallModel
}

// writeFindings prints a table, configured providers first, and then each error with its hint.
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
		if len(r.Models) > 0 {
			fmt.Fprintf(w, "\n%s: lists %s\n", r.Provider, line.Printable(r.listed()))
		}
		if parts := r.server(); len(parts) > 0 {
			fmt.Fprintf(w, "\n%s: %s\n", r.Provider, line.Printable(strings.Join(parts, "; ")))
		}
		if r.Notice != "" {
			fmt.Fprintf(w, "%s: %s\n", r.Provider, line.Printable(r.Notice))
		}
		if r.Status != statusFails {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", r.Provider, line.Printable(r.Error)); err != nil {
			return err
		}
		if r.Hint != "" {
			fmt.Fprintf(w, "hint: %s\n", line.Printable(r.Hint))
		}
	}
	return nil
}

// maxModels is how many of a provider's models doctor names.
const maxModels = 5

// listed says which models the provider lists, and whether the one that was asked is missing there.
func (r finding) listed() string {
	text := line.Count(len(r.Models), "model") + ": " + strings.Join(r.Models[:min(len(r.Models), maxModels)], ", ")
	if more := len(r.Models) - maxModels; more > 0 {
		text += fmt.Sprintf(" and %d more (--format json)", more)
	}
	if !slices.Contains(r.Models, r.Model) {
		text += "; " + r.Model + " answers and is not listed"
	}
	return text
}

// server returns what the server says about the model, in parts of a sentence.
func (r finding) server() []string {
	s := cmp.Or(r.Server, &catalog.Served{})
	var parts []string
	if s.Window > 0 {
		parts = append(parts, "the server runs a window of "+line.Count(s.Window, "token"))
	}
	if s.Longest > 0 {
		parts = append(parts, "the model supports up to "+line.Count(s.Longest, "token"))
	}
	if s.Slots > 0 {
		parts = append(parts, "it answers "+line.Count(s.Slots, "request")+" at a time")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Abilities)) {
		parts = append(parts, name+": "+map[bool]string{true: "yes", false: "no"}[s.Abilities[name]])
	}
	switch r.Calls {
	case "":
	case textcalls.Native:
		parts = append(parts, "a test call of a tool arrived as a native call")
	case textcalls.Text, textcalls.Schema:
		parts = append(parts, "a test call of a tool works with --calls "+r.Calls)
	case noCalls:
		parts = append(parts, "asked to call a tool, the model did not")
	default:
		parts = append(parts, "a test call of a tool arrived as text ("+r.Calls+"), which foray reads")
	}
	if r.CallError != "" {
		parts = append(parts, "a test call of a tool failed: "+r.CallError)
	}
	return parts
}

// row returns the finding as a row of the table.
func (r finding) row() []string {
	answer, key := string(r.Status), r.Key
	if r.Status == statusWorks {
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
		if f.Source == sourceServer {
			window += " (server)"
		}
		ratio, price = ratioText(f.Ratio, f.Measured), f.Price.String()
	}
	return []string{r.Provider, answer, model, window, budget, ratio, price, key, r.BaseURL}
}
