package insight

import (
	"regexp"
	"strings"
)

var (
	goCtxFunc   = regexp.MustCompile(`^func\b.*\bctx context\.Context`)
	pyDef       = regexp.MustCompile(`^\s*def\s`)
	pyAsyncDef  = regexp.MustCompile(`^\s*async\s+def\s`)
	locked      = regexp.MustCompile(`^\s*([\w.]+)\.(R?)Lock\(\)\s*$`)
	madeChannel = regexp.MustCompile(`^\s*(\w+)\s*:=\s*make\(chan [^,]+\)\s*$`)
	goReturn    = regexp.MustCompile(`^\s*(return\b|panic\()`)
)

// concurrencySigns are the signs of the dimension concurrency.
var concurrencySigns = []sign{
	{
		importance: high,
		query:      query{patterns: []string{`^\s*[\w.]+\.R?Lock\(\)\s*$`}, include: goFiles, exclude: goTests, before: 1, after: 20, pages: 4},
		keep:       returnsLocked,
		one:        "A return leaves a lock held",
		many:       "%d returns leave a lock held",
		claim:      "Between Lock and the first Unlock of the same lock stands a return, without a defer: on this path nobody can take the lock again.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`^\s*time\.Sleep\(`}, include: goFiles, exclude: goTests, before: 20},
		keep: func(h *hit) bool {
			return h.around(goCtxFunc, goFuncLine) != "" && !strings.Contains(join(h.before), "//nolint")
		},
		one:   "A function that was given a context sleeps without looking at it",
		many:  "%d functions that were given a context sleep without looking at it",
		claim: "time.Sleep goes on after the context has ended: who cancels waits for the rest of the pause. A timer in a select with ctx.Done() does not.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`^\s*\w+\s*:=\s*make\(chan [^,]+\)\s*$`}, include: goFiles, exclude: goTests, after: 20},
		keep:       leavesSender,
		one:        "A goroutine sends to a channel that its receiver may have left",
		many:       "%d goroutines send to a channel that their receiver may have left",
		claim:      "The channel has no buffer, the goroutine's send is in no select, and the receiver goes on when its context or a timer ends: then the send blocks for ever, and the goroutine is never freed. A buffer of one is enough.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`^\s*(defer\s+)?\w*\b\w*[wW][gG]\w*\.Add\(`}, include: goFiles, exclude: goTests, before: 1},
		keep: func(h *hit) bool {
			return len(h.before) == 1 && strings.HasSuffix(strings.TrimSpace(h.before[0]), "go func() {")
		},
		one:   "A WaitGroup is counted up inside of the goroutine that it waits for",
		many:  "%d WaitGroups are counted up inside of the goroutines that they wait for",
		claim: "Add may run after Wait has seen zero: Wait returns while the goroutine is still to run.",
	},
	{
		importance: low,
		query:      query{patterns: []string{`\bcontext\.TODO\(\)`}, include: goFiles, exclude: goTests},
		one:        "A call has no context yet",
		many:       "%d calls have no context yet",
		claim:      "context.TODO marks a place where a context is still to be handed in: until then the call cannot be cancelled.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`^\s*time\.sleep\(`, `=\s*requests\.(get|post|put|delete)\(`}, include: pyFiles, before: 20},
		keep:       func(h *hit) bool { return h.around(pyAsyncDef, pyDef) != "" },
		one:        "A coroutine blocks the whole event loop",
		many:       "%d coroutines block the whole event loop",
		claim:      "The call waits in the thread of the loop: no other task runs meanwhile.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\.forEach\(\s*async\b`}, include: jsFiles},
		one:        "Promises of a forEach are awaited by nobody",
		many:       "Promises of %d forEach calls are awaited by nobody",
		claim:      "forEach drops what its function returns: what follows runs before the work is done, and a rejection is unhandled.",
	},
}

// returnsLocked reports whether a return lies between a Lock and its first Unlock, in a function that is not itself one to
// lock. It does not judge lines after a function literal or a select.
func returnsLocked(h *hit) bool {
	m := locked.FindStringSubmatch(h.text)
	if m == nil || strings.Contains(strings.ToLower(h.symbol[strings.LastIndex(h.symbol, ".")+1:]), "lock") || strings.Contains(strings.ToLower(h.symbol), "acquire") {
		return false
	}
	for _, l := range h.after {
		switch {
		case strings.Contains(l, m[1]+"."+m[2]+"Unlock()"), strings.Contains(l, "func("), strings.Contains(strings.ToLower(l), "unlock"), strings.HasPrefix(l, "}"):
			return false
		case goReturn.MatchString(l):
			return indent(l) >= indent(h.text) && strings.HasPrefix(strings.TrimSpace(l), "return")
		}
	}
	return false
}

// leavesSender reports whether an unbuffered channel is followed by a goroutine that sends to it outside of a select, and a
// select that receives from it or gives up.
func leavesSender(h *hit) bool {
	m := madeChannel.FindStringSubmatch(h.text)
	if m == nil {
		return false
	}
	sends, gives, receives, started, inSelect := false, false, false, false, false
	send := regexp.MustCompile(`^\s*` + m[1] + ` <- `)
	receive := regexp.MustCompile(`case .*<-` + m[1] + `:`)
	for _, l := range h.after {
		if strings.HasPrefix(l, "}") {
			break
		}
		started = started || strings.Contains(l, "go func(")
		inSelect = strings.Contains(l, "select {") || inSelect && !receive.MatchString(l) && strings.TrimSpace(l) != "}"
		sends = sends || started && send.MatchString(l)
		receives = receives || receive.MatchString(l)
		gives = gives || strings.Contains(l, "case <-ctx.Done()") || strings.Contains(l, "case <-time.After(")
	}
	return sends && gives && receives && !strings.Contains(join(h.after), "close("+m[1]+")") || sends && gives && receives && strings.Contains(join(h.after), "defer close("+m[1]+")")
}
