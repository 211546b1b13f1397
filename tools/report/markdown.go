package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// PrintOptions configure [Report.Markdown] and [Report.PlainText].
type PrintOptions struct {
	Mermaid bool   // also draw the edges as a Mermaid graph
	Footer  string // the last paragraph: steps, files, bytes, tokens, time, revision
	Partial bool   // not everything was looked at, so that nothing found does not mean that nothing is relevant

	// Short, unless empty, leaves out all but the answer, the calls that lead to its first place, and the first places.
	// It is what the reader can do to see the rest, such as "--long", which the report says.
	Short string
	// Sentences is how many sentences of the answer Short keeps, unless they have topics (0: all).
	Sentences int
}

// Markdown writes the report as foray explore --long prints it: the answer, where to look first, how it fits together,
// excerpts, tests, commits, what is not covered, the footer, and the list RELEVANT_FILES; no empty sections. See
// [PrintOptions] for the short form.
func (r *Report) Markdown(o PrintOptions) string {
	return (&printer{markdown: true}).report(r, o)
}

// PlainText writes the same as [Report.Markdown] without its marks.
func (r *Report) PlainText(o PrintOptions) string { return (&printer{}).report(r, o) }

// A printer writes the sections of a report.
type printer struct {
	strings.Builder
	markdown, mermaid bool
	numbered          bool   // edges are a path, in order
	listed            bool   // sentences are items of a list
	rest              string // what the short form leaves out
}

