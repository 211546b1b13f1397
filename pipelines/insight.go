package pipelines

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore"
)

//go:embed prompts
var prompts embed.FS

// The stages of Insight.
const (
	Analyze = "analyze"
	Produce = "produce"
)

// Dimensions are what Insight can look for, sorted by name.
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

// InsightOptions say what Insight looks for, and how far.
type InsightOptions struct {
	Dimensions []string      // some of Dimensions; nil: all
	Most       int           // findings; default 10
	Steps      int           // of each stage; default 24
	Time       time.Duration // of each stage; default: none
	Scope      string        // as of Stage
	Observe    func(agent.Event)
}

const (
	defaultMost  = 10
	defaultSteps = 24
)

// The least that an analysis is, for its gate.
const (
	leastCalls  = 2
	leastLength = 40 // characters
)

// Insight returns the pipeline that looks for what is worth knowing in a source tree: an analysis by the plan explore.Analyst,
// held by a gate to calls, a text and findings with evidence; then the handing in of what stands of it, by the plan
// explore.Producer, with the tool submit_finding, held by a gate to what was taken. base is the agent of both: its model, its
// tools, which read the tree, its budget. Its name, system prompt, guide and steps are set here. What was handed in is in
// findings. The error is one of Config, or an unknown dimension.
func Insight(base agent.Config, findings *Findings, o InsightOptions) ([]Stage, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	base.System = prompt("system.md", nil)
	base.Limits.Steps = o.Steps
	analyst, producer := base, base
	analyst.Name, producer.Name = Analyze, Produce
	analyst.Guide = func() agent.Guide {
		return explore.New(explore.Analyst(), &explore.Options{Steps: o.Steps, Answered: isAnalysis})
	}
	producer.Guide = func() agent.Guide {
		return explore.New(explore.Producer(), &explore.Options{Steps: o.Steps, Submissions: o.Most, SoftSubmissions: max(1, o.Most*4/5)})
	}
	producer.Tools = append(slices.Clone(base.Tools), findings.Tool())
	analyze, err := agent.New(analyst)
	if err != nil {
		return nil, err
	}
	produce, err := agent.New(producer)
	if err != nil {
		return nil, err
	}
	return []Stage{
		{
			Name: Analyze, Agent: analyze, Scope: o.Scope, Observe: o.Observe, Gate: analysisGate(), Budget: Budget{Time: o.Time},
			Prompt:      func(string, []Outcome) string { return prompt("analyze.md", o.fields(Handover{})) },
			RetryBudget: Retries{Times: 1, Budget: Budget{Steps: max(o.Steps/2, 2), Time: o.Time}},
		},
		{
			Name: Produce, Agent: produce, Scope: o.Scope, Observe: o.Observe, Gate: rejectionGate(findings), Budget: Budget{Time: o.Time},
			Prompt:      func(_ string, done []Outcome) string { return prompt("produce.md", o.fields(done[0].Handover)) },
			RetryBudget: Retries{Times: 1, Budget: Budget{Steps: max(o.Steps/2, 2), Time: o.Time}},
		},
	}, nil
}

func (o InsightOptions) withDefaults() (InsightOptions, error) {
	if o.Most <= 0 {
		o.Most = defaultMost
	}
	if o.Steps <= 0 {
		o.Steps = defaultSteps
	}
	known := Dimensions()
	if len(o.Dimensions) == 0 {
		o.Dimensions = known
	}
	for _, d := range o.Dimensions {
		if !slices.Contains(known, d) {
			return o, fmt.Errorf("there is no dimension %q; there are %s", d, strings.Join(known, ", "))
		}
	}
	return o, nil
}

// fields are what the prompts show.
func (o InsightOptions) fields(h Handover) map[string]any {
	var says strings.Builder
	for _, d := range o.Dimensions {
		says.WriteString("- " + prompt("dimensions/"+d+".md", nil) + "\n")
	}
	return map[string]any{
		"Names": strings.Join(o.Dimensions, ", "), "Dimensions": says.String(), "Most": o.Most, "Handover": h.JSON(),
	}
}

// prompt fills in one of the files of prompts.
func prompt(name string, fields map[string]any) string {
	raw, err := prompts.ReadFile("prompts/" + name)
	if err != nil {
		panic(err) // embedded
	}
	var b strings.Builder
	if err := template.Must(template.New(name).Parse(string(raw))).Execute(&b, fields); err != nil {
		panic(err) // fields are those of the file
	}
	return strings.TrimSpace(b.String())
}

// isAnalysis reports whether a step is an analysis: a text with findings that cite lines. Where a model cannot be forced to
// go on looking, it has nothing more to say.
func isAnalysis(s agent.Step) bool { return len(s.Calls) == 0 && len(findingsIn(s.Text)) > 0 }

// analysisGate asks once more for an analysis without calls, text or evidence.
func analysisGate() Gate {
	return RetryUnless(ToolCalls(leastCalls), MinLength(leastLength), FindingsWithEvidence(1))
}

// rejectionGate asks once more where nothing was taken, and says why what was handed in was refused. More refusals than
// findings are a lesser result.
func rejectionGate(f *Findings) Gate {
	return func(Attempt) Verdict {
		taken, refused := f.All(), f.Refused()
		switch {
		case len(taken) == 0 && len(refused) == 0:
			return Retry("Nothing was handed in. Call submit_finding for each finding of the analysis that stands; if none does, say why.")
		case len(taken) == 0:
			return Retry("Nothing of what was handed in was taken:\n" + reasons(refused) + "\nMend what can be mended and hand it in again.")
		case len(refused) > len(taken):
			return Degrade(fmt.Sprintf("%d findings were taken and %d refused", len(taken), len(refused)))
		}
		return Pass()
	}
}

// maxReasons is how many refusals a reason lists.
const maxReasons = 10

func reasons(all []Refusal) string {
	var lines []string
	for _, r := range firstOf(all, maxReasons) {
		lines = append(lines, fmt.Sprintf("- %s: %s", shorten(r.Title, maxTitle), shorten(r.Reason, maxLine)))
	}
	return strings.Join(lines, "\n")
}
