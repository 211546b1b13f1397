package contextwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

// A checker holds a window to its invariants after every operation.
type checker struct {
	t       testing.TB
	w       *Window
	store   *mapStore
	prompt  string
	last    []transcript.Message // the view of the request before, nil after a compaction
	copied  []transcript.Message // its content then
	checked map[string]bool      // texts whose pointers were followed
	server  *rand.Rand           // says which answers a service compacted for; nil: none
	small   bool                 // texts are: a fuzzed window does in a millisecond what a large one does in a second
}

func newChecker(t testing.TB, b Budget) *checker {
	store := newMapStore()
	return &checker{t: t, store: store, checked: make(map[string]bool), w: New(b, &Options{Store: store, ReadTool: toollimit.ReadTool, After: b.Limit % 3 * 50})}
}

// request fits the window and checks the view that would be sent.
func (c *checker) request() {
	c.t.Helper()
	before := c.w.Usage().Tokens
	comp, err := c.w.Fit()
	u := c.w.Usage()
	if err != nil && !errors.Is(err, ErrThrash) {
		c.irreducible(err)
		if u.Tokens != before {
			c.t.Fatalf("an error of Fit changed the window from %d to %d tokens", before, u.Tokens)
		}
		return
	}
	if u.Tokens > u.Limit {
		c.t.Fatalf("request of %d tokens over the budget of %d", u.Tokens, u.Limit)
	}
	reclaimed := slices.Contains(comp.Steps, opReclaim)
	if comp.After > comp.Before && !reclaimed || comp.Before != before || comp.After != u.Tokens {
		c.t.Fatalf("compaction %v, usage %d → %d", comp, before, u.Tokens)
	}
	if (comp.Level == 0) != (len(comp.Steps) == 0) || comp.Level == 0 && comp.After != comp.Before {
		c.t.Fatalf("level does not tell what happened: %+v", comp)
	}
	again, err := c.w.Fit()
	if err != nil || again.Level != 0 {
		c.t.Fatalf("a second Fit changed something: %v %v", again, err)
	}
	view := c.w.View()
	if comp.Level == 0 && c.last != nil {
		c.extends(view)
	}
	c.view(view)
	c.remember(view)
}

// irreducible accepts that only the fixed parts alone may be too large.
func (c *checker) irreducible(err error) {
	c.t.Helper()
	var sizes *IrreducibleError
	if !errors.Is(err, ErrIrreducible) || !errors.As(err, &sizes) {
		c.t.Fatalf("unexpected error %v", err)
	}
	if sizes.System+sizes.Prompt <= sizes.Limit {
		c.t.Fatalf("given up although the fixed parts fit: %v", err)
	}
	c.last = nil
}

// extends checks that a request goes on where the one before ended, byte for byte.
func (c *checker) extends(view []transcript.Message) {
	c.t.Helper()
	if !reflect.DeepEqual(c.last, c.copied) {
		c.t.Fatal("a view that was handed out changed afterwards")
	}
	if len(view) < len(c.copied) {
		c.t.Fatalf("the request lost messages: %d, before %d", len(view), len(c.copied))
	}
	for i, m := range c.copied {
		got := view[i]
		if i == len(c.copied)-1 && strings.HasPrefix(got.Text, m.Text+"\n\n<note") {
			got.Text = m.Text // a note behind the newest message extends it
		}
		if !reflect.DeepEqual(m, got) {
			c.t.Fatalf("message %d of the request before changed:\n%s", i, cmp.Diff(m, got))
		}
	}
}

func (c *checker) remember(view []transcript.Message) {
	c.last = view
	c.copied = slices.Clone(view)
}

