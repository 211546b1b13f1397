package working

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// An Entry describes a text that a session holds, or held.
type Entry struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"` // "text" or "json"
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call,omitempty"` // id of the call that returned the text; empty if unknown
	Args    string    `json:"args,omitempty"` // of the call, as JSON, if they are short
	Bytes   int       `json:"bytes"`
	Runes   int       `json:"runes"`
	Lines   int       `json:"lines"`
	Sum     string    `json:"sum"` // SHA-256 of the text, in hex
	Created time.Time `json:"created"`
	Read    time.Time `json:"read"`           // last
	Gone    string    `json:"gone,omitempty"` // why the text was evicted; empty while it is held
}

// describe measures a text.
func describe(id, body string) Entry {
	e := Entry{
		ID: id, Kind: "text", Bytes: len(body), Runes: utf8.RuneCountInString(body), Lines: strings.Count(body, "\n") + 1,
		Sum: sumOf(body),
	}
	if strings.HasSuffix(body, "\n") {
		e.Lines--
	}
	first := strings.TrimLeft(body, " \t\r\n")
	if first != "" && strings.IndexByte("{[", first[0]) >= 0 && json.Valid([]byte(body)) {
		e.Kind = "json"
	}
	return e
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// maxArguments is how long the arguments of a call may be that an entry keeps, in bytes.
const maxArguments = 500

// argumentsOf returns the arguments of a call if they are short JSON.
func argumentsOf(args json.RawMessage) string {
	if len(args) > maxArguments || !json.Valid(args) {
		return ""
	}
	return string(args)
}
