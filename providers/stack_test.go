package providers_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// The order of the layers, from within: what each answer costs and how long it lets wait is seen next to the model; a
// place is taken after the token, and both only by what the breaker lets through; Retry holds none of them while it
// waits; Fallback has the last word. Here the first model is down and the second answers after one more try.
func Example_layers() {
	meter := providers.NewMeter(0)
	reliable := func(m providers.Model) providers.Model {
		m = meter.Watch(m)
		m = providers.Bound(providers.Timeouts(m, 0, 0))
		m = providers.Concurrent(m, 8)
		m = providers.RateLimit(m, 500, time.Minute, 8)
		m = providers.Breaker(m, nil)
		return providers.Retry(m, &providers.RetryOptions{
			Tries: 2, Base: time.Millisecond,
			OnRetry: func(err error, _ int, _ time.Duration) { fmt.Println("trying again after", err) },
		})
	}
	first := scripted.Options{Info: providers.Info{Provider: "openai", Name: "gpt-5"}}.New(
		scripted.Repeat(0, scripted.Fail(providers.Network)),
	)
	second := scripted.Options{Info: providers.Info{Provider: "gemini", Name: "gemini-2.5-flash"}}.New(
		scripted.Busy(time.Millisecond),
		scripted.Line{Text: "Fine, thank you.", Usage: providers.Usage{Input: 1200, Cached: 1000, Output: 300}},
	)
	model := providers.Fallback(reliable(first), &providers.FallbackOptions{
		OnFallback: func(m providers.Info, _ []error) { fmt.Println("answered by", m.Name) },
	}, reliable(second))

	question := transcript.Message{Role: transcript.User, Text: "How are you?"}
	answer, err := providers.Ask(context.Background(), model, &providers.Request{Messages: []transcript.Message{question}})
	fmt.Println(answer.Message.Text, err)
	for _, bill := range meter.Bills() {
		fmt.Println(bill.Model, bill)
	}
	// Output:
	// trying again after openai/gpt-5: network: scripted network error
	// trying again after gemini/gemini-2.5-flash: rate (HTTP 429): scripted: too many requests
	// answered by gemini-2.5-flash
	// Fine, thank you. <nil>
	// gemini-2.5-flash $0.0008
}

// A meter with a bound ends the spending.
func ExampleMeter() {
	meter := providers.NewMeter(0.01)
	model := meter.Watch(scripted.Options{Info: providers.Info{Provider: "openai", Name: "gpt-4o-2024-08-06"}}.New(
		scripted.Repeat(0, scripted.Line{Text: "fine", Usage: providers.Usage{Input: 2000, Output: 100}}),
	))
	for range 3 {
		_, err := providers.Ask(context.Background(), model, &providers.Request{})
		fmt.Println(meter.Total(), err)
	}
	// Output:
	// $0.0060 <nil>
	// $0.0120 <nil>
	// $0.0120 openai/gpt-4o-2024-08-06: spent: $0.0120 of $0.0100
}

// A steady model answers with n words, their usage and a finish.
type steady int

func (steady) Info() providers.Info { return providers.Info{Provider: "openai", Name: "gpt-5"} }

func (n steady) Stream(context.Context, *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		for range n {
			if !yield(providers.Delta{Text: "word"}, nil) {
				return
			}
		}
		_ = yield(providers.Delta{Usage: &providers.Usage{Input: 1000, Output: int(n)}}, nil) &&
			yield(providers.Delta{Finish: providers.Stop}, nil)
	}
}

// BenchmarkStack measures what all layers together cost: stack less bare, for a request by the answer of one word, for
// a delta by the answer of a thousand.
func BenchmarkStack(b *testing.B) {
	for _, words := range []steady{1, 1000} {
		for name, m := range map[string]providers.Model{
			"bare":  words,
			"stack": providers.Fallback(stack(words, providers.NewMeter(0)), nil, words),
		} {
			b.Run(fmt.Sprintf("%s/words=%d", name, words), func(b *testing.B) {
				b.ReportAllocs()
				req := &providers.Request{}
				for b.Loop() {
					for _, err := range m.Stream(b.Context(), req) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(words+2), "ns/delta")
			})
		}
	}
}
