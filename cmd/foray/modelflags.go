package main

import (
	"cmp"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/providers/catalog"
)

// modelFlags say which model is asked, and how, as they were typed.
type modelFlags struct {
	model, baseURL string
	fallbacks      []string
	allowHTTP      bool
	window         int
	maxCost        float64
	record, replay string
}

// defineOne defines the flags that name one model.
func (f *modelFlags) defineOne(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.baseURL, "base-url", "", "ask the server at `URL`; for openai/ default: $OPENAI_BASE_URL")
	flags.BoolVar(&f.allowHTTP, "allow-http", false, "ask over plain HTTP also other machines, where the key can be read on the way")
	flags.IntVar(&f.window, "window", 0, "the server runs the model with a window of `N` tokens; ollama/ default: $OLLAMA_CONTEXT_LENGTH")
	complete(cmd, "model", completeModelFlag)
	inGroup(cmd, modelGroup, "model", "base-url", "allow-http", "window")
}

// define defines all flags of a run's models.
func (f *modelFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "explore with `PROVIDER/NAME`; default: $FORAY_MODEL, else the offline planner")
	flags.StringArrayVar(&f.fallbacks, "fallback", nil, "ask `PROVIDER/NAME` where those before do not answer; may be repeated")
	f.defineOne(cmd)
	flags.Float64Var(&f.maxCost, "max-cost", 0, "ask no more when `USD` are spent; default: no bound")
	flags.StringVar(&f.record, "record", "", "write the model's answers to `FILE`")
	flags.StringVar(&f.replay, "replay", "", "take the answers from the recording `FILE`, and ask nobody")
	complete(cmd, "fallback", completeModelFlag)
	inGroup(cmd, modelGroup, "fallback", "max-cost", "record", "replay")
}

// check refuses values that cannot work.
func (f *modelFlags) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case given("window") && f.window < catalog.MinWindow:
		return usage("--window 8192", "--window %d is below %d tokens", f.window, catalog.MinWindow)
	case given("max-cost") && !(f.maxCost > 0 && f.maxCost < math.MaxInt32):
		return usage("--max-cost 0.50", "--max-cost %v is no sum of dollars above zero", f.maxCost)
	case f.record != "" && f.replay != "":
		return usage("--replay "+quote(f.replay), "--record and --replay exclude each other")
	case given("record") && (f.record == "" || f.record == "-"):
		return usage("--record run.rec", "--record needs a file")
	case given("replay") && (f.replay == "" || f.replay == "-"):
		return usage("--replay run.rec", "--replay needs a file")
	}
	return nil
}

// spec is --model, else FORAY_MODEL.
func (f *modelFlags) spec() string {
	return cmp.Or(strings.TrimSpace(f.model), strings.TrimSpace(os.Getenv("FORAY_MODEL")))
}
