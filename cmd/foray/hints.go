package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
)

// tryLater suggests what helps with an error that passes.
const tryLater = "try again in a minute, or --fallback PROVIDER/NAME"

// hints suggest what to do about an error of a model, by its class.
var hints = map[providers.Class]func(target, *providers.Error) string{
	providers.Auth:      authHint,
	providers.Invalid:   invalidHint,
	providers.Overflow:  overflowHint,
	providers.Rate:      rateHint,
	providers.Transient: func(target, *providers.Error) string { return tryLater },
	providers.Refused:   func(target, *providers.Error) string { return "ask in other words" },
	providers.Network:   networkHint,
	providers.Malformed: baseHint,
	providers.TooLong:   func(target, *providers.Error) string { return "ask for less at once, or try another --model" },
	providers.Repeating: func(target, *providers.Error) string { return "ask in other words, or choose a larger --model" },
}

// unusable are the classes of errors that a second attempt cannot fix.
var unusable = map[providers.Class]bool{providers.Auth: true, providers.Invalid: true, providers.Malformed: true}

// hint suggests what to do about an error of t.
func (t target) hint(ctx context.Context, e *providers.Error) string {
	if t.unknown(e) {
		return t.namesHint(ctx)
	}
	if write := hints[e.Class]; write != nil {
		return write(t, e)
	}
	return ""
}

func authHint(t target, e *providers.Error) string {
	switch {
	case e.Status == http.StatusPaymentRequired || strings.Contains(e.Code, "billing"):
		return "the account has no credit left: add some, or choose another --model"
	case t.KeyVariable == "":
		return "export " + t.Keys[0] + "=…"
	}
	return "check the key in " + t.KeyVariable
}

func invalidHint(t target, e *providers.Error) string {
	if e.Status == http.StatusNotFound {
		return baseHint(t, e)
	}
	return "foray doctor --model " + t.String()
}

func overflowHint(t target, e *providers.Error) string {
	if e.Limit > 0 {
		return fmt.Sprintf("--window %d, which the server reports", e.Limit)
	}
	return "a smaller --budget, or --window with the size of the server's"
}

func rateHint(t target, e *providers.Error) string {
	const other = ", or --fallback PROVIDER/NAME"
	switch {
	case strings.Contains(e.Code, "quota") || strings.Contains(e.Code, "billing"):
		return "the quota is used up: check the plan of the key in " + cmp.Or(t.KeyVariable, t.Keys[0]) + other
	case e.RetryAfter > 0:
		at := time.Now().Add(e.RetryAfter).Truncate(time.Second)
		return fmt.Sprintf("try again in %s, at %s%s", ui.Seconds(e.RetryAfter), at.Format("15:04:05"), other)
	}
	return tryLater
}

func networkHint(t target, e *providers.Error) string {
	if t.Name == "ollama" && t.Local() {
		return "start the server: ollama serve"
	}
	return "check that the server answers: curl " + t.SafeURL() + strings.TrimPrefix(t.ListURL(), t.URL)
}

func baseHint(t target, _ *providers.Error) string {
	if t.ListURL() == t.URL+"/models" {
		return "check --base-url: it usually ends in /v1"
	}
	return "check --base-url: it has no version, like " + t.BaseURL
}

// unknownModel matches what services say about a model that they do not have.
var unknownModel = regexp.MustCompile(
	`(?i)model\b.{0,80}\b(not found|not exist|no such|not a valid|is invalid|not supported|not available)|` +
		`(invalid|unknown|no such|not a valid) model|^models?[:/]`)

// unknown reports whether an error says that the model does not exist.
func (t target) unknown(e *providers.Error) bool {
	if e.Class != providers.Invalid && e.Class != providers.Transient {
		return false
	}
	switch e.Code {
	case "model_not_found", "invalid_model", "model_not_available", "not_found_error":
		return true
	}
	refused := e.Status == http.StatusNotFound || e.Status == http.StatusBadRequest ||
		e.Status == http.StatusUnprocessableEntity
	return refused && e.Err != nil && unknownModel.MatchString(e.Err.Error())
}

// maxNames limits the names in a hint.
const maxNames = 3

// namesHint suggests names similar to the model's, of those that the server lists, else of those that foray knows.
func (t target) namesHint(ctx context.Context) string {
	listed := t.List(ctx)
	names := listed
	if len(listed) == 0 {
		names = t.Models()
	}
	near := line.Closest(t.Model, names, maxNames)
	hint := "--model " + t.Name + "/" + near[0]
	if len(near) > 1 {
		hint += "; also near: " + strings.Join(near[1:], ", ")
	}
	if t.Name == "ollama" {
		hint += "; or ollama pull " + t.Model
	}
	return hint
}

