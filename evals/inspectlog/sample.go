package inspectlog

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

// A sample is one trial.
type sample struct {
	ID         string            `json:"id"`
	Epoch      int               `json:"epoch"`
	Input      string            `json:"input"`
	Target     []string          `json:"target"`
	Messages   []message         `json:"messages"`
	Output     output            `json:"output"`
	Scores     map[string]score  `json:"scores"`
	Metadata   object            `json:"metadata"`
	Store      object            `json:"store"`
	Events     []object          `json:"events"`
	EventsData eventsData        `json:"events_data"`
	ModelUsage map[string]usage  `json:"model_usage"`
	RoleUsage  map[string]usage  `json:"role_usage"`
	Attached   map[string]string `json:"attachments"`
	Started    string            `json:"started_at"`
	Completed  string            `json:"completed_at"`
	TotalTime  float64           `json:"total_time"`
	WorkTime   float64           `json:"working_time"`
	TurnCount  int               `json:"turn_count"`
	UUID       string            `json:"uuid"`
	Error      *failure          `json:"error,omitempty"`
	Limit      *limit            `json:"limit,omitempty"`
}

// eventsData are the messages that events refer to by ranges.
type eventsData struct {
	Messages []message `json:"messages"`
	Calls    []object  `json:"calls"`
}

// A score is of one check, or of the trial. History is always empty: nobody edited it.
type score struct {
	Value       any      `json:"value"`
	Answer      string   `json:"answer,omitempty"`
	Explanation string   `json:"explanation,omitempty"`
	History     []object `json:"history"`
	Metadata    object   `json:"metadata,omitempty"`
}

type failure struct {
	Message   string `json:"message"`
	Traceback string `json:"traceback"`
	ANSI      string `json:"traceback_ansi"`
}

type limit struct {
	Type  string  `json:"type"`
	Limit float64 `json:"limit"`
}

// limits are Inspect's types of limits by how a run of an agent stopped.
var limits = map[string]string{
	"step limit": "turn", "time limit": "time", "token limit": "token", "cost limit": "cost", "cut off": "context",
}

// A summary is a sample in summaries.json.
type summary struct {
	ID         json.RawMessage  `json:"id"` // a text or a number
	Epoch      int              `json:"epoch"`
	Input      json.RawMessage  `json:"input"` // a text or messages
	Target     json.RawMessage  `json:"target"`
	Metadata   metadata         `json:"metadata"`
	Scores     map[string]score `json:"scores"`
	ModelUsage map[string]usage `json:"model_usage"`
	RoleUsage  map[string]usage `json:"role_usage"`
	Started    string           `json:"started_at,omitempty"`
	Completed  string           `json:"completed_at,omitempty"`
	TotalTime  float64          `json:"total_time"`
	WorkTime   float64          `json:"working_time"`
	UUID       string           `json:"uuid,omitempty"`
	Error      string           `json:"error,omitempty"`
	Limit      string           `json:"limit,omitempty"`
	Turns      int              `json:"turn_count,omitempty"`
	Messages   int              `json:"message_count,omitempty"`
	Done       bool             `json:"completed"`
}

// metadata are the fields of a result that a sample of Inspect has no place for.
type metadata struct {
	Tags  []string    `json:"tags,omitempty"`
	Stop  string      `json:"stop,omitempty"`
	Class trial.Class `json:"failure_class,omitempty"`
	Order []string    `json:"checks,omitempty"` // names of scores in the order of the checks
}

// sampleOf makes the sample of a row, without what its trace says. The task may be nil.
func sampleOf(row *trial.Row, t *task.Task) *sample {
	s := &sample{
		ID: row.Task, Epoch: row.Trial, Target: []string{}, Store: object{}, RoleUsage: map[string]usage{},
		Attached: map[string]string{}, Started: stamp(row.Started), Completed: stamp(ended(row)),
		TotalTime: row.Seconds, WorkTime: row.Seconds, TurnCount: row.Steps,
		ModelUsage: map[string]usage{row.Subject: usageOf(row.Usage, row.Cost, row.Priced)},
		EventsData: eventsData{Messages: []message{}, Calls: []object{}},
		Scores:     scoresOf(row),
		UUID:       fmt.Sprintf("%s-%d", row.Task, row.Trial),
	}
	if t != nil {
		s.Input = t.Prompt
		for _, c := range t.Checks {
			s.Target = append(s.Target, string(c))
		}
	}
	m := metadataOf(row)
	s.Metadata = object{"tags": m.Tags, "stop": m.Stop, "failure_class": m.Class, "checks": m.Order}
	if f := row.Failure; f != nil && f.Class != trial.Agent {
		s.Error = &failure{Message: string(f.Class) + ": " + f.Text}
	}
	if kind := limits[row.Stop]; kind != "" {
		s.Limit = &limit{Type: kind}
	}
	s.Messages = conversation(row, t)
	s.Output = output{Model: row.Subject, Completion: row.Answer,
		Choices: []choice{{Message: answerOf(row), Stop: "stop"}}}
	return s
}

