package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A grammar is a model that reports each stream of its inner model that breaks the contract.
type grammar struct {
	t *testing.T
	providers.Model
}

// Stream passes on a stream and checks it.
func (g grammar) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		var form form
		for d, err := range g.Model.Stream(ctx, req) {
			for _, fault := range form.next(d, err) {
				g.t.Errorf("the form of the stream: %s (delta %+v, error %v)", fault, d, err)
			}
			if !yield(d, err) {
				return
			}
		}
		if !form.ended {
			g.t.Error("the form of the stream: it ended with neither a finish nor an error")
		}
	}
}

// A form is the state of one stream.
type form struct {
	ended, opaque, usage bool
	ids                  map[string]bool
}

// next returns what is wrong with the next pair of a stream.
func (f *form) next(d providers.Delta, err error) (faults []string) {
	if f.ended {
		faults = append(faults, "a delta after the end")
	}
	if err != nil {
		f.ended = true
		if fieldsSet(d) != 0 {
			faults = append(faults, "a delta beside an error")
		}
		return append(faults, errorFaults(err)...)
	}
	if n := fieldsSet(d); n != 1 {
		faults = append(faults, "not exactly one field is set")
	}
	f.ended = f.ended || d.Finish != ""
	if d.ProviderData != nil {
		if f.opaque {
			faults = append(faults, "a second opaque part")
		}
		f.opaque = true
	}
	if d.Usage != nil {
		if f.usage {
			faults = append(faults, "a second usage")
		}
		f.usage = true
	}
	if d.Call != nil {
		faults = append(faults, f.call(d.Call)...)
	}
	return faults
}

// call returns what is wrong with the next call of a stream.
func (f *form) call(c *transcript.ToolCall) (faults []string) {
	if f.ids == nil {
		f.ids = map[string]bool{}
	}
	if c.ID == "" || f.ids[c.ID] {
		faults = append(faults, "a call without an id of its own")
	}
	f.ids[c.ID] = true
	if !json.Valid(c.Args) {
		faults = append(faults, "arguments that cannot be stored as JSON")
	}
	return faults
}

// errorFaults returns what is wrong with an error of a stream.
func errorFaults(err error) []string {
	var e *providers.Error
	switch {
	case !errors.As(err, &e):
		return []string{"an error that is not a *providers.Error"}
	case e.Class == "" || e.Provider == "" || e.Model == "" || e.Err == nil:
		return []string{"an error without class, provider, model or cause"}
	}
	return nil
}

// fieldsSet counts the fields of d that are set.
func fieldsSet(d providers.Delta) int {
	n := 0
	for _, set := range []bool{
		d.Reading != nil, d.Text != "", d.Reasoning != "", d.Call != nil, d.ProviderData != nil, d.Usage != nil, d.Finish != "",
	} {
		if set {
			n++
		}
	}
	return n
}
