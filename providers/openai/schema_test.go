package openai_test

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are the cut-down descriptions of OpenAI's requests, by the last part of the path.
var schemas = map[string]func() (*jsonschema.Schema, error){
	"completions": schema("chat"),
	"responses":   schema("responses"),
	"embeddings":  schema("embeddings"),
}

func schema(name string) func() (*jsonschema.Schema, error) {
	return sync.OnceValues(func() (*jsonschema.Schema, error) {
		return jsonschema.NewCompiler().Compile("testdata/schema/" + name + ".json")
	})
}

// A validator is a transport that holds each request to the schema of its path.
type validator struct {
	t testing.TB
	http.RoundTripper
}

// RoundTrip reads the body and passes the request on.
func (v validator) RoundTrip(req *http.Request) (*http.Response, error) {
	var raw []byte
	if req.Body != nil {
		var err error
		if raw, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	for _, fault := range schemaFaults(v.t, path.Base(req.URL.Path), raw) {
		v.t.Errorf("the request to %s is not one of the service's: %s\n%s", req.URL.Path, fault, raw)
	}
	req.Body = io.NopCloser(bytes.NewReader(raw))
	return v.RoundTripper.RoundTrip(req)
}

// schemaFaults returns what is wrong with a request.
func schemaFaults(t testing.TB, kind string, raw []byte) []string {
	load, ok := schemas[kind]
	if !ok {
		return []string{"nobody asked for this path"}
	}
	schema, err := load()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []string{"it is not JSON: " + err.Error()}
	}
	if err := schema.Validate(value); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// TestSchemasRefuse shows that the schemas find what the services refuse.
func TestSchemasRefuse(t *testing.T) {
	const chat, responses = `{"model":"m","messages":[`, `{"model":"m","store":false,"input":[`
	for _, tt := range []struct{ kind, body, fault string }{
		{"completions", chat + `{"role":"user","content":"a"}]}`, ""},
		{"completions", chat + `{"role":"user","content":""}]}`, "minLength"},
		{"completions", chat + `{"role":"tool","tool_call_id":"a"}]}`, "content"},
		{"completions", chat + `{"role":"assistant"}]}`, "oneOf"},
		{"completions", chat + `],"tool_choice":"none"}`, "tools"},
		{"completions", chat + `],"max_tokens":1,"max_completion_tokens":1}`, "not"},
		{"completions", chat + `],"think":true}`, "think"},
		{"responses", responses + `{"role":"user","content":"a"},{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"x"}]}`, ""},
		{"responses", `{"model":"m","input":[],"store":true}`, "store"},
		{"responses", responses + `{"type":"function_call_output","call_id":"a"}]}`, "output"},
		{"responses", responses + `{"type":"function_call","call_id":"a","name":"f"}]}`, "arguments"},
		{"responses", responses + `],"max_output_tokens":15}`, "max_output_tokens"},
		{"responses", responses + `],"tool_choice":"required"}`, "tools"},
		{"responses", responses + `],"previous_response_id":"r"}`, "previous_response_id"},
		{"embeddings", `{"model":"m","input":[""]}`, "minLength"},
		{"embeddings", `{"model":"m","input":[]}`, "minItems"},
	} {
		got := strings.Join(schemaFaults(t, tt.kind, []byte(tt.body)), "\n")
		if (got == "") != (tt.fault == "") || !strings.Contains(got, tt.fault) {
			t.Errorf("%s: %q, want %q", tt.body, got, tt.fault)
		}
	}
}