// conversation is what is known of the messages without a trace: those of the task, the calls without their results,
// and the answer.
func conversation(row *trial.Row, t *task.Task) (all []message) {
	prompt := message{ID: "prompt", Role: "user", Content: ""}
	if t != nil {
		if prompt.Content = t.Prompt; t.System != "" {
			all = append(all, message{ID: "system", Role: "system", Content: t.System})
		}
		for i, m := range t.Messages {
			all = append(all, messageOf(m, fmt.Sprint("earlier-", i+1), row.Subject))
		}
	}
	all = append(all, prompt)
	calls := message{ID: "calls", Role: "assistant", Content: "", Model: row.Subject}
	var failed []message
	for i, c := range row.Calls {
		id := fmt.Sprint("call-", i+1)
		calls.Calls = append(calls.Calls, toolCall{id, c.Name, argumentsOf(c.Args), "function"})
		if c.Failed {
			failed = append(failed, message{ID: "result-" + id, Role: "tool", Content: "", CallID: id, Function: c.Name,
				Error: errorOf("failed")})
		}
	}
	if len(calls.Calls) > 0 {
		all = append(append(all, calls), failed...)
	}
	return append(all, answerOf(row))
}

func answerOf(row *trial.Row) message {
	return message{ID: "answer", Role: "assistant", Content: row.Answer, Model: row.Subject}
}

func metadataOf(row *trial.Row) metadata {
	m := metadata{Tags: row.Tags, Stop: row.Stop}
	if row.Failure != nil {
		m.Class = row.Failure.Class
	}
	for i := range row.Checks {
		m.Order = append(m.Order, scoreName(row.Checks, i))
	}
	return m
}

// scoresOf are the scores of the checks and of the trial.
func scoresOf(row *trial.Row) map[string]score {
	passed := score{Value: "I", Answer: row.Answer, History: []object{}}
	if row.Passed {
		passed.Value = "C"
	}
	if row.Failure != nil {
		passed.Explanation = string(row.Failure.Class) + ": " + row.Failure.Text
	}
	scores := map[string]score{passedScore: passed}
	for i, v := range row.Checks {
		s := score{Value: v.Score, Explanation: v.Why, History: []object{},
			Metadata: object{"passed": v.Passed, "check": v.Check}}
		if v.Err != "" {
			s.Metadata["error"] = v.Err
		}
		scores[scoreName(row.Checks, i)] = s
	}
	return scores
}

// maxSummary is the length of a text in a summary, in bytes.
const maxSummary = 4 << 10

// summaryOf is the line of a sample in summaries.json.
func summaryOf(row *trial.Row, s *sample) (*summary, error) {
	id, err := json.Marshal(s.ID)
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(shorten(s.Input))
	if err != nil {
		return nil, err
	}
	target, err := json.Marshal(s.Target)
	if err != nil {
		return nil, err
	}
	short := make(map[string]score)
	for name, v := range s.Scores {
		v.Answer, v.Explanation = shorten(v.Answer), shorten(v.Explanation)
		short[name] = v
	}
	y := &summary{
		ID: id, Epoch: s.Epoch, Input: input, Target: target, Metadata: metadataOf(row), Scores: short,
		ModelUsage: s.ModelUsage, RoleUsage: s.RoleUsage, Started: s.Started, Completed: s.Completed, UUID: s.UUID,
		TotalTime: s.TotalTime, WorkTime: s.WorkTime, Turns: row.Steps, Messages: len(s.Messages), Done: true,
	}
	if s.Error != nil {
		y.Error = s.Error.Message
	}
	if s.Limit != nil {
		y.Limit = s.Limit.Type
	}
	return y, nil
}

func shorten(s string) string {
	if len(s) <= maxSummary {
		return s
	}
	return s[:maxSummary] + "…"
}

func numbered(name string, n int) string {
	if n < 2 {
		return name
	}
	return name + " " + strconv.Itoa(n)
}
