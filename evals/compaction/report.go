package compaction

import (
	"cmp"
	"maps"
	"slices"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/trial"
)

// A Report is the result of [Run].
type Report struct {
	Suite          string          `json:"suite"`
	Rows           []policyRow     `json:"rows"`
	Counter        string          `json:"counter"`
	Split          string          `json:"split"`
	Details        []rowDetail     `json:"details"`
	StandardErrors []estimate      `json:"standard_errors"` // of the totals
	Differences    []estimate      `json:"differences"`     // totals minus those of the ladder profile; costs ÷ its costs
	Broken         []brokenPromise `json:"broken"`
	Failed         []string        `json:"failed"`  // trajectories that could not be played
	Skipped        []string        `json:"skipped"` // lines of the recordings that do not parse
	Repairs        map[string]int  `json:"repairs"` // of the recordings

	trials trial.Results
}

// A policyRow has the figures of a policy on a source at a budget. Shares are from 0 to 1, sizes in tokens, times in
// milliseconds. A share of an empty set is 1; for Invalid and OverBudget it is 0. Requests that GoesOn counts show
// nothing, but cost what they send.
type policyRow struct {
	Policy          string  `json:"policy"`
	Budget          int     `json:"budget"`
	Source          string  `json:"source"` // of the recordings; "all"; or source/id of a very long session
	Trajectories    int     `json:"trajectories"`
	Requests        int     `json:"requests"`
	Sight300        float64 `json:"first_sight_300"` // of results up to 300 tokens, the share seen at first
	Sight1k         float64 `json:"first_sight_1k"`  // likewise, up to 1,000
	Sight4k         float64 `json:"first_sight_4k"`  // likewise, up to 4,000
	SightLarger     float64 `json:"first_sight_larger"`
	NearIdentifiers float64 `json:"near_identifiers"` // last seen up to four turns before, outside lists
	NearLines       float64 `json:"near_lines"`
	EffectiveCost   float64 `json:"effective_cost"` // with what must be read again
	GoesOn          int     `json:"goes_on"`        // requests after an agent would have ended the run
	VisibleRecall   float64 `json:"visible_recall"`
	LongRange       float64 `json:"long_range_recall"`
	LongRangeBare   float64 `json:"long_range_nolist"`
	LineRecall      float64 `json:"line_recall"`
	LongRangeLines  float64 `json:"long_range_lines"`
	PointerReach    float64 `json:"pointer_reach"`
	CueReach        float64 `json:"cue_reach"`
	AnchorRecall    float64 `json:"edit_anchor_recall"`
	Pins            float64 `json:"pins"`
	Invalid         float64 `json:"invalid"`     // share of requests
	OverBudget      float64 `json:"over_budget"` // share of requests
	Irreducible     int     `json:"irreducible"` // trajectories
	MaxTokens       int     `json:"max_tokens"`
	PrefixRatio     float64 `json:"prefix_ratio"`
	Cost            float64 `json:"cost"`
	Sent            int     `json:"sent"`
	Compactions     int     `json:"compactions"`
	SizeAfterP50    float64 `json:"size_after_p50"` // as a share of the budget
	Determinism     float64 `json:"determinism"`
	ViewP50         float64 `json:"view_p50_ms"` // to append what arrived, and to build the view
	ViewP99         float64 `json:"view_p99_ms"`
}

// A rowDetail has further figures of a [policyRow].
type rowDetail struct {
	Policy        string         `json:"policy"`
	Budget        int            `json:"budget"`
	Source        string         `json:"source"`
	Sight         []sightDetail  `json:"first_sight"`
	Rereads       int            `json:"rereads"` // sources that must be read again
	RereadCost    float64        `json:"reread_cost"`
	Near          int            `json:"near_identifiers"` // that calls refer to, last seen up to four turns before
	NearLines     int            `json:"near_lines"`       // that calls repeat, likewise
	Identifiers   int            `json:"identifiers"`      // that calls refer to
	LongRange     int            `json:"long_range"`       // of these, last seen at least five turns before
	LongLines     int            `json:"long_range_lines"` // lines that calls repeat, likewise
	Anchors       int            `json:"edit_anchors"`     // lines of old texts
	VisibleBare   float64        `json:"visible_nolist"`
	SizeAfterMax  float64        `json:"size_after_max"`  // as a share of the budget
	Refill        float64        `json:"refill"`          // brought back by identical calls, as a share of what was freed
	MeterP50      float64        `json:"meter_error_p50"` // |estimate − counted| ÷ counted; 0 without an estimate
	MeterP95      float64        `json:"meter_error_p95"`
	InvalidByRule map[string]int `json:"invalid_by_rule"` // requests
}