// explain returns how an error ends a run, with a hint. An error that a second attempt cannot fix is a usage error
// if the run made no step.
func (c *choice) explain(ctx context.Context, err error, r *agent.Result) error {
	end := &cli.Exit{Code: cli.ExitPartial, Err: err}
	class := providers.ClassOf(err)
	e := (*providers.Error)(nil)
	switch irreducible := errors.Is(err, contextwindow.ErrIrreducible); {
	case irreducible && errors.As(err, &e) && e.Limit > 0:
		end.Hint = fmt.Sprintf("use a model with a window of more than %s tokens", line.Number(e.Limit))
	case irreducible:
		end.Hint, class = "a larger --budget, or a shorter question", providers.Invalid
	case c.played != nil:
		end.Hint = "use the question, directory and flags of the recording, or make another with --record FILE"
	case errors.As(err, &e):
		if t, ok := c.targetOf(e); ok {
			end.Hint = t.hint(ctx, e)
		}
	}
	if class == providers.Overflow && !errors.Is(err, contextwindow.ErrIrreducible) {
		end.Err = fmt.Errorf("%w; %s", err, tried(r))
	}
	if r.Steps == 0 && unusable[class] {
		end.Code = cli.ExitUsage
	}
	return end
}

// targetOf returns the model of the chain that failed.
func (c *choice) targetOf(e *providers.Error) (target, bool) {
	for _, t := range c.chain {
		if t.Name == e.Provider && t.Model == e.Model {
			return t, true
		}
	}
	return target{}, false
}

// tried says what compaction did about requests that were too long.
func tried(r *agent.Result) string {
	if len(r.Compactions) == 0 {
		return "compaction found nothing to leave out"
	}
	first, last := r.Compactions[0], r.Compactions[len(r.Compactions)-1]
	return fmt.Sprintf("the window was compacted %s, from %s to %s tokens",
		times(len(r.Compactions)), line.Number(first.Before), line.Number(last.After))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return line.Count(n, "time")
}

// leastCost is the cost that a hint doubles at least, in dollars, because it shows whole cents.
const leastCost = .005

// more suggests how to get the whole answer after a limit.
func (c *choice) more(stop agent.Stop, maxSteps int, timeout time.Duration) string {
	switch stop {
	case agent.StepLimit:
		return fmt.Sprintf("--max-steps %d", 2*maxSteps)
	case agent.TimeLimit:
		return fmt.Sprintf("--timeout %v", 2*timeout)
	case agent.CostLimit:
		return fmt.Sprintf("--max-cost %.2f", 2*max(c.meter.Total().Cost, leastCost))
	case agent.CutOff:
		return "ask for less at once, or try another --model"
	case agent.Stalled:
		return "ask in other words, or try another --model"
	case stopUnusable:
		return "another --model, or the same without --model"
	case agent.TokenLimit, agent.Cancelled, agent.Failed, agent.Answered, agent.GuideStopped:
	}
	return ""
}

// nameUsage turns an error of [catalog.Resolve] into a usage error with a hint.
func nameUsage(err error) error {
	var unknown *catalog.NameError
	if errors.As(err, &unknown) {
		return cli.Usage("--model "+similarName(unknown), "%v", err)
	}
	if strings.HasPrefix(err.Error(), "OLLAMA_") {
		return cli.Usage("--window 8192", "%v", err)
	}
	return cli.Usage("correct the variable, or unset it", "%v", err)
}

// similarName returns the name that was probably meant: with a similar provider, else with the provider of the model.
func similarName(unknown *catalog.NameError) string {
	provider, model, _ := strings.Cut(strings.TrimSpace(unknown.Name), "/")
	if !catalog.BudgetFor(model, "").Fallback && cli.Nearest(provider, providerNames()) == "" {
		return catalog.Provider(model) + "/" + model
	}
	return unknown.Suggestions[0]
}

// openUsage turns an error of [catalog.Target.Open] into a usage error with a hint.
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
			hint += ", or use a server that needs no key: --model ollama/NAME"
		}
		return cli.Usage(hint, "the environment variable %s is not set", strings.Join(t.Keys, " or "))
	case class == providers.Invalid && t.Name == "generativeai":
		hint = "--model gemini/" + t.Model
	case errors.Is(err, providers.ErrNoCompaction):
		hint = "--compaction foray; servers that compact: Claude from 4.6 on (--model " + compactingModel +
			"), OpenAI's models that reason (--model openai/gpt-5.5)"
	case errors.Is(err, providers.ErrNotEncrypted):
		hint = "use https:// in --base-url, or --allow-http if you trust the network"
	case errors.Is(err, providers.ErrKeyForm):
		hint = "export " + t.KeyVariable + "=… without spaces and line breaks"
	case errors.Is(err, providers.ErrModelName):
		hint = "foray doctor --model " + t.Name + "/NAME"
	}
	return cli.Usage(hint, "%v", err)
}
