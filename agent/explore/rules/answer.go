package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Disclosure is the first line of every answer.
const Disclosure = "offline planner: rules, no language model"

// conclusion is the answer in text, made of the report that was accepted, or of what is known when none was.
func (r *run) conclusion() string {
	rep := r.build()
	note := ""
	switch last, ok := r.submitted(); {
	case !ok && len(r.talk.exchanges) == 0:
		note = "Nothing was looked at: no tool was called.\n"
	case !ok:
		note = "Not finished: this is what was found so far, and no report was checked.\n"
	case last.failed:
		rep.drop(last.text)
		note = "The report was refused; what was refused is left out: " + oneLine(last.text) + "\n"
	default:
		rep.drop(r.refusal())
	}
	return Disclosure + "\n" + note + "\n" + rep.text()
}

// refusal is why the report before the last one was refused, or "".
func (r *run) refusal() string {
	for _, x := range r.talk.exchanges {
		if x.name == "report" && x.failed {
			return x.text
		}
	}
	return ""
}

// text is the short form of a report.
func (rep *report) text() string {
	var b strings.Builder
	for _, s := range rep.Summary {
		b.WriteString(s.Text)
		for _, c := range s.Citations {
			fmt.Fprintf(&b, " [%s]", c)
		}
		b.WriteByte('\n')
	}
	if len(rep.NotCovered) > 0 {
		b.WriteString("\nNot covered:\n")
		for _, s := range rep.NotCovered {
			b.WriteString("- " + s + "\n")
		}
	}
	if rep.NextQuestion != "" {
		b.WriteString("\nNext question: " + rep.NextQuestion + "\n")
	}
	b.WriteString("\nRELEVANT_FILES:\n")
	var told []string
	for _, p := range rep.Places {
		c := cite(p.Path, p.Start, p.End)
		if p.Start == p.End {
			c = fmt.Sprintf("%s:%d-%d", p.Path, p.Start, p.End)
		}
		if !slices.Contains(told, c) {
			told = append(told, c)
			b.WriteString("- " + c + "\n")
		}
	}
	return b.String()
}
