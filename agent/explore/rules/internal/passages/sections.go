package passages

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// A Section is a part of a document that says much on a question, with the paragraph that has most of the question.
type Section struct {
	Passage
	Title   string
	Whole   report.Place    // all of its lines
	Score   float64         // 0 to 1, by all words of the section and its title
	Proof   float64         // share of the question in its title and that paragraph
	Gap     float64         // of the first: how many times the score of the next under another title; else 1
	Example documents.Quote // the first line of the first block of code below the paragraph, or else of the section
	At      int             // line of the example; 0 without one
	Leads   bool            // the paragraph leads to the example
}

// Bounds of sections.
const (
	maxSections  = 5   // to rank
	readSections = 3   // to read
	sectionLines = 150 // lines read of a section
)

func (s *Search) sectionsCall() rulemodel.Call {
	return rulemodel.Ask("find_symbol", map[string]any{"name": s.question, "kind": "section", "limit": maxSections},
		"the sections of documents that say most on the question")
}

func readSection(h codebase.Symbol) rulemodel.Call {
	return rulemodel.Ask("read_file", map[string]any{"path": h.Path, "start_line": h.Start,
		"end_line": min(h.End, h.Start+sectionLines-1)}, "what the section “"+h.Name+"” says")
}

// ranked returns the sections to read, best first.
func (s *Search) ranked() []codebase.Symbol {
	r, _ := lookup.Decode[codebase.SymbolResult](s.results, s.sectionsCall())
	return slices.DeleteFunc(r.Items, func(h codebase.Symbol) bool {
		return h.Path == "" || h.Start < 1 || h.End < h.Start
	})
}

// aloneGap is the gap of a section that is the only one with a word of the question.
const aloneGap = 10

// gap returns how many times the score of the next section under another title the first one has.
func gap(ranked []codebase.Symbol) float64 {
	for _, h := range ranked[1:] {
		if h.Name != ranked[0].Name {
			return min(ranked[0].Score/max(h.Score, 1e-9), aloneGap)
		}
	}
	return aloneGap
}

// Sections returns the sections that say most on the question, best first, each with its best paragraph by the worth of
// each word of the question. A section without a paragraph or a row of a table is left out.
func (s *Search) Sections(worths []float64) (all []*Section) {
	ranked := s.ranked()
	for i, h := range ranked[:min(len(ranked), readSections)] {
		r, ok := lookup.Decode[codebase.FileResult](s.results, readSection(h))
		if !ok || len(r.Items) == 0 || r.Items[0].StartLine != h.Start {
			continue
		}
		x := &Section{Title: h.Name, Score: h.Score, Gap: 1}
		x.Whole = report.Place{Path: h.Path, Start: h.Start, End: h.End, Symbol: h.Name, Why: "section “" + h.Name + "”"}
		if h.Name == "" {
			x.Whole.Why = "before its first title"
		}
		if i == 0 {
			x.Gap = gap(ranked)
		}
		lines := r.Items[0].Lines
		if x.choose(h, lines, s.words, worths); x.Text == "" {
			continue
		}
		x.Amounts = s.settles(x.Text)
		all = append(all, x)
	}
	return all
}

// choose takes the paragraph of a section, or the row of a table, that has most of the question; the first one if none
// has a word of it. A word that is in the title, or in many paragraphs, says less.
func (x *Section) choose(h codebase.Symbol, lines []string, words []Word, worths []float64) {
	all := paragraphs(h.Path, lines)
	given := worths
	worths = within(all, words, worths)
	for i, w := range words {
		if w.Re.MatchString(h.Name) {
			worths[i] *= titledShare
		}
	}
	best, most := -1, -1.0
	for i, p := range all {
		if worth := worthIn(words, p.text, worths); worth > most {
			best, most = i, worth
		}
	}
	if best < 0 {
		return
	}
	p := all[best]
	x.Passage = Passage{Quote: lines[p.from]}
	x.Place = report.Place{Path: h.Path, Start: h.Start + p.from, End: h.Start + p.to - 1}
	x.Proof = shareOf(words, h.Name+" "+p.text, given)
	sentences := comments.Sentences(p.text)
	if x.say(words, sentences, worths); x.Text == "" {
		x.Text = sentences[0]
	}
	x.Text = withLead(x.Text, all[:best+1])
	intro := strings.HasSuffix(x.Text, ":") // what it says is in the items below
	for _, next := range all[best+1:] {
		if !intro || !next.item || strings.Join(lines[p.to:next.from], "") != "" || len(x.Text)+len(next.text) > maxText {
			break
		}
		x.Text = listed(x.Text) + next.text
		p.to, x.End = next.to, h.Start+next.to-1
	}
	x.Text = dangling.ReplaceAllString(x.Text, "")
	at := p.to
	example, ok := documents.Command(lines[at:])
	if x.Leads = strings.HasSuffix(x.Text, ":") && ok; !ok {
		at = 1
		example, ok = documents.Command(lines[at:])
	}
	if ok && documents.Is(h.Path) {
		x.Example, x.At = example, h.Start+at+example.Start
	}
}

