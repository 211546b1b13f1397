package replay

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// version of the line format.
const version = 1

// A recordedLine is a line of a recording: one answer.
type recordedLine struct {
	Version int            `json:"foray_recording"`
	Key     string         `json:"key"`
	Model   providers.Info `json:"model"`
	Request fingerprint    `json:"request"`
	Answer  []delta        `json:"answer"`
	Error   *failure       `json:"error,omitempty"`
}

// A delta is a [providers.Delta] that keeps its bytes.
type delta struct {
	Text         exact                    `json:"text,omitzero"`
	Reasoning    exact                    `json:"reasoning,omitzero"`
	Call         *call                    `json:"call,omitempty"`
	ProviderData *transcript.ProviderData `json:"opaque,omitempty"`
	Usage        *providers.Usage         `json:"usage,omitempty"`
	Finish       providers.Finish         `json:"finish,omitempty"`
}

// A call is a [transcript.ToolCall]. Its arguments are a string, because nested JSON would lose its spaces.
type call struct {
	ID   exact `json:"id"`
	Name exact `json:"name"`
	Args exact `json:"args"`
}

// A failure is the error that ended an answer.
type failure struct {
	Class      providers.Class `json:"class,omitempty"` // "": no *providers.Error
	Status     int             `json:"status,omitempty"`
	Code       string          `json:"code,omitempty"`
	RetryAfter time.Duration   `json:"retry_after_ns,omitempty"`
	Limit      int             `json:"limit,omitempty"`
	Tokens     int             `json:"tokens,omitempty"`
	Provider   string          `json:"provider,omitempty"`
	Model      string          `json:"model,omitempty"`
	Text       *exact          `json:"text,omitempty"` // nil: an error without a cause
}

// An exact text keeps its bytes: as a JSON string if it is UTF-8, else as {"base64": …}.
type exact string

type encoded struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON writes the text.
func (e exact) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(string(e)) {
		return []byte(`{"base64":"` + base64.StdEncoding.EncodeToString([]byte(e)) + `"}`), nil
	}
	return line.JSON(string(e))
}

// UnmarshalJSON reads the text.
func (e *exact) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		var bytes encoded
		err := json.Unmarshal(raw, &bytes)
		*e = exact(bytes.Base64)
		return err
	}
	return json.Unmarshal(raw, (*string)(e))
}

func deltaOf(d providers.Delta) delta {
	out := delta{Text: exact(d.Text), Reasoning: exact(d.Reasoning), Finish: d.Finish}
	if c := d.Call; c != nil {
		out.Call = &call{exact(c.ID), exact(c.Name), exact(c.Args)}
	}
	if d.ProviderData != nil {
		opaque := *d.ProviderData
		out.ProviderData = &opaque
	}
	if d.Usage != nil {
		usage := *d.Usage
		out.Usage = &usage
	}
	return out
}

// delta returns a delta that shares nothing with the recording.
func (d delta) delta() providers.Delta {
	out := providers.Delta{Text: string(d.Text), Reasoning: string(d.Reasoning), Finish: d.Finish}
	if c := d.Call; c != nil {
		out.Call = &transcript.ToolCall{ID: string(c.ID), Name: string(c.Name), Args: json.RawMessage(c.Args)}
	}
	if d.ProviderData != nil {
		opaque := *d.ProviderData
		opaque.Data = bytes.Clone(opaque.Data)
		out.ProviderData = &opaque
	}
	if d.Usage != nil {
		usage := *d.Usage
		out.Usage = &usage
	}
	return out
}

func failureOf(err error) *failure {
	var e *providers.Error
	if !errors.As(err, &e) {
		text := exact(err.Error())
		return &failure{Text: &text}
	}
	f := &failure{
		Class: e.Class, Status: e.Status, Code: e.Code, RetryAfter: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens,
		Provider: e.Provider, Model: e.Model,
	}
	if e.Err != nil {
		text := exact(e.Err.Error())
		f.Text = &text
	}
	return f
}

func (f *failure) error() error {
	var cause error
	if f.Text != nil {
		cause = errors.New(string(*f.Text))
	}
	if f.Class == "" {
		return cmp.Or(cause, errors.New("an error without a class"))
	}
	return &providers.Error{
		Class: f.Class, Status: f.Status, Code: f.Code, RetryAfter: f.RetryAfter, Limit: f.Limit, Tokens: f.Tokens,
		Provider: f.Provider, Model: f.Model, Err: cause,
	}
}

// text returns the line with its key and line end.
func (l *recordedLine) text() (text []byte, err error) {
	if l.Key, err = l.Request.key(); err != nil {
		return nil, err
	}
	if text, err = line.JSON(l); err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// parse parses a line.
func parse(text []byte) (*recordedLine, error) {
	var l recordedLine
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&l); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("unexpected data after the answer")
	}
	if l.Version != version {
		return nil, fmt.Errorf("not an answer in format %d", version)
	}
	key, err := l.Request.key()
	if err != nil {
		return nil, err
	}
	if key != l.Key {
		return nil, errors.New("the key does not match the request")
	}
	return &l, nil
}
