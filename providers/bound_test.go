package providers_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
)

// An endless model writes what next returns, as text or as reasoning, until its caller has enough.
type endless struct {
	next      func(i int) string
	reasoning bool
	pace      time.Duration
}

func (endless) Info() providers.Info { return providers.Info{Provider: "local", Name: "small"} }

func (e endless) Stream(ctx context.Context, _ *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		for i := 0; ; i++ {
			if e.pace > 0 {
				select {
				case <-ctx.Done():
					yield(providers.Delta{}, &providers.Error{Class: providers.Cancelled, Err: ctx.Err()})
					return
				case <-time.After(e.pace):
				}
			}
			d := providers.Delta{Text: e.next(i)}
			if e.reasoning {
				d = providers.Delta{Reasoning: e.next(i)}
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// word returns the i-th word of a text without an end and without cycles.
func word(i int) string {
	random := rand.New(rand.NewPCG(7, uint64(i)))
	syllables := []string{"ka", "to", "mi", "re", "sun", "lor", "ve", "ax", "pi", "dro"}
	var b strings.Builder
	for range 1 + random.IntN(3) {
		b.WriteString(syllables[random.IntN(len(syllables))])
	}
	return b.String()
}

// TestCyclesAreStopped has models that write some honest words and then a cycle of 1 to 60 tokens for ever, some with a
// number that counts up. Each must be stopped within 200 tokens of the begin of its cycle.
func TestCyclesAreStopped(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and all in one goroutine")
	}
	latest, streams := 0, 0
	for size := 1; size <= 60; size++ {
		for kind, write := range map[string]func(i int) string{
			"words":    func(i int) string { return " " + word(1_000*size+i%size) },
			"newlines": func(i int) string { return "\n" },
			"one word": func(i int) string { return "the" },
			"lines": func(i int) string {
				if i%size == size-1 {
					return ".\n"
				}
				return " " + word(1_000*size+i%size)
			},
			"code": func(i int) string {
				return []string{"if", " err", " !=", " nil", " {\n", "\treturn", " err", "\n}\n"}[i%size%8] + strings.Repeat("x", i%size/8)
			},
			"counter": func(i int) string {
				switch {
				case i%size == 0 && size >= 6:
					return fmt.Sprintf("\n%d.", i/size+7)
				}
				return " " + word(1_000*size+i%size)
			},
		} {
			for _, before := range []int{0, 300} {
				shown := 0
				m := providers.Bound(endless{reasoning: size%2 == 0, next: func(i int) string {
					shown = i
					if i < before {
						return " " + word(i)
					}
					return write(i - before)
				}})
				answer, err := providers.Ask(t.Context(), m, &providers.Request{})
				streams++
				if providers.ClassOf(err) != providers.Repeating || answer.Finish != "" {
					t.Fatalf("%s of %d: %v", kind, size, err)
				}
				latest = max(latest, shown-before)
				if took := shown - before; took > 200 || took < 30 {
					t.Errorf("%s of %d tokens after %d words: stopped after %d: %v", kind, size, before, took, err)
				}
			}
		}
	}
	t.Logf("%d endless streams; the latest was stopped %d tokens after its cycle began", streams, latest)
}

// TestTailIsNamed: what arrived before the repetition, and its first copy, are the text without the tail.
func TestTailIsNamed(t *testing.T) {
	const head, line = "The retries are made in retry.go.", "\nSee the file.\nAnd the other one."
	for _, piece := range []int{1, 5, 4_000} {
		whole := head + strings.Repeat(line, 200)
		m := providers.Bound(endless{next: func(i int) string {
			return whole[min(i*piece, len(whole)-piece):min((i+1)*piece, len(whole))]
		}})
		answer, err := providers.Ask(t.Context(), m, &providers.Request{})
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.Repeating || e.Tail > len(answer.Message.Text) {
			t.Fatal(err)
		}
		kept := answer.Message.Text[:len(answer.Message.Text)-e.Tail]
		if !strings.HasPrefix(kept, head) || len(kept) > len(head)+2*len(line) {
			t.Errorf("pieces of %d: kept %q", piece, kept)
		}
		if !strings.Contains(err.Error(), `the answer repeated "And the other one.\nSee the file.\n"`) &&
			!strings.Contains(err.Error(), `the answer repeated "See the file.\nAnd the other one.\n"`) {
			t.Error(err)
		}
	}
}

// TestAnswersEnd has services that ignore the bound of the answer, or trickle. One that ends by itself soon after the
// bound is left alone, and one that keeps it truncates the answer itself.
func TestAnswersEnd(t *testing.T) {
	ostest.SkipRaced(t)
	words := func(i int) string { return " " + word(i) }
	for _, reasoning := range []bool{false, true} {
		for _, most := range []int{100, 5_000, 0} {
			m := providers.Bound(endless{next: words, reasoning: reasoning})
			answer, err := providers.Ask(t.Context(), m, &providers.Request{MaxOutput: most})
			n, asked := strings.Count(answer.Message.Text+answer.Reasoning, " "), cmp.Or(most, 65_536)
			if providers.ClassOf(err) != providers.TooLong || answer.Finish != "" || n < asked || n > 4*asked+300 {
				t.Errorf("asked for %d tokens: %d words, %s, %v", most, n, answer.Finish, err)
			}
			if want := fmt.Sprintf("over 4 times the limit of %d tokens", asked); !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("asked for %d tokens: %v, want %q", most, err, want)
			}
		}
	}
	for finish, most := range map[providers.Finish]int{providers.Length: 1_000, providers.Stop: 2_000} {
		var whole []providers.Delta
		for i := range most {
			whole = append(whole, providers.Delta{Text: words(i)})
		}
		m := providers.Bound(asked{func(*providers.Request) []providers.Delta {
			return append(whole, providers.Delta{Finish: finish})
		}})
		answer, err := providers.Ask(t.Context(), m, &providers.Request{MaxOutput: 1_000})
		if n := strings.Count(answer.Message.Text, " "); err != nil || answer.Finish != finish || n != most {
			t.Errorf("%d words of 1,000: %d arrived, %s, %v", most, n, answer.Finish, err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		m := providers.Bound(providers.Timeouts(endless{next: words, pace: 4 * time.Minute}, 0, 0))
		started := time.Now()
		answer, err := providers.Ask(t.Context(), m, &providers.Request{MaxOutput: 4_000})
		took := time.Since(started)
		if providers.ClassOf(err) != providers.TooLong || took < time.Hour || took > 65*time.Minute || answer.Message.Text == "" {
			t.Errorf("after %v: %v", took, err)
		}
		if !strings.Contains(err.Error(), "did not end within 1h") {
			t.Error(err)
		}
	})
}

// TestWarmer: a second try has a higher temperature, and at most 1 unless the first had more.
func TestWarmer(t *testing.T) {
	for _, tt := range []struct{ from, to float64 }{{-1, 1}, {0, .7}, {.2, .9}, {.8, 1}, {1, 1}, {1.3, 1.3}} {
		req := &providers.Request{System: "s", Temperature: &tt.from}
		if tt.from < 0 {
			req.Temperature = nil
		}
		warm := req.Warmer()
		if d := *warm.Temperature - tt.to; d > 1e-9 || d < -1e-9 || warm.System != "s" || req.Temperature != nil && *req.Temperature != tt.from {
			t.Errorf("from %v: %v, want %v", tt.from, *warm.Temperature, tt.to)
		}
	}
	// Ask uses it once, and returns the first error if the second try fails too.
	tries := 0
	var temperatures []*float64
	answer, err := providers.Ask(t.Context(), asked{func(req *providers.Request) []providers.Delta {
		tries++
		temperatures = append(temperatures, req.Temperature)
		if tries == 1 {
			return nil
		}
		return []providers.Delta{{Text: "fine"}, {Finish: providers.Stop}}
	}}, &providers.Request{})
	if err != nil || answer.Message.Text != "fine" || tries != 2 || temperatures[0] != nil || *temperatures[1] != 1 {
		t.Errorf("%d tries: %q, %v", tries, answer.Message.Text, err)
	}
}

// An asked model answers with the deltas of answer; without them it repeats itself.
type asked struct {
	answer func(*providers.Request) []providers.Delta
}

func (asked) Info() providers.Info { return providers.Info{} }

func (a asked) Stream(_ context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		ds := a.answer(req)
		for _, d := range ds {
			if !yield(d, nil) {
				return
			}
		}
		if ds == nil {
			yield(providers.Delta{}, &providers.Error{Class: providers.Repeating, Err: fmt.Errorf("the answer repeated itself")})
		}
	}
}

// BenchmarkBound measures what the bounds cost for a token of prose: bounded less bare.
func BenchmarkBound(b *testing.B) {
	words := make([]providers.Delta, 4_000)
	for i := range words {
		words[i].Text = " " + word(i)
	}
	bare := asked{func(*providers.Request) []providers.Delta { return words }}
	for name, m := range map[string]providers.Model{"bare": bare, "bounded": providers.Bound(bare)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range m.Stream(b.Context(), &providers.Request{}) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(words)), "ns/token")
		})
	}
}