// view checks the prompt, the pairs and the pointers, and that the running sum is the sum.
func (c *checker) view(view []transcript.Message) {
	c.t.Helper()
	checkPairs(c.t, view)
	prompt := slices.IndexFunc(view, func(m transcript.Message) bool { return m.Origin == transcript.Prompt })
	if c.prompt != "" {
		if prompt < 0 || !strings.HasPrefix(view[prompt].Text, c.prompt) {
			c.t.Fatalf("the prompt is not whole in the view")
		}
		for _, m := range view[:prompt] {
			if m.Origin != transcript.History && m.Origin != transcript.Runtime {
				c.t.Fatalf("%s message of the run before the prompt", m.Role)
			}
		}
	}
	total := c.w.prefixTokens
	for _, sl := range readSlots(&c.w.view) {
		total += sum(sizesOf(sl.messages))
		for _, n := range sl.notes {
			total += toollimit.Tokens(fence(n.Note))
		}
	}
	if total != c.w.meter.used {
		c.t.Fatalf("running sum %d, sum %d", c.w.meter.used, total)
	}
	c.pointers(view)
}

// pointers checks that every id in the view resolves to the exact bytes that were received.
func (c *checker) pointers(view []transcript.Message) {
	c.t.Helper()
	for _, m := range view {
		if c.checked[m.Text] {
			continue
		}
		c.checked[m.Text] = true
		for _, ref := range pointersIn(m) {
			var step, n int
			if _, err := fmt.Sscanf(ref, "s%d.%d", &step, &n); err != nil || step <= c.w.units.before || step > c.w.units.last() {
				continue
			}
			body, err := c.store.Get(ref)
			if err != nil {
				c.t.Fatalf("pointer %s does not resolve: %v", ref, err)
			}
			u := c.w.units.at(step)
			discarded := u.Messages[0].Role == ""
			if want, ok := received(u, n, strings.HasSuffix(ref, "a")); ok && !discarded && body != want {
				c.t.Fatalf("pointer %s resolves to other bytes", ref)
			}
		}
	}
}

// received is the part of a unit that a pointer names, as it was received.
func received(u *Unit, part int, args bool) (string, bool) {
	switch calls := u.Messages[0].Calls; {
	case args && part >= 1 && part <= len(calls):
		return string(calls[part-1].Args), true
	case !args && part < len(u.Messages):
		return u.Messages[part].Described(), true
	}
	return "", false
}

// pointerMark finds the ids that the runtime's marks name, recordMark those before the lines of a record.
var (
	pointerMark = regexp.MustCompile(`(?:id=|\[… |"_cut":"|- \[| cut, )(s\d+\.\d+a?)\b`)
	recordMark  = regexp.MustCompile(`(?m)^(s\d+\.\d+a?)\b`)
)

func pointersIn(m transcript.Message) []string {
	var refs []string
	found := pointerMark.FindAllStringSubmatch(m.Text, -1)
	if m.Origin == transcript.Runtime {
		found = append(found, recordMark.FindAllStringSubmatch(m.Text, -1)...)
	}
	for _, match := range found {
		refs = append(refs, match[1])
	}
	return refs
}

// checkPairs checks that each call is answered once, right behind its message, in the order of the calls.
func checkPairs(t testing.TB, view []transcript.Message) {
	t.Helper()
	for i := 0; i < len(view); i++ {
		m := view[i]
		if m.Role == transcript.Tool {
			t.Fatalf("message %d: result of %q without its call", i, m.CallID)
		}
		for _, call := range m.Calls {
			i++
			if i >= len(view) || view[i].Role != transcript.Tool || view[i].CallID != call.ID {
				t.Fatalf("message %d: call %q is not answered", i, call.ID)
			}
		}
	}
}

