package openai

import (
	"encoding/json"
	"hash/fnv"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// answerName is the default name of a structured answer; services require one.
const answerName = "answer"

// choice returns the tool choice and the flag for parallel calls. Services refuse both without tools.
func (m *Model) choice(req *providers.Request) (choice providers.ToolChoice, parallel *bool) {
	if len(req.Tools) == 0 {
		return "", nil
	}
	if choice = req.Choice; choice == providers.Required && m.config.Info.NoForcedTools {
		choice = providers.Auto
	}
	if m.config.Info.NoParallelCalls && !m.quirks.NoParallelFlag {
		parallel = new(bool)
	}
	return choice, parallel
}

// The form of Mistral's call ids; it refuses any other.
const (
	shortID      = 9
	idCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// callID returns the id of a call as the server accepts it, always the same for the same id.
func (m *Model) callID(id string) string {
	other := func(r rune) bool { return !strings.ContainsRune(idCharacters, r) }
	if !m.quirks.ShortIDs || len(id) == shortID && !strings.ContainsFunc(id, other) {
		return id
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	short := make([]byte, shortID)
	for i, n := 0, h.Sum64(); i < shortID; i++ {
		short[i] = idCharacters[n%uint64(len(idCharacters))]
		n /= uint64(len(idCharacters))
	}
	return string(short)
}

// withExtra closes an object, given without its last brace, after adding the extra fields of the configuration and the
// fields of the request. The latter win.
func (m *Model) withExtra(object []byte, fields map[string]json.RawMessage) []byte {
	return append(wire.AppendMembers(object, m.config.ExtraBody, fields), '}')
}
