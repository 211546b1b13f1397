package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/providers/replay"
	"github.com/forayhq/foray/providers/textcalls"
)

// modelFlags say which model to ask, and how.
type modelFlags struct {
	model, baseURL string
	fallbacks      []string
	allowHTTP      bool
	window         int
	maxCost        float64
	record, replay string

	compaction string // who compacts a conversation: compactForay or compactServer

	patience time.Duration // for a server that is loading its model; 0: maxLoading
	calls    string
	prices   string
	list     catalog.PriceList // of the file prices

	wrap func(providers.Model) providers.Model // of the model that is opened; nil: none
}

// defineOne defines the flags of one model.
func (f *modelFlags) defineOne(cmd *cobra.Command, usage string) { f.defineNamed(cmd, "model", usage) }

// defineNamed defines the flags of one model, that of its name as name.
func (f *modelFlags) defineNamed(cmd *cobra.Command, name, usage string) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.model, name, "", usage)
	flags.StringVar(&f.baseURL, "base-url", "",
		"ask the server at `URL` (default: the provider's own; $OPENAI_BASE_URL for openai/)")
	flags.BoolVar(&f.allowHTTP, "allow-http", false, "allow plain HTTP to remote hosts (exposes the API key)")
	cli.TokensFlag(cmd, &f.window, "window", catalog.MinWindow,
		"limit the model's window to `N` tokens "+
			"(default: what the server runs, else by model; $OLLAMA_CONTEXT_LENGTH for ollama/)")
	cli.Must(cmd.RegisterFlagCompletionFunc(name, completeModelFlag))
	cli.InGroup(cmd, cli.ModelGroup, name, "base-url", "allow-http", "window")
}

// define defines all flags of the models of a run.
func (f *modelFlags) define(cmd *cobra.Command) {
	f.defineOne(cmd, "ask the model `PROVIDER/NAME`; local finds a server on this machine, rules "+
		"is the heuristic explorer (default: $FORAY_MODEL, else rules)")
	flags := cmd.Flags()
	flags.StringArrayVar(&f.fallbacks, "fallback", nil, "ask `PROVIDER/NAME` when the models before it fail (repeatable)")
	cli.DecimalFlag(cmd, &f.maxCost, "max-cost", 0, func(usd float64) bool { return usd > 0 && usd < math.MaxInt32 },
		cli.BadValue{Takes: "dollars above zero", Try: "0.50"}, "stop after spending `USD` (default: unlimited)")
	flags.StringVar(&f.calls, "calls", "", "let the model call tools by `MODE`: auto, native, text or schema "+
		"(default: auto for local and unknown servers, else native)")
	cli.ChoiceFlag(cmd, &f.compaction, "compaction", compactForay, []string{compactForay, compactServer},
		"let `OWNER` compact a long conversation: foray, or server if the model's provider can")
	f.definePrices(cmd)
	flags.StringVar(&f.record, "record", "", "write the model's answers to `FILE`")
	flags.StringVar(&f.replay, "replay", "", "answer from the recording `FILE` instead of asking a model")
	cli.Must(cmd.RegisterFlagCompletionFunc("fallback", completeModelFlag))
	cli.InGroup(cmd, cli.ModelGroup, "fallback", "max-cost", "calls", "compaction", "record", "replay")
}

// Who compacts, in --compaction.
const (
	compactForay  = "foray"
	compactServer = "server"

	compactingModel = "anthropic/claude-sonnet-4-6" // as an example
)

// definePrices defines --prices.
func (f *modelFlags) definePrices(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.prices, "prices", "",
		"take prices from the JSON `FILE` before the list prices of "+catalog.PriceDate)
	cli.InGroup(cmd, cli.ModelGroup, "prices")
}

// readPrices reads the file of --prices.
func (f *modelFlags) readPrices() error {
	if f.prices == "" {
		return nil
	}
	file, err := os.Open(f.prices)
	if err != nil {
		return cli.Usage(pricesHint, "--prices: %v", err)
	}
	defer file.Close()
	if f.list, err = catalog.ReadPrices(file); err != nil {
		return cli.Usage(pricesHint, "--prices %s: %v", f.prices, err)
	}
	return nil
}