// load checks that the log, saved and loaded, gives the same bytes and the same state.
func (c *checker) load() {
	c.t.Helper()
	saved, err := json.Marshal(c.w.Entries(0))
	if err != nil {
		c.t.Fatal(err)
	}
	var entries []Entry
	if err := json.Unmarshal(saved, &entries); err != nil {
		c.t.Fatal(err)
	}
	w, err := Load(entries, c.w.budget, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if was, is := c.w.View(), w.View(); !reflect.DeepEqual(was, is) {
		c.t.Fatalf("the loaded view differs:\n%s", cmp.Diff(was, is))
	}
	if c.w.Usage() != w.Usage() {
		c.t.Fatalf("the loaded usage differs: %+v, %+v", c.w.Usage(), w.Usage())
	}
	if !reflect.DeepEqual(w.Entries(0), c.w.Entries(0)) {
		c.t.Fatal("the loaded log differs")
	}
	loadLeft(c.t, c.w)
}

// operate does one operation, chosen and sized by what r gives.
func (c *checker) operate(r *rand.Rand) {
	switch n := r.IntN(20); {
	case n < 11:
		c.round(r)
	case n < 13:
		c.append(transcript.Message{Role: transcript.Assistant, Text: c.text(r, 3_000)})
	case n < 15:
		c.append(transcript.Message{Role: transcript.User, Text: c.text(r, 8_000), Images: pictures(r)})
	case n < 17:
		c.w.Note([]string{"status", "nudge"}[r.IntN(2)], c.text(r, 400))
	case n == 17:
		c.w.Observe(int(float64(c.w.meter.used) * (.7 + r.Float64()*.8)))
	case n == 18 && r.IntN(6) == 0:
		before := c.w.Usage().Tokens
		if err := c.w.ResetToPrompt(); err != nil {
			c.t.Fatal(err)
		}
		if after := c.w.Usage().Tokens; after > before && !strings.Contains(shown(c.w), digestOpen) {
			c.t.Fatalf("a reset that left no record made %d tokens of %d", after, before)
		}
		c.last = nil
	case n == 19 && r.IntN(6) == 0:
		if err := c.w.ResetStage(); err != nil {
			c.t.Fatal(err)
		}
		c.open(r)
	}
	if r.IntN(40) == 0 {
		c.shrink(r)
	}
	if r.IntN(8) == 0 {
		c.control(r)
	}
}

// control does one of what a user may ask of a window.
func (c *checker) control(r *rand.Rand) {
	c.t.Helper()
	c.last = nil
	step := c.w.units.before + 1 + r.IntN(len(c.w.units.list))
	switch n := r.IntN(12); {
	case n < 3:
		if err := c.w.Pin(step); err == nil && c.w.view.find(step) < 0 {
			c.t.Fatalf("step %d is pinned and not shown", step)
		}
	case n < 5:
		c.w.Unpin(step)
	case n == 5:
		c.w.Unpin()
	case n < 8:
		c.undo(1 + r.IntN(2))
	case n == 8:
		var steps []int
		for _, e := range c.w.entries {
			if e.Unit != nil && e.Unit.Step >= c.w.prompt {
				steps = append(steps, e.Unit.Step)
			}
		}
		if err := c.w.Rewind(steps[max(len(steps)-1-r.IntN(4), 0)]); err != nil {
			c.t.Fatal(err)
		}
	case n == 9:
		focus := []string{"", "window append", "\xff"}[r.IntN(3)]
		if _, err := c.w.Compact(focus); err != nil {
			c.t.Fatal(err)
		}
	case n == 10:
		c.preview()
	default:
		if d, ok := c.w.Draft(); ok {
			if err := c.w.Adopt(d, summaryOf(d)); err != nil && d.Tokens > 1_500 {
				c.t.Fatal(err)
			}
		}
	}
}

// undo takes back compactions: what no compaction touched is as it was received or limited, and the log only grows.
func (c *checker) undo(n int) {
	c.t.Helper()
	entries, view := len(c.w.entries), c.w.View()
	switch _, ok := c.w.Undo(n); {
	case !ok:
		if len(c.w.entries) != entries || !reflect.DeepEqual(view, c.w.View()) {
			c.t.Fatal("an undo of nothing changed the window")
		}
	case len(c.w.entries) != entries+1:
		c.t.Fatalf("an undo wrote %d entries", len(c.w.entries)-entries)
	}
}

// preview holds a preview to what Fit then does.
func (c *checker) preview() {
	c.t.Helper()
	view, entries := slices.Clone(c.w.View()), len(c.w.entries)
	want, wantErr := c.w.Preview()
	if len(c.w.entries) != entries || !reflect.DeepEqual(view, c.w.View()) {
		c.t.Fatal("a preview changed the window")
	}
	got, err := c.w.Fit()
	if !reflect.DeepEqual(want, got) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		c.t.Fatalf("the preview says %+v %v, it was %+v %v", want, wantErr, got, err)
	}
}

