package canaries

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/planted"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/toollimit"
)

// Carriers: where a sentence is said.
const (
	short   = "short"  // a message of its own
	beside  = "beside" // before or after a paste
	inside  = "inside" // a line of a paste
	tool    = "tool"   // a line of a tool's result
	spoken  = "assistant"
	perKind = 5 // items of each kind in a session, one for each carrier
)

var (
	carriers = []string{short, beside, inside, tool, spoken}
	kinds    = []string{"rule", "preference", "decision", "fact", "correction", "todo", "deadline", "state"}
)

// An item is a planted sentence. If old is set, the sentence supersedes it.
type item struct {
	kind, wording, carrier string
	old                    *planted.Statement
	planted.Statement
	said int // unit that says it
	at   int // tokens of the session before it
}

// own reports whether the user said the item in words of his own.
func (i *item) own() bool { return i.carrier == short || i.carrier == beside }

// A session is a generated conversation.
type session struct {
	id       string
	language string
	windows  int
	budget   int
	system   string
	units    []recording.Unit
	items    []*item
	tokens   int
}

// A planting is a statement that a session makes at a position, in tokens.
type planting struct {
	at      int
	carrier string
	text    string
	item    *item // nil for an old sentence or a decoy
}

// A generator writes one session.
type generator struct {
	*session
	*deck
	feed
	paste int // mean size of a paste, in tokens
	calls int
	used  map[string]int // templates, by their text
}

// Sizes of a session.
const (
	settled  = 1.3 // windows at the end of a session in which nothing is planted
	decoys   = 2   // own facts that a later paste contradicts
	least    = 200 // tokens of the mean paste
	mostPart = .25 // of the budget, of the mean paste
	oldPart  = .6  // of the planting time, in which what is superseded later is said
	toolPart = .45 // of turns that call a tool
	talkPart = .45 // of turns without a planted sentence that have no paste either
)

// A spec says which session to write. Equal specs give equal sessions.
type spec struct {
	*phrasebook
	noise   *noiseText
	split   string
	windows int
	budget  int
	seed, n uint64
}

func (p *spec) id() string { return fmt.Sprintf("%s-%d-%d-%d", p.language, p.windows, p.budget, p.n) }

// session writes the session, which fills about the windows of its spec.
func (p *spec) session() *session {
	tongue := uint64(slices.Index(languages, p.language))
	r := rand.New(rand.NewPCG(p.seed, p.n<<32|uint64(p.windows)<<20^uint64(p.budget)<<2|tongue))
	g := &generator{
		session: &session{id: p.id(), language: p.language, windows: p.windows, budget: p.budget, system: p.prompt},
		deck:    newDeck(p.phrasebook, r, p.split, p.noise),
		feed:    feed{noiseText: p.noise, r: r},
		used:    make(map[string]int),
	}
	windows, budget := p.windows, p.budget
	end := max(int((float64(windows)-settled)*float64(budget)), budget/2)
	plantings := g.plan(end)
	g.paste = min(max(end/len(plantings)*6/5, least), int(mostPart*float64(budget)))
	g.add(transcript.Message{Role: transcript.User, Text: g.chat()})
	g.answer(nil)
	for i := range plantings {
		for g.tokens < plantings[i].at {
			g.turn(nil)
		}
		g.turn(&plantings[i])
	}
	for last := g.tokens; g.tokens < max(windows*budget, last+int(settled*float64(budget))); {
		g.turn(nil)
	}
	return g.session
}

// plan makes the items and says when each sentence is said, in tokens before end.
func (g *generator) plan(end int) (plan []planting) {
	r := g.deck.r
	contradicted := 0
	for _, kind := range kinds {
		for n := range perKind {
			carrier := carriers[n]
			it, t, unit := g.item(kind, carrier)
			g.items = append(g.items, it)
			at := r.IntN(end)
			if it.old != nil {
				before := r.IntN(int(oldPart * float64(end)))
				at = before + 1 + r.IntN(end-before-1)
				plan = append(plan, planting{at: before, carrier: carrier, text: it.old.Text})
			}
			if value := g.decoy(it, t, contradicted); value != "" {
				contradicted++
				at /= 2
				other := say(t.text, unit, value)
				plan = append(plan, planting{at: at + 1 + r.IntN(end-at), carrier: inside, text: other.Text})
			}
			plan = append(plan, planting{at: at, carrier: carrier, text: it.Text, item: it})
		}
	}
	slices.SortStableFunc(plan, func(a, b planting) int { return cmp.Compare(a.at, b.at) })
	return plan
}

// decoy returns another value for one of the user's own facts, as long as a session needs decoys.
func (g *generator) decoy(it *item, t template, so int) string {
	if it.kind != "fact" || !it.own() || so >= decoys {
		return ""
	}
	return g.deal(t.valueKind())
}

// item makes an item of a kind for a carrier.
func (g *generator) item(kind, carrier string) (*item, template, string) {
	speaker := user
	if carrier == spoken {
		speaker = assistant
	}
	fit := g.templatesOf(kind, speaker)
	for {
		t := g.fresh(fit)
		value, other := g.deal(t.valueKind()), "-"
		if t.old != "" {
			other = g.deal(t.valueKind())
		}
		if value == "" || other == "" {
			continue // a pool is used up
		}
		unit := g.unit()
		it := &item{kind: kind, wording: t.wording, carrier: carrier, Statement: say(t.text, unit, value)}
		if t.old != "" {
			old := say(t.old, unit, other)
			it.old = &old
		}
		return it, t, unit
	}
}

