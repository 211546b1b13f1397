package scenario

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Budget is the most that a request may take, in tokens as [Tokens] counts them.
const Budget = 24_000

// The system prompt, the person's prompt, and the tool. Goal and Rule are in the prompt and mark a request that has it.
const (
	Goal = "Goal KESTREL-41: find the first page whose ledger does not balance, and say by how much it is off."
	Rule = "Rule HERON-17: never cite a page that you have not read in this session."

	System = "You are a careful auditor. Work through the pages in order, one call of read at a time. " +
		"Say what you did not find and where you looked. Do not repeat a call."
	Prompt = Goal + "\n" + Rule + "\nThe pages are numbered from 0. Read all of them before you answer."

	ToolName        = "read"
	ToolDescription = "Read the page with number n."

	// Answer is the model's last text, after which a run ends.
	Answer = "Page 17 is the first that does not balance; it is off by 3."
)

const (
	pageBytes    = 4_096
	messageCost  = 4  // tokens that frame a message
	callCost     = 16 // tokens of a call with its name, id and arguments
	bytesAToken  = 4
	summaryBytes = 2_000
)

// Tokens is the size of a text in tokens: a quarter of its bytes, rounded up. All libraries are counted with it.
func Tokens(text string) int { return (len(text) + bytesAToken - 1) / bytesAToken }

var words = strings.Fields("account amount audit balance batch branch carried cash charge clerk closing column " +
	"counter credit currency daily debit deposit due entry export fee figure folio forward freight gross import index " +
	"interest invoice item journal ledger line margin month net note office opening order page paid payment period " +
	"port price quarter rate receipt record refund region rent return sales ship stock sum supply tax total trade " +
	"transfer unit value vault voucher wage weight year")

// pages returns the texts of n pages of 4 KB, each different, the same in every process.
func pages(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = page(i)
	}
	return all
}

func page(n int) string {
	random := rand.New(rand.NewPCG(uint64(n), 41))
	var b strings.Builder
	fmt.Fprintf(&b, "Page %d of the ledger.\n", n)
	for line := 1; b.Len() < pageBytes; line++ {
		fmt.Fprintf(&b, "%d.%02d", n, line)
		for range 9 {
			b.WriteByte(' ')
			b.WriteString(words[random.IntN(len(words))])
		}
		fmt.Fprintf(&b, " %d.%02d\n", random.IntN(9_000), random.IntN(100))
	}
	return b.String()[:pageBytes]
}

// summary is what the model writes when a library asks it to summarise: notes of a steady length, after the goal and
// the rule word for word if the request has them. It has the tags that libraries ask for and look for.
func summary(goal, rule bool, n int) string {
	var b strings.Builder
	b.WriteString("<summary>\n<all_user_messages>\n")
	if goal {
		b.WriteString(Goal + "\n")
	}
	if rule {
		b.WriteString(Rule + "\n")
	}
	b.WriteString("</all_user_messages>\n")
	for line := 0; b.Len() < summaryBytes; line++ {
		fmt.Fprintf(&b, "Note %d.%d: the opening balance was carried forward and the page balances.\n", n, line)
	}
	b.WriteString("</summary>")
	return b.String()
}
