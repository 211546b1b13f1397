package postgres_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forayhq/foray/internal/sessionwalk"
)

// BenchmarkStep adds steps to sessions of their own: of one run, and of 32 at a time, with short texts and with 200 KB.
func BenchmarkStep(b *testing.B) {
	line := "func Do%d(v int) error { return call(v, /src/file.go) } // step %d\n"
	for _, size := range []int{500, 200_000} {
		for _, runs := range []int{1, 32} {
			b.Run(fmt.Sprintf("bytes=%d/runs=%d", size, runs), func(b *testing.B) {
				s, _ := open(b)
				var next atomic.Int64
				b.SetParallelism(max(1, runs/2))
				b.RunParallel(func(pb *testing.PB) {
					id, n := fmt.Sprint("s", next.Add(1)), 0
					if err := s.AppendRecords(b.Context(), id, 0, prompts(0, 1, "")...); err != nil {
						b.Error(err)
					}
					for ; pb.Next(); n++ {
						text := fmt.Sprint(id, strings.Repeat(fmt.Sprintf(line, n, n), size/60))
						if err := s.AppendRecords(b.Context(), id, 1+2*n, sessionwalk.LongStep(n+1, text)...); err != nil {
							b.Error(err)
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
			})
		}
	}
}
