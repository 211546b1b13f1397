package openai_test

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/providertest"
)

// An output is what a service has written of an answer on the responses wire: its events, and its items so far.
type output struct {
	bare   bool // as servers do that are not OpenAI's: no names of events, no indexes, no items at the end
	events []string
	items  []object
}

// add appends an event, which is about the newest item unless it is about the answer.
func (o *output) add(kind string, fields object) {
	fields["type"], fields["sequence_number"] = kind, len(o.events)
	if o.bare {
		delete(fields, "output_index")
		o.events = append(o.events, data(fields))
		return
	}
	o.events = append(o.events, "event: "+kind+"\n"+data(fields))
}

// item appends an item: its beginning, its pieces, and the whole of it.
func (o *output) item(begun, done object, kind, last string, pieces []string) {
	index := len(o.items)
	id := fmt.Sprintf("item_%d", index)
	begun["id"], done["id"], begun["type"] = id, id, done["type"]
	o.add("response.output_item.added", object{"output_index": index, "item": begun})
	for _, piece := range pieces {
		o.add(kind+".delta", object{"output_index": index, "item_id": id, "delta": piece})
	}
	if last != "" {
		o.add(kind+".done", object{"output_index": index, "item_id": id, last: strings.Join(pieces, "")})
	}
	o.add("response.output_item.done", object{"output_index": index, "item": done})
	o.items = append(o.items, done)
}

// responsesEvents returns the turn on the responses wire.
func (s service) responsesEvents() []string {
	turn, o := s.turn, &output{bare: s.form == "responses bare"}
	o.add("response.created", object{"response": object{"object": "response", "status": "in_progress", "error": nil, "output": []object{}}})
	if turn.Compaction != "" {
		o.item(object{}, object{"type": "compaction", "encrypted_content": turn.Compaction}, "", "", nil)
	}
	if len(turn.Reasoning) > 0 || turn.Signature != "" {
		summary := []object{}
		if len(turn.Reasoning) > 0 {
			summary = append(summary, object{"type": "summary_text", "text": strings.Join(turn.Reasoning, "")})
		}
		done := object{"type": "reasoning", "summary": summary, "encrypted_content": turn.Signature}
		o.item(object{"summary": []object{}}, done, "response.reasoning_summary_text", "text", turn.Reasoning)
	}
	if len(turn.Text) > 0 {
		done := object{"type": "message", "role": "assistant", "status": "completed", "content": []object{
			{"type": "output_text", "text": strings.Join(turn.Text, ""), "annotations": []object{}, "logprobs": []object{}},
		}}
		o.item(object{"role": "assistant", "content": []object{}}, done, "response.output_text", "text", turn.Text)
	}
	for i, c := range turn.Calls {
		done := object{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": strings.Join(c.Args, ""), "status": "completed"}
		begun := object{"call_id": c.ID, "name": c.Name, "arguments": ""}
		if c.Late {
			delete(begun, "call_id")
		}
		o.item(begun, done, "response.function_call_arguments", "arguments", c.Args)
		if turn.Fault == providertest.CutCall && i == len(turn.Calls)-1 {
			o.events = o.events[:len(o.events)-3]
		}
	}
	if turn.Class != "" {
		o.add("error", object{"code": "server_error", "message": "overloaded", "param": nil})
		return o.events
	}
	if turn.Fault == "" {
		s.end(o)
	}
	return o.events
}

// end appends the event that ends an answer.
func (s service) end(o *output) {
	u := s.turn.Usage
	last := object{"object": "response", "status": "completed", "output": o.items, "error": nil, "incomplete_details": nil}
	if u != (providers.Usage{}) {
		last["usage"] = object{
			"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"input_tokens_details":  object{"cached_tokens": u.Cached},
			"output_tokens_details": object{"reasoning_tokens": u.Reasoning},
		}
	}
	if o.bare {
		last["output"] = []object{}
	}
	kind := "response.completed"
	if reason := map[providers.Finish]string{providers.Length: "max_output_tokens", providers.Filtered: "content_filter"}[s.turn.Finish]; reason != "" {
		kind, last["status"], last["incomplete_details"] = "response.incomplete", "incomplete", object{"reason": reason}
	}
	o.add(kind, object{"response": last})
}
