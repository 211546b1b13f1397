package canaries

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/trial"
)

// A Report is the result of [Run].
type Report struct {
	Suite  string   `json:"suite"`
	Noise  string   `json:"noise"` // "foray", or the file
	Split  string   `json:"split"`
	Seed   uint64   `json:"seed"`
	Rows   []row    `json:"rows"`
	Failed []string `json:"failed"` // sessions that a policy could not play

	trials trial.Results
}

// A row has the figures of a policy at a budget on some items. Shares are from 0 to 1, and nil without items; next to
// alive and own is their standard error, which takes each session as one draw.
type row struct {
	Policy string `json:"policy"`
	Budget int    `json:"budget"`
	By     string `json:"by"` // all, or carrier, kind, language, windows, age or wording with =value

	Sessions int      `json:"sessions"`
	Items    int      `json:"items"`
	Alive    *float64 `json:"alive"` // at the end of the session
	AliveSE  *float64 `json:"alive_se"`
	OnTheWay *float64 `json:"alive_on_the_way"` // at checks more than 1.3 budgets after the item was said
	OwnItems int      `json:"own_items"`        // those that the user said in a short message or beside a paste
	Own      *float64 `json:"own"`
	OwnSE    *float64 `json:"own_se"`
	Distance *float64 `json:"distance"` // share of the words that the line of an item lacks, where it is alive

	Superseding int      `json:"superseding"` // items that supersede another
	Stale       *float64 `json:"stale"`       // of these, where a digest ever showed the older value as if it held
	OnlyOld     *float64 `json:"only_old"`    // of these, where a view ever showed only the older value
	Lasting     int      `json:"lasting"`     // items that nothing supersedes
	Wrong       *float64 `json:"wrongly_replaced"`

	Over float64 `json:"over_budget"` // share of the requests of these sessions
	Sent float64 `json:"sent"`        // mean request, in budgets
}

// A played item is one with what became of it, and of its session.
type played struct {
	*item
	*fate
	tally *tally
}

// newReport adds up the outcomes, which are those of all policies for each spec.
func newReport(cfg *plan, specs []*spec, outcomes []evals.Outcome[*tally]) *Report {
	r := &Report{Suite: "canaries", Noise: cfg.noise.name, Split: cfg.Split, Seed: cfg.Seed, Rows: []row{},
		Failed: []string{}, trials: trial.Results{Set: "canaries"}}
	for _, budget := range cfg.Budgets {
		for p := range cfg.policies {
			var all []played
			for i, s := range specs {
				if s.budget != budget {
					continue
				}
				o := outcomes[i*len(cfg.policies)+p]
				if o.Err != nil {
					r.Failed = append(r.Failed, o.Err.Error())
					continue
				}
				for k, it := range o.Output.items {
					one := played{it, &o.Output.fates[k], o.Output}
					all = append(all, one)
					r.trial(cfg.policies[p].Name, k, one)
				}
			}
			r.add(cfg.policies[p].Name, budget, all)
		}
	}
	return r
}

// A dimension divides items by a value; "" leaves an item out.
type dimension struct {
	name   string
	values []string
	of     func(p played) string
}

// ages are the classes of how long ago an item was said, in windows.
var ages = []struct {
	below float64
	name  string
}{{3, "1-3"}, {10, "3-10"}, {math.Inf(1), "10-"}}

var dimensions = []dimension{
	{"carrier", carriers, func(p played) string { return p.carrier }},
	{"kind", kinds, func(p played) string { return p.kind }},
	{"language", languages, func(p played) string { return p.tally.language }},
	{"windows", nil, func(p played) string { return strconv.Itoa(p.tally.windows) }},
	{"age", []string{ages[0].name, ages[1].name, ages[2].name}, age},
	{"wording", []string{"same", "prefixed", "free"}, func(p played) string { return p.wording }},
}

func age(p played) string {
	windows := float64(p.tally.tokens-p.at) / float64(p.tally.budget)
	return ages[slices.IndexFunc(ages, func(a struct {
		below float64
		name  string
	}) bool {
		return windows < a.below
	})].name
}