// summaryOf is a summary that keeps the rules, if the draft leaves room for the headings.
func summaryOf(d Draft) string {
	var b strings.Builder
	for _, heading := range summaryHeadings {
		b.WriteString("## " + heading + "\nas was said\n")
	}
	return b.String() + strings.Join(d.Names, " ")
}

func (c *checker) open(r *rand.Rand) {
	c.prompt = "prompt " + c.text(r, 200)
	c.append(transcript.Message{Role: transcript.User, Text: c.prompt, Origin: transcript.Prompt})
	c.last = nil
}

func (c *checker) shrink(r *rand.Rand) {
	c.t.Helper()
	before := c.w.Usage()
	if _, err := c.w.Shrink(r.IntN(2) * before.Limit); err != nil && !errors.Is(err, ErrIrreducible) && !errors.Is(err, ErrThrash) {
		c.t.Fatal(err)
	}
	if after := c.w.Usage(); after.Tokens >= before.Tokens && after.Tokens > after.Limit && after.Prefix+after.Prompt <= after.Limit {
		c.t.Fatalf("shrank from %+v to %+v", before, after)
	}
	c.last = nil
}

func (c *checker) append(m transcript.Message, results ...transcript.Message) {
	c.t.Helper()
	if _, err := c.w.Append(m, results...); err != nil {
		c.t.Fatal(err)
	}
}

// round appends a message with one to six calls and their results, of any kind and size.
func (c *checker) round(r *rand.Rand) {
	step := len(c.w.units.list) + 1
	head := transcript.Message{Role: transcript.Assistant, Text: c.text(r, 300)}
	if r.IntN(5) == 0 {
		head.ProviderData = &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: r.IntN(200), Data: []byte{1, 2, 3}}
		head.ProviderData.Compacts = c.server != nil && c.server.IntN(2) == 0
	}
	kinds := []toollimit.Kind{toollimit.Text, toollimit.File, toollimit.Search, toollimit.Listing, toollimit.JSON,
		toollimit.Receipt, toollimit.Error, toollimit.Output, "unheard of"}
	var results []transcript.Message
	for i := range 1 + r.IntN(6)*r.IntN(2) {
		args, err := json.Marshal(map[string]string{"path": fmt.Sprintf("dir/file%d.go", r.IntN(50)), "text": c.text(r, 600)})
		if err != nil {
			c.t.Fatal(err)
		}
		id := fmt.Sprintf("call_%d_%d", step, i)
		head.Calls = append(head.Calls, transcript.ToolCall{ID: id, Name: "tool", Args: args})
		size := 4_000
		if r.IntN(30) == 0 {
			size *= 30
		}
		results = append(results, transcript.Message{Role: transcript.Tool, CallID: id, Kind: kinds[r.IntN(len(kinds))], Failed: r.IntN(8) == 0, Text: c.text(r, size)})
		results[i].Images = pictures(r)
		if r.IntN(12) == 0 {
			results[i].Text = ""
		}
	}
	c.append(head, results...)
}

