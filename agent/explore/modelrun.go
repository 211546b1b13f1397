package explore

import (
	"cmp"
	"context"
	_ "embed" // the prompts
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/providers"
)

// A modelRun is a run in progress, which may begin with evidence.
type modelRun struct {
	tree     *Tree
	config   agent.Config
	options  RunOptions
	question string
	yield    func(agent.Event, error) bool
	evidence []agent.ToolRecord // one record, or none
	warning  string             // why it lacks evidence
	asked    providers.Usage    // of the request for words
	took     time.Duration      // by the evidence
}

// gather collects the evidence, in the time of the run. A small model gives words for an open question; a large
// one searches better itself. It reports false if the consumer broke off.
func (x *modelRun) gather(ctx context.Context) bool {
	started, broken := time.Now(), false
	if limit := x.config.Limits.Time; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var ask func(context.Context) string
	if x.config.Brief && x.question != "" {
		ask = x.words
	}
	most := evidenceRoom(x.config.Budget.Limit)
	rec, err := x.tree.gather(ctx, x.question, ask, room{most, most}, func(e agent.Event) bool {
		broken = broken || !x.yield(e, nil)
		return !broken
	})
	switch {
	case broken:
		return false
	case err != nil:
		x.warning = "the question is asked without evidence: " + err.Error()
		return true
	}
	evidenceOf([]agent.ToolRecord{rec}).small = x.config.Brief
	x.evidence, x.took = []agent.ToolRecord{rec}, time.Since(started)
	x.spend()
	return true
}

// spend leaves the run the time that its evidence did not take.
func (x *modelRun) spend() {
	if limit := &x.config.Limits.Time; *limit > 0 {
		*limit = max(*limit-x.took, time.Nanosecond)
	}
}

// run asks the model. The events of the evidence follow the first one of the run.
func (x *modelRun) run(ctx context.Context) {
	found := evidenceOf(x.evidence)
	if found != nil && found.text != "" {
		x.config.Guide = func() agent.Guide {
			return New(small(), &Options{Steps: x.config.Limits.Steps, Answered: answered, Places: found.unshown()}).Next
		}
	}
	a, err := agent.New(x.config)
	if err != nil {
		x.yield(nil, err)
		return
	}
	task, err := x.task()
	if err != nil {
		x.yield(nil, err)
		return
	}
	for e, err := range a.Stream(ctx, task) {
		if done, ok := e.(agent.RunFinished); ok {
			done.Result.Tools = append(slices.Clone(x.evidence), done.Result.Tools...)
			done.Result.Usage = done.Result.Usage.Add(x.asked)
		}
		if !x.yield(e, err) {
			return
		}
		if _, ok := e.(agent.RunStarted); ok && !x.begin() {
			return
		}
	}
}

// task returns what the agent is asked. To resume a run, it has no prompt.
func (x *modelRun) task() (agent.Task, error) {
	if x.options.Resume {
		return agent.Task{Session: x.options.Session, Inbox: x.options.Inbox}, nil
	}
	task := agent.Task{Prompt: prompt(x.config.Model, x.question), Input: x.question, Repository: x.tree.Dir,
		Inbox: x.options.Inbox}
	if found := evidenceOf(x.evidence); found != nil {
		task.Prompt = found.request(x.question)
	}
	if x.options.Session == nil {
		return task, nil
	}
	setup, err := x.keep()
	kept := *x.options.Session
	kept.Setup, task.Session = setup, &kept
	return task, err
}

// prompt returns the question, or without one a request for an overview.
func prompt(model providers.Model, question string) string {
	switch {
	case question != "":
		return question
	case rulemodel.Is(model.Info()):
		return "Overview"
	}
	return overviewPrompt
}

// keep returns the setup of the run's session.
func (x *modelRun) keep() (json.RawMessage, error) {
	o := &x.options
	return json.Marshal(map[string]any{"explore": &Kept{
		Question: x.question, Steps: o.Steps, Time: o.Time, Profile: o.Profile, Budget: o.Budget, Asked: x.asked,
		Program: o.Session.Setup, Found: keptOf(x.evidence), Warning: x.warning, Took: x.took,
	}})
}

// restore takes what the run that is resumed kept. Its options give way to those that are set.
func (x *modelRun) restore(k *Kept) {
	o := &x.options
	o.Steps, o.Time, o.Budget = cmp.Or(o.Steps, k.Steps), cmp.Or(o.Time, k.Time), cmp.Or(o.Budget, k.Budget)
	o.Profile = cmp.Or(o.Profile, k.Profile)
	x.question, x.asked, x.warning, x.took, x.evidence = k.Question, k.Asked, k.Warning, k.Took, k.Found.records()
}

// begin yields the events of the evidence.
func (x *modelRun) begin() bool {
	name := x.config.Name
	if x.warning != "" {
		return x.yield(agent.WarningRaised{Agent: name, Warning: x.warning}, nil)
	}
	for _, rec := range x.evidence {
		if !x.yield(agent.ToolStarted{Agent: name, Call: rec.Made}, nil) ||
			!x.yield(agent.ToolFinished{Agent: name, Record: rec}, nil) {
			return false
		}
	}
	return true
}

//go:embed prompts/words.md
var wordsPrompt string

// wordsExamples are questions, each followed by a line of words.
//
//go:embed prompts/words.txt
var wordsExamples string

// Bounds of the words that a model gives.
const (
	maxWords       = 12
	maxWordsAnswer = 40 // tokens
)

// searchable matches what may occur in code.
var searchable = lazyregexp.New(`[\pL_$][\pL\pN_$]+(?:[.:][\pL_$][\pL\pN_$]+)*`)

// words asks the model in which words code would answer the question: people use other words than the code, and other
// languages. It returns "" if the model gives none.
func (x *modelRun) words(ctx context.Context) string {
	req := &providers.Request{
		System: strings.TrimSpace(wordsPrompt), MaxOutput: maxWordsAnswer, Temperature: x.config.Sampling.Temperature,
	}
	role := transcript.User
	for example := range strings.Lines(wordsExamples) {
		req.Messages = append(req.Messages, transcript.Message{Role: role, Text: strings.TrimSpace(example)})
		if role = transcript.Assistant; len(req.Messages)%2 == 0 {
			role = transcript.User
		}
	}
	subject, _ := rules.Subject(x.question)
	req.Messages = append(req.Messages, transcript.Message{Role: transcript.User, Text: subject})
	answer, err := providers.Ask(ctx, x.config.Model, req)
	x.asked = x.asked.Add(answer.Usage)
	if err != nil && providers.ClassOf(err) != providers.TooLong { // then the first line counts
		return "" // the run meets the same error, and reports it
	}
	line, _, _ := strings.Cut(strings.TrimSpace(answer.Message.Text), "\n")
	var all []string
	for _, w := range searchable.FindAllString(line, -1) {
		if !slices.Contains(all, w) && len(all) < maxWords {
			all = append(all, w)
		}
	}
	return strings.Join(all, " ")
}
