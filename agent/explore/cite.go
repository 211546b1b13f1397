package explore

import (
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/tools/report"
)

// written matches a file name, with or without lines, anywhere in a sentence.
var written = lazyregexp.New(`[\w@.+/-]*\w\.\w+(?:(?::L?|#L)\d{1,9}(?:-L?\d{1,9})?)?`)

// numberedLines matches lines that a sentence names in words: line 12, lines 12-30, 40 and 50.
var numberedLines = lazyregexp.New(`(?i)\blines? (\d{1,9}(?:-\d{1,9})?(?:(?:,| and|, and) \d{1,9}(?:-\d{1,9})?)*)`)

var lineRange = lazyregexp.New(`\d+(?:-\d+)?`)

// sentenceEnds matches the end of a sentence inside a line, with the citations that follow it.
var sentenceEnds = lazyregexp.New(`[.!?。！？][)\]"'` + "`" + `]*(?:\s*[\[【][^\[\]【】\n]*\d行?[\]】])*(?:\s+|$)`)

// repair returns a text whose sentences cite. A citation whose file and lines exist, and whose lines hold what its
// sentence names, stays as it is. Another gets the path and lines of what it means, or is removed if that is not known;
// notes says which. A sentence without one gets the lines of the place whose path or definition it names, or whose
// words it repeats, or the first line with its numbers. Code blocks, and the list of files at the end, stay as they
// are.
func (c *citer) repair(text string) string {
	var out strings.Builder
	fenced := false
	body, list := text, ""
	if at := strings.LastIndex(text, report.ListHead); at >= 0 {
		body, list = text[:at], text[at:]
	}
	for l := range strings.Lines(body) {
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fenced = !fenced
		} else if fenced {
			c.checkCode(l)
		} else {
			l = c.repairLine(l)
		}
		out.WriteString(l)
	}
	return out.String() + list
}

// otherBlanks turns blanks that no line holds into the usual one.
var otherBlanks = strings.NewReplacer("\f", " ", "\v", " ")

func (c *citer) repairLine(l string) string {
	l = otherBlanks.Replace(l)
	bare := strings.TrimRight(l, " \t\r\n")
	end := l[len(bare):]
	var out strings.Builder
	from := 0
	for _, m := range sentenceEnds.FindAllStringIndex(bare, -1) {
		out.WriteString(c.sentence(bare[from:m[1]]))
		from = m[1]
	}
	if from < len(bare) {
		out.WriteString(c.sentence(bare[from:]))
	}
	return out.String() + end
}

// sentence returns a sentence with its citations checked, and with one if it has none but names what has.
func (c *citer) sentence(s string) string {
	checked, cites := c.checkGroups(s)
	checked, mentions := c.checkMentions(checked)
	if cites {
		return checked
	}
	if len(mentions) > 0 {
		return cited(checked, mentions...)
	}
	s = checked
	for _, w := range written.FindAllString(s, -1) {
		if usual, err := resolve(c.files, w); err == nil {
			if all := append(c.inWords(usual, s), c.definitions(s, usual)...); len(all) > 0 {
				return cited(s, all[:min(len(all), maxAdded)]...)
			}
		}
		if right := c.meant(w); right != "" {
			return cited(s, right)
		}
	}
	if all := c.definitions(s, ""); len(all) > 0 {
		return cited(s, all[:min(len(all), maxAdded)]...)
	}
	if i := firstRun(c.runs, s); i >= 0 {
		return cited(s, c.places[i].Citation().String())
	}
	if at := c.numbered(numbersIn(s)); at != "" {
		return cited(s, at)
	}
	return s
}

// maxAdded is how many citations a sentence gets.
const maxAdded = 3

// inWords returns the lines of a file that a sentence names in words.
func (c *citer) inWords(file, s string) (all []string) {
	m := numberedLines.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	for _, lines := range lineRange.FindAllString(m[1], -1) {
		if usual, err := resolve(c.files, file+":"+lines); err == nil && !slices.Contains(all, usual) {
			all = append(all, usual)
		}
	}
	return all
}