// A sightDetail says how much of a group of results was seen in the first request after each arrived.
type sightDetail struct {
	Of           string  `json:"of"` // a class of sizes; "above 300" tokens; or a role, of results above 300 tokens
	Results      int     `json:"results"`
	Seen         float64 `json:"seen"`          // share of the bytes, each result weighted by its tokens, at most 4,000
	Whole        float64 `json:"whole"`         // share of the results that were seen to at least .98
	UnderQuarter float64 `json:"under_quarter"` // share of those that were seen to less than .25
	Nothing      float64 `json:"nothing"`
}

// A brokenPromise counts the trajectories on which a policy broke a promise.
type brokenPromise struct {
	Policy       string `json:"policy"`
	Budget       int    `json:"budget"`
	Promise      string `json:"promise"`
	Trajectories int    `json:"trajectories"`
	First        string `json:"first"` // the first such trajectory, and the reason
}

// allSources is the [policyRow.Source] of the total: all trajectories except very long sessions. A second total leaves
// out the source with the most requests; its name is withoutLargest and that of the source.
const (
	allSources     = "all"
	withoutLargest = "all without "
)

// results are the outcomes of a run: script i with entrant e is outcome i × len(entrants) + e.
type results struct {
	scripts  []*script
	entrants []entrant
	outcomes []evals.Outcome[*tally]
}

// of returns the tallies of one entrant by script, nil where it failed.
func (r *results) of(e int) []*tally {
	all := make([]*tally, len(r.scripts))
	for i := range all {
		all[i] = r.outcomes[i*len(r.entrants)+e].Output
	}
	return all
}

func newReport(c *recording.Collection, cfg *plan, r results) *Report {
	report := &Report{
		Suite: "compaction", Rows: []policyRow{}, Counter: cfg.counter.Name, Split: cfg.Split,
		Details: []rowDetail{}, Broken: broken(r),
		Failed: []string{}, Skipped: append([]string{}, c.Skipped...), Repairs: c.Repairs,
		trials: trial.Results{Set: "compaction"},
	}
	report.StandardErrors, report.Differences = estimates(r)
	for e, en := range r.entrants {
		tallies := r.of(e)
		for _, g := range groups(r.scripts) {
			y := sum(tallies, func(i int) bool { return g.has(r.scripts[i]) })
			if y.Requests+y.Irreducible > 0 {
				report.Rows = append(report.Rows, newRow(en, g.name, y))
				report.Details = append(report.Details, newDetail(en, g.name, y))
			}
		}
	}
	for i, o := range r.outcomes {
		report.trial(r.entrants[i%len(r.entrants)], r.scripts[i/len(r.entrants)], o)
		if o.Err != nil {
			report.Failed = append(report.Failed, o.Err.Error())
		}
	}
	return report
}

// A group is a set of trajectories that a row adds up.
type group struct {
	name  string
	has   func(*script) bool
	total bool
}

// groups returns the totals, each source, and each very long session.
func groups(scripts []*script) []group {
	requests := make(map[string]int) // without very long sessions
	for _, s := range scripts {
		requests[s.Source] += 0
		if !s.long() {
			requests[s.Source] += len(s.targets)
		}
	}
	names := slices.Sorted(maps.Keys(requests))
	all := []group{{allSources, func(s *script) bool { return !s.long() }, true}}
	if len(names) > 1 {
		largest := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(requests[a], requests[b]) })
		without := func(s *script) bool { return !s.long() && s.Source != largest }
		all = append(all, group{withoutLargest + largest, without, true})
	}
	for _, name := range names {
		all = append(all, group{name, func(s *script) bool { return s.Source == name }, false})
	}
	for _, one := range scripts {
		if one.long() {
			all = append(all, group{one.Source + "/" + one.ID, func(s *script) bool { return s == one }, false})
		}
	}
	return all
}

func sum(tallies []*tally, has func(i int) bool) *tally {
	var y tally
	for i, one := range tallies {
		if one != nil && has(i) {
			y.add(one)
		}
	}
	return &y
}

