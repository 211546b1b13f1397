package providers_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestPriceCost(t *testing.T) {
	p := providers.Price{Rates: providers.Rates{Input: 2, Cached: 0.5, Output: 8}, Above: 200_000, Long: providers.Rates{Input: 4, Cached: 1, Output: 16}}
	for _, tt := range []struct {
		usage providers.Usage
		want  float64
	}{
		{providers.Usage{}, 0},
		{providers.Usage{Input: 1_000, Output: 100, Reasoning: 90}, 0.0028},
		{providers.Usage{Input: 1_000, Cached: 800, Output: 100}, 0.0016},
		{providers.Usage{Input: 1_000, Cached: 5_000}, 0.0005}, // a provider that counts wrongly
		{providers.Usage{Input: 200_000, Cached: 100_000}, 0.25},
		{providers.Usage{Input: 200_001, Cached: 100_000, Output: 1_000}, 0.516004},
	} {
		if got := p.Cost(tt.usage); !near(got, tt.want) {
			t.Errorf("%+v costs %v, want %v", tt.usage, got, tt.want)
		}
	}
}

func TestMeter(t *testing.T) {
	usage := providers.Usage{Input: 1_000_000, Cached: 500_000, Output: 100_000}
	answer := scripted.Line{Text: "fine", Usage: usage}
	openai := func(name string, lines ...scripted.Line) providers.Model {
		return scripted.Options{Info: providers.Info{Provider: "openai", Name: name}}.New(lines...)
	}
	meter := providers.NewMeter(0)
	known := meter.Watch(openai("gpt-4o", answer, scripted.Fail(providers.Rate), answer, scripted.Broken(strings.Repeat("word ", 1000)), answer))
	unknown := meter.Watch(openai("gpt-99", answer))
	req := &providers.Request{System: strings.Repeat("word ", 2000)}
	for range 4 {
		drain(t.Context(), known, req, 0)
	}
	drain(t.Context(), known, req, 1) // broken off before the usage
	drain(t.Context(), unknown, req, 0)
	want := []providers.Bill{
		{Provider: "openai", Model: "gpt-4o", Answers: 4, Estimated: 2},
		{Provider: "openai", Model: "gpt-99", Answers: 1, Unpriced: 1, Usage: usage},
	}
	bills := meter.Bills()
	if diff := cmp.Diff(want, bills, cmpopts.IgnoreFields(providers.Bill{}, "Cost"), cmp.FilterPath(func(p cmp.Path) bool {
		return p.String() == "Usage"
	}, cmp.Comparer(func(a, b providers.Usage) bool { return a == (providers.Usage{}) || b == (providers.Usage{}) || a == b }))); diff != "" {
		t.Fatal(diff)
	}
	estimated := bills[0].Usage
	estimated.Input -= 2 * usage.Input
	estimated.Output -= 2 * usage.Output
	if estimated.Input != 2*providers.Size(req) || estimated.Output < 700 || estimated.Output > 1500 {
		t.Errorf("what was not counted is estimated as %+v", estimated)
	}
	whole := 2*(0.5*2.5+0.5*1.25+0.1*10) + float64(estimated.Input)*2.5e-6 + float64(estimated.Output)*10e-6
	if total := meter.Total(); !near(total.Cost, whole) || total.Known() || total.Answers != 5 || bills[1].Cost != 0 || bills[1].String() != "unknown" {
		t.Errorf("total %+v, want $%v", total, whole)
	}
	if s := meter.Total().String(); !strings.HasSuffix(s, " and an unknown part") || !strings.HasPrefix(bills[0].String(), "$5.7") {
		t.Errorf("%q, %q", s, bills[0])
	}
}

func TestMaxCost(t *testing.T) {
	prices := []providers.Price{{Provider: "scripted", Model: "script", Rates: providers.Rates{Input: 1, Cached: 1, Output: 1}}}
	meter := providers.NewMeter(2.5, prices...)
	inner := scripted.New(scripted.Repeat(0, scripted.Line{Text: "x", Usage: providers.Usage{Input: 1_000_000}}))
	m := providers.Retry(meter.Watch(inner), nil)
	var classes []providers.Class
	for range 5 {
		_, err := providers.Ask(t.Context(), m, &providers.Request{})
		classes = append(classes, providers.ClassOf(err))
		if err != nil && !strings.Contains(err.Error(), "$3.0000 of $2.5000") {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]providers.Class{"", "", "", providers.Spent, providers.Spent}, classes); diff != "" || len(inner.Requests()) != 3 {
		t.Errorf("%d requests: %s", len(inner.Requests()), diff)
	}
	unpriced := meter.Watch(scripted.Options{Info: providers.Info{Provider: "nobody", Name: "other"}}.New(scripted.Text("x")))
	if _, err := providers.Ask(t.Context(), unpriced, &providers.Request{}); providers.ClassOf(err) != providers.Invalid || !strings.Contains(err.Error(), "price of this model is unknown") {
		t.Errorf("a bound over a model without a price: %v", err)
	}
}

func TestMeterOfManyUsers(t *testing.T) {
	meter := providers.NewMeter(0)
	models := []providers.Model{}
	for _, name := range []string{"gpt-4o", "gpt-4.1", "gpt-5"} {
		info := providers.Info{Provider: "openai", Name: name}
		models = append(models, meter.Watch(scripted.Options{Info: info}.New(scripted.Repeat(0, scripted.Line{Text: "x", Usage: providers.Usage{Input: 1000, Output: 10}}))))
	}
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() { drain(t.Context(), models[i%3], &providers.Request{}, 0) })
	}
	wg.Wait()
	total := meter.Total()
	if want := 100*((2.5+2+1.25)*1e-3) + 100*((10+8+10)*1e-5); !near(total.Cost, want) || total.Answers != 300 || len(meter.Bills()) != 3 {
		t.Errorf("total %+v, want $%v", total, want)
	}
}
