package generativeai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	pb "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
)

// finishNames are the names that the library gets in place of some finish reasons. It turns the first two into errors
// without usage, and its protos lack the others. Any other reason that the protos lack becomes STOP.
var finishNames = map[string]string{
	"SAFETY":               "PROHIBITED_CONTENT",
	"RECITATION":           "PROHIBITED_CONTENT",
	"MODEL_ARMOR":          "PROHIBITED_CONTENT",
	"UNEXPECTED_TOOL_CALL": "MALFORMED_FUNCTION_CALL",
	"TOO_MANY_TOOL_CALLS":  "MALFORMED_FUNCTION_CALL",
	"CONTINUATION":         "MAX_TOKENS",
}

// rewritable matches events that the library would misread.
var rewritable = regexp.MustCompile(`"(?:functionCall|thought|finishReason|blockReason|usageMetadata)"`)

// rewritten returns an event in a form that the library does not misread: the arguments of a call carry its id,
// thoughts are gone, because the library takes them for text, and reasons have names that it knows. If the event is an
// error of the service, rewritten returns that error.
func rewritten(service *geminiwire.Service, event []byte) ([]byte, error) {
	if err := service.CheckParts(event); err != nil {
		return nil, err
	}
	if bytes.Contains(event, []byte(`"error"`)) {
		if fault, present := service.Fault(event); present {
			return nil, fault
		}
	}
	if !rewritable.Match(event) {
		return event, nil
	}
	var whole fields
	if json.Unmarshal(event, &whole) != nil {
		return event, nil // the library reports what is wrong
	}
	var counts map[string]any
	if in := whole["usageMetadata"]; in != nil && (json.Unmarshal(in, &counts) != nil || !countable(counts)) {
		delete(whole, "usageMetadata")
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

// countable reports whether the library can read the counts of an event: it would drop the answer for others.
func countable(counts map[string]any) bool {
	for name, value := range counts {
		n, isNumber := value.(float64)
		if strings.HasSuffix(name, "TokenCount") && value != nil && (!isNumber || n != float64(int32(n))) {
			return false
		}
	}
	return true
}

// fields are the fields of a JSON object.
type fields map[string]json.RawMessage

// rewriteObject applies change to the object in a field, rewriteList to each object of the list in a field. They skip a
// field of another form: the library reports it.
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
	var err error
	for i := 0; i < len(list) && err == nil; i++ {
		err = change(list[i])
	}
	if err == nil {
		in[name], err = json.Marshal(list)
	}
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

// rename replaces the name in a field by that in the table. A name that is neither there nor known becomes other.
func rename(in fields, field string, table map[string]string, known map[string]int32, other string) {
	var name string
	if in == nil || json.Unmarshal(in[field], &name) != nil {
		return
	}
	if _, ok := known[name]; !ok || table[name] != "" {
		in[field] = json.RawMessage(strconv.Quote(cmp.Or(table[name], other)))
	}
}

// rewrittenParts returns parts without thoughts, their calls with packed arguments.
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
			if call.Args, err = json.Marshal(map[string]string{packedID: call.ID, packedArgs: string(call.Args)}); err != nil {
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

// The arguments that the library gets: the id of the call and its original arguments as a text. It would lose both.
const (
	packedID   = "id"
	packedArgs = "args"
)