func (p *printer) report(r *Report, o PrintOptions) string {
	p.mermaid = o.Mermaid && p.markdown
	all := r
	if o.Short != "" {
		r = p.shorten(r, &o)
	}
	p.answer(r, &o)
	places := "Where to look first"
	if !r.Found {
		places = "What comes nearest"
	}
	for _, section := range []struct {
		n     int
		title string
		write func(r *Report)
	}{
		{len(r.Places), places, p.places},
		{len(r.Edges), "How it fits together", p.edges},
		{len(r.Excerpts), "Excerpts", p.excerpts},
		{len(r.Tests), "Tests", p.tests},
		{len(r.Commits), "Recent commits", p.changes},
		{len(r.NotCovered) + one(r.NextQuestion != ""), "Not covered", p.uncovered},
	} {
		if section.n > 0 {
			p.heading("## ", section.title)
			section.write(r)
		}
	}
	p.WriteString(p.rest)
	if o.Footer != "" {
		if p.markdown {
			p.WriteString("---\n")
		}
		p.WriteString(o.Footer + "\n\n")
	}
	p.WriteString(ListHead + "\n")
	for _, c := range all.files() {
		p.WriteString("- " + c.String() + "\n")
	}
	return p.String()
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// heading writes a heading: in Markdown with its marks and a blank line after it.
func (p *printer) heading(marks, s string) {
	if p.markdown {
		s = marks + s + "\n"
	}
	p.WriteString(s + "\n")
}

// usual returns a citation in its usual form.
func usual(s string) string {
	if c, err := ParseCitation(s); err == nil {
		return c.String()
	}
	return line.Single(s)
}

// code marks a name as code.
func (p *printer) code(s string) string {
	s = line.Single(s)
	if !p.markdown || s == "" {
		return s
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// answer writes the sentences. In the short form the code that the first one is about follows it.
func (p *printer) answer(r *Report, o *PrintOptions) {
	if r.Question != "" {
		if p.markdown {
			p.WriteString("# ")
		}
		p.WriteString(line.Single(r.Question) + "\n\n")
	}
	switch {
	case r.Found:
	case o.Partial:
		p.WriteString("No answer was found in the part that could be read; see “Not covered”.\n\n")
	default:
		p.WriteString("Nothing relevant was found.\n\n")
	}
	topic := ""
	for i, s := range r.Summary {
		if s.Topic != topic && s.Topic != "" {
			if !p.markdown || p.listed && topic != "" {
				p.WriteString("\n")
			}
			p.heading("### ", line.Single(s.Topic))
		}
		topic = s.Topic
		if p.listed {
			p.WriteString("- ")
		}
		p.WriteString(line.Single(strings.TrimSpace(s.Text)))
		for _, c := range s.Citations {
			p.WriteString(" [" + usual(c) + "]")
		}
		p.WriteString("\n")
		if p.markdown && !p.listed {
			p.WriteString("\n") // a paragraph each
		}
		if i == 0 && o.Short != "" && len(r.Excerpts) > 0 {
			if !p.markdown || p.listed {
				p.WriteString("\n")
			}
			p.excerpts(r)
			r.Excerpts = nil
			continue // with a blank line at the end
		}
		if i == len(r.Summary)-1 && (!p.markdown || p.listed) {
			p.WriteString("\n")
		}
	}
}

func (p *printer) places(r *Report) {
	if p.markdown {
		p.WriteString("| # | path:lines | symbol | why | confidence |\n|---|---|---|---|---|\n")
	}
	for i, at := range r.Places[:min(len(r.Places), maxRows)] {
		sure := r.trust(i)
		where := at.Citation().String()
		if p.markdown {
			fmt.Fprintf(p, "| %d | %s | %s | %s | %s |\n",
				i+1, cell(p.code(where)), cell(p.code(at.Symbol)), cell(line.Single(at.Why)), sure)
			continue
		}
		columns := []string{where, line.Single(at.Symbol), line.Single(at.Why), sure}
		columns = slices.DeleteFunc(columns, func(s string) bool { return s == "" })
		fmt.Fprintf(p, "%2d  %s\n", i+1, strings.Join(columns, "  "))
	}
	if more := len(r.Places) - maxRows; more > 0 {
		p.WriteString("\n" + line.Count(more, "further place") + " in RELEVANT_FILES\n")
	}
	p.WriteString("\n")
}

// maxRows is how many places the table shows. The list holds all.
const maxRows = 12

// cell escapes the mark that ends a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func (p *printer) edges(r *Report) {
	for i, e := range r.Edges {
		mark := "-"
		if p.numbered {
			mark = fmt.Sprintf("%d.", i+1)
		}
		fmt.Fprintf(p, "%s %s %s %s [%s]\n", mark, p.code(e.From), cmp.Or(line.Single(e.Kind), "→"), p.code(e.To), usual(e.Citation))
	}
	p.WriteString("\n")
	if p.mermaid {
		p.graph(r.Edges)
	}
}

func (p *printer) graph(edges []Edge) {
	p.WriteString("```mermaid\nflowchart LR\n")
	var names []string
	id := func(name string) string {
		i := slices.Index(names, name)
		if i >= 0 {
			return fmt.Sprintf("n%d", i)
		}
		names = append(names, name)
		return fmt.Sprintf("n%d[\"%s\"]", len(names)-1, label(name))
	}
	for _, e := range edges {
		from := id(e.From)
		fmt.Fprintf(p, "  %s -->|\"%s\"| %s\n", from, label(e.Kind), id(e.To))
	}
	p.WriteString("```\n\n")
}

// label escapes a text for the quotes of a Mermaid graph.
func label(s string) string {
	return strings.NewReplacer(`"`, "#quot;", "`", "#96;", "<", "#lt;", ">", "#gt;").Replace(cmp.Or(line.Single(s), " "))
}

func (p *printer) excerpts(r *Report) {
	for _, e := range r.Excerpts {
		p.WriteString(p.code(e.Citation().String()) + "\n")
		if p.markdown {
			text := strings.Join(e.Lines, "\n")
			fence := strings.Repeat("`", max(longestRun(text)+1, 3))
			fmt.Fprintf(p, "\n%s%s\n%s\n%s\n\n", fence, strings.TrimPrefix(path.Ext(e.Path), "."), text, fence)
			continue
		}
		for i, text := range e.Lines {
			fmt.Fprintf(p, "%4d│ %s\n", e.Start+i, text)
		}
		p.WriteString("\n")
	}
}

// longestRun returns the length of the longest run of backticks in s.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

func (p *printer) tests(r *Report) {
	for _, at := range r.Tests {
		p.WriteString("- " + p.code(at.Citation().String()))
		if at.Symbol != "" {
			p.WriteString(" " + p.code(at.Symbol))
		}
		if at.Why != "" {
			p.WriteString(" " + line.Single(at.Why))
		}
		p.WriteString("\n")
	}
	p.WriteString("\n")
}

// shortHash is how much of a hash is printed.
const shortHash = 12

func (p *printer) changes(r *Report) {
	for _, c := range r.Commits {
		p.WriteString("- " + p.code(c.Commit[:min(len(c.Commit), shortHash)]))
		for _, part := range []string{line.Single(c.Date), line.Single(c.Subject)} {
			if part != "" {
				p.WriteString(" " + part)
			}
		}
		if c.Path != "" {
			p.WriteString(" " + p.code(line.Path(c.Path)))
		}
		p.WriteString("\n")
	}
	p.WriteString("\n")
}

func (p *printer) uncovered(r *Report) {
	for _, s := range r.NotCovered {
		p.WriteString("- " + line.Single(s) + "\n")
	}
	if r.NextQuestion != "" {
		p.WriteString("- Next question: " + line.Single(r.NextQuestion) + "\n")
	}
	p.WriteString("\n")
}

// files returns the citations of the places, or of the answer without places, each once.
func (r *Report) files() []Citation {
	var all []Citation
	for _, at := range r.Places {
		all = append(all, at.Citation())
	}
	for _, s := range r.Summary {
		for _, cited := range s.Citations {
			if c, err := ParseCitation(cited); err == nil && len(r.Places) == 0 {
				all = append(all, c)
			}
		}
	}
	seen := map[Citation]bool{}
	return slices.DeleteFunc(all, func(c Citation) bool {
		again := seen[c]
		seen[c] = true
		return again
	})
}