const pricesHint = `{"date": "2026-11-01", "usd_per_million_tokens": [{"provider": "azure", "model": "mine", ` +
	`"input": 2, "cached": 0.5, "output": 8}]}`

// check refuses flags that contradict each other.
func (f *modelFlags) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case f.calls != "" && !slices.Contains(textcalls.Modes(), f.calls):
		return cli.Usage("--calls auto", "--calls %s: must be one of %s", f.calls, strings.Join(textcalls.Modes(), ", "))
	case f.record != "" && f.replay != "":
		return cli.Usage("--replay "+cli.Quote(f.replay), "--record and --replay exclude each other")
	case given("record") && (f.record == "" || f.record == "-"):
		return cli.Usage("--record run.rec", "--record needs a file")
	case given("replay") && (f.replay == "" || f.replay == "-"):
		return cli.Usage("--replay run.rec", "--replay needs a file")
	}
	return nil
}

// spec is --model, else FORAY_MODEL.
func (f *modelFlags) spec() string {
	return cmp.Or(strings.TrimSpace(f.model), strings.TrimSpace(os.Getenv("FORAY_MODEL")))
}

// options are the flags as the catalog takes them.
func (f *modelFlags) options(say func(string)) *catalog.Options {
	return &catalog.Options{
		BaseURL: f.baseURL, AllowHTTP: f.allowHTTP, Window: f.window, Fallbacks: f.fallbacks,
		Prices: f.list, Meter: providers.NewMeter(f.maxCost), Notify: say, Calls: f.calls, CallsFile: cacheFile("calls.json"),
		SpeedFile: cacheFile("speed.json"), ServerCompaction: f.compaction == compactServer,
	}
}

// cacheFile is where something about models is remembered between processes; empty if nothing is cached.
func cacheFile(name string) string {
	dir := os.Getenv(cacheVariable)
	if dir == "" {
		if user, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(user, "foray")
		}
	}
	if dir == "" || dir == cacheOff {
		return ""
	}
	return filepath.Join(dir, name)
}

// A choice is the model of a run.
type choice struct {
	model    providers.Model
	rules    bool // the heuristic explorer, which is not a language model
	chain    []target
	meter    *providers.Meter // nil with rules
	played   *replay.Model    // nil unless a recording answers
	recorded recorder
}

// rulesName is what reports call the heuristic explorer.
const rulesName = "heuristic explorer (rules, no language model)"

// rulesNotice says at the start of a run that no language model answers.
const rulesNotice = "heuristic explorer: rules, no language model"

// name is what reports call the model.
func (c *choice) name() string {
	if c.rules {
		return rulesName
	}
	info := c.model.Info()
	return info.Provider + "/" + info.Name
}

// answered returns the models of the chain that answered, nil if only the first did.
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

// chooseModel takes --replay, else --model, else FORAY_MODEL, else the rules. The layers around the model report
// retries and fallbacks to say.
func chooseModel(ctx context.Context, f *modelFlags, say func(string)) (*choice, error) {
	if err := f.readPrices(); err != nil {
		return nil, err
	}
	if f.replay != "" {
		return openReplay(f, say)
	}
	spec, err := f.spec(), error(nil)
	if spec == localModel {
		if spec, err = f.findLocal(ctx, say); err != nil {
			return nil, err
		}
	}
	switch {
	case spec == "" && f.baseURL != "":
		return nil, cli.Usage("--model openai/NAME --base-url "+f.baseURL, "--base-url needs a --model")
	case isRules(spec) || spec == "":
		if len(f.fallbacks) > 0 {
			return nil, cli.Usage("--model "+f.fallbacks[0], "--fallback needs a --model")
		}
		if f.compaction == compactServer {
			return nil, cli.Usage("--model "+compactingModel, "--compaction server needs a --model")
		}
		return &choice{model: rules.New(nil), rules: true}, nil
	}
	o := f.options(say)
	targets, err := catalog.Chain(spec, o)
	if err != nil {
		return nil, nameUsage(err)
	}
	c := &choice{meter: o.Meter}
	for i, t := range targets {
		targets[i] = f.served(ctx, t, say)
		c.chain = append(c.chain, target{targets[i]})
	}
	if err := checkPrices(f, c.chain); err != nil {
		return nil, err
	}
	if c.model, err = catalog.OpenChain(targets); err != nil {
		return nil, openUsage(err)
	}
	if f.wrap != nil {
		c.model = f.wrap(c.model)
	}
	return c, nil
}

