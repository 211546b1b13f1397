package catalog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
	"github.com/forayhq/foray/providers/internal/wire"
)

// A Served is what a server says about a model that it runs. The zero value says nothing.
type Served struct {
	Window  int `json:"window,omitempty"`  // tokens of a request with its answer, as the server runs it; 0: unknown
	Longest int `json:"longest,omitempty"` // tokens of the longest window that the model supports; 0: unknown
	Slots   int `json:"slots,omitempty"`   // requests that the server answers at a time; 0: unknown
	// whether the model has "tools", "vision" and "thinking"; a missing one is unknown
	Abilities map[string]bool `json:"abilities,omitempty"`
	Loading   bool            `json:"loading,omitempty"` // the server is loading the model
	Doubt     string          `json:"doubt,omitempty"`   // an answer that cannot be true and was ignored
}

// Bounds on the questions to a server.
const (
	servedTime     = 2 * time.Second // for all questions about one model
	maxServedBytes = 4 << 20         // Ollama's answer holds the license and the template
	loadingPause   = 500 * time.Millisecond
	maxTokens      = 1 << 27 // no window is longer; the longest published one has 10 million tokens
	leastWindow    = 2048    // tokens; a run needs more
)

// Served asks the server what it knows about the model, for endpoints that run on the user's own machines. It makes one
// attempt within two seconds. A failure is silent: the zero value.
func (t Target) Served(ctx context.Context) Served {
	ctx, cancel := context.WithTimeout(ctx, servedTime)
	defer cancel()
	var s Served
	if ask := t.server().ask; ask != nil && t.allowed() {
		ask(ctx, t, &s)
	}
	return s
}

// Await does as [Target.Served], and asks again while the server is loading the model, until ctx ends.
func (t Target) Await(ctx context.Context) Served {
	for {
		s := t.Served(ctx)
		if !s.Loading {
			return s
		}
		select {
		case <-ctx.Done():
			return s
		case <-time.After(loadingPause):
		}
	}
}

// Adopt returns t with the server's slots, whether its model sees pictures, and the smaller of two windows: the one
// that the user set and the one that the server runs. The notice says how they differ and how to run the server with
// more; it is empty if the user gets what was asked for. The size in the table of models counts as asked for, and so
// does enough for a run. Where requests can ask for a window, the server runs what the user set, up to the longest
// window of the model.
func (t Target) Adopt(s Served) (adopted Target, notice string) {
	size, _ := models.Size(t.Model)
	asked, served := max(cmp.Or(t.Window, size.Window), leastWindow), s.Window
	switch {
	case t.window > 0 && t.Window > 0:
		served = s.Longest
	case t.window > 0 && served == 0:
		served = min(t.window, cmp.Or(s.Longest, t.window))
	}
	switch {
	case s.Doubt != "":
		notice = t.String() + ": " + s.Doubt + "; ignored"
	case served > 0 && served < asked:
		notice = t.differ(served, s)
	}
	if served > 0 && (t.Window == 0 || served < t.Window) {
		t.Window = served
	}
	t.Slots = cmp.Or(s.Slots, t.Slots)
	if sees, known := s.Abilities["vision"]; known && sees != models.Vision(t.Model).Sees() {
		if t.vision = providers.GeneralVision; !sees {
			t.vision = providers.Vision{Base: -1}
		}
	}
	return t, notice
}

// differ says that the server runs a smaller window than asked for, and how it runs a larger one: with what the user
// set, else with twice as much or enough for a run.
func (t Target) differ(served int, s Served) string {
	text := fmt.Sprintf("the server runs a window of %s tokens; foray uses that", line.Number(served))
	switch {
	case t.window > 0 && t.Window > 0:
		text = fmt.Sprintf("the model has a window of %s tokens at most; foray uses that", line.Number(served))
	case t.window > 0 && s.Window == 0:
		text = fmt.Sprintf("the server is asked to run a window of %s tokens", line.Number(served))
	}
	larger := cmp.Or(t.Window, max(2*served, ollamaWindow))
	if s.Longest > 0 {
		larger = min(larger, s.Longest)
	}
	more := t.more(larger)
	if larger <= served || more == "" {
		return text
	}
	if s.Slots > 1 && t.server().Name == llamacppName {
		more += " -np 1" // or the slots share it
	}
	return text + ". To use more: " + more
}

// more returns how to run the model with a window of that many tokens; "" if unknown.
func (t Target) more(tokens int) string {
	switch text := t.server().more; {
	case t.window > 0:
		return fmt.Sprintf("--window %d", tokens)
	case text != "":
		return fmt.Sprintf(text, tokens)
	}
	return ""
}

// server returns the endpoint that answers: that of the URL for the name openai/ at another address.
func (t Target) server() Endpoint {
	if t.Name == openaiName && t.Elsewhere() {
		at, _ := endpointAt(t.URL)
		return at
	}
	return t.Endpoint
}

// allowed reports whether the URL may be asked, and the key sent to it.
func (t Target) allowed() bool {
	_, err := wire.ParseBase(t.URL, t.options.AllowHTTP)
	return err == nil && wire.CheckKey(t.key) == nil && (t.place == nil || t.Elsewhere())
}

// root returns the address of the server's own API, which is beside that of OpenAI's dialect.
func (t Target) root() string { return strings.TrimSuffix(t.URL, "/v1") }

