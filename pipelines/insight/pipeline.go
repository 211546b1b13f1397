package insight

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/tools"
)

//go:embed prompts
var prompts embed.FS

// Dimensions returns what [Run] can look for, sorted by name.
func Dimensions() []string {
	entries, err := prompts.ReadDir("prompts/dimensions")
	if err != nil {
		panic(err) // embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}

// Options say what [Run] looks for, and bound its work.
type Options struct {
	Dimensions []string          // some of [Dimensions]; default: all
	Most       int               // findings; default 10
	Steps      int               // of each stage; default 24
	Time       time.Duration     // of each stage, most of it for searching; default: unlimited
	Observe    func(agent.Event) // sees every event; may be nil

	// Source reads the lines that a finding cites; nil: the tool read_file of the agent.
	Source Source
}

const (
	defaultMost  = 10
	defaultSteps = 24
)

// What the gate of an analysis requires.
const (
	leastCalls  = 2
	leastLength = 40 // characters
)

// Run looks for what is worth knowing in the tree that the tools of base read. base configures the agents of both
// stages: model, tools, budget and working memory. Run sets name, system prompt, guide and steps, and leaves out a tool
// named report. It returns a report even with an error, unless the configuration is invalid or a dimension is
// unknown.
func Run(ctx context.Context, base agent.Config, o *Options) (*Report, error) {
	options, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	base.Tools = slices.DeleteFunc(slices.Clone(base.Tools), func(t tools.Tool) bool { return t.Name == "report" })
	source := options.Source
	if source == nil {
		if source, err = sourceOf(base.Tools); err != nil {
			return nil, err
		}
	}
	limits := &patience{limit: time.Duration(float64(options.Time) * searchShare)}
	base.Tools = limits.all(base.Tools)
	found := &findings{source: source, most: options.Most}
	store := base.Memory
	if store == nil {
		store = working.New(nil)
	}
	scope := store.Open()
	defer scope.Close()
	stages, budget, err := options.stages(base, found, scope.ID())
	if err != nil {
		return nil, err
	}
	window := contextwindow.New(budget, &contextwindow.Options{Store: scope})
	outcomes, err := pipelines.Run(ctx, window, "", stages...)
	report := found.report(options.Dimensions, outcomes)
	report.Partial = limits.why()
	return report, err
}

// stages builds the two stages, and returns the budget of their window.
func (o *Options) stages(base agent.Config, found *findings, scope string) ([]pipelines.Stage, contextwindow.Budget,
	error) {
	var none contextwindow.Budget
	base.System = prompt("system.md", strings.NewReplacer())
	base.Limits.Steps = o.Steps
	if base.Model != nil && rulemodel.Is(base.Model.Info()) {
		base.Limits.CallsPerStep = cmp.Or(base.Limits.CallsPerStep, rulesCalls)
	}
	analyst, producer := base, base
	analyst.Name, producer.Name = Analyze, produce
	analyst.Guide = func() agent.Guide {
		return explore.New(explore.Analyst(), &explore.Options{Steps: o.Steps, Answered: isAnalysis}).Next
	}
	producer.Guide = func() agent.Guide {
		options := explore.Options{Steps: o.Steps, Submissions: o.Most, SoftSubmissions: max(1, o.Most*4/5)}
		return explore.New(explore.Producer(), &options).Next
	}
	producer.Tools = append(producer.Tools, found.tool())
	first, err := agent.New(analyst)
	if err != nil {
		return nil, none, err
	}
	second, err := agent.New(producer)
	if err != nil {
		return nil, none, err
	}
	stage := pipelines.Stage{
		Limits: agent.Limits{Time: o.Time}, RetryLimits: agent.Limits{Steps: max(o.Steps/2, 2), Time: o.Time},
		Scope: scope, Observe: o.Observe,
	}
	analysis, production := stage, stage
	analysis.Name, analysis.Agent, analysis.Gate = Analyze, first, analysisGate()
	analysis.Prompt = func(string, []pipelines.Outcome) string {
		return prompt("analyze.md", o.fields(pipelines.Handover{}))
	}
	production.Name, production.Agent, production.Gate = produce, second, found.gate
	production.Prompt = func(_ string, done []pipelines.Outcome) string {
		return prompt("produce.md", o.fields(done[0].Handover))
	}
	return []pipelines.Stage{analysis, production}, first.Budget(), nil
}

func (o *Options) withDefaults() (*Options, error) {
	var d Options
	if o != nil {
		d = *o
	}
	d.Most = cmp.Or(max(d.Most, 0), defaultMost)
	d.Steps = cmp.Or(max(d.Steps, 0), defaultSteps)
	known := Dimensions()
	if len(d.Dimensions) == 0 {
		d.Dimensions = known
	}
	for _, name := range d.Dimensions {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown dimension %q; use one of %s", name, strings.Join(known, ", "))
		}
	}
	return &d, nil
}

// fields returns the replacer that fills in the prompts. It clears the dimension of a finding that names an unknown
// one.
func (o *Options) fields(h pipelines.Handover) *strings.Replacer {
	h.Findings = slices.Clone(h.Findings)
	for i, f := range h.Findings {
		if !slices.Contains(Dimensions(), f.Dimension) {
			h.Findings[i].Dimension = ""
		}
	}
	var lines strings.Builder
	for _, d := range o.Dimensions {
		lines.WriteString("- " + prompt("dimensions/"+d+".md", strings.NewReplacer()) + "\n")
	}
	return strings.NewReplacer("{{.Names}}", strings.Join(o.Dimensions, ", "), "{{.Dimensions}}", lines.String(),
		"{{.Most}}", strconv.Itoa(o.Most), "{{.Handover}}", h.JSON())
}

// prompt fills in one of the files in prompts.
func prompt(name string, fields *strings.Replacer) string {
	raw, err := prompts.ReadFile("prompts/" + name)
	if err != nil {
		panic(err) // embedded
	}
	return strings.TrimSpace(fields.Replace(string(raw)))
}

// isAnalysis reports whether a step ends the analysis: a text with findings that cite lines. Without it, a model that
// cannot be forced to call tools would be asked to continue after its answer.
func isAnalysis(s agent.Step) bool {
	return len(s.Calls) == 0 && len(pipelines.ParseFindings(s.Text)) > 0
}

// analysisGate asks once more for an analysis without calls, text or evidence.
func analysisGate() pipelines.Gate {
	return pipelines.RetryUnless(
		pipelines.ToolCalls(leastCalls), pipelines.MinLength(leastLength), pipelines.FindingsWithEvidence(1))
}

// gate asks once more, with the reasons of the refusals, if nothing was accepted. More refusals than findings degrade
// the stage.
func (f *findings) gate(pipelines.Attempt) pipelines.Verdict {
	accepted, refused := f.all(), f.refusals()
	switch {
	case len(accepted) == 0 && len(refused) == 0:
		return pipelines.Retry("Nothing was submitted. " +
			"Call submit_finding for each finding of the analysis that holds; if none does, say why.")
	case len(accepted) == 0:
		return pipelines.Retry("No submission was accepted:\n" + reasons(refused) +
			"\nFix what can be fixed and submit it again.")
	case len(refused) > len(accepted):
		return pipelines.Degrade(fmt.Sprintf("%s accepted, %d refused", line.Count(len(accepted), "finding"), len(refused)))
	}
	return pipelines.Pass()
}

const (
	maxReasons     = 10 // refusals that a retry lists
	maxReasonRunes = 200
)

func reasons(all []rejection) string {
	var lines []string
	for _, r := range all[:min(len(all), maxReasons)] {
		title := line.Truncate(line.Flat(r.Title), maxTitle)
		lines = append(lines, fmt.Sprintf("- %s: %s", title, line.Truncate(line.Flat(r.Reason), maxReasonRunes)))
	}
	return strings.Join(lines, "\n")
}