// maxLoading bounds the wait for a server that is loading its model: a minute is usual from a slow disk.
const maxLoading = 3 * time.Minute

// localModel names a server on this machine, in --model.
const localModel = "local"

// findLocal returns the full name of a model of a server that runs on this machine, and says which.
func (f *modelFlags) findLocal(ctx context.Context, say func(string)) (string, error) {
	found, err := f.local(ctx)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("found %s at %s", found[0], found[0].SafeURL())
	if t, _ := found[0].Adopt(found[0].Served(ctx)); t.Window > 0 {
		text += fmt.Sprintf(" (window %s)", line.Number(t.Window))
	}
	if len(found) > 1 {
		text += "; also running: " + strings.Join(cli.NamesBy(found[1:], catalog.Target.String), ", ")
	}
	say(text)
	return found[0].String(), nil
}

// local returns the models of the servers that run on this machine, or of the one at --base-url.
func (f *modelFlags) local(ctx context.Context) ([]catalog.Target, error) {
	var found, empty []catalog.Target
	for _, t := range catalog.FindLocal(ctx, f.options(nil)) {
		if t.Model == "" {
			empty = append(empty, t)
		} else {
			found = append(found, t)
		}
	}
	const start = "llama-server -m FILE.gguf -c 16384"
	switch {
	case len(found) > 0:
		return found, nil
	case len(empty) > 0:
		return nil, cli.Usage("ollama pull qwen2.5-coder:7b", "the server at %s has no model", empty[0].SafeURL())
	case f.baseURL != "":
		return nil, cli.Usage("start a server: "+start, "no model server answers at %s", f.baseURL)
	}
	var places []string
	for _, e := range catalog.Endpoints() {
		if e.NoKey {
			places = append(places, e.Name+" at "+e.BaseURL)
		}
	}
	return nil, cli.Usage("start one: "+start+", or: ollama serve; elsewhere: --base-url URL",
		"no model server runs on this machine: asked %s", strings.Join(places, ", "))
}

// served asks a server on the user's own machines for the window that it runs the model with.
func (f *modelFlags) served(ctx context.Context, t catalog.Target, say func(string)) catalog.Target {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(f.patience, maxLoading))
	defer cancel()
	t, notice := t.Adopt(target{t}.wait(ctx, say))
	if notice != "" {
		say(notice)
	}
	return t
}

// wait asks the server what it knows about the model, until ctx ends while it is loading the model.
func (t target) wait(ctx context.Context, say func(string)) catalog.Served {
	s := t.Served(ctx)
	if s.Loading {
		say(t.String() + ": the server is loading the model: waiting")
		s = t.Await(ctx)
	}
	return s
}

// checkPrices refuses --max-cost for a model of unknown price.
func checkPrices(f *modelFlags, chain []target) error {
	if f.maxCost == 0 {
		return nil
	}
	for _, t := range chain {
		if _, ok := f.list.Price(t.Name, t.Model); !ok {
			hint := "--prices FILE with its price, or --max-steps 12 instead of --max-cost"
			if near := line.Closest(t.Model, t.Priced(), 1); len(near) > 0 {
				hint = "--model " + t.Name + "/" + near[0] + ", or " + hint
			}
			return cli.Usage(hint, "the price of %s is unknown, so --max-cost cannot be enforced", t)
		}
	}
	return nil
}

// A target is one model of a chain.
type target struct{ catalog.Target }

