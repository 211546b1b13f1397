package main

import (
	"cmp"
	"errors"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/generativeai"
	"github.com/forayhq/foray/providers/openai"
)

// The providers that are not like the others.
const (
	plannerProvider = "planner"
	openaiProvider  = "openai"
	ollamaProvider  = "ollama"
)

// A backend is a service or server that --model can name.
type backend struct {
	name  string
	base  string   // where it answers unless told otherwise
	keys  []string // environment variables that may hold its key, the first that is set goes
	noKey bool     // answers without a key
	list  string   // path below the base URL where it names its models
	build func(target) (providers.Model, error)
}

// googleKeys are the variables of the key for Google's service.
var googleKeys = []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}

// backends are all of them, those that speak OpenAI's dialect first.
func backends() []backend {
	var all []backend
	for _, e := range openai.Endpoints() {
		all = append(all, backend{name: e.Name, base: e.BaseURL, keys: e.Keys, noKey: e.NoKey, list: "/models", build: buildOpenAI})
	}
	const list = "/v1beta/models?pageSize=1000"
	return append(all,
		backend{name: "gemini", base: gemini.BaseURL, keys: googleKeys, list: list, build: buildGemini},
		backend{name: "generativeai", base: generativeai.BaseURL, keys: googleKeys, list: list, build: buildGenerativeAI})
}

func backendNames() []string {
	var names []string
	for _, b := range backends() {
		names = append(names, b.name)
	}
	return append(names, plannerProvider)
}

func backendOf(name string) (backend, bool) {
	all := backends()
	i := slices.IndexFunc(all, func(b backend) bool { return b.name == name })
	if i < 0 {
		return backend{}, false
	}
	return all[i], true
}

// A target is one model of a backend, and where and how it is asked.
type target struct {
	backend
	model         string
	base          string // that is asked
	key, variable string // and where the key is from; "": there is none
	window        int    // in tokens; 0: by the model's name
	plain         bool   // allows HTTP to other machines
}

// target returns the target of a model of b. What the flags say of a server is for the provider that --model names.
func (f *modelFlags) target(b backend, model string) (target, error) {
	t := target{backend: b, model: model, plain: f.allowHTTP}
	for _, name := range b.keys {
		if t.key = strings.TrimSpace(os.Getenv(name)); t.key != "" {
			t.variable = name
			break
		}
	}
	provider, _, _ := strings.Cut(f.spec(), "/")
	given, window := "", 0
	if provider == b.name {
		given, window = f.baseURL, f.window
	}
	if b.name == openaiProvider {
		given = cmp.Or(given, strings.TrimSpace(os.Getenv("OPENAI_BASE_URL")))
	}
	if text := strings.TrimSpace(os.Getenv("OLLAMA_CONTEXT_LENGTH")); b.name == ollamaProvider && window == 0 && text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < minWindow {
			return target{}, usage("--window 8192", "OLLAMA_CONTEXT_LENGTH is %q and no number of tokens above %d", text, minWindow-1)
		}
		window = n
	}
	t.base, t.window = strings.TrimSuffix(cmp.Or(given, b.base), "/"), window
	return t, nil
}

// elsewhere reports whether another server is asked than the provider's own.
func (t target) elsewhere() bool { return t.base != t.backend.base }

func (t target) spec() string { return t.name + "/" + t.model }

// shown is the base URL as it may be printed: one that holds credentials is not.
func (t target) shown() string {
	u, err := url.Parse(t.base)
	switch {
	case err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "(a URL with credentials)"
	case t.key != "":
		return strings.ReplaceAll(t.base, t.key, secret)
	}
	return t.base
}

// local reports whether the server is on this machine.
func (t target) local() bool {
	u, err := url.Parse(t.base)
	return err == nil && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

func buildOpenAI(t target) (providers.Model, error) {
	e, _ := openai.EndpointOf(t.name)
	c := e.Config(t.model, t.key)
	c.BaseURL, c.Window, c.AllowHTTP = t.base, t.window, t.plain
	if t.name == openaiProvider && t.elsewhere() { // wire and quirks are those of whoever is there
		c.Wire, c.Quirks = "", nil
	}
	m, err := openai.New(c)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func buildGemini(t target) (providers.Model, error) {
	m, err := gemini.New(gemini.Config{Name: t.model, BaseURL: t.base, Key: t.key, Plain: t.plain, Info: providers.Info{Window: t.window}})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func buildGenerativeAI(t target) (providers.Model, error) {
	m, err := generativeai.New(generativeai.Config{Name: t.model, BaseURL: t.base, Key: t.key, Plain: t.plain, Info: providers.Info{Window: t.window}})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// open returns the model, without layers. Its errors say what to type instead.
func (t target) open() (providers.Model, error) {
	m, err := t.build(t)
	switch class := providers.ClassOf(err); {
	case err == nil:
		return concealed{m, t.key}, nil
	case class == providers.Auth && t.variable == "":
		hint := "export " + t.keys[0] + "=…"
		if t.name == openaiProvider {
			hint += ", or a server without a key: --model ollama/NAME"
		}
		return nil, usage(hint, "the environment variable %s is not set", strings.Join(t.keys, " or "))
	case class == providers.Invalid && t.name == "generativeai":
		return nil, usage("--model gemini/"+t.model, "%v", err)
	case errors.Is(err, providers.ErrNotEncrypted):
		return nil, usage("https:// in --base-url, or --allow-http if nobody else is on the way", "%v", err)
	case errors.Is(err, providers.ErrKeyForm):
		return nil, usage("export "+t.variable+"=… without spaces and line ends", "%v", err)
	case errors.Is(err, providers.ErrModelName):
		return nil, usage("foray doctor --model "+t.name+"/NAME", "%v", err)
	}
	return nil, usage("--base-url "+t.backend.base, "%v", err)
}
