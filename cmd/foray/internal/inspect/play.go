package inspect

import (
	"cmp"
	"context"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction"
)

// A Conversation is what is played through other policies.
type Conversation struct {
	System   string
	Messages []transcript.Message
	Budget   int // of a request, in tokens; 0: the recording does not say
}

// Compared are the policies that are compared by default.
var Compared = []string{string(contextwindow.Lean), string(contextwindow.Ladder), "none"}

// The budget of a conversation that says none, and the largest budget that compares anything: rules have a larger one.
const (
	unsaidBudget = 16_000 // tokens
	mostBudget   = 100_000_000
)

// Play plays a conversation through policies with budgets in tokens; nil: the default policies, its own budget.
func (c *Conversation) Play(ctx context.Context, name string, policies []string, budgets []int) (
	*compaction.Side, error,
) {
	if len(budgets) == 0 {
		budgets = []int{cmp.Or(c.Budget, unsaidBudget)}
		if c.Budget > mostBudget {
			budgets[0] = unsaidBudget
		}
	}
	if policies == nil {
		policies = Compared
	}
	return compaction.SideBySide(ctx, name, c.System, c.Messages,
		compaction.Config{Budgets: budgets, Policies: policies, Counter: "foray"})
}