// fetch asks the server for JSON, by POST if body is not nil, and returns the HTTP status. It returns 0 for an answer
// that does not come, or is not JSON. Fields of another type are left out.
func (t Target) fetch(ctx context.Context, address string, body, into any) int {
	method, raw := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		raw, _ = json.Marshal(body) // of texts: always encodes
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(raw))
	if err != nil {
		return 0
	}
	if t.key != "" {
		t.sign(req)
	}
	resp, err := wire.WithoutRedirects(t.options.HTTPClient).Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode
	}
	var said json.RawMessage
	if json.NewDecoder(io.LimitReader(resp.Body, maxServedBytes)).Decode(&said) != nil {
		return 0
	}
	err = json.Unmarshal([]byte(t.clean(string(said))), into)
	if field := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &field) {
		return 0
	}
	return resp.StatusCode
}

// tokens reads a number of tokens that the server calls name. A missing one is 0, and so is one that cannot be true.
func (s *Served) tokens(name string, raw json.RawMessage) int {
	if len(raw) == 0 || string(raw) == "null" {
		return 0
	}
	var n float64
	if json.Unmarshal(raw, &n) == nil && n >= 1 && n <= maxTokens && n == float64(int(n)) {
		return int(n)
	}
	s.Doubt = "the server says " + name + " is " + line.Truncate(line.Flat(string(raw)), maxDoubt)
	return 0
}

// maxDoubt bounds what a doubt repeats of an answer, in characters.
const maxDoubt = 40

// able sets an ability.
func (s *Served) able(name string, is bool) {
	if s.Abilities == nil {
		s.Abilities = map[string]bool{}
	}
	s.Abilities[name] = is
}

// askLlamacpp asks llama.cpp, whose n_ctx is the window of one slot.
func askLlamacpp(ctx context.Context, t Target, s *Served) {
	var props struct {
		Settings struct {
			Window json.RawMessage `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Slots      int            `json:"total_slots"`
		Modalities map[string]any `json:"modalities"`
		Template   struct {
			Tools any `json:"supports_tools"`
		} `json:"chat_template_caps"`
	}
	switch t.fetch(ctx, t.root()+"/props", nil, &props) {
	case http.StatusServiceUnavailable:
		s.Loading = true
		return
	case http.StatusOK:
	default:
		return
	}
	s.Window, s.Slots = s.tokens("n_ctx", props.Settings.Window), max(props.Slots, 0)
	for name, said := range map[string]any{"tools": props.Template.Tools, "vision": props.Modalities["vision"]} {
		if is, ok := said.(bool); ok {
			s.able(name, is)
		}
	}
	var list struct {
		Data []struct {
			Meta struct {
				Trained json.RawMessage `json:"n_ctx_train"`
			}
		}
	}
	if t.fetch(ctx, t.ListURL(), nil, &list) == http.StatusOK && len(list.Data) == 1 {
		s.Longest = s.tokens("n_ctx_train", list.Data[0].Meta.Trained)
	}
}

// askVLLM asks vLLM, which lists the window with the model.
func askVLLM(ctx context.Context, t Target, s *Served) {
	var list struct {
		Data []struct {
			ID     string
			Window json.RawMessage `json:"max_model_len"`
		}
	}
	t.fetch(ctx, t.ListURL(), nil, &list)
	for _, m := range list.Data {
		if m.ID == t.Model {
			s.Window = s.tokens("max_model_len", m.Window)
		}
	}
}

// askLMStudio asks LM Studio, which knows the window of a model once it has loaded it.
func askLMStudio(ctx context.Context, t Target, s *Served) {
	var list struct {
		Data []struct {
			ID, Type     string
			Window       json.RawMessage `json:"loaded_context_length"`
			Longest      json.RawMessage `json:"max_context_length"`
			Capabilities []string
		}
	}
	t.fetch(ctx, t.root()+"/api/v0/models", nil, &list)
	for _, m := range list.Data {
		if m.ID == t.Model {
			s.Window = s.tokens("loaded_context_length", m.Window)
			s.Longest = s.tokens("max_context_length", m.Longest)
			s.able("vision", m.Type == "vlm")
			if m.Capabilities != nil {
				s.able("tools", slices.Contains(m.Capabilities, "tool_use"))
			}
		}
	}
}

// askOllama asks Ollama: for the window of the model as it is loaded, else for the one in its parameters.
func askOllama(ctx context.Context, t Target, s *Served) {
	var show struct {
		Parameters   string
		Info         map[string]json.RawMessage `json:"model_info"`
		Capabilities []string
	}
	if t.fetch(ctx, t.root()+"/api/show", map[string]string{"model": t.Model}, &show) != http.StatusOK {
		return
	}
	for name, value := range show.Info {
		if strings.HasSuffix(name, ".context_length") {
			s.Longest = s.tokens(name, value)
		}
	}
	for text := range strings.Lines(show.Parameters) {
		if f := strings.Fields(text); len(f) == 2 && f[0] == "num_ctx" {
			s.Window = s.tokens("num_ctx", json.RawMessage(f[1]))
		}
	}
	if show.Capabilities != nil {
		for _, name := range []string{"tools", "vision", "thinking"} {
			s.able(name, slices.Contains(show.Capabilities, name))
		}
	}
	for _, m := range t.running(ctx) {
		if withTag(m.Name) == withTag(t.Model) {
			s.Window = cmp.Or(s.tokens("context_length", m.Window), s.Window)
		}
	}
}

// A runningModel is a model that Ollama has loaded.
type runningModel struct {
	Name   string
	Window json.RawMessage `json:"context_length"`
}

// running returns the models that Ollama has loaded.
func (t Target) running(ctx context.Context) []runningModel {
	var ps struct{ Models []runningModel }
	t.fetch(ctx, t.root()+"/api/ps", nil, &ps)
	return ps.Models
}

// withTag returns a name of Ollama's with its tag: "qwen3" is "qwen3:latest".
func withTag(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return name + ":latest"
}
