package pipelines

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/agent"
)

// A Gate judges an attempt of a stage. The zero Verdict passes.
type Gate func(Attempt) Verdict

// An Attempt is what a gate is shown.
type Attempt struct {
	Stage    string
	Number   int // from 1
	Result   *agent.Result
	Handover Handover // of this attempt and those before it
}

// A Verdict is what a gate says.
type Verdict struct {
	Decision Decision
	Reason   string // told to the model before another attempt; in the outcome
}

// A Decision is what becomes of a stage.
type Decision int

// The decisions.
const (
	Accept Decision = iota
	Again           // with the reason, while there are attempts
	Lower           // go on without the stages that want it whole
)

// Pass lets an attempt pass.
func Pass() Verdict { return Verdict{} }

// Retry asks for another attempt, and gives the model the reason.
func Retry(reason string) Verdict { return Verdict{Again, reason} }

// Degrade takes what there is as less than was wanted.
func Degrade(reason string) Verdict { return Verdict{Lower, reason} }

// An Evaluator says what an attempt lacks, "" if it lacks nothing. The sentence is written for the model.
type Evaluator func(Attempt) string

// RetryUnless is the gate that asks for another attempt, with all reasons, unless every evaluator is content.
func RetryUnless(es ...Evaluator) Gate {
	return func(a Attempt) Verdict {
		if lacks := lacking(a, es); lacks != "" {
			return Retry("This is not accepted yet:\n" + lacks + "\nMend it, and give the whole result again.")
		}
		return Pass()
	}
}

// DegradeUnless is the gate that degrades unless every evaluator is content.
func DegradeUnless(es ...Evaluator) Gate {
	return func(a Attempt) Verdict {
		if lacks := lacking(a, es); lacks != "" {
			return Degrade(lacks)
		}
		return Pass()
	}
}

// Gates is the gate of several: the first that does not pass decides.
func Gates(gates ...Gate) Gate {
	return func(a Attempt) Verdict {
		for _, g := range gates {
			if v := g(a); v.Decision != Accept {
				return v
			}
		}
		return Pass()
	}
}

func lacking(a Attempt, es []Evaluator) string {
	var lacks []string
	for _, e := range es {
		if reason := e(a); reason != "" {
			lacks = append(lacks, "- "+reason)
		}
	}
	return strings.Join(lacks, "\n")
}

// MinLength wants a text of so many characters at least.
func MinLength(n int) Evaluator {
	return func(a Attempt) string {
		if have := utf8.RuneCountInString(strings.TrimSpace(a.Result.Text)); have < n {
			return fmt.Sprintf("the text has %d characters; at least %d are wanted", have, n)
		}
		return ""
	}
}

// CitedPaths wants citations, as path:12-30, of so many files at least in the text.
func CitedPaths(n int) Evaluator {
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

// ToolCalls wants so many calls at least that did not fail.
func ToolCalls(n int) Evaluator {
	return func(a Attempt) string {
		have := 0
		for _, rec := range a.Result.Tools {
			if rec.Err == nil {
				have++
			}
		}
		if have < n {
			return fmt.Sprintf("%d calls of tools succeeded; look at the tree with at least %d", have, n)
		}
		return ""
	}
}

// FindingsWithEvidence wants so many findings at least that cite a line.
func FindingsWithEvidence(n int) Evaluator {
	return func(a Attempt) string {
		have := 0
		for _, f := range a.Handover.Findings {
			if len(f.Evidence) > 0 {
				have++
			}
		}
		if have < n {
			return fmt.Sprintf("there %s %d findings with evidence; at least %d are wanted, each on a line of its own: - [high|medium|low] title: claim [path:12-30]",
				cmp.Or(map[int]string{1: "is"}[have], "are"), have, n)
		}
		return ""
	}
}