// sentenceMark matches the mark at the end of a sentence, with the quotes and brackets that close after it.
var sentenceMark = lazyregexp.New(`[.!?:。！？]+[)\]"'` + "`" + `]*$`)

// cited puts citations at the end of a sentence, before its mark and blanks.
func cited(s string, citations ...string) string {
	rest := strings.TrimRight(s, " \t")
	blank, mark := s[len(rest):], sentenceMark.FindString(rest)
	return strings.TrimSuffix(rest, mark) + " [" + strings.Join(citations, "] [") + "]" + mark + blank
}

// checkGroups checks the citations in brackets of a sentence. It reports whether any is left.
func (c *citer) checkGroups(s string) (out string, cites bool) {
	var b strings.Builder
	from := 0
	for _, m := range group.FindAllStringSubmatchIndex(s, -1) {
		inside, before, at := "", "", m[3]
		for i := 6; i < len(m); i += 2 {
			if m[i] >= 0 {
				inside = s[m[i]:m[i+1]]
			}
		}
		if m[4] >= 0 && parseGroup(s[m[4]:m[5]]) == nil { // a link, which cites its address
			before = s[m[4]:m[5]] + " "
		}
		all := parseGroup(inside)
		if all == nil || !slices.ContainsFunc(all, mention.looksLikePath) && !slices.ContainsFunc(all, c.isPlace) {
			continue
		}
		var right []string
		for _, x := range all {
			if fixed := c.check(x, claimOf(s, at)); fixed != "" && !slices.Contains(right, fixed) {
				right = append(right, fixed)
			}
		}
		kept := s[from:at] + before
		if len(right) == 0 {
			b.WriteString(strings.TrimRight(kept, " "))
		} else {
			cites = true
			b.WriteString(kept + "[" + strings.Join(right, "] [") + "]")
		}
		from = m[1]
	}
	b.WriteString(s[from:])
	return b.String(), cites
}

// claimOf returns what a citation at an offset of a sentence shows: what precedes it, or the sentence if nothing does.
func claimOf(s string, at int) string {
	if strings.IndexFunc(s[:at], unicode.IsLetter) < 0 {
		return s
	}
	return s[:at]
}

// bare matches a path with lines outside of brackets.
var bare = lazyregexp.New(`(~~)?([\w@.+/~-]*\w\.\w+)(?::L?|#L)(\d{1,18})(?:[-–]L?(\d{1,18}))?`)

// checkMentions checks paths with lines outside of brackets: it corrects what is wrong, and strikes out what is not
// known. It returns the citations of the sentence.
func (c *citer) checkMentions(s string) (out string, citations []string) {
	var b strings.Builder
	from := 0
	for _, m := range bare.FindAllStringSubmatchIndex(s, -1) {
		if m[2] >= 0 || m[0] > 0 && s[m[0]-1] == '[' {
			continue // struck out before, or checked
		}
		last := ""
		if m[8] >= 0 {
			last = s[m[8]:m[9]]
		}
		x := mentionOf(s[m[4]:m[5]], s[m[6]:m[7]], last)
		if !strings.Contains(x.path, "/") && !c.knowsEnding(x.path) {
			continue // an address or a version
		}
		b.WriteString(s[from:m[0]])
		if fixed := c.check(x, claimOf(s, m[0])); fixed == "" {
			b.WriteString("~~" + s[m[0]:m[1]] + "~~")
		} else {
			citations = append(citations, fixed)
			b.WriteString(s[m[0]:m[1]])
		}
		from = m[1]
	}
	b.WriteString(s[from:])
	return b.String(), citations
}

// checkCode notes wrong citations in a line of a code block, which stays as it is.
func (c *citer) checkCode(l string) {
	for _, m := range group.FindAllStringSubmatch(l, -1) {
		for _, x := range parseGroup(m[3] + m[4] + m[5] + m[6]) {
			if name := c.plainPath(x.path); x.looksLikePath() && strings.Contains(x.path, "/") {
				if why := c.wrong(x.ordered(name), ""); why != "" {
					c.note("the citation %s in a code block is wrong: %s", x, why)
				}
			}
		}
	}
}
