package localize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/forayhq/foray/evals/internal/stats"
)

// MarshalJSON writes percentages under names such as "acc@5", each with its interval as "acc@5_95". Figures that a
// method lacks are null.
func (r *row) MarshalJSON() ([]byte, error) {
	type field struct {
		name  string
		value any
	}
	fields := []field{
		{"method", r.Method}, {"set", r.Set}, {"instances", r.Instances}, {"with_functions", r.WithFunctions},
	}
	for _, s := range r.series() {
		for i, k := range r.K {
			name := s.name + "@" + strconv.Itoa(k)
			low, high := stats.Wilson(s.counts[i], s.of, stats.Confidence)
			interval := []float64{tenth(low), tenth(high)}
			fields = append(fields, field{name, percent(s.counts[i], s.of)}, field{name + "_95", interval})
		}
	}
	var citations, cold any
	if r.Citations > 0 {
		citations = percent(r.Resolved, r.Citations)
	}
	if len(r.Cold) > 0 {
		cold = math.Round(stats.Quantile(r.Cold, .5))
	}
	var b bytes.Buffer
	for i, f := range append(fields, field{"citations_ok", citations}, field{"cold_ms_p50", cold}) {
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], f.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func tenth(share float64) float64 { return math.Round(1000*share) / 10 }