// add appends the rows of a policy at a budget.
func (r *Report) add(policy string, budget int, all []played) {
	if len(all) == 0 {
		return
	}
	r.Rows = append(r.Rows, newRow(policy, budget, "all", all))
	for _, d := range dimensions {
		values := d.values
		if values == nil {
			for _, p := range all {
				if v := d.of(p); !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
		}
		for _, v := range values {
			part := slices.DeleteFunc(slices.Clone(all), func(p played) bool { return d.of(p) != v })
			if len(part) > 0 {
				r.Rows = append(r.Rows, newRow(policy, budget, d.name+"="+v, part))
			}
		}
	}
}

func newRow(policy string, budget int, by string, items []played) row {
	row := row{Policy: policy, Budget: budget, By: by, Items: len(items)}
	var alive, own, stale, only, wrong, way, distance share
	seen := make(map[*tally]bool)
	requests, over := 0, 0
	for _, p := range items {
		if !seen[p.tally] {
			seen[p.tally] = true
			requests += p.tally.requests
			over += p.tally.over
			row.Sent += p.tally.sent
		}
		alive.add(p.tally, p.end.Alive)
		way.count(p.tally, float64(p.fate.alive), float64(p.checks))
		if p.own() {
			own.add(p.tally, p.end.Alive)
		}
		if p.end.Alive {
			distance.count(p.tally, p.end.Distance, 1)
		}
		if p.old != nil {
			stale.add(p.tally, p.stale)
			only.add(p.tally, p.only)
		} else {
			wrong.add(p.tally, p.wrong)
		}
	}
	row.Sessions = len(seen)
	row.Alive, row.AliveSE = alive.mean()
	row.Own, row.OwnSE = own.mean()
	row.OnTheWay, _ = way.mean()
	row.Distance, _ = distance.mean()
	row.Stale, _ = stale.mean()
	row.OnlyOld, _ = only.mean()
	row.Wrong, _ = wrong.mean()
	row.OwnItems, row.Superseding, row.Lasting = int(own.of), int(stale.of), int(wrong.of)
	row.Over, row.Sent = float64(over)/float64(requests), row.Sent/float64(requests)
	return row
}

// A share is a part of a whole, summed over sessions. The items of a session follow each other.
type share struct {
	got, of  float64
	last     *tally
	sessions [][2]float64
}

func (s *share) add(session *tally, yes bool) {
	got := 0.0
	if yes {
		got = 1
	}
	s.count(session, got, 1)
}

func (s *share) count(session *tally, got, of float64) {
	if s.last != session {
		s.last = session
		s.sessions = append(s.sessions, [2]float64{})
	}
	s.got, s.of = s.got+got, s.of+of
	sums := &s.sessions[len(s.sessions)-1]
	sums[0], sums[1] = sums[0]+got, sums[1]+of
}

// mean returns the share and its standard error, that of a ratio of sums over sessions. They are nil without a whole,
// and the error with fewer than two sessions.
func (s *share) mean() (mean, stderr *float64) {
	if s.of == 0 {
		return nil, nil
	}
	m := s.got / s.of
	n := float64(len(s.sessions))
	if n < 2 {
		return &m, nil
	}
	squares := 0.0
	for _, sums := range s.sessions {
		d := sums[0] - m*sums[1]
		squares += d * d
	}
	e := math.Sqrt(squares*n/(n-1)) / s.of
	return &m, &e
}

// WriteMarkdown writes two tables for each budget: all items, and what is alive by what the items have in common.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var tables []evals.Table
	for i := 0; i < len(r.Rows); {
		end := i
		for end < len(r.Rows) && r.Rows[end].Budget == r.Rows[i].Budget {
			end++
		}
		tables = append(tables, wholes(r.Rows[i:end]), parts(r.Rows[i:end]))
		i = end
	}
	if len(tables) > 0 {
		tables[0].Note = fmt.Sprintf("Planted sentences, split %s, seed %d, noise of %s. Alive: a line of the last view "+
			"holds the sentence. Own: said by the user in a short message or beside a paste. On the way: alive at checks more than 1.3 "+
			"windows after it was said. Distance: words that its line lacks. Stale: a digest ever showed a superseded value as if "+
			"it held. Only old: and a view showed the new one nowhere after it. Sent: mean request in budgets.",
			r.Split, r.Seed, r.Noise)
		for _, f := range r.Failed {
			tables[0].Note += "\n- failed: " + f
		}
	}
	return evals.WriteMarkdown(w, tables...)
}

// wholes is the table of all items at a budget.
func wholes(rows []row) evals.Table {
	t := evals.Table{
		Title: fmt.Sprintf("Budget %d: what people said, and the window still shows", rows[0].Budget),
		Columns: []string{"policy", "items", "alive", "± se", "own", "± se", "on the way", "distance", "stale", "only old",
			"wrongly replaced", "over budget", "sent"},
	}
	for _, row := range rows {
		if row.By == "all" {
			t.Rows = append(t.Rows, []string{row.Policy, strconv.Itoa(row.Items), cell(row.Alive), cell(row.AliveSE),
				cell(row.Own), cell(row.OwnSE), cell(row.OnTheWay), cell(row.Distance), cell(row.Stale), cell(row.OnlyOld),
				cell(row.Wrong),
				cell(&row.Over), cell(&row.Sent)})
		}
	}
	return t
}

// parts is the table of what is alive by dimension: a row a value, a column a policy.
func parts(rows []row) evals.Table {
	t := evals.Table{Title: fmt.Sprintf("Budget %d: alive by part", rows[0].Budget), Columns: []string{"by", "items"}}
	line := make(map[string]int)
	for _, row := range rows {
		if row.By == "all" {
			t.Columns = append(t.Columns, row.Policy)
			continue
		}
		at, ok := line[row.By]
		if !ok {
			at = len(t.Rows)
			line[row.By] = at
			t.Rows = append(t.Rows, []string{row.By, strconv.Itoa(row.Items)})
		}
		text := cell(row.Alive)
		if row.Stale != nil && *row.Stale > 0 {
			text += " (stale " + cell(row.Stale) + ")"
		}
		t.Rows[at] = append(t.Rows[at], text)
	}
	return t
}

// cell writes a share.
func cell(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}
