package providers

import (
	"context"
	"errors"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Response is a whole answer. Message has the role Assistant and holds the text, the calls in the model's order, and
// the provider data. Reasoning is for display only and is never sent back.
type Response struct {
	Message   transcript.Message
	Reasoning string
	Usage     Usage
	Finish    Finish
}

// ErrNoFinish is the cause of the error of an answer that ended without a [Finish].
var ErrNoFinish = errors.New("the answer ended without a finish reason")

// Ask sends req to m and returns the whole answer: it drains [Model.Stream]. The response is never nil; next to an
// error it holds what had arrived. A stream without a Finish is an error of class [Network] with the cause
// [ErrNoFinish]. After an answer that repeated itself (class [Repeating]), Ask sends the request once more, warmer.
func Ask(ctx context.Context, m Model, req *Request) (*Response, error) {
	r, err := ask(ctx, m, req)
	if ClassOf(err) != Repeating {
		return r, err
	}
	warm, failed := ask(ctx, m, req.Warmer())
	if failed != nil {
		return r, err
	}
	warm.Usage = warm.Usage.Add(r.Usage)
	return warm, nil
}

func ask(ctx context.Context, m Model, req *Request) (*Response, error) {
	r := &Response{Message: transcript.Message{Role: transcript.Assistant}}
	var text, reasoning strings.Builder
	var failed error
	for d, err := range m.Stream(ctx, req) {
		if err != nil {
			failed = err
			break
		}
		text.WriteString(d.Text)
		reasoning.WriteString(d.Reasoning)
		r.Add(d)
	}
	r.Message.Text, r.Reasoning = text.String(), reasoning.String()
	if failed == nil && r.Finish == "" {
		info := m.Info()
		failed = &Error{Class: Network, Provider: info.Provider, Model: info.Name, Err: ErrNoFinish}
	}
	return r, failed
}

// Add takes over the fields of d other than text and reasoning, which arrive in pieces.
func (r *Response) Add(d Delta) {
	if d.Call != nil {
		r.Message.Calls = append(r.Message.Calls, *d.Call)
	}
	if d.ProviderData != nil {
		r.Message.ProviderData = d.ProviderData
	}
	if d.Usage != nil {
		r.Usage = *d.Usage
	}
	if d.Finish != "" {
		r.Finish = d.Finish
	}
}
