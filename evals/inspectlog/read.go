package inspectlog

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
)

// maxPart bounds a file of a log that Read unpacks, in bytes.
const maxPart = 1 << 30

// Read reads a log as results. It looks at the header and the summaries only, so prompts and answers may be shortened,
// and results have neither calls nor traces. The model is the subject. A trial passed if its score "passed", or else
// every score, is C, true or at least 1. Errors of samples count as failures of the harness. A log that is still being
// written gives the samples that ended.
func Read(path string) (*trial.Info, []trial.Row, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: not a log of Inspect: %w", path, err)
	}
	defer z.Close()
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(maxPart)))
	var h header
	err = readPart(&z.Reader, "header.json", &h)
	if errors.Is(err, errAbsent) {
		err = readPart(&z.Reader, "_journal/start.json", &h)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if h.Version != logVersion || h.Eval.Model == "" {
		return nil, nil, fmt.Errorf("reading %s: not a log of Inspect in version %d", path, logVersion)
	}
	all, err := summaries(&z.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	info := &trial.Info{Version: trial.Version, Set: h.Eval.Task, Subjects: []string{h.Eval.Model},
		Started: h.Eval.Created, Trials: max(h.Eval.Config.Epochs, 1)}
	if o := h.Eval.Metadata; o != nil {
		info.Foray, info.Hash = o.Foray, o.Hash
	}
	rows, tasks := make([]trial.Row, len(all)), make(map[string]bool)
	for i, s := range all {
		rows[i] = s.row(h.Eval.Model, h.Eval.Metadata.own())
		tasks[rows[i].Task] = true
	}
	info.Tasks = max(h.Eval.Dataset.Samples, len(tasks))
	return info, rows, nil
}

var errAbsent = errors.New("the log lacks a part")

// readPart reads one file of a log.
func readPart(z *zip.Reader, name string, v any) error {
	i := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == name })
	if i < 0 {
		return fmt.Errorf("%w: %s", errAbsent, name)
	}
	f, err := z.File[i].Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxPart+1))
	if err = cmp.Or(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(raw) > maxPart {
		return fmt.Errorf("%s is larger than %d bytes", name, maxPart)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// summaries reads those of all samples. A log that is still being written has them in its journal.
func summaries(z *zip.Reader) ([]summary, error) {
	var all []summary
	err := readPart(z, "summaries.json", &all)
	if !errors.Is(err, errAbsent) {
		return all, err
	}
	for n := 1; ; n++ {
		var some []summary
		err := readPart(z, "_journal/summaries/"+strconv.Itoa(n)+".json", &some)
		if errors.Is(err, errAbsent) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
}

// row makes a result of a summary. Own says that Write wrote it.
func (s *summary) row(model string, own bool) trial.Row {
	r := trial.Row{
		Task: strings.Trim(string(s.ID), `"`), Subject: model, Trial: max(s.Epoch, 1), Tags: s.Metadata.Tags,
		Seconds: s.TotalTime, Stop: cmp.Or(s.Metadata.Stop, s.Limit), Steps: s.Turns,
	}
	var text string
	if json.Unmarshal(s.ID, &text) == nil {
		r.Task = text
	}
	if t, err := time.Parse(time.RFC3339, s.Started); err == nil {
		r.Started = t.UTC()
	}
	for _, u := range s.ModelUsage {
		r.Usage = r.Usage.Add(providers.Usage{Input: u.Input, Output: u.Output, Cached: u.Cached, Reasoning: u.Reasoning})
		if u.Cost != nil {
			r.Cost, r.Priced = r.Cost+*u.Cost, true
		}
	}
	s.judge(&r, own)
	class := s.Metadata.Class
	if class == "" && s.Error != "" {
		class = trial.Harness
	}
	if class != "" {
		why := strings.TrimPrefix(cmp.Or(s.Error, s.Scores[passedScore].Explanation), string(class)+": ")
		r.Failure, r.Passed, r.Score = &trial.Failure{Class: class, Text: why}, false, 0
	}
	return r
}

// judge sets the checks, and what follows from them. Own says that Write wrote them.
func (s *summary) judge(r *trial.Row, own bool) {
	names := s.Metadata.Order
	if !own {
		for name := range s.Scores {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	r.Passed = len(names) > 0
	for _, name := range names {
		score := s.Scores[name]
		v := check.Verdict{Check: name, Why: score.Explanation, Score: number(score.Value)}
		v.Passed = v.Score >= 1
		if check, ok := score.Metadata["check"].(string); ok && own {
			v.Check = check
			v.Passed, _ = score.Metadata["passed"].(bool)
			v.Err, _ = score.Metadata["error"].(string)
		}
		r.Passed = r.Passed && v.Passed
		r.Score += v.Score
		r.Checks = append(r.Checks, v)
	}
	r.Score /= float64(max(len(names), 1))
	if whole, ok := s.Scores[passedScore]; ok {
		r.Passed, r.Answer = number(whole.Value) >= 1, whole.Answer
	}
}

// letters are the values that Inspect's scorers give instead of numbers.
var letters = map[string]float64{"C": 1, "P": .5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}

// number makes a score from 0 to 1 of a value, as Inspect does; of several values the mean.
func number(v any) float64 {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
	case float64:
		return min(max(v, 0), 1)
	case string:
		if n, ok := letters[v]; ok {
			return n
		}
		if n, err := strconv.ParseFloat(v, 64); err == nil && !math.IsNaN(n) {
			return min(max(n, 0), 1)
		}
	case []any:
		return mean(v)
	case map[string]any:
		var values []any
		for _, name := range slices.Sorted(maps.Keys(v)) {
			values = append(values, v[name])
		}
		return mean(values)
	}
	return 0
}

func mean(values []any) float64 {
	sum := 0.
	for _, v := range values {
		sum += number(v)
	}
	return sum / float64(max(len(values), 1))
}
