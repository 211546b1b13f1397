package contextwindow

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// ledgerCap is how many references of a kind the ledger keeps; it counts the rest. The record shows fewer still.
const ledgerCap = 256

// A ledger is what must outlive the units that were folded: counts, what the user said, and facts.
type ledger struct {
	compactions int
	rounds      int // folded rounds: messages of the assistant, with or without calls
	results     int
	last        int   // step of the newest folded unit
	users       []int // steps of folded messages of the user, ascending
	refs        [len(ledgerKinds)]refs
}

// A ledgerKind is a kind of facts under its title.
type ledgerKind struct {
	kind  FactKind
	title string
}

// ledgerKinds are the facts that the record lists, in its order.
var ledgerKinds = [...]ledgerKind{
	{FactSubmitted, "Submitted and accepted"},
	{FactPlan, "Plan"},
	{FactModified, "Files changed"},
	{FactFailed, "Failed"},
	{FactRead, "Files read"},
}

// refs is a list of different references with a cap: the newest stay, total counts all.
type refs struct {
	items []string
	total int
}

// add takes the facts of a unit that leaves the view.
func (l *ledger) add(u *Unit, facts func(transcript.ToolCall, transcript.Message) []Fact) {
	l.last = max(l.last, u.Step)
	head := u.Messages[0]
	if head.Role == transcript.User {
		l.users = append(l.users, u.Step)
		return
	}
	l.rounds++
	l.results += len(u.Messages) - 1
	for i, call := range head.Calls {
		for _, f := range facts(call, u.Messages[i+1]) {
			l.addFact(f)
		}
	}
}

func (l *ledger) addFact(f Fact) {
	for k, row := range ledgerKinds {
		if row.kind != f.Kind {
			continue
		}
		r := &l.refs[k]
		if f.Kind == FactPlan {
			*r = refs{[]string{f.Ref}, 1}
			return
		}
		if slices.Contains(r.items, f.Ref) {
			return
		}
		r.total++
		r.items = append(r.items[max(0, len(r.items)+1-ledgerCap):], f.Ref)
		return
	}
}

// ledgerOf is the ledger of units that left the view, by their steps, as if they had left it in their order.
func (s *state) ledgerOf(steps []int) ledger {
	l := ledger{compactions: s.ledger.compactions}
	for _, step := range slices.Sorted(slices.Values(steps)) {
		l.add(s.units[step-1], s.facts)
	}
	return l
}

// with returns the ledger as it will be once more units are folded. The copy shares nothing that add changes.
func (l ledger) with(units []*Unit, facts func(transcript.ToolCall, transcript.Message) []Fact) ledger {
	l.users = slices.Clip(l.users)
	for k := range l.refs {
		l.refs[k].items = slices.Clip(l.refs[k].items)
	}
	for _, u := range units {
		l.add(u, facts)
	}
	return l
}
