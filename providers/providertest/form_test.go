package providertest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// TestFormFindsFaults shows that the suite sees each way in which a stream can be out of form.
func TestFormFindsFaults(t *testing.T) {
	call := func(id, args string) providers.Delta {
		return providers.Delta{Call: &transcript.ToolCall{ID: id, Name: "f", Args: json.RawMessage(args)}}
	}
	fail := func(err error) any { return err }
	text, finish := providers.Delta{Text: "a"}, providers.Delta{Finish: providers.Stop}
	opaque, usage := providers.Delta{ProviderData: &transcript.ProviderData{}}, providers.Delta{Usage: &providers.Usage{}}
	whole := &providers.Error{Class: providers.Rate, Provider: "p", Model: "m", Err: errors.New("why")}
	for _, tt := range []struct {
		name  string
		pairs []any
		want  string
	}{
		{"in form", []any{text, text, call("a", "{}"), call("b", `"x"`), opaque, usage, finish}, ""},
		{"in form, failed", []any{text, fail(whole)}, ""},
		{"nothing set", []any{providers.Delta{}}, "not exactly one"},
		{"two set", []any{providers.Delta{Text: "a", Finish: providers.Stop}}, "not exactly one"},
		{"after the finish", []any{finish, text}, "after the end"},
		{"after the error", []any{fail(whole), text}, "after the end"},
		{"two opaque parts", []any{opaque, opaque}, "second opaque"},
		{"two usages", []any{usage, usage}, "second usage"},
		{"no id", []any{call("", "{}")}, "without an id"},
		{"an id twice", []any{call("a", "{}"), call("a", "{}")}, "without an id"},
		{"bad arguments", []any{call("a", `{"p`)}, "cannot be stored"},
		{"no arguments", []any{call("a", "")}, "cannot be stored"},
		{"an error of another kind", []any{fail(errors.New("x"))}, "not a *providers.Error"},
		{"an error without a class", []any{fail(&providers.Error{Provider: "p", Model: "m", Err: errors.New("x")})}, "without class"},
		{"an error without a model", []any{fail(&providers.Error{Class: providers.Rate, Provider: "p", Err: errors.New("x")})}, "without class"},
	} {
		var f form
		var faults []string
		for _, pair := range tt.pairs {
			d, _ := pair.(providers.Delta)
			err, _ := pair.(error)
			faults = append(faults, f.next(d, err)...)
		}
		if got := strings.Join(faults, "; "); (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestMissing(t *testing.T) {
	for _, tt := range []struct {
		told        string
		wants, bars []string
		want        string
	}{
		{"a b c", []string{"a", "c"}, []string{"d"}, ""},
		{"a b c", []string{"c", "a"}, nil, `the request holds "a" too early`},
		{"a b a", []string{"a", "b", "a"}, nil, ""},
		{"a b c", []string{"d"}, nil, `the request lacks "d"`},
		{"a b c", nil, []string{"b"}, `the request holds "b"`},
	} {
		if got := Missing(tt.told, Turn{Wants: tt.wants, Bars: tt.bars}); got != tt.want {
			t.Errorf("%q, wants %q, bars %q: %q, want %q", tt.told, tt.wants, tt.bars, got, tt.want)
		}
	}
}
