package insight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// A Source reads lines of a tree as its tools show them. total is how many lines the file has. The error, for a model,
// says why the file cannot be read.
type Source func(ctx context.Context, path string, start, end int) (lines []string, total int, err error)

// sourceOf returns a source that calls the model's own read_file, so that both see the same files and lines. It refuses
// absolute paths: a report does not name directories of the host, and two spellings of a path would be two places.
func sourceOf(all []tools.Tool) (Source, error) {
	i := slices.IndexFunc(all, func(t tools.Tool) bool { return t.Name == "read_file" })
	if i < 0 {
		return nil, errors.New("insight: the agent has no tool read_file; add it, or set Options.Source")
	}
	return func(ctx context.Context, path string, start, end int) ([]string, int, error) {
		if filepath.IsAbs(path) || strings.HasPrefix(path, "/") {
			return nil, 0, errors.New("its path is not relative to the root, as list_dir prints it")
		}
		args, err := json.Marshal(map[string]any{"path": path, "start_line": start, "end_line": end})
		if err != nil {
			return nil, 0, err
		}
		value, err := all[i].Call(ctx, args)
		if err != nil {
			return nil, 0, err
		}
		files, ok := value.(*codebase.FileResult)
		if !ok || len(files.Items) != 1 {
			return nil, 0, fmt.Errorf("%s cannot be read", path)
		}
		return files.Items[0].Lines, files.Items[0].TotalLines, nil
	}, nil
}

// findings keeps what submit_finding accepts, and the refusals. It is safe for concurrent use.
type findings struct {
	source Source
	most   int

	mu       sync.Mutex
	accepted []pipelines.Finding
	refused  []rejection
}

// A rejection is a finding that was refused, with the reason.
type rejection struct {
	Title  string `json:"title"`
	Reason string `json:"reason"`
}

// Bounds of a finding.
const (
	maxTitle  = 120 // bytes
	maxCited  = 80  // lines of one citation
	sameClaim = .7  // share of common words from which two claims about the same lines count as one
)

type submission struct {
	Title      string   `json:"title" jsonschema:"minLength=8,maxLength=120" jsonschema_description:"what is found, in a few words"`
	Claim      string   `json:"claim" jsonschema:"minLength=20,maxLength=2000" jsonschema_description:"what is so and why it matters, as a claim that the evidence shows"`
	Evidence   []string `json:"evidence" jsonschema:"minItems=1,maxItems=12" jsonschema_description:"lines that show it, as path:12-30, of 80 lines at most; each is read again"`
	Importance string   `json:"importance" jsonschema:"enum=high,enum=medium,enum=low"`
	Dimension  string   `json:"dimension,omitempty" jsonschema_description:"what it is about, as errors or security"`
}

// A receipt is the result of submit_finding.
type receipt struct {
	Accepted int    `json:"accepted"` // findings so far
	Title    string `json:"title"`
}

// Text writes the receipt.
func (r receipt) Text() (toollimit.Kind, string) {
	return toollimit.Receipt, fmt.Sprintf("accepted as finding %d: %s", r.Accepted, r.Title)
}

// tool returns submit_finding. It has effects, so that the loop runs its calls in order.
func (f *findings) tool() tools.Tool {
	t := tools.New(submitTool, "Submit one finding about the source tree: a claim with the lines that show it. "+
		"Every citation is read again. A refused finding comes back with the reason.", f.submit)
	t.Effects = true
	return t
}

// all returns the accepted findings, by importance and then in the order of their submission.
func (f *findings) all() []pipelines.Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.accepted)
	slices.SortStableFunc(all, func(a, b pipelines.Finding) int { return rank(a.Importance) - rank(b.Importance) })
	return all
}

func (f *findings) refusals() []rejection {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.refused)
}

