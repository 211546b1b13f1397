package inspectlog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
)

// logVersion is the version of Inspect's format.
const logVersion = 2

// object is a JSON object whose fields nobody here looks at.
type object map[string]any

// A header is header.json.
type header struct {
	Version     int      `json:"version"`
	Status      string   `json:"status"`
	Eval        spec     `json:"eval"`
	Plan        plan     `json:"plan"`
	Results     *results `json:"results,omitempty"`
	Stats       usages   `json:"stats"`
	Invalidated bool     `json:"invalidated"`
	Tags        []string `json:"tags"`
	Metadata    object   `json:"metadata"`
}

// A spec is what ran.
type spec struct {
	EvalID      string            `json:"eval_id"`
	RunID       string            `json:"run_id"`
	Created     time.Time         `json:"created"`
	Task        string            `json:"task"`
	TaskID      string            `json:"task_id"`
	TaskVersion any               `json:"task_version"`
	TaskAttribs object            `json:"task_attribs"`
	TaskArgs    object            `json:"task_args"`
	ArgsPassed  object            `json:"task_args_passed"`
	Solver      string            `json:"solver,omitempty"`
	Dataset     dataset           `json:"dataset"`
	Model       string            `json:"model"`
	Generate    object            `json:"model_generate_config"`
	ModelArgs   object            `json:"model_args"`
	Config      config            `json:"config"`
	Packages    map[string]string `json:"packages"`
	Metadata    *origin           `json:"metadata,omitempty"`
	Scorers     []scorer          `json:"scorers,omitempty"`
}

// An origin is what only logs of this package have, so that reading one gives the results that were written.
type origin struct {
	Foray string `json:"foray_version"`
	Hash  string `json:"foray_set_hash"`
	Tasks int    `json:"foray_tasks"`
}

// own reports whether a log is of this package: others may have metadata, too.
func (o *origin) own() bool { return o != nil && o.Hash != "" }

type dataset struct {
	Name     string `json:"name"`
	Samples  int    `json:"samples"`
	IDs      []any  `json:"sample_ids,omitempty"` // texts, or numbers in logs of others
	Shuffled bool   `json:"shuffled"`
}

type config struct {
	Epochs   int      `json:"epochs"`
	Reducers []string `json:"epochs_reducer,omitempty"`
}

type scorer struct {
	Name string `json:"name"`
}

type plan struct {
	Name   string     `json:"name"`
	Steps  []planStep `json:"steps"`
	Config object     `json:"config"`
}

type planStep struct {
	Solver string `json:"solver"`
	Params object `json:"params"`
	Passed object `json:"params_passed"`
}

// results are the totals.
type results struct {
	Total     int          `json:"total_samples"`
	Completed int          `json:"completed_samples"`
	Scores    []totalScore `json:"scores"`
}

type totalScore struct {
	Name    string            `json:"name"`
	Scorer  string            `json:"scorer"`
	Params  object            `json:"params"`
	Metrics map[string]metric `json:"metrics"`
}

type metric struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Params object  `json:"params"`
}

type usages struct {
	Started   string           `json:"started_at"`
	Completed string           `json:"completed_at"`
	Model     map[string]usage `json:"model_usage"`
	Role      map[string]usage `json:"role_usage"`
	Limits    []object         `json:"connection_limit_history"`
}

// A usage is in tokens.
type usage struct {
	Input     int      `json:"input_tokens"`
	Output    int      `json:"output_tokens"`
	Total     int      `json:"total_tokens"`
	Cached    int      `json:"input_tokens_cache_read,omitempty"`
	Reasoning int      `json:"reasoning_tokens,omitempty"`
	Cost      *float64 `json:"total_cost,omitempty"` // US dollars; nil: unknown
}

func usageOf(u providers.Usage, cost float64, priced bool) usage {
	y := usage{u.Input, u.Output, u.Input + u.Output, u.Cached, u.Reasoning, nil}
	if priced {
		y.Cost = &cost
	}
	return y
}

// passedScore is the name of the score of a whole trial.
const passedScore = "passed"

// totals add up the trials of a subject for the header.
type totals struct {
	info    *trial.Info
	subject string
	usage   providers.Usage
	cost    float64
	priced  bool      // the cost of a trial is known
	last    time.Time // end of the trial that ended last
	tasks   []string
	scores  map[string]map[string][]float64 // by name and task
	names   []string                        // of scores, in the order in which they came
	trials  int
}

