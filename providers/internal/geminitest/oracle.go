package geminitest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	pb "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// methods maps the service's methods to the messages they accept.
var methods = map[string]func() proto.Message{
	"streamGenerateContent": func() proto.Message { return new(pb.GenerateContentRequest) },
	"countTokens":           func() proto.Message { return new(pb.CountTokensRequest) },
	"batchEmbedContents":    func() proto.Message { return new(pb.BatchEmbedContentsRequest) },
}

// newer are fields that the service knows and these protos do not, with checks of their values. See
// https://ai.google.dev/api/caching and https://ai.google.dev/api/generate-content.
var newer = map[string]func(v any) bool{
	"thought":              isA[bool],
	"thoughtSignature":     isBase64,
	"parametersJsonSchema": isA[map[string]any],
	"responseJsonSchema":   isA[map[string]any],
	"thinkingLevel": func(v any) bool {
		return strings.Contains(" MINIMAL LOW MEDIUM HIGH ", fmt.Sprintf(" %v ", v))
	},
}

func isA[T any](v any) bool { _, ok := v.(T); return ok }

func isBase64(v any) bool {
	s, ok := v.(string)
	_, standard := base64.StdEncoding.DecodeString(s)
	_, forURLs := base64.URLEncoding.DecodeString(s)
	return ok && (standard == nil || forURLs == nil)
}

// Check returns what is wrong with a request by the service's protos and its unwritten rules. With older set, only
// fields of the protos are allowed.
func Check(r *http.Request, raw []byte, older bool) error {
	if r.Header.Get("X-Goog-Api-Key") != Key || strings.Contains(r.URL.String(), Key) || r.URL.Query().Has("key") {
		return fmt.Errorf("the key is not in its header, or in %s", r.URL)
	}
	_, method, _ := strings.Cut(r.URL.Path, ":")
	message, known := methods[method]
	if !known {
		return fmt.Errorf("there is no method %s", r.URL.Path)
	}
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		return err
	}
	if err := checkContents(body["contents"]); err != nil {
		return err
	}
	if method == "streamGenerateContent" && (r.URL.Query().Get("alt") != "sse" || !older && body["model"] != nil) {
		return errors.New("no stream of events is asked for, or the model is named twice")
	}
	if !older {
		if err := strip(body); err != nil {
			return err
		}
		rest, err := json.Marshal(body)
		if err != nil {
			return err
		}
		raw = rest
	}
	if err := protojson.Unmarshal(raw, message()); err != nil {
		return err
	}
	return nil
}

// strip removes newer fields from a request after checking their values.
func strip(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if ok, isNewer := newer[name]; isNewer {
				if !ok(value) {
					return fmt.Errorf("%s cannot be %v", name, value)
				}
				delete(v, name)
				continue
			}
			if name == "args" || name == "response" {
				continue // free forms
			}
			if err := strip(value); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range v {
			if err := strip(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkContents checks the rules for contents: alternating roles, no empty part, and after calls the same number of
// results with their names and ids.
func checkContents(contents any) error {
	all, _ := contents.([]any)
	var awaited []string
	last := ""
	for i, c := range all {
		content := c.(map[string]any)
		role, _ := content["role"].(string)
		parts, _ := content["parts"].([]any)
		if role == last || len(parts) == 0 {
			return fmt.Errorf("content %d: role %q after %q, %d parts", i, role, last, len(parts))
		}
		last = role
		var calls, results []string
		for j, p := range parts {
			part := p.(map[string]any)
			if text, isText := part["text"]; isText && text == "" && part["thoughtSignature"] == nil {
				return fmt.Errorf("content %d: part %d is empty", i, j)
			}
			if call, ok := part["functionCall"].(map[string]any); ok {
				calls = append(calls, fmt.Sprint(call["name"], call["id"]))
			}
			if result, ok := part["functionResponse"].(map[string]any); ok {
				results = append(results, fmt.Sprint(result["name"], result["id"]))
			}
		}
		if role == "user" && strings.Join(results, ",") != strings.Join(awaited, ",") {
			return fmt.Errorf("content %d: results %q for calls %q", i, results, awaited)
		}
		awaited = calls
	}
	return nil
}
