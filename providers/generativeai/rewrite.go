package generativeai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	pb "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
)

// finishNames replaces finish reasons for the library: it turns the first two into errors without usage, and its protos
// lack the others. A reason that is neither here nor in the protos becomes STOP.
var finishNames = map[string]string{
	"SAFETY":               "PROHIBITED_CONTENT",
	"RECITATION":           "PROHIBITED_CONTENT",
	"MODEL_ARMOR":          "PROHIBITED_CONTENT",
	"UNEXPECTED_TOOL_CALL": "MALFORMED_FUNCTION_CALL",
	"TOO_MANY_TOOL_CALLS":  "MALFORMED_FUNCTION_CALL",
	"CONTINUATION":         "MAX_TOKENS",
}

// rewritable are marks of events that the library would read with loss.
var rewritable = [][]byte{
	[]byte(`"functionCall"`), []byte(`"thought"`), []byte(`"finishReason"`), []byte(`"blockReason"`),
}

// rewritten returns an event that the library reads without loss: it packs arguments with the id of their call, drops
// thoughts, which the library takes for text, and renames reasons. It returns an error of the service as an error.
func rewritten(service *geminiwire.Service, event []byte) ([]byte, error) {
	if bytes.Contains(event, []byte(`"error"`)) {
		if fault, told := service.Fault(event); told {
			return nil, fault
		}
	}
	if !slices.ContainsFunc(rewritable, func(mark []byte) bool { return bytes.Contains(event, mark) }) {
		return event, nil
	}
	var whole fields
	if json.Unmarshal(event, &whole) != nil {
		return event, nil // the library reports what is wrong
	}
	err := rewriteList(whole, "candidates", rewriteCandidate)
	if err == nil {
		err = rewriteObject(whole, "promptFeedback", func(feedback fields) error {
			rename(feedback, "blockReason", nil, pb.GenerateContentResponse_PromptFeedback_BlockReason_value, "OTHER")
			return nil
		})
	}
	if err != nil {
		return nil, service.Error(providers.Malformed, "reading an event of the answer: "+err.Error())
	}
	return json.Marshal(whole)
}

// fields are the fields of a JSON object.
type fields map[string]json.RawMessage

// rewriteObject changes the object in a field, and rewriteList each object of the list in a field. They leave anything
// else for the library to report.
func rewriteObject(in fields, name string, change func(fields) error) error {
	var object fields
	if json.Unmarshal(in[name], &object) != nil || object == nil {
		return nil
	}
	err := change(object)
	if err == nil {
		in[name], err = json.Marshal(object)
	}
	return err
}

func rewriteList(in fields, name string, change func(fields) error) error {
	var list []fields
	if json.Unmarshal(in[name], &list) != nil {
		return nil
	}
	for _, object := range list {
		if err := change(object); err != nil {
			return err
		}
	}
	var err error
	in[name], err = json.Marshal(list)
	return err
}

func rewriteCandidate(candidate fields) error {
	rename(candidate, "finishReason", finishNames, pb.Candidate_FinishReason_value, "STOP")
	return rewriteObject(candidate, "content", func(content fields) error {
		var parts []fields
		if json.Unmarshal(content["parts"], &parts) != nil {
			return nil
		}
		kept, err := rewrittenParts(parts)
		if err == nil {
			content["parts"], err = json.Marshal(kept)
		}
		return err
	})
}

// rename replaces the name in a field by that in a table, or by other if the protos do not know it.
func rename(in fields, field string, table map[string]string, known map[string]int32, other string) {
	var name string
	if in == nil || json.Unmarshal(in[field], &name) != nil {
		return
	}
	_, isKnown := known[name]
	to, renamed := table[name]
	switch {
	case renamed:
	case isKnown:
		return
	default:
		to = other
	}
	in[field] = json.RawMessage(strconv.Quote(to))
}

func rewrittenParts(parts []fields) ([]fields, error) {
	kept := make([]fields, 0, len(parts))
	for _, part := range parts {
		if string(part["thought"]) == "true" {
			continue
		}
		if raw, isCall := part["functionCall"]; isCall {
			var call struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args,omitempty"`
			}
			if err := json.Unmarshal(raw, &call); err != nil {
				return nil, err
			}
			var err error
			if call.Args, err = packed(call.ID, call.Args); err != nil {
				return nil, err
			}
			call.ID = ""
			if part["functionCall"], err = json.Marshal(call); err != nil {
				return nil, err
			}
		}
		kept = append(kept, part)
	}
	return kept, nil
}

// Fields of the arguments into which an exchange packs the id and the original arguments, which the library would lose.
const (
	packedID   = "id"
	packedArgs = "args"
)

// packed returns the arguments of a call for the library.
func packed(id string, args json.RawMessage) (json.RawMessage, error) {
	return json.Marshal(map[string]string{packedID: id, packedArgs: string(args)})
}