// fresh returns a template that the session used least, so that no shape of sentence stands out by its number.
func (g *generator) fresh(fit []template) template {
	r := g.deck.r
	r.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
	t := slices.MinFunc(fit, func(a, b template) int { return cmp.Compare(g.used[a.text], g.used[b.text]) })
	g.used[t.text]++
	return t
}

// add appends a unit.
func (g *generator) add(head transcript.Message, results ...transcript.Message) {
	u := append(recording.Unit{head}, results...)
	g.units = append(g.units, u)
	g.tokens += size(u)
}

// turn adds a message of the user, calls of tools, and the assistant's answer. One of them says what is planted.
func (g *generator) turn(p *planting) {
	r := g.deck.r
	carrier := ""
	if p != nil {
		carrier = p.carrier
	}
	g.add(transcript.Message{Role: transcript.User, Text: g.userText(p, carrier)})
	if p != nil && carrier != tool && carrier != spoken {
		g.said(p)
	}
	if carrier == tool || r.Float64() < toolPart {
		g.call(p, carrier)
	}
	g.answer(p)
}

// said notes that the last unit says what is planted.
func (g *generator) said(p *planting) {
	if p.item != nil {
		p.item.said, p.item.at = len(g.units)-1, g.tokens
	}
}

// userText writes a message of the user.
func (g *generator) userText(p *planting, carrier string) string {
	r := g.deck.r
	switch carrier {
	case short:
		switch r.IntN(4) {
		case 0:
			return g.chat() + " " + p.text
		case 1:
			return p.text + " " + g.chat()
		}
		return p.text
	case beside:
		paste := strings.Join(g.pasted(), "\n")
		switch r.IntN(6) {
		case 0, 1:
			return p.text + "\n\n" + paste
		case 2:
			return g.choose(g.lead) + " " + p.text + "\n\n" + paste
		case 3:
			return g.chat() + " " + p.text + "\n\n" + paste + "\n\n" + g.chat()
		case 4:
			return paste + "\n\n" + g.chat() + " " + p.text
		}
		return g.choose(g.lead) + "\n\n" + paste + "\n\n" + p.text
	case inside:
		return g.choose(g.lead) + "\n\n" + strings.Join(g.hide(g.pasted(), p.text), "\n")
	case "":
		if r.Float64() > talkPart {
			return g.choose(g.lead) + "\n\n" + strings.Join(g.pasted(), "\n")
		}
	}
	return g.chat()
}

// chat returns something that is said in passing.
func (g *generator) chat() string {
	return strings.ReplaceAll(g.choose(g.talk), "{noise}", g.name())
}

func (g *generator) choose(from []string) string { return from[g.deck.r.IntN(len(from))] }

// pasted returns a passage of a random size: from a fifth to three times the mean, small ones as often as large ones.
func (g *generator) pasted() []string {
	tokens := float64(g.paste) * math.Exp(g.deck.r.Float64()*2.7-1.6)
	return g.passage(min(int(tokens), g.budget/2))
}

// hide puts a sentence between the lines of a passage, as one of its lines.
func (g *generator) hide(lines []string, text string) []string {
	r := g.deck.r
	at := len(lines)/4 + r.IntN(len(lines)/2+1)
	marks := []string{"", "", "# ", "// ", "- ", "    "}
	return slices.Insert(slices.Clone(lines), at, marks[r.IntN(len(marks))]+text)
}

// call adds a call with its result. A carrier that is a tool says what is planted in it.
func (g *generator) call(p *planting, carrier string) {
	g.calls++
	lines := g.pasted()
	if carrier == tool {
		lines = g.hide(lines, p.text)
	}
	name, arg, kind := "read_file", "path", toollimit.File
	value := g.pick("folder") + "/" + g.pick("file")
	if g.deck.r.IntN(2) == 0 {
		name, arg, kind = "run", "command", toollimit.Output
		value = "cat " + value
	}
	args, _ := json.Marshal(map[string]string{arg: value}) // strings always marshal
	id := "call_" + strconv.Itoa(g.calls)
	g.add(
		transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: name, Args: args}}},
		transcript.Message{Role: transcript.Tool, CallID: id, Name: name, Kind: kind, Text: strings.Join(lines, "\n")},
	)
	if carrier == tool {
		g.said(p)
	}
}

// answer adds the assistant's answer: one to four sentences, and what is planted if the assistant says it.
func (g *generator) answer(p *planting) {
	r := g.deck.r
	var parts []string
	for range 1 + r.IntN(4) {
		parts = append(parts, g.sentence())
	}
	speaks := p != nil && p.carrier == spoken
	if speaks {
		parts = slices.Insert(parts, r.IntN(len(parts)+1), p.text)
	}
	separator := " "
	if r.IntN(3) == 0 {
		separator = "\n\n"
	}
	g.add(transcript.Message{Role: transcript.Assistant, Text: strings.Join(parts, separator)})
	if speaks {
		g.said(p)
	}
}
