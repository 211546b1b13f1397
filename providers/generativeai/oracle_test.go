package generativeai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	pb "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// methods are the messages that the methods of the service take.
var methods = map[string]func() proto.Message{
	"streamGenerateContent": func() proto.Message { return new(pb.GenerateContentRequest) },
	"countTokens":           func() proto.Message { return new(pb.CountTokensRequest) },
	"batchEmbedContents":    func() proto.Message { return new(pb.BatchEmbedContentsRequest) },
}

// checkRequest returns what is wrong with a request by the protos of the service and the rules that they do not tell.
func checkRequest(r *http.Request, raw []byte) error {
	if r.Header.Get("X-Goog-Api-Key") != key || strings.Contains(r.URL.String(), key) || r.URL.Query().Has("key") {
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
	if err := protojson.Unmarshal(raw, message()); err != nil {
		return err
	}
	if method == "streamGenerateContent" && r.URL.Query().Get("alt") != "sse" {
		return errors.New("no stream of events is asked for")
	}
	return nil
}

// checkContents checks what the service asks of contents: roles in turn, no empty part, as many results as calls right
// behind them, with their names and ids.
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
