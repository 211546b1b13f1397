package inspectlog

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/turns"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
)

// A message is one of a conversation, in any role.
type message struct {
	ID       string     `json:"id"`
	Role     string     `json:"role"`
	Content  any        `json:"content"` // a text, or parts
	Calls    []toolCall `json:"tool_calls,omitempty"`
	CallID   string     `json:"tool_call_id,omitempty"`
	Function string     `json:"function,omitempty"`
	Error    *callError `json:"error,omitempty"`
	Model    string     `json:"model,omitempty"`
}

type toolCall struct {
	ID        string          `json:"id"`
	Function  string          `json:"function"`
	Arguments json.RawMessage `json:"arguments"` // an object
	Type      string          `json:"type"`
}

type callError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// An output is the answer to a request.
type output struct {
	Model      string   `json:"model"`
	Choices    []choice `json:"choices"`
	Completion string   `json:"completion"`
	Usage      *usage   `json:"usage,omitempty"`
	Time       float64  `json:"time,omitempty"` // seconds
}

type choice struct {
	Message message `json:"message"`
	Stop    string  `json:"stop_reason"`
}

// stops are Inspect's reasons by the finish of an answer.
var stops = map[providers.Finish]string{
	providers.Stop: "stop", providers.Calls: "tool_calls", providers.Length: "max_tokens",
	providers.Filtered: "content_filter",
}

// choices are Inspect's words for what a request asks of the model.
var choices = map[providers.ToolChoice]string{providers.Auto: "auto", providers.Required: "any", providers.None: "none"}

// An eventWriter makes the events of a sample.
type eventWriter struct {
	sample *sample
	row    *trial.Row
	run    *turns.Run
	n      int // events so far
	tools  map[string][]object
}

// add appends an event at a time since the start of the trial.
func (w *eventWriter) add(kind string, at time.Duration, fields object) {
	w.n++
	fields["event"] = kind
	fields["uuid"] = w.sample.UUID + "-" + strconv.Itoa(w.n)
	fields["timestamp"] = stamp(w.row.Started.Add(at))
	fields["working_start"] = at.Seconds()
	w.sample.Events = append(w.sample.Events, fields)
}

// write makes all events. Without a trace these are the beginning and the scores.
func (w *eventWriter) write() {
	end := ended(w.row).Sub(w.row.Started)
	w.add("sample_init", 0, object{"state": object{}, "sample": object{
		"id": w.sample.ID, "input": w.sample.Input, "target": w.sample.Target, "metadata": w.sample.Metadata,
	}})
	if w.run != nil {
		w.messages()
		w.add("span_begin", 0, object{"id": "solvers", "name": "solvers", "type": "solvers"})
		for i := range w.run.Events {
			w.event(&w.run.Events[i])
		}
		if w.run.Incomplete != "" {
			w.add("info", end, object{"source": "foray", "data": "The trace is incomplete: " + w.run.Incomplete})
		}
		w.add("span_end", end, object{"id": "solvers"})
	}
	if w.sample.Limit != nil && w.sample.Limit.Type != "context" {
		w.add("sample_limit", end, object{"type": w.sample.Limit.Type, "message": "The run stopped: " + w.row.Stop})
	}
	if w.sample.Error != nil {
		w.add("error", end, object{"error": w.sample.Error})
	}
	w.add("span_begin", end, object{"id": "scorers", "name": "scorers", "type": "scorers"})
	for i := range w.row.Checks {
		w.score(scoreName(w.row.Checks, i), end)
	}
	w.score(passedScore, end)
	w.add("span_end", end, object{"id": "scorers"})
}

func (w *eventWriter) score(name string, at time.Duration) {
	w.add("score", at, object{"score": w.sample.Scores[name], "scorer": name, "target": w.sample.Target,
		"intermediate": false, "span_id": "scorers"})
}

// messages stores the messages of all requests, and sets those of the sample: the last request with its answer.
func (w *eventWriter) messages() {
	for i, m := range w.run.Pool {
		w.sample.EventsData.Messages = append(w.sample.EventsData.Messages, messageOf(m, "m"+strconv.Itoa(i), w.row.Subject))
	}
	var last *turns.Turn
	for _, e := range w.run.Events {
		if e.Turn != nil && e.Turn.Answered {
			last = e.Turn
		}
	}
	if last == nil {
		return
	}
	w.sample.Messages = []message{}
	if last.System != "" {
		w.sample.Messages = append(w.sample.Messages, message{ID: "system", Role: "system", Content: last.System})
	}
	for _, i := range last.Input {
		w.sample.Messages = append(w.sample.Messages, w.sample.EventsData.Messages[i])
	}
	w.sample.Output = w.output(last, "answer")
	w.sample.Messages = append(w.sample.Messages, w.sample.Output.Choices[0].Message)
	for _, c := range last.Calls {
		w.sample.Messages = append(w.sample.Messages, message{ID: "result-" + c.ID, Role: "tool", Content: c.Result,
			CallID: c.ID, Function: c.Name, Error: errorOf(c.Error)})
	}
	if w.sample.Output.Completion == "" {
		w.sample.Output.Completion = w.row.Answer
	}
}

