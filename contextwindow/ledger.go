package contextwindow

import (
	"hash/maphash"
	"slices"

	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// ledgerCap is how many references of a kind the ledger keeps; it only counts the others. The digest shows fewer
// still.
const ledgerCap = 256

// usersShare is what quotes of users may take, as a share of what the fixed parts leave of the budget.
const usersShare = .20

// leastReply is the least value at which a sentence of an answer is quoted: one that names something and does more than
// explain it.
const leastReply = .02

// saidTokens is how many tokens of sentences a ledger keeps to choose from: twice the room that they can get.
func saidTokens(b Budget) int { return roomOf(b.Limit, 2*usersShare) }

// Of evicted units, a digest searches only the newest.
const (
	pool       = 120 // newest evicted units, all of whose lines are candidates; of older ones only lines shown before
	namesParts = 600 // newest parts that are searched for identifiers to list
)

// A ledger is what must outlive the evicted units: counts, what was said, and facts.
type ledger struct {
	compactions int
	turns       int // evicted assistant messages, with or without calls
	answers     int // of these, without calls
	results     int
	last        int       // step of the newest evicted unit
	users       int       // evicted user messages
	said        said.Pool // what users said
	replied     said.Pool // what the assistant said
	refs        [len(ledgerKinds)]refs
}

// A ledgerKind is a kind of fact under its title in the digest.
type ledgerKind struct {
	kind  FactKind
	title string
}

// ledgerKinds are in the order of the digest.
var ledgerKinds = [...]ledgerKind{
	{FactSubmitted, "Submitted and accepted"},
	{FactPlan, "Plan"},
	{FactModified, "Files changed"},
	{FactFailed, "Failed"},
	{FactRead, "Files read"},
}

// refs is a capped list of distinct references: it keeps the newest and counts all.
type refs struct {
	items []string
	total int
}

// add takes the facts of a unit that leaves the view.
func (l *ledger) add(u *Unit, facts func(part int) []Fact) {
	l.last = max(l.last, u.Step)
	head := u.Messages[0]
	if head.Role == transcript.User {
		l.users++
		return
	}
	if l.turns++; len(head.Calls) == 0 {
		l.answers++
	}
	l.results += len(u.Messages) - 1
	for i := range head.Calls {
		for _, f := range facts(i + 1) {
			l.addFact(f)
		}
	}
}

func (l *ledger) addFact(f Fact) {
	k := slices.IndexFunc(ledgerKinds[:], func(k ledgerKind) bool { return k.kind == f.Kind })
	switch {
	case k < 0:
	case f.Kind == FactPlan:
		l.refs[k] = refs{[]string{f.Ref}, 1}
	case !slices.Contains(l.refs[k].items, f.Ref):
		items := l.refs[k].items
		l.refs[k] = refs{append(items[max(0, len(items)+1-ledgerCap):], f.Ref), l.refs[k].total + 1}
	}
}

// endStage drops what the assistant said: a stage hands on facts and what the user asked, not its own answers.
func (l *ledger) endStage() { l.replied = said.Pool{} }

// clone returns a ledger to which add can be applied without changing l.
func (l ledger) clone() ledger {
	l.said, l.replied = l.said.Clone(), l.replied.Clone()
	for k := range l.refs {
		l.refs[k].items = slices.Clip(l.refs[k].items)
	}
	return l
}

// bare reports whether the ledger holds no fact and at most so many user messages.
func (l *ledger) bare(users int) bool {
	return l.users <= users && !slices.ContainsFunc(l.refs[:], func(r refs) bool { return r.total > 0 })
}

// ledgerOf is the ledger of evicted units, as if they had been evicted in the order of their steps. Stage is the first
// step of the stage.
func (u *units) ledgerOf(steps []int, compactions, stage int) ledger {
	l := ledger{compactions: compactions}
	steps = slices.Sorted(slices.Values(steps))
	now, _ := slices.BinarySearch(steps, stage)
	u.evict(&l, steps[:now])
	l.endStage()
	u.evict(&l, steps[now:])
	return l
}

// evict adds units to a ledger; the steps must be ascending.
func (u *units) evict(l *ledger, steps []int) {
	var users, replies []int
	for _, step := range steps {
		unit := u.at(step)
		l.add(unit, func(part int) []Fact { return u.brief(step, part).facts })
		switch head := &unit.Messages[0]; {
		case head.Role == transcript.User:
			users = append(users, step)
		case len(head.Calls) == 0: // beside calls, an assistant says little that lasts
			replies = append(replies, step)
		}
	}
	l.said.Most, l.replied.Most, l.replied.Least = u.mostSaid, u.mostSaid, leastReply
	l.said.Add(users, u.saidIn)
	l.replied.Add(replies, u.saidIn)
}

// evictedUnits are the units that left the view, with what the digest says of them.
type evictedUnits struct {
	evictedParts
	ledger  ledger
	lines   []KeptLines // key lines that the digest shows
	focus   string      // what digests look for
	summary summary     // by a model
}

// evictedParts are the evicted units and the results that the digest may have a line of, each in ascending order.
type evictedParts struct {
	steps            []int
	plain, important []partID       // important: errors and edits
	made             map[uint64]int // how often each call was made, by its hash
}

type summary struct {
	steps []int
	text  string
}

// add adds evicted units; their steps are ascending and above those already evicted.
func (x *evictedParts) add(u *units, steps []int) {
	if x.made == nil {
		x.made = make(map[uint64]int)
	}
	x.steps = append(x.steps, steps...)
	for _, step := range steps {
		for i, call := range u.calls(step) {
			x.made[callHash(call)]++
			x.addCall(u, partID{step: step, part: i + 1})
		}
	}
}

// addCall adds a result, unless it is an excerpt: the line of its source says enough.
func (x *evictedParts) addCall(u *units, id partID) {
	switch {
	case !u.at(id.step).isOwn(id):
	case u.brief(id.step, id.part).important:
		x.important = append(x.important, id)
	default:
		x.plain = append(x.plain, id)
	}
}

// with returns the evicted units with those of more steps. The result is valid until the next call.
func (x evictedParts) with(u *units, going []int) evictedParts {
	if last := len(x.steps) - 1; last >= 0 && len(going) > 0 && going[0] < x.steps[last] {
		all := slices.Concat(x.steps, going)
		slices.Sort(all)
		x, going = evictedParts{}, all
	}
	x.steps = append(x.steps, going...)
	for _, step := range going {
		for i := range u.calls(step) {
			x.addCall(u, partID{step: step, part: i + 1})
		}
	}
	return x
}

// forgetOld drops the scans of units that compactions no longer need.
func (x *evictedUnits) forgetOld(u *units) {
	if len(x.steps) <= pool {
		return
	}
	gone := 0
	if len(x.steps) > namesParts {
		gone = x.steps[len(x.steps)-namesParts-1]
	}
	u.forget(x.steps[len(x.steps)-pool-1], gone, shownLines(x.lines))
}

var callSeed = maphash.MakeSeed() // the hashes never leave the process

// callHash is equal for equal calls.
func callHash(c transcript.ToolCall) uint64 {
	var h maphash.Hash
	h.SetSeed(callSeed)
	h.WriteString(c.Name)
	h.WriteByte(0)
	h.Write(c.Args)
	return h.Sum64()
}
