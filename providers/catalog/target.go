package catalog

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/anthropic"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/generativeai"
	"github.com/forayhq/foray/providers/internal/models"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/providers/ollama"
	"github.com/forayhq/foray/providers/openai"
)

// A Target is a model at an address: what a name and [Options] resolve to.
type Target struct {
	Endpoint
	Model       string // the name that the endpoint knows
	URL         string // the base URL that is asked
	KeyVariable string // the environment variable that the key comes from; empty: Options, or no key
	Window      int    // the size that the server runs the model with; 0: by the model's name
	Slots       int    // requests whose prefixes the server keeps; 0: by the endpoint

	vision  providers.Vision // as the server says; zero: by the model's name
	compact int              // tokens from which the service compacts; 0: it does not

	key     string
	options Options
}

// Resolve returns the target of PROVIDER/MODEL. It reaches no server. An unknown name is a [*NameError].
func Resolve(name string, o *Options) (Target, error) {
	e, model, err := parse(name)
	if err != nil {
		return Target{}, err
	}
	return e.Target(model, o)
}

// MinWindow is the smallest window that a user may set, in tokens.
const MinWindow = 1_000

// Target returns the target of a model of e. The model may be empty, to list the endpoint's models.
func (e Endpoint) Target(model string, o *Options) (Target, error) {
	t := Target{Endpoint: e, Model: model}
	if o != nil {
		t.options = *o
	}
	getenv := func(name string) string { return strings.TrimSpace(os.Getenv(name)) }
	t.key, t.Window = strings.TrimSpace(t.options.Key), t.options.Window
	for _, name := range e.Keys {
		if t.key != "" {
			break
		}
		if t.key = getenv(name); t.key != "" {
			t.KeyVariable = name
		}
	}
	base := t.options.BaseURL
	if e.Name == openaiName {
		base = cmp.Or(base, getenv("OPENAI_BASE_URL"))
	}
	if e.Name == anthropicName && base == "" && getenv("ANTHROPIC_BASE_URL") != "" { // as its SDKs have it: without /v1
		base = strings.TrimSuffix(strings.TrimSuffix(getenv("ANTHROPIC_BASE_URL"), "/"), "/v1") + "/v1"
	}
	for _, name := range e.place {
		if value := getenv(name); base == "" && value != "" {
			var err error
			if base, err = e.placed(name, value); err != nil {
				return Target{}, err
			}
		}
	}
	t.URL = strings.TrimSuffix(cmp.Or(base, e.BaseURL), "/")
	if text := getenv("OLLAMA_CONTEXT_LENGTH"); e.Name == ollamaName && t.Window == 0 && text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < MinWindow {
			return Target{}, fmt.Errorf("OLLAMA_CONTEXT_LENGTH is %q; it must be at least %d tokens", text, MinWindow)
		}
		t.Window = n
	}
	return t, nil
}

// String returns PROVIDER/MODEL.
func (t Target) String() string { return t.Name + "/" + t.Model }

// GoString does as String, so that %#v does not print the key.
func (t Target) GoString() string { return t.String() }

// HasKey reports whether a key was found.
func (t Target) HasKey() bool { return t.key != "" }

// Elsewhere reports whether the URL is not the endpoint's own.
func (t Target) Elsewhere() bool { return t.URL != t.BaseURL }

// SafeURL returns the URL without secrets.
func (t Target) SafeURL() string {
	u, err := url.Parse(t.URL)
	switch {
	case err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "(a URL with credentials)"
	}
	return t.clean(t.URL)
}

// clean removes the key from what a server said.
func (t Target) clean(text string) string {
	mask := wire.NewMask(t.key)
	return mask.Clean(text)
}

// Local reports whether the server is on this machine.
func (t Target) Local() bool {
	u, err := url.Parse(t.URL)
	return err == nil && isThisMachine(u)
}

// Open returns the model without the layers that [Open] adds. It reaches no server. Its answers never contain the key.
// A missing key is an error of class [providers.Auth].
func (t Target) Open() (providers.Model, error) {
	m, err := t.dial()
	if err != nil {
		return nil, err
	}
	return masked{m, wire.NewMask(t.key)}, nil
}

// dial returns the model of the dialect. Its answers may contain the key.
func (t Target) dial() (m providers.Model, err error) {
	if err := mayCompact(t); err != nil {
		return nil, err
	}
	o, info := t.options, providers.Info{Window: t.Window, Slots: cmp.Or(t.Slots, t.slots), Vision: t.vision}
	info.Price, _ = o.Prices.Price(t.Name, t.Model)
	switch t.dialect {
	case geminiDialect:
		m, err = model(gemini.New(gemini.Config{Name: t.Model, BaseURL: t.URL, Key: t.key, AllowHTTP: o.AllowHTTP,
			HTTPClient: o.HTTPClient, Info: info}))
	case generativeaiDialect:
		m, err = model(generativeai.New(generativeai.Config{Name: t.Model, BaseURL: t.URL, Key: t.key,
			AllowHTTP: o.AllowHTTP, HTTPClient: o.HTTPClient, Info: info}))
	case ollamaDialect:
		m, err = model(ollama.New(ollama.Config{Name: t.Model, BaseURL: t.URL, Key: t.key, AllowHTTP: o.AllowHTTP,
			HTTPClient: o.HTTPClient, Window: cmp.Or(t.Window, t.window), Info: info}))
	case anthropicDialect:
		m, err = model(anthropic.New(anthropic.Config{Name: t.Model, BaseURL: t.URL, Key: t.key, AllowHTTP: o.AllowHTTP,
			HTTPClient: o.HTTPClient, Headers: t.headers, Info: info, Notify: o.Notify, Compact: t.compact}))
	case openaiDialect:
		m, err = t.openOpenAI()
	}
	return m, err
}

// model turns a nil pointer of a dialect's type into a nil interface.
func model[M providers.Model](m M, err error) (providers.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// openOpenAI opens a model of the OpenAI dialect. The name openai/ with another base URL reaches another service, so
// the URL decides on the wire and the quirks.
func (t Target) openOpenAI() (providers.Model, error) {
	at, known := endpointAt(t.URL)
	if t.place != nil && t.options.BaseURL == "" {
		at, known = t.Endpoint, true
	}
	if known && !at.NoKey && t.key == "" {
		return nil, &providers.Error{
			Class: providers.Auth, Provider: t.Name, Model: t.Model,
			Err: fmt.Errorf("no key: set %s", strings.Join(t.Keys, " or ")),
		}
	}
	if t.place != nil && !t.Elsewhere() {
		return nil, fmt.Errorf("%s answers at an address of your own: set %s", t.Name, strings.Join(t.place, " or "))
	}
	server := t.server()
	price, _ := t.options.Prices.Price(t.Name, t.Model)
	return model(openai.New(openai.Config{
		Name: t.Model, BaseURL: t.URL, Key: t.key, AllowHTTP: t.options.AllowHTTP, HTTPClient: t.options.HTTPClient,
		Window: t.Window, ExtraHeaders: t.headers, Wire: server.wire, Quirks: &server.quirks, Compact: t.compact,
		Info: providers.Info{
			Provider: t.Name, Price: price, Vision: t.vision,
			Rules: cmp.Or(t.rules, at.rules), Slots: cmp.Or(t.Slots, server.slots),
			StructuredOutput: (t.schema || at.schema) && models.FollowsSchema(t.Model),
		},
	}))
}
