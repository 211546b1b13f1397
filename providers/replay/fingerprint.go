package replay

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A fingerprint is what a recording keeps of a request: the hash of each field, "" for an empty one.
type fingerprint struct {
	System     string    `json:"system,omitempty"`
	Messages   []message `json:"messages,omitempty"`
	Tools      []tool    `json:"tools,omitempty"` // sorted by name
	Choice     string    `json:"choice,omitempty"`
	MaxOutput  int       `json:"max_output,omitempty"`
	Schema     string    `json:"schema,omitempty"`
	SchemaName string    `json:"schema_name,omitempty"`
	Sampling   string    `json:"sampling,omitempty"`
}

type message struct {
	Role         transcript.Role `json:"role"`
	Text         string          `json:"text,omitempty"`
	Calls        string          `json:"calls,omitempty"`
	Result       string          `json:"result,omitempty"` // which call it answers, and whether that failed
	ProviderData string          `json:"opaque,omitempty"`
	Images       string          `json:"images,omitempty"`
}

type tool struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// hashLength is how many bytes of a SHA-256 identify a field or a request: enough to rule out collisions in a
// recording.
const hashLength = 16

// hash returns the hash of parts, including where each part ends.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(strconv.AppendInt(nil, int64(len(p)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:hashLength])
}

// hashed returns the hash of a text, "" for an empty text.
func hashed(text string) string {
	if text == "" {
		return ""
	}
	return hash(text)
}

// fingerprintOf returns the fingerprint of a request.
func fingerprintOf(req *providers.Request) fingerprint {
	f := fingerprint{
		System: hashed(req.System), Choice: string(req.Choice), MaxOutput: req.MaxOutput,
		Schema: hashed(canonical(req.Schema)), SchemaName: req.SchemaName, Sampling: hashed(sampling(req)),
	}
	for i := range req.Messages {
		f.Messages = append(f.Messages, messageOf(&req.Messages[i]))
	}
	for _, t := range req.Tools {
		f.Tools = append(f.Tools, tool{t.Name, hash(t.Description, canonical(t.Schema))})
	}
	slices.SortStableFunc(f.Tools, func(a, b tool) int { return cmp.Compare(a.Name, b.Name) })
	return f
}

// sampling returns the sampling fields that a request sets; "" for none, as in recordings older than these fields.
func sampling(req *providers.Request) string {
	var b strings.Builder
	number := func(name string, v *float64) {
		if v != nil {
			fmt.Fprintf(&b, "%s=%v;", name, *v)
		}
	}
	number("temperature", req.Temperature)
	number("top_p", req.TopP)
	if len(req.Stop) > 0 {
		fmt.Fprintf(&b, "stop=%q;", req.Stop)
	}
	if req.Seed != nil {
		fmt.Fprintf(&b, "seed=%d;", *req.Seed)
	}
	if req.ReasoningEffort != "" {
		fmt.Fprintf(&b, "effort=%s;", req.ReasoningEffort)
	}
	return b.String()
}

func messageOf(m *transcript.Message) message {
	p := message{Role: m.Role, Text: hashed(m.Text)}
	if len(m.Calls) > 0 {
		parts := make([]string, 0, 3*len(m.Calls))
		for _, c := range m.Calls {
			parts = append(parts, c.ID, c.Name, canonical(c.Args))
		}
		p.Calls = hash(parts...)
	}
	if m.Role == transcript.Tool {
		p.Result = hash(m.CallID, m.Name, strconv.FormatBool(m.Failed))
	}
	if m.ProviderData != nil {
		p.ProviderData = hash(m.ProviderData.Dialect, m.ProviderData.Model, string(m.ProviderData.Data))
	}
	if len(m.Images) > 0 {
		parts := make([]string, 0, 3*len(m.Images))
		for i := range m.Images {
			im := &m.Images[i]
			parts = append(parts, im.String(), im.URL, string(im.Data))
		}
		p.Images = hash(parts...)
	}
	return p
}

// canonical returns JSON with sorted keys and without spaces. It returns anything else unchanged.
func canonical(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return string(raw)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// key returns the key of the answers to a request.
func (f fingerprint) key() (string, error) {
	text, err := json.Marshal(f)
	return hash(string(text)), err
}