// withLead puts the sentence that leads to a list in front of the text of its last paragraph so far, if that is an item
// of one, with the items between as far as there is room.
func withLead(text string, all []paragraph) string {
	last := len(all) - 1
	at := last
	for at > 0 && all[at].item {
		at--
	}
	if at == last || !strings.HasSuffix(all[at].text, ":") {
		return text
	}
	sentences := comments.Sentences(all[at].text)
	lead := sentences[len(sentences)-1] + " "
	between := ""
	for _, p := range all[at+1 : last] {
		between += listed(p.text)
	}
	if len(lead)+len(between)+len(text) > maxText && between != "" {
		between = "… "
	}
	if len(lead)+len(between)+len(text) > maxText {
		return text
	}
	return lead + between + text
}

// dangling matches how an item ends that others follow.
var dangling = lazyregexp.New(`[,;](?: (?:and|or|und|oder))?$`)

// listed ends a text before an item of a list: the sentence that leads to it, or another item.
func listed(text string) string {
	if strings.HasSuffix(text, ":") {
		return text + " "
	}
	return strings.TrimSuffix(dangling.ReplaceAllString(text, ""), ".") + "; "
}

// shareOf returns the share of the question, by the worth of its words, in a text.
func shareOf(words []Word, text string, worths []float64) float64 {
	whole := 0.0
	for _, w := range worths {
		whole += w
	}
	return worthIn(words, text, worths) / max(whole, 1e-9)
}

// titledShare is how much a word says in a paragraph if the title of its section has it.
const titledShare = .5

// within returns the worth of each word among the paragraphs of one section.
func within(all []paragraph, words []Word, worths []float64) []float64 {
	worths = slices.Clone(worths)
	for i, w := range words {
		having := 0
		for _, p := range all {
			if w.Re.MatchString(p.text) {
				having++
			}
		}
		worths[i] *= textsearch.Rarity(float64(len(all)), float64(having))
	}
	return worths
}

// A paragraph is lines of prose, or one row of a table.
type paragraph struct {
	from, to int // indexes of lines
	text     string
	item     bool
}

// row matches a row of a table in Markdown, ruled the line below the names of its columns, and underline one below a
// title.
var (
	underline = lazyregexp.New(`^[=\-~^"*+#.]{3,}\s*$`)
	row       = lazyregexp.New(`^\s*\|(.+)\|\s*$`)
	ruled     = lazyregexp.New(`^[\s|:-]+$`)
	fence     = lazyregexp.New("^\\s*```") // ~~~ underlines titles in reStructuredText
)

// paragraphs returns the paragraphs of a section, items of lists apart, without blocks of code.
func paragraphs(file string, lines []string) (all []paragraph) {
	code, open := false, false
	for i, l := range lines {
		bare := l
		if !documents.Is(file) {
			bare = comments.Text(l)
		}
		if fence.MatchString(bare) {
			code, open = !code, false
			continue
		}
		if code {
			continue
		}
		text := strings.Join(strings.Fields(prose(file, l)), " ")
		cells := row.FindStringSubmatch(l)
		titled := strings.HasPrefix(bare, "#") || i+1 < len(lines) && underline.MatchString(lines[i+1])
		switch {
		case cells != nil && !ruled.MatchString(l):
			text = documents.Plain(strings.ReplaceAll(cells[1], "|", " | "))
			all, open = append(all, paragraph{i, i + 1, text, true}), false
		case text == "" || titled:
			open = false
		case open && !isItem(file, l):
			last := &all[len(all)-1]
			last.to, last.text = i+1, last.text+" "+text
		default:
			all, open = append(all, paragraph{i, i + 1, text, isItem(file, l)}), true
		}
	}
	return all
}
