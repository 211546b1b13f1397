package explore

import (
	_ "embed" // the prompts
	"strconv"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

//go:embed prompts/explore.md
var systemPrompt string

//go:embed prompts/small.md
var smallPrompt string

// A size is what an exploration sends a model, by the size of its window and, where its name says it, of the model.
type size struct {
	window     int     // largest window that it serves, in tokens; 0: any
	limit      int     // it also serves requests below this many tokens
	parameters float64 // and models of up to this many billion parameters
	system     string
	tools      func(*Tree) []tools.Tool
	brief      bool // tools show their short forms
	sampling   agent.Sampling
	plan       func() Plan
}

// coldest is the temperature of small models, so that the same question gets the same answer.
var coldest = 0.0

// sizes is tried in order. A window of 16,384 tokens leaves a request 11,264.
var sizes = []size{
	{window: 16 << 10, limit: 11_500, parameters: 4, system: smallPrompt, tools: (*Tree).SmallTools, brief: true,
		sampling: agent.Sampling{Temperature: &coldest}, plan: small},
	{system: systemPrompt, tools: func(t *Tree) []tools.Tool { return t.Tools(false) }, plan: Analyst},
}

// sizeOf returns the size for a model with a budget.
func sizeOf(info providers.Info, b contextwindow.Budget) *size {
	billions := parametersOf(info.Name)
	for i := range sizes[:len(sizes)-1] {
		s := &sizes[i]
		if b.Window <= s.window || b.Limit < s.limit || billions > 0 && billions <= s.parameters {
			return s
		}
	}
	return &sizes[len(sizes)-1]
}

// IsSmall reports whether a model or its budget is so small that it gets short prompts and few tools.
func IsSmall(info providers.Info, b contextwindow.Budget) bool { return sizeOf(info, b).brief }

// mostWeak is the most parameters, in billions, of a model that calls whatever tool it reads of: Qwen2.5-Coder of 1.5
// billion searched for the words of a remark until its run ended, for 8 of 11 remarks. Larger ones were not tried.
const mostWeak = 2

// IsWeak reports whether the name of a model says that it is too small to leave tools alone: it converses better
// without any.
func IsWeak(info providers.Info) bool {
	billions := parametersOf(info.Name)
	return billions > 0 && billions <= mostWeak
}

// parametersForm finds the number of parameters in the name of an open model: qwen2.5-coder:1.5b,
// Llama-3.2-3B-Instruct.
var parametersForm = lazyregexp.New(`(?i)(?:^|[^a-z0-9.])(\d{1,4}(?:\.\d{1,2})?)b(?:$|[^a-z0-9])`)

// parametersOf returns the billions of parameters that the name of a model says it has, or 0.
func parametersOf(model string) float64 {
	m := parametersForm.FindStringSubmatch(model)
	if m == nil {
		return 0
	}
	billions, _ := strconv.ParseFloat(m[1], 64) // digits, by the form
	return billions
}