// TestReadingEnds has a service that reads without an end, and shows how far it is.
func TestReadingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := providers.Bound(providers.Timeouts(reader{}, 0, 0))
		started := time.Now()
		_, err := providers.Ask(t.Context(), m, &providers.Request{MaxOutput: 4_000})
		took := time.Since(started)
		if providers.ClassOf(err) != providers.TooLong || took < 2*time.Hour || took > 2*time.Hour+time.Minute {
			t.Errorf("after %v: %v", took, err)
		}
		if !strings.Contains(fmt.Sprint(err), "did not begin within 2h") {
			t.Error(err)
		}
	})
}

// A reader is a model that only reads.
type reader struct{ endless }

func (reader) Stream(ctx context.Context, _ *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		for i := 0; yield(providers.Delta{Reading: &providers.Reading{Tokens: 1 << 20, Done: i}}, nil); i++ {
			select {
			case <-ctx.Done():
				yield(providers.Delta{}, &providers.Error{Class: providers.Cancelled, Err: ctx.Err()})
				return
			case <-time.After(time.Minute):
			}
		}
	}
}

// TestVectorsEnd has services that send vectors a space at a time, in each dialect that has vectors: a request for them
// ends after ten minutes.
func TestVectorsEnd(t *testing.T) {
	for _, d := range attacked {
		synctest.Test(t, func(t *testing.T) {
			m, err := d.open("http://127.0.0.1:1", "m", &http.Client{Transport: dripping{}})
			if err != nil {
				t.Fatal(err)
			}
			embedder, ok := m.(interface {
				Embed(ctx context.Context, texts []string) ([][]float32, error)
			})
			if !ok {
				return
			}
			started := time.Now()
			_, err = embedder.Embed(t.Context(), []string{"text"})
			took := time.Since(started)
			if class := providers.ClassOf(err); class != providers.TooLong && class != providers.Network ||
				took < 10*time.Minute || took > 11*time.Minute {
				t.Errorf("%s: after %v: %v", d.name, took, err)
			}
			t.Logf("%s: %v", d.name, err)
		})
	}
}