func newRow(e entrant, source string, y *tally) policyRow {
	return policyRow{
		Policy: e.policy.Name, Budget: e.budget, Source: source, Trajectories: y.Trajectories, Requests: y.Requests,
		Sight300: y.Sight[0].share(), Sight1k: y.Sight[1].share(), Sight4k: y.Sight[2].share(),
		SightLarger: y.Sight[3].share(), NearIdentifiers: share(y.UnlistedNear, y.Near),
		NearLines: share(y.SeenNearLines, y.NearLines), EffectiveCost: y.effective(), GoesOn: y.GoesOn,
		VisibleRecall: share(y.SeenIdentifiers, y.Identifiers), LongRange: share(y.SeenLongRange, y.LongRange),
		LongRangeBare: share(y.UnlistedLongRange, y.LongRange),
		LineRecall:    share(y.SeenLines, y.Lines), LongRangeLines: share(y.SeenLongRangeLines, y.LongRangeLines),
		PointerReach: share(y.PointedAt, y.Identifiers), CueReach: share(y.Named, y.Identifiers),
		AnchorRecall: share(y.SeenAnchors, y.Anchors), Pins: share(y.Pinned, y.Requests),
		Invalid: part(y.Invalid, y.Requests), OverBudget: part(y.Over, y.Requests),
		Irreducible: y.Irreducible, MaxTokens: y.Largest, PrefixRatio: share(y.PrefixQuarters, y.Quarters), Cost: y.cost(),
		Sent: recording.Tokens(y.Quarters), Compactions: y.Compactions, SizeAfterP50: stats.Quantile(y.After, .5),
		Determinism: share(y.Equal, y.Compared), ViewP50: stats.Quantile(y.Times, .5), ViewP99: stats.Quantile(y.Times, .99),
	}
}

func newDetail(e entrant, source string, y *tally) rowDetail {
	d := rowDetail{
		Policy: e.policy.Name, Budget: e.budget, Source: source,
		Rereads: y.Rereads, RereadCost: y.RereadCost, Near: y.Near, NearLines: y.NearLines,
		Identifiers: y.Identifiers, LongRange: y.LongRange, LongLines: y.LongRangeLines, Anchors: y.Anchors,
		VisibleBare: share(y.UnlistedIdentifiers, y.Identifiers), SizeAfterMax: stats.Quantile(y.After, 1),
		Refill:   part(y.Refilled, y.Freed),
		MeterP50: stats.Quantile(y.Errors, .5), MeterP95: stats.Quantile(y.Errors, .95), InvalidByRule: make(map[string]int),
	}
	maps.Copy(d.InvalidByRule, y.Broken)
	for i := range y.Sight {
		d.Sight = append(d.Sight, y.Sight[i].detail(classNames[i]))
	}
	d.Sight = append(d.Sight, y.larger().detail(aboveRoles))
	for i := range y.Roles {
		d.Sight = append(d.Sight, y.Roles[i].detail(roleNames[i]))
	}
	return d
}

// aboveRoles is the [sightDetail.Of] of all results of more than rolesBeyond tokens.
const aboveRoles = "above 300"

func (s *sight) detail(of string) sightDetail {
	return sightDetail{
		Of: of, Results: s.Results, Seen: s.share(), Whole: share(s.Whole, s.Results),
		UnderQuarter: part(s.UnderQuarter, s.Results), Nothing: part(s.Nothing, s.Results),
	}
}

// sightOf returns the detail of a group of results.
func (d *rowDetail) sightOf(of string) sightDetail {
	for _, s := range d.Sight {
		if s.Of == of {
			return s
		}
	}
	return sightDetail{Of: of}
}

func broken(r results) []brokenPromise {
	all := []brokenPromise{}
	for e, en := range r.entrants {
		for _, check := range checks {
			b := brokenPromise{Policy: en.policy.Name, Budget: en.budget, Promise: check.Name}
			for i := range r.scripts {
				o := r.outcomes[i*len(r.entrants)+e]
				at := slices.IndexFunc(o.Breaches, func(b evals.Breach) bool { return b.Check == check.Name })
				if at < 0 {
					continue
				}
				if b.Trajectories++; b.First == "" {
					b.First = o.Case + ": " + o.Breaches[at].Err.Error()
				}
			}
			if b.Trajectories > 0 {
				all = append(all, b)
			}
		}
	}
	return all
}
