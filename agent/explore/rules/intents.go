package rules

import (
	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers/rulemodel"
)

// withIntent puts the steps of an exact search before the stages of a question with a recognised intent. The other
// stages come only if the search does not answer it.
func (r *run) withIntent() {
	in, ok := intent.Parse(r.q.text)
	if !ok {
		return
	}
	if r.exact = exact.New(in, r.talk.results); r.exact == nil {
		return
	}
	var stages []stage
	for n := range exact.Steps {
		stages = append(stages, stage{"look up", "exact tools for a question about: " + string(in.Kind),
			func(r *run) []rulemodel.Call { return r.exact.Calls(n + 1) }})
	}
	for _, s := range r.stages {
		if s.name == "report" || s.name == "report again" {
			stages = append(stages, s)
			continue
		}
		open := s.calls
		s.calls = func(r *run) []rulemodel.Call {
			if r.exact.Report() != nil {
				return nil
			}
			return open(r)
		}
		stages = append(stages, s)
	}
	r.stages = stages
}

// exactReport returns the report of the exact search; nil for an open question.
func (r *run) exactReport() *draft {
	if r.exact == nil {
		return nil
	}
	rep := r.exact.Report()
	if rep == nil {
		return nil
	}
	rep.Question = line.Truncate(r.q.text, 500)
	rep.NotCovered = append(rep.NotCovered, r.e.gaps()...)
	return &draft{*rep}
}
