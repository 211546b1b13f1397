package generativeai_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/generativeai"
	"github.com/forayhq/foray/providers/internal/geminitest"
	"github.com/forayhq/foray/providers/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = geminitest.Key

type object = geminitest.Object

// newModel returns a model at url, whose connections end with the test.
func newModel(t testing.TB, url string, change ...func(*generativeai.Config)) *generativeai.Model {
	t.Helper()
	c := generativeai.Config{Name: "gemini-2.5-flash", BaseURL: url, Key: key, HTTPClient: providertest.Client(t)}
	for _, f := range change {
		f(&c)
	}
	m, err := generativeai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// serve returns a model whose service answers with handler, after a look at the request.
func serve(t testing.TB, handler http.HandlerFunc, change ...func(*generativeai.Config)) *generativeai.Model {
	t.Helper()
	return newModel(t, geminitest.Server(t, true, handler), change...)
}

func TestContract(t *testing.T) {
	for _, form := range []string{geminitest.Events, geminitest.List} {
		t.Run(form, func(t *testing.T) {
			providertest.Run(t, providertest.Suite{
				NoClass:     []providers.Class{providers.Refused}, // withheld answers are answers here
				Choices:     map[providers.ToolChoice]string{providers.Required: "mode\n2", providers.None: "mode\n3"},
				NoReasoning: true, NoSignature: true, // the library has no word for them
				Structured: true,
				New: func(t *testing.T, turns ...providertest.Turn) providers.Model {
					return serve(t, providertest.Turns(t, turns, geminitest.Answer(form)))
				},
			})
		})
	}
}