// open returns the model without the layers around it.
func (t target) open() (providers.Model, error) {
	m, err := t.Open()
	if err != nil {
		return nil, openUsage(&catalog.OpenError{Target: t.Target, Err: err})
	}
	return m, nil
}

// rulesProvider names the heuristic explorer in --model.
const rulesProvider = "rules"

// isRules reports whether a name means the heuristic explorer, whatever follows its provider. Recordings, and releases
// up to now, call it planner.
func isRules(spec string) bool {
	provider, _, _ := strings.Cut(spec, "/")
	return provider == rulesProvider || provider == "planner"
}

// providerNames returns what --model may begin with.
func providerNames() []string {
	return append(cli.NamesBy(catalog.Endpoints(), func(e catalog.Endpoint) string { return e.Name }), rulesProvider)
}

// endpointOf returns the endpoint of a provider.
func endpointOf(provider string) (catalog.Endpoint, bool) {
	all := catalog.Endpoints()
	i := slices.IndexFunc(all, func(e catalog.Endpoint) bool { return e.Name == provider })
	if i < 0 {
		return catalog.Endpoint{}, false
	}
	return all[i], true
}

// completeModelFlag offers the providers and, after a provider, its models.
func completeModelFlag(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	provider, _, named := strings.Cut(typed, "/")
	e, ok := endpointOf(provider)
	if !named || !ok {
		names := providerNames()
		for i := range names[:len(names)-1] {
			names[i] += "/"
		}
		return append(names, localModel), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	var specs []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(e.Models()))) {
		specs = append(specs, e.Name+"/"+name)
	}
	return specs, cobra.ShellCompDirectiveNoFileComp
}

// A recorder is the file that --record names. The zero value records nothing.
type recorder struct {
	file    *os.File
	answers *replay.Recorder
}

// startRecording opens the file that path names, if any, and writes the model's answers to it.
func (c *choice) startRecording(path string) error {
	file, err := cli.SideFile{Flag: "record", Path: path, What: "recording", Suggested: "run.rec"}.Open()
	if file != nil {
		answers := replay.Record(c.model, file)
		c.model, c.recorded = answers, recorder{file, answers}
	}
	return err
}

// close ends the recording. The error says why it is incomplete.
func (r recorder) close() error {
	if r.file == nil {
		return nil
	}
	return errors.Join(r.answers.Err(), r.file.Close())
}

// endRecording closes the recording, and warns if a replay would differ from the run.
func (c *choice) endRecording(say func(string)) {
	if err := c.recorded.close(); err != nil {
		say(fmt.Sprintf("warning: the recording is incomplete: %v", err))
	}
	if c.recorded.file != nil && c.answered() != nil {
		say("warning: a replay of this recording will show all answers, and their cost, as those of " + c.name())
	}
	if c.played != nil && c.played.Left() > 0 {
		say(fmt.Sprintf("warning: the run did not use %s of the recording", line.Count(c.played.Left(), "answer")))
	}
}

// openReplay opens the recording that answers in place of a model.
func openReplay(f *modelFlags, say func(string)) (*choice, error) {
	file, err := os.Open(f.replay)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Usage("--record "+cli.Quote(f.replay)+" with a --model makes it", "no recording %q", f.replay)
	}
	if err != nil {
		return nil, cli.Usage("--replay FILE", "opening the recording: %v", err)
	}
	defer file.Close()
	m, err := replay.Open(file)
	if err != nil {
		return nil, cli.Usage("--replay with a FILE that --record wrote", "%s: %v", f.replay, err)
	}
	info := m.Info()
	c := &choice{model: m, played: m, rules: isRules(info.Provider)}
	say(fmt.Sprintf("replay of %s: no model is asked", c.name()))
	if m.Warning() != "" {
		say("warning: the recording: " + m.Warning())
	}
	if asked := f.spec(); f.model != "" && asked != info.Provider+"/"+info.Name {
		say(fmt.Sprintf("warning: --model %s is ignored: the recording is of %s", asked, c.name()))
	}
	if !c.rules {
		c.meter = providers.NewMeter(0)
		c.model = c.meter.Watch(m)
	}
	return c, nil
}
