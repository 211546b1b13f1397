package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// The names of attacks that are answers of a service that means well.
const (
	fine    = "fine"        // a short answer
	mixed   = "mix"         // each attack in turn, with a short answer after each
	aside   = "background-" // before the name of an attack: only requests without tools are attacked
	maxBody = 64 << 20      // bytes of a request that are read
)

// A Hostile is an HTTP server that attacks its clients in the dialects of OpenAI's chat and responses wires, Anthropic,
// Gemini and Ollama, and for vectors. The name of the model chooses one of the Attacks, or else the first element of
// the path, as in "/endless-text/v1/chat/completions". Three more names are "fine", a short answer; "mix", which takes
// the attacks in turn with a short answer after each; and "background-ATTACK", which attacks only the requests without
// tools, as for a summary. An attack without an end lasts until the client disconnects. The zero value is ready.
type Hostile struct{ mixed atomic.Int64 }

// ServeHTTP attacks one client.
func (h *Hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	name := named(r.URL.Path, raw)
	if name == mixed {
		if i := int(h.mixed.Add(1)) - 1; i%2 == 0 {
			name = attacks[i/2%len(attacks)].name
		}
	}
	on := &assault{w: w, r: r, wire: wireOf(r.URL.Path)}
	for _, a := range attacks {
		if a.name == name {
			a.run(on)
			return
		}
	}
	on.fine("7")
}

// Attacks returns the names of the attacks, and what each does.
func (*Hostile) Attacks() (names, does []string) {
	for _, a := range attacks {
		names, does = append(names, a.name), append(does, a.does)
	}
	return names, does
}

// named returns the name of the attack that a request asks for.
func named(path string, body []byte) string {
	var request struct {
		Model string
		Tools []json.RawMessage
	}
	_ = json.Unmarshal(body, &request) // a request of another form is not attacked by name
	name := request.Model
	if _, after, ok := strings.Cut(path, "/models/"); ok {
		name, _, _ = strings.Cut(after, ":")
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for _, a := range attacks {
		if a.name == strings.TrimPrefix(first, aside) {
			name = first
		}
	}
	if rest, background := strings.CutPrefix(name, aside); background {
		if name = rest; len(request.Tools) > 0 {
			return fine
		}
	}
	return name
}
