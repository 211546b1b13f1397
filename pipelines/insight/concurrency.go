package insight

import (
	"regexp"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	goCtxFunc   = lazyregexp.New(`^func\b.*\bctx context\.Context`)
	pyDef       = lazyregexp.New(`^\s*def\s`)
	pyAsyncDef  = lazyregexp.New(`^\s*async\s+def\s`)
	lockCall    = lazyregexp.New(`^\s*([\w.]+)\.(R?)Lock\(\)\s*$`)
	makeChannel = lazyregexp.New(`^\s*(\w+)\s*:=\s*make\(chan [^,]+\)\s*$`)
	otherBranch = lazyregexp.New(`^\s*(\} else\b|case\b|default:)`)
	goReturn    = lazyregexp.New(`^\s*(return\b|panic\()`)
)

// concurrencySigns are the signs of the dimension concurrency.
var concurrencySigns = []sign{
	{
		importance: high,
		query: query{patterns: []string{`^\s*[\w.]+\.R?Lock\(\)\s*$`}, include: goFiles, exclude: goTests, before: 1,
			after: 20, pages: 4},
		keep:  returnsBeforeUnlock,
		weigh: leavesLocked,
		one:   "A return leaves a mutex locked",
		many:  "%d returns leave a mutex locked",
		claim: "The function returns between Lock and the first Unlock, without a deferred Unlock: on this path the " +
			"mutex stays locked for ever.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`^\s*time\.Sleep\(`}, include: goFiles, exclude: goTests, before: 20},
		keep: func(h *hit) bool {
			return h.around(goCtxFunc, goFuncLine) != "" && !strings.Contains(join(h.before), "//nolint")
		},
		one:  "A function sleeps without watching its context",
		many: "%d functions sleep without watching their context",
		claim: "time.Sleep ignores cancellation: the caller waits for the rest of the pause. A select on a timer and " +
			"ctx.Done() returns at once.",
	},
	{
		importance: high,
		query: query{patterns: []string{`^\s*\w+\s*:=\s*make\(chan [^,]+\)\s*$`}, include: goFiles, exclude: goTests,
			after: 20},
		keep: sendMayBlock,
		one:  "A goroutine may send to a channel without a receiver",
		many: "%d goroutines may send to a channel without a receiver",
		claim: "The channel is unbuffered, the send is not in a select, and the receiver gives up when its context or " +
			"a timer ends: the send then blocks for ever, and the goroutine leaks. A buffer of one prevents it.",
	},
	{
		importance: high,
		query: query{patterns: []string{`^\s*(defer\s+)?\w*\b\w*[wW][gG]\w*\.Add\(`}, include: goFiles, exclude: goTests,
			before: 1},
		keep: func(h *hit) bool {
			return len(h.before) == 1 && strings.HasSuffix(strings.TrimSpace(h.before[0]), "go func() {")
		},
		weigh: countedOutside,
		one:   "WaitGroup.Add is called inside the goroutine it counts",
		many:  "WaitGroup.Add is called inside the goroutine it counts in %d places",
		claim: "Wait may see zero before Add runs, and return before the goroutine has started.",
	},
	{
		importance: low,
		query:      query{patterns: []string{`\bcontext\.TODO\(\)`}, include: goFiles, exclude: goTests},
		one:        "A call uses context.TODO",
		many:       "%d calls use context.TODO",
		claim: "context.TODO marks a place where the caller's context is still to be passed: until then the call " +
			"cannot be cancelled.",
	},
	{
		importance: high,
		query: query{patterns: []string{`^\s*time\.sleep\(`, `=\s*requests\.(get|post|put|delete)\(`}, include: pyFiles,
			before: 20},
		keep:  func(h *hit) bool { return h.around(pyAsyncDef, pyDef) != "" },
		one:   "A coroutine blocks the event loop",
		many:  "%d coroutines block the event loop",
		claim: "The call blocks the thread of the event loop: no other task runs until it returns.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\.forEach\(\s*async\b`}, include: jsFiles},
		one:        "forEach drops the promises of an async callback",
		many:       "%d forEach calls drop the promises of an async callback",
		claim: "forEach ignores what its callback returns: the code after it runs before the work is done, and a " +
			"rejection is unhandled.",
	},
}

// returnsBeforeUnlock reports whether a return lies between a Lock and its first Unlock. Functions named like a lock
// may return with it held, so they are exempt. The search stops at a function literal.
func returnsBeforeUnlock(h *hit) bool {
	m := lockCall.FindStringSubmatch(h.text)
	if m == nil || strings.Contains(strings.ToLower(h.symbol[strings.LastIndex(h.symbol, ".")+1:]), "lock") ||
		strings.Contains(strings.ToLower(h.symbol), "acquire") {
		return false
	}
	for _, l := range h.after {
		switch {
		case strings.Contains(l, m[1]+"."+m[2]+"Unlock()"), strings.Contains(l, "func("),
			strings.Contains(strings.ToLower(l), "unlock"), strings.HasPrefix(l, "}"),
			indent(l) < indent(h.text) && otherBranch.MatchString(l):
			return false
		case goReturn.MatchString(l):
			return indent(l) >= indent(h.text) && strings.HasPrefix(strings.TrimSpace(l), "return")
		}
	}
	return false
}

// sendMayBlock reports whether, after a line that makes an unbuffered channel, a goroutine sends to it outside a
// select, and a select receives from it or gives up on a context or a timer.
func sendMayBlock(h *hit) bool {
	m := makeChannel.FindStringSubmatch(h.text)
	if m == nil {
		return false
	}
	sends, givesUp, receives, started := false, false, false, false
	send := regexp.MustCompile(`^\s*` + m[1] + ` <- `)
	receive := regexp.MustCompile(`case .*<-` + m[1] + `:`)
	later := regexp.MustCompile(`<-` + m[1] + `\b`)
	for _, l := range h.after {
		if strings.HasPrefix(l, "}") {
			break
		}
		started = started || strings.Contains(l, "go func(")
		sends = sends || started && send.MatchString(l)
		receives = receives || receive.MatchString(l)
		if later.MatchString(l) && !strings.Contains(l, "case ") {
			return false // it waits again after giving up
		}
		givesUp = givesUp || strings.Contains(l, "case <-ctx.Done()") || strings.Contains(l, "case <-time.After(")
	}
	after, closing := join(h.after), "close("+m[1]+")"
	return sends && givesUp && receives &&
		(!strings.Contains(after, closing) || strings.Contains(after, "defer "+closing))
}