// anyText makes up to n bytes of code, prose, Chinese, emoji, JSON, one long line, or bytes that are not UTF-8.
func anyText(r *rand.Rand, n int) string {
	pieces := []string{
		"func (w *Window) Append(head Message) error {\n\treturn nil\n}\n", "the quick brown fox jumps. ", "压缩级别如何选择?每个窗口", "🧭👩‍🚀🇨🇭",
		`{"items":[{"path":"a/b.go","line":12}],"total":1}`, "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ", "\xff\xfe\x80bad", "\r\n", "L12 match\nsrc/a.go (3 hits)\n", "</record></note>", "\x00",
	}
	want := 1 + r.IntN(n)
	var b strings.Builder
	one := r.IntN(3) > 0
	piece := pieces[r.IntN(len(pieces))]
	for b.Len() < want {
		if !one {
			piece = pieces[r.IntN(len(pieces))]
		}
		b.WriteString(piece)
	}
	if strings.TrimSpace(b.String()) == "" {
		b.WriteString("words") // a message of blanks says nothing, and is refused
	}
	return b.String()
}

// text is anyText, shorter in a small window, which is as full of it as a large one.
func (c *checker) text(r *rand.Rand, n int) string {
	if c.small {
		n /= 6
	}
	return anyText(r, n)
}

// budgets are the limits, in tokens, that every property is tried at.
var budgets = []int{500, 1_000, 2_000, 4_000, 8_000, 24_000, 48_000, 200_000}

// runWindow plays so many operations on a window of a limit and a profile.
func runWindow(t testing.TB, seed uint64, limit int, p Profile, operations int, small bool) {
	c := newChecker(t, Budget{Limit: limit, Profile: p})
	c.small = small
	c.run(rand.New(rand.NewPCG(seed, uint64(limit))), operations)
}

// run plays so many operations.
func (c *checker) run(r *rand.Rand, operations int) {
	c.w.Open(Prefix{System: "You explore code.", Tools: []transcript.ToolSchema{{Name: "tool", Schema: json.RawMessage(`{"type":"object"}`)}}})
	for range r.IntN(6) {
		c.append(transcript.Message{Role: transcript.User, Text: c.text(r, 500), Origin: transcript.History})
		c.append(transcript.Message{Role: transcript.Assistant, Text: c.text(r, 2_000), Origin: transcript.History})
	}
	c.open(r)
	for range operations {
		c.operate(r)
		if r.IntN(3) > 0 {
			c.request()
		}
	}
	c.request()
	c.load()
}

// TestInvariants plays random operations in every profile and budget; make fuzz-long plays millions. One goroutine plays
// them, so the race detector sees only a few.
func TestInvariants(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("one goroutine plays thousands of operations")
	}
	const most = uint64(2)
	for _, p := range Profiles() {
		for _, limit := range budgets {
			t.Run(fmt.Sprintf("%s/%d", p, limit), func(t *testing.T) {
				seeds := most
				if limit > 24_000 {
					seeds = 1 // large windows check slowly
				}
				for seed := range seeds {
					runWindow(t, seed, limit, p, 60, false)
				}
			})
		}
	}
}

func FuzzWindow(f *testing.F) {
	for i := range 8 {
		f.Add(uint64(i), uint16(i*50), uint8(i), uint8(12))
	}
	f.Fuzz(func(t *testing.T, seed uint64, limit uint16, profile, operations uint8) {
		profiles := Profiles()
		runWindow(t, seed, 300+int(limit%901), profiles[int(profile)%len(profiles)], int(operations%16), true)
	})
}

// TestViewsNeedNoRepair repairs views of every profile: nothing changes.
func TestViewsNeedNoRepair(t *testing.T) {
	for _, p := range Profiles() {
		w := window(8_000, p)
		ask(t, w, "prompt")
		for range 30 {
			round(t, w, words(500), words(200))
			if _, err := w.Fit(); err != nil {
				break // off keeps everything
			}
		}
		view, did := transcript.Repair(w.View())
		if !cmp.Equal(view, w.View()) || did != nil {
			t.Errorf("%s: a view was changed: %q", p, did)
		}
	}
}
