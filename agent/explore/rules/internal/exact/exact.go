package exact

import (
	"cmp"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/report"
)

// A step returns the calls of one step.
type step = func(*Search) []rulemodel.Call

// A route says how to answer an intent.
type route struct {
	steps  []step
	report func(*Search) *report.Report // nil: the tools do not answer it
}

// routes is the table of intents.
var routes = map[intent.Kind]route{
	intent.Definition: {
		[]step{(*Search).lookUp, (*Search).lookAgain, of(raised.lookElsewhere), (*Search).weigh, of(raised.readMade)},
		keyOr(func(s *Search) *report.Report { return cmp.Or(s.definitionReport(), raised{s}.elsewhereReport()) }),
	},
	intent.Difference: {
		[]step{both((*Search).lookUp), both((*Search).lookAgain), both((*Search).weigh), both((*Search).readDefinitions),
			of(differences.lookUpDescribed)},
		func(s *Search) *report.Report { return differences{s}.report() },
	},
	intent.Key: {[]step{(*Search).findKey}, (*Search).keyReport},
	intent.Callers: {
		[]step{(*Search).lookUp, (*Search).lookAgain, of(usages.lookUpUses), (*Search).readDefinitions},
		func(s *Search) *report.Report { return usages{s}.callersReport() },
	},
	intent.Raised: {
		[]step{(*Search).lookUp, (*Search).lookAgain, of(raised.lookUpUses), of(raised.readRaisers),
			of(raised.lookUpCalled)},
		func(s *Search) *report.Report { return raised{s}.raisedReport() },
	},
	intent.Implementers: {
		[]step{(*Search).lookUp, (*Search).lookAgain, of(implementers.lookUpTypes), of(implementers.lookUpMethods),
			of(implementers.lookUpFound)},
		func(s *Search) *report.Report { return implementers{s}.implementersReport() },
	},
	intent.Tests: {
		[]step{(*Search).lookUp, (*Search).lookAgain, of(usages.lookUpUses), of(usages.readTests)},
		func(s *Search) *report.Report { return usages{s}.testsReport() },
	},
	intent.Message: {
		[]step{of(messages.findMessage), of(messages.readMessages), of(messages.findReason), of(messages.readReason)},
		func(s *Search) *report.Report { return messages{s}.reasonedReport() },
	},
	intent.Default: {
		[]step{of(values.findValue), (*Search).lookAgain, of(values.readOwners), of(values.findConstant)},
		keyOr(func(s *Search) *report.Report { return values{s}.valueReport() }),
	},
	intent.Option: {
		[]step{of(options.findOptions)},
		func(s *Search) *report.Report { return options{s}.optionReport() },
	},
	intent.Amount: {
		[]step{of(amounts.findAmounts), of(amounts.findTexts)},
		func(s *Search) *report.Report { return amounts{s}.amountReport() },
	},
}

// of returns the step of a search for one kind of thing.
func of[T ~struct{ *Search }](calls func(T) []rulemodel.Call) step {
	return func(s *Search) []rulemodel.Call { return calls(T{s}) }
}

// keyOr returns the report on a key of a setting, or else another one.
func keyOr(other func(*Search) *report.Report) func(*Search) *report.Report {
	return func(s *Search) *report.Report { return cmp.Or(s.keyReport(), other(s)) }
}

// Steps is how many steps a search has at most.
const Steps = 5

// New returns the search for an intent with the results so far, and the words of the question. It returns nil if no
// tool answers the intent.
func New(in intent.Intent, words []Word, results []rulemodel.Result) *Search {
	if len(routes[in.Kind].steps) == 0 {
		return nil
	}
	return &Search{in: in, words: words, results: lookup.Of(results)}
}

// Calls returns the calls of a step, from 1. A step may need none.
func (s *Search) Calls(step int) []rulemodel.Call {
	steps := routes[s.in.Kind].steps
	if step > len(steps) {
		return nil
	}
	return steps[step-1](s)
}

// Report returns the report on the results so far, or nil if they do not answer the question.
func (s *Search) Report() *report.Report { return routes[s.in.Kind].report(s) }

// Kind returns what the question asks for, and what the report answers.
func (s *Search) Kind() intent.Kind {
	if s.in.Kind == intent.Implementers && (implementers{s}).isOther() {
		return intent.Definition
	}
	if s.in.Kind == intent.Raised && len(raised{s}.raisers()) == 0 {
		return intent.Callers
	}
	if s.keyReport() != nil { // whatever the question calls it
		return intent.Key
	}
	return s.in.Kind
}