func (f *findings) submit(ctx context.Context, in submission) (receipt, error) {
	one := pipelines.Finding{
		Title: strings.TrimSpace(in.Title), Claim: strings.TrimSpace(in.Claim), Importance: in.Importance,
		Dimension: strings.ToLower(strings.TrimSpace(in.Dimension)),
	}
	for _, cited := range in.Evidence {
		c, err := f.resolve(ctx, cited)
		if err != nil {
			return receipt{}, f.refuse(one,
				&tools.Problem{Code: "evidence", Message: err.Error(), Try: "read_file first, and cite lines that it showed"})
		}
		if !slices.Contains(one.Evidence, c) {
			one.Evidence = append(one.Evidence, c)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.refusal(one); p != nil {
		f.refused = append(f.refused, rejection{one.Title, p.Message})
		return receipt{}, p
	}
	f.accepted = append(f.accepted, one)
	return receipt{Accepted: len(f.accepted), Title: one.Title}, nil
}

func (f *findings) refuse(one pipelines.Finding, p *tools.Problem) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused = append(f.refused, rejection{one.Title, p.Message})
	return p
}

// resolve reads the lines of a citation.
func (f *findings) resolve(ctx context.Context, cited string) (report.Citation, error) {
	c, err := report.ParseCitation(cited)
	switch {
	case err != nil:
		return c, fmt.Errorf("the citation %w", err)
	case c.End-c.Start >= maxCited:
		return c, fmt.Errorf("the citation %s has %d lines; cite at most %d", c, c.End-c.Start+1, maxCited)
	}
	lines, total, err := f.source(ctx, c.Path, c.Start, c.End)
	switch {
	case err != nil:
		return c, fmt.Errorf("the citation %s does not resolve: %w", c, err)
	case c.End > total:
		return c, fmt.Errorf("the citation %s does not resolve: the file has %s", c, line.Count(total, "line"))
	case strings.TrimSpace(strings.Join(lines, "")) == "":
		return c, fmt.Errorf("the citation %s shows nothing: its lines are blank", c)
	}
	return c, nil
}

// refusal says why a finding is not accepted, or returns nil. The caller holds the lock.
func (f *findings) refusal(one pipelines.Finding) *tools.Problem {
	for _, have := range f.accepted {
		switch {
		case plainTitle(have.Title) == plainTitle(one.Title):
			return duplicate("the same title as", have)
		case fingerprint(have) == fingerprint(one):
			return duplicate("the same evidence as", have)
		case sameLines(have, one) && common(have, one) >= sameClaim:
			return duplicate("nearly the same claim about the same lines as", have)
		}
	}
	if f.most > 0 && len(f.accepted) >= f.most {
		return &tools.Problem{Code: "enough",
			Message: fmt.Sprintf("the limit of %s is reached", line.Count(f.most, "finding")), Try: "to finish"}
	}
	return nil
}

func duplicate(why string, have pipelines.Finding) *tools.Problem {
	message := fmt.Sprintf("it was submitted before: it has %s %q", why, have.Title)
	return &tools.Problem{Code: "duplicate", Message: message, Try: "another finding, or to finish"}
}

// rank orders importances, the highest first.
func rank(importance string) int {
	if i := slices.Index([]string{high, medium, low}, importance); i >= 0 {
		return i
	}
	return 3
}

var plainWord = lazyregexp.New(`[\p{L}\p{N}_]+`)

// plainTitle returns the words of a title in lower case, sorted, so that case, punctuation and word order do not count.
func plainTitle(title string) string {
	words := plainWord.FindAllString(strings.ToLower(title), -1)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// fingerprint returns the citations of a finding, sorted.
func fingerprint(f pipelines.Finding) string {
	var cited []string
	for _, c := range f.Evidence {
		cited = append(cited, c.String())
	}
	slices.Sort(cited)
	return strings.Join(cited, "\n")
}

// sameLines reports whether two findings cite a line in common.
func sameLines(a, b pipelines.Finding) bool {
	return slices.ContainsFunc(a.Evidence, func(x report.Citation) bool {
		return slices.ContainsFunc(b.Evidence, func(y report.Citation) bool {
			return x.Path == y.Path && x.Start <= y.End && y.Start <= x.End
		})
	})
}

// common returns the share of the words of two findings that both use, 0 to 1.
func common(a, b pipelines.Finding) float64 {
	left, right := wordsOf(a), wordsOf(b)
	both := 0
	for w := range left {
		if right[w] {
			both++
		}
	}
	if all := len(left) + len(right) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

func wordsOf(f pipelines.Finding) map[string]bool {
	all := make(map[string]bool)
	for _, w := range plainWord.FindAllString(strings.ToLower(f.Title+" "+f.Claim), -1) {
		all[w] = true
	}
	return all
}

// submitTool is the name of the tool that submits a finding.
const submitTool = "submit_finding"

// The importances of findings.
const (
	high   = "high"
	medium = "medium"
	low    = "low"
)
