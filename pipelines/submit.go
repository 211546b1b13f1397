package pipelines

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// A Source reads lines of a tree, as its tools show them. total is the number of lines of the file. The error, for a model,
// says why the file cannot be read.
type Source func(ctx context.Context, path string, start, end int) (lines []string, total int, err error)

// Findings takes what submit_finding is given: what is checked and new, and the refusals. It is safe for concurrent use.
type Findings struct {
	source Source
	most   int

	mu      sync.Mutex
	items   []Finding
	refused []Refusal
}

// A Refusal is a finding that was not taken, and why.
type Refusal struct {
	Title  string `json:"title"`
	Reason string `json:"reason"`
}

// NewFindings returns findings of a tree, at most so many; 0: no bound.
func NewFindings(source Source, most int) *Findings { return &Findings{source: source, most: most} }

// The bounds of a finding.
const (
	maxTitle    = 120 // bytes
	maxClaim    = 2_000
	maxEvidence = 12
	maxCited    = 80 // lines of one citation
	alike       = .7 // share of words that two claims about the same lines have in common, to be one
)

type submission struct {
	Title      string     `json:"title" jsonschema:"minLength=8,maxLength=120" jsonschema_description:"what is found, in a few words"`
	Claim      string     `json:"claim" jsonschema:"minLength=20,maxLength=2000" jsonschema_description:"what is so and why it matters, as a claim that the evidence shows"`
	Evidence   []string   `json:"evidence" jsonschema:"minItems=1,maxItems=12" jsonschema_description:"lines that show it, as path:12-30, of 80 lines at most; each is read again"`
	Importance Importance `json:"importance" jsonschema:"enum=high,enum=medium,enum=low"`
	Dimension  string     `json:"dimension,omitempty" jsonschema_description:"what it is about, as errors or security"`
}

// A SubmitReceipt is what submit_finding returns.
type SubmitReceipt struct {
	Accepted int    `json:"accepted"` // findings so far
	Title    string `json:"title"`
}

// Text writes the receipt.
func (r SubmitReceipt) Text() (toollimit.Kind, string) {
	return toollimit.Receipt, fmt.Sprintf("accepted as finding %d: %s", r.Accepted, r.Title)
}

// Tool is submit_finding. A finding whose evidence cannot be read, or that was submitted before, is refused with the reason
// before anything is stored.
func (f *Findings) Tool() tools.Tool {
	t := tools.New("submit_finding", "Hand in one finding about the source tree: a claim with the lines that show it. Every citation is read again. Refused findings come back with the reason.",
		func(ctx context.Context, in submission) (SubmitReceipt, error) { return f.submit(ctx, in) })
	t.Effects = true // in order, so that the same calls give the same findings
	return t
}

// All returns the findings, those of the highest importance first, else in the order of their submission.
func (f *Findings) All() []Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.items)
	slices.SortStableFunc(all, func(a, b Finding) int { return a.Importance.rank() - b.Importance.rank() })
	return all
}

// Refused returns the refusals, in their order.
func (f *Findings) Refused() []Refusal {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.refused)
}

func (f *Findings) submit(ctx context.Context, in submission) (SubmitReceipt, error) {
	one := Finding{Title: strings.TrimSpace(in.Title), Claim: strings.TrimSpace(in.Claim), Importance: in.Importance, Dimension: strings.ToLower(strings.TrimSpace(in.Dimension))}
	for _, cited := range in.Evidence {
		c, err := f.resolve(ctx, cited)
		if err != nil {
			return SubmitReceipt{}, f.refuse(one, &tools.Problem{Code: "evidence", Message: err.Error(), Try: "read_file first, and cite lines that it showed"})
		}
		if !slices.Contains(one.Evidence, c) {
			one.Evidence = append(one.Evidence, c)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.refusal(one); p != nil {
		f.refused = append(f.refused, Refusal{one.Title, p.Message})
		return SubmitReceipt{}, p
	}
	f.items = append(f.items, one)
	return SubmitReceipt{Accepted: len(f.items), Title: one.Title}, nil
}

func (f *Findings) refuse(one Finding, p *tools.Problem) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused = append(f.refused, Refusal{one.Title, p.Message})
	return p
}

// resolve reads a citation again.
func (f *Findings) resolve(ctx context.Context, cited string) (Citation, error) {
	c, err := ParseCitation(cited)
	switch {
	case err != nil:
		return c, fmt.Errorf("the citation %w", err)
	case c.End-c.Start >= maxCited:
		return c, fmt.Errorf("the citation %s is of %d lines; at most %d show something", c, c.End-c.Start+1, maxCited)
	}
	lines, total, err := f.source(ctx, c.Path, c.Start, c.End)
	switch {
	case err != nil:
		return c, fmt.Errorf("the citation %s does not stand: %w", c, err)
	case c.End > total:
		return c, fmt.Errorf("the citation %s does not stand: the file has %d lines", c, total)
	case strings.TrimSpace(strings.Join(lines, "")) == "":
		return c, fmt.Errorf("the citation %s shows nothing: its lines are blank", c)
	}
	return c, nil
}

// refusal says why a finding is not taken; nil: it is. The caller holds the lock.
func (f *Findings) refusal(one Finding) *tools.Problem {
	for _, have := range f.items {
		switch {
		case plainTitle(have.Title) == plainTitle(one.Title):
			return duplicate("its title is that of", have)
		case fingerprint(have) == fingerprint(one):
			return duplicate("its evidence is that of", have)
		case sameLines(have, one) && common(have, one) >= alike:
			return duplicate("it says of the same lines what says", have)
		}
	}
	if f.most > 0 && len(f.items) >= f.most {
		return &tools.Problem{Code: "enough", Message: fmt.Sprintf("%d findings are taken, and no more are wanted", f.most), Try: "to finish"}
	}
	return nil
}

func duplicate(why string, have Finding) *tools.Problem {
	return &tools.Problem{Code: "duplicate", Message: fmt.Sprintf("this was submitted: %s %q", why, have.Title), Try: "another finding, or to finish"}
}

var plainWord = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// plainTitle is a title without case, marks and the order of its words.
func plainTitle(title string) string {
	words := plainWord.FindAllString(strings.ToLower(title), -1)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// fingerprint is what a finding rests on: its citations, sorted.
func fingerprint(f Finding) string {
	var cited []string
	for _, c := range f.Evidence {
		cited = append(cited, c.String())
	}
	slices.Sort(cited)
	return strings.Join(cited, "\n")
}

// sameLines reports whether two findings cite lines in common.
func sameLines(a, b Finding) bool {
	return slices.ContainsFunc(a.Evidence, func(x Citation) bool {
		return slices.ContainsFunc(b.Evidence, func(y Citation) bool {
			return x.Path == y.Path && x.Start <= y.End && y.Start <= x.End
		})
	})
}

// common is the share of the words of two findings that both have, 0 to 1.
func common(a, b Finding) float64 {
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

func wordsOf(f Finding) map[string]bool {
	all := make(map[string]bool)
	for _, w := range plainWord.FindAllString(strings.ToLower(f.Title+" "+f.Claim), -1) {
		all[w] = true
	}
	return all
}
