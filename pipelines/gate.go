package pipelines

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/agent"
)

// A Gate judges an attempt of a [Stage].
type Gate func(Attempt) Verdict

// An Attempt is what a [Gate] judges.
type Attempt struct {
	Stage    string
	Number   int // from 1
	Result   *agent.Result
	Handover Handover // from this attempt and those before it
}

// A Verdict is a gate's decision: [Pass], [Retry] or [Degrade]. The zero Verdict passes.
type Verdict struct {
	Reason   string // the model reads it before another attempt; it is kept in the outcome
	decision decision
}

type decision int

const (
	accept decision = iota
	again
	lower
)

// Pass accepts an attempt.
func Pass() Verdict { return Verdict{} }

// Retry asks for another attempt and gives the model the reason.
func Retry(reason string) Verdict { return Verdict{reason, again} }

// Degrade accepts a result that is less than was wanted.
func Degrade(reason string) Verdict { return Verdict{reason, lower} }

// RetryUnless returns a gate that asks for another attempt until every check passes. A check returns what the attempt
// lacks, in a sentence for the model, or "".
func RetryUnless(checks ...func(Attempt) string) Gate {
	return func(a Attempt) Verdict {
		if lacks := lacking(a, checks); lacks != "" {
			return Retry("This is not accepted yet:\n" + lacks + "\nFix it, and give the whole result again.")
		}
		return Pass()
	}
}

// DegradeUnless returns a gate that degrades the stage unless every check passes.
func DegradeUnless(checks ...func(Attempt) string) Gate {
	return func(a Attempt) Verdict {
		if lacks := lacking(a, checks); lacks != "" {
			return Degrade(lacks)
		}
		return Pass()
	}
}

// Gates joins gates: the first that does not pass decides.
func Gates(gates ...Gate) Gate {
	return func(a Attempt) Verdict {
		for _, g := range gates {
			if v := g(a); v.decision != accept {
				return v
			}
		}
		return Pass()
	}
}

func lacking(a Attempt, checks []func(Attempt) string) string {
	var lacks []string
	for _, check := range checks {
		if reason := check(a); reason != "" {
			lacks = append(lacks, "- "+reason)
		}
	}
	return strings.Join(lacks, "\n")
}

// MinLength checks that the text has at least n characters.
func MinLength(n int) func(Attempt) string {
	return func(a Attempt) string {
		if have := utf8.RuneCountInString(strings.TrimSpace(a.Result.Text)); have < n {
			return fmt.Sprintf("the text has %d characters; at least %d are wanted", have, n)
		}
		return ""
	}
}

// CitedPaths checks that the text cites at least n files, as path:12-30.
func CitedPaths(n int) func(Attempt) string {
	return func(a Attempt) string {
		files := make(map[string]bool)
		for _, c := range citations(a.Result.Text) {
			files[c.Path] = true
		}
		if len(files) < n {
			return fmt.Sprintf("the text cites %d files as path:line; at least %d are wanted", len(files), n)
		}
		return ""
	}
}

// ToolCalls checks that at least n tool calls succeeded.
func ToolCalls(n int) func(Attempt) string {
	return func(a Attempt) string {
		have := 0
		for _, rec := range a.Result.Tools {
			if rec.Err == nil {
				have++
			}
		}
		if have < n {
			return fmt.Sprintf("%d tool calls succeeded; make at least %d", have, n)
		}
		return ""
	}
}

// FindingsWithEvidence checks that at least n findings cite a line.
func FindingsWithEvidence(n int) func(Attempt) string {
	return func(a Attempt) string {
		have := 0
		for _, f := range a.Handover.Findings {
			if len(f.Evidence) > 0 {
				have++
			}
		}
		if have < n {
			return fmt.Sprintf("there %s %d findings with evidence; at least %d are wanted, each on a line of its own: "+
				"- [high|medium|low] title: claim [path:12-30]", cmp.Or(map[int]string{1: "is"}[have], "are"), have, n)
		}
		return ""
	}
}
