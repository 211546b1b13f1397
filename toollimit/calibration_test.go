package toollimit_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/toollimit"
)

// A growth is one line of token_calibration.jsonl.gz: by how many tokens a prompt grew, as its provider counted, and the
// texts that were added.
type growth struct {
	Model, Session string
	Delta          int `json:"delta_tokens"`
	Added          []string
}

// calibrationFloor is the sum of tokens from which on errors are taken; smaller sums are mostly framing.
const calibrationFloor = 20_000

// TestCalibration prints the error of summed estimates against what providers counted, by model. It needs the folder of
// recordings in FORAY_DATA, and reads token_calibration.jsonl.gz there.
func TestCalibration(t *testing.T) {
	dir := os.Getenv("FORAY_DATA")
	if dir == "" {
		t.Skip("FORAY_DATA names no folder of recordings")
	}
	growths, err := readGrowths(filepath.Join(dir, "token_calibration.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	type sum struct{ estimate, counted float64 }
	samples, all := map[string][]sum{}, map[string]sum{}
	sessions := map[string]sum{}
	for _, g := range growths {
		n := toollimit.Tokens(strings.Join(g.Added, "\n"))
		key := g.Model + "\n" + g.Session
		s := sessions[key]
		s.estimate, s.counted = s.estimate+float64(n), s.counted+float64(g.Delta)
		sessions[key] = s
		a := all[g.Model]
		all[g.Model] = sum{a.estimate + float64(n), a.counted + float64(g.Delta)}
		if s.counted >= calibrationFloor {
			samples[g.Model] = append(samples[g.Model], s)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %7s %7s  %-15s  %s\n", "model", "samples", "ratio", "raw med / p95", "with ratio med / p95")
	for _, model := range slices.Sorted(maps.Keys(samples)) {
		ratio := all[model].counted / all[model].estimate
		var raw, fitted []float64
		for _, s := range samples[model] {
			raw = append(raw, math.Abs(s.estimate/s.counted-1)*100)
			fitted = append(fitted, math.Abs(s.estimate*ratio/s.counted-1)*100)
		}
		fmt.Fprintf(&b, "%-28s %7d %7.3f  %4.1f %% / %4.1f %%  %4.1f %% / %4.1f %%\n",
			model, len(raw), ratio, quantile(raw, .5), quantile(raw, .95), quantile(fitted, .5), quantile(fitted, .95))
		if q := quantile(fitted, .95); q > 25 {
			t.Errorf("%s: with a ratio of its own, the error is still %.0f %%", model, q)
		}
	}
	if len(samples) == 0 {
		t.Errorf("no session grows by %d tokens", calibrationFloor)
	}
	t.Logf("\n%s", b.String())
}

func quantile(v []float64, p float64) float64 {
	slices.Sort(v)
	return v[int(p*float64(len(v)-1)+.5)]
}

func readGrowths(path string) (gs []growth, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	d := json.NewDecoder(bufio.NewReader(z))
	for d.More() {
		var g growth
		if err := d.Decode(&g); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		gs = append(gs, g)
	}
	return gs, nil
}