// A dripping service answers with the begin of an object, and then with a space a second.
type dripping struct{}

func (dripping) RoundTrip(req *http.Request) (*http.Response, error) {
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: 200, Header: header, Body: &drops{ctx: req.Context(), next: "{"}, Request: req}, nil
}

type drops struct {
	ctx  context.Context
	next string
}

func (d *drops) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(time.Second):
		n := copy(p, d.next)
		d.next = " "
		return n, nil
	}
}

func (*drops) Close() error { return nil }

// TestWithoutToolsLeavesBoundData: without the tools, the bytes that the service bound its reasoning to are others.
func TestWithoutToolsLeavesBoundData(t *testing.T) {
	answer := func(text string, d transcript.ProviderData) transcript.Message {
		return transcript.Message{Role: transcript.Assistant, Text: text, ProviderData: &d}
	}
	req := &providers.Request{
		Tools: []transcript.ToolSchema{{Name: "read"}},
		Messages: []transcript.Message{
			{Role: transcript.User, Text: "go"}, answer("", transcript.ProviderData{}), {Role: transcript.User, Text: "on"},
			answer("bound", transcript.ProviderData{}), {Role: transcript.User, Text: "on"},
			answer("plain", transcript.ProviderData{Unbound: true}), {Role: transcript.User, Text: "on"},
		},
	}
	got := ""
	for _, m := range req.WithoutTools().Messages {
		got += fmt.Sprintf("%s %q %v; ", m.Role, m.Text, m.ProviderData != nil)
	}
	want := `user "go\n\non" false; assistant "bound" false; user "on" false; assistant "plain" true; user "on" false; `
	if got != want || req.Messages[3].ProviderData == nil {
		t.Errorf("%s\nwant %s", got, want)
	}
}