// event adds one event of the run, and the calls of a turn.
func (w *eventWriter) event(e *turns.Event) {
	switch {
	case e.Turn != nil:
		w.turn(e)
	case e.Compaction != nil:
		c, kind := e.Compaction, "edit" // results are shorter
		if c.Evicted > 0 {
			kind = "trim"
		}
		w.add("compaction", e.At, object{"type": kind, "tokens_before": c.Before, "tokens_after": c.After,
			"source": "foray", "span_id": "solvers",
			"metadata": object{"agent": e.Agent, "level": c.Level, "steps": c.Steps, "evicted": c.Evicted}})
	default:
		w.add("info", e.At, object{"source": "foray", "span_id": "solvers",
			"data": object{"kind": e.Kind, "agent": e.Agent, "text": e.Text}})
	}
}

// turn adds a request with its answer, and its calls.
func (w *eventWriter) turn(e *turns.Event) {
	t := e.Turn
	model := object{
		"model": w.row.Subject, "input": []message{}, "input_refs": w.input(t), "tools": w.toolsOf(t.Tools),
		"tool_choice": choices[t.Choice], "config": object{}, "output": w.output(t, "answer-"+strconv.Itoa(w.n)),
		"span_id": "solvers", "metadata": object{"agent": e.Agent, "step": e.Step},
	}
	if t.Answered {
		model["completed"] = stamp(w.row.Started.Add(e.At + t.Took))
		model["working_time"] = t.Took.Seconds()
	} else {
		model["error"] = "the run ended before the answer"
	}
	w.add("model", e.At, model)
	for _, c := range t.Calls {
		call := object{"type": "function", "id": c.ID, "function": c.Name, "arguments": argumentsOf(c.Args),
			"result": c.Result, "events": []object{}, "span_id": "solvers"}
		if c.Error != "" {
			call["error"], call["failed"] = errorOf(c.Error), true
		}
		if c.Ended > 0 {
			call["completed"] = stamp(w.row.Started.Add(c.Ended))
			call["working_time"] = (c.Ended - c.Began).Seconds()
		}
		w.add("tool", c.Began, call)
	}
}

// input are the ranges of the pool that a request consists of, first the system prompt, which it stores when it is new.
func (w *eventWriter) input(t *turns.Turn) [][2]int {
	indexes := t.Input
	if t.System != "" {
		indexes = append([]int{w.system(t.System)}, t.Input...)
	}
	ranges := [][2]int{}
	for _, i := range indexes {
		if n := len(ranges); n > 0 && ranges[n-1][1] == i {
			ranges[n-1][1]++
			continue
		}
		ranges = append(ranges, [2]int{i, i + 1})
	}
	return ranges
}

// system returns the index of a system prompt in the pool. They come after the messages of the run.
func (w *eventWriter) system(text string) int {
	pool := &w.sample.EventsData.Messages
	for i := len(w.run.Pool); i < len(*pool); i++ {
		if (*pool)[i].Content == text {
			return i
		}
	}
	*pool = append(*pool, message{ID: "m" + strconv.Itoa(len(*pool)), Role: "system", Content: text})
	return len(*pool) - 1
}

// output is the answer of a turn; of one that was not answered, a choice without a text.
func (w *eventWriter) output(t *turns.Turn, id string) output {
	m := messageOf(t.Answer, id, w.row.Subject)
	m.Role = "assistant"
	if t.Reasoning != "" {
		m.Content = []object{{"type": "reasoning", "reasoning": t.Reasoning, "redacted": false},
			{"type": "text", "text": t.Answer.Text}}
	}
	stop := stops[t.Finish]
	if stop == "" {
		stop = "unknown"
	}
	u := usageOf(t.Usage, 0, false)
	return output{Model: w.row.Subject, Choices: []choice{{m, stop}}, Completion: t.Answer.Text, Usage: &u,
		Time: t.Took.Seconds()}
}

// messageOf makes a message of one of a transcript.
func messageOf(m transcript.Message, id, model string) message {
	to := message{ID: id, Role: string(m.Role), Content: m.Text}
	switch m.Role {
	case transcript.Tool:
		to.CallID, to.Function = m.CallID, m.Name
		if m.Failed {
			to.Error = errorOf(m.Text)
		}
	case transcript.Assistant:
		to.Model = model
		for _, c := range m.Calls {
			to.Calls = append(to.Calls, toolCall{c.ID, c.Name, argumentsOf(c.Args), "function"})
		}
	case transcript.User:
	}
	return to
}

func errorOf(text string) *callError {
	if text == "" {
		return nil
	}
	return &callError{"unknown", text}
}

// argumentsOf are the arguments of a call as an object, also if the model wrote something else.
func argumentsOf(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) == nil && o != nil {
		return raw
	}
	text, err := json.Marshal(object{"arguments": string(raw)})
	if err != nil {
		return json.RawMessage("{}") // a text always encodes
	}
	return text
}