func (t *totals) add(row *trial.Row, of *task.Task) {
	t.trials++
	t.usage = t.usage.Add(row.Usage)
	t.cost += row.Cost
	t.priced = t.priced || row.Priced
	if end := ended(row); end.After(t.last) {
		t.last = end
	}
	if !slices.Contains(t.tasks, row.Task) {
		t.tasks = append(t.tasks, row.Task)
	}
	passed := 0.
	if row.Passed {
		passed = 1
	}
	t.score(passedScore, row.Task, passed)
	checks := row.Checks
	if len(checks) == 0 {
		checks = unscored(of)
	}
	for i, v := range checks {
		t.score(scoreName(checks, i), row.Task, v.Score)
	}
}

// unscored are the checks of a task that none of them judged, because the trial failed: each counts as 0.
func unscored(of *task.Task) (all []check.Verdict) {
	if of == nil {
		return nil
	}
	for _, raw := range of.Checks {
		var c struct{ Kind, Name string }
		if json.Unmarshal(raw, &c) == nil {
			all = append(all, check.Verdict{Check: cmp.Or(c.Name, c.Kind)})
		}
	}
	return all
}

func (t *totals) score(name, task string, value float64) {
	if t.scores[name] == nil {
		t.scores[name] = make(map[string][]float64)
		t.names = append(t.names, name)
	}
	t.scores[name][task] = append(t.scores[name][task], value)
}

func ended(row *trial.Row) time.Time {
	return row.Started.Add(time.Duration(row.Seconds * float64(time.Second)))
}

// header makes the header of the log.
func (t *totals) header() *header {
	h := &header{Version: logVersion, Status: "success", Tags: []string{}, Metadata: object{}}
	if t.trials < t.info.Tasks*t.info.Trials {
		h.Status = "cancelled"
	}
	h.Eval = t.spec()
	h.Plan = plan{Name: "plan", Steps: []planStep{{t.subject, object{}, object{}}}, Config: object{}}
	h.Results = &results{Total: t.info.Tasks * t.info.Trials, Completed: t.trials}
	for _, name := range t.names {
		h.Results.Scores = append(h.Results.Scores, t.total(name))
	}
	h.Stats = usages{
		Started: stamp(t.info.Started), Completed: stamp(t.last), Role: map[string]usage{}, Limits: []object{},
		Model: map[string]usage{t.subject: usageOf(t.usage, t.cost, t.priced)},
	}
	return h
}

// total is the mean of a score with its clustered standard error.
func (t *totals) total(name string) totalScore {
	var clusters [][]float64
	for _, task := range t.tasks {
		clusters = append(clusters, t.scores[name][task])
	}
	m := stats.Clustered(clusters)
	s := totalScore{Name: name, Scorer: name, Params: object{}, Metrics: map[string]metric{
		"accuracy": {"accuracy", m.Value, object{}},
	}}
	if !math.IsNaN(m.Error) {
		s.Metrics["stderr"] = metric{"stderr", m.Error, object{}}
	}
	return s
}

// spec says what ran.
func (t *totals) spec() spec {
	ids := make([]any, len(t.tasks))
	for i, id := range t.tasks {
		ids[i] = id
	}
	s := spec{
		EvalID: t.id("eval"), RunID: t.id("run"), TaskID: t.id("task"), Created: t.info.Started.UTC(),
		Task: t.info.Set, TaskVersion: 0, TaskAttribs: object{}, TaskArgs: object{}, ArgsPassed: object{},
		Dataset: dataset{Name: t.info.Set, Samples: t.info.Tasks, IDs: ids},
		Model:   t.subject, Generate: object{}, ModelArgs: object{}, Config: config{t.info.Trials, []string{"mean"}},
		Packages: map[string]string{"foray": t.info.Foray},
		Metadata: &origin{t.info.Foray, t.info.Hash, t.info.Tasks},
	}
	for _, name := range t.names {
		s.Scorers = append(s.Scorers, scorer{name})
	}
	return s
}

// id makes an identifier that is the same for the same run and subject.
func (t *totals) id(of string) string {
	sum := sha256.Sum256([]byte(of + "\x00" + t.info.Hash + "\x00" + t.subject + "\x00" + stamp(t.info.Started)))
	return hex.EncodeToString(sum[:11])
}

// stamp writes a time as Inspect does.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// scoreName is the name of the i-th check among scores: its own, with a number if another has it.
func scoreName(checks []check.Verdict, i int) string {
	name, n := checks[i].Check, 1
	for _, v := range checks[:i] {
		if v.Check == name {
			n++
		}
	}
	if name == passedScore {
		n++
	}
	return numbered(name, n)
}
