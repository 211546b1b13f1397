package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/evals/internal/cited"
	"github.com/forayhq/foray/evals/internal/planted"
)

// An exact check compares the whole answer.
type exact struct {
	head
	Text       texts `json:"text"` // any of them
	IgnoreCase bool  `json:"ignore_case"`
}

func (e *exact) prepare(*Options) error {
	if len(e.Text) == 0 {
		return errors.New("text is missing: the answer, or an array of possible answers")
	}
	return nil
}

func (e *exact) judge(_ context.Context, o *Outcome) (Verdict, error) {
	answer := strings.TrimSpace(o.Answer)
	for _, want := range e.Text {
		want = strings.TrimSpace(want)
		if answer == want || e.IgnoreCase && strings.EqualFold(answer, want) {
			return yes(), nil
		}
	}
	return no("the answer is %s, not %s", shown(answer), shown(e.Text[0])), nil
}

// A contains check looks for texts in the answer.
type contains struct {
	head
	All        texts `json:"all"`
	Any        texts `json:"any"`
	Not        texts `json:"not"`
	IgnoreCase bool  `json:"ignore_case"`
	without
}

// without says what is not part of an answer.
type without struct {
	NoCitations bool `json:"no_citations"` // main.go:12 has no 12
}

func (w *without) answer(o *Outcome) string {
	if w.NoCitations {
		return cited.Pattern.ReplaceAllString(o.Answer, "")
	}
	return o.Answer
}

func (c *contains) prepare(*Options) error {
	if len(c.All)+len(c.Any)+len(c.Not) == 0 {
		return errors.New("nothing to look for: give all, any or not")
	}
	if slices.Contains(slices.Concat(c.All, c.Any, c.Not), "") {
		return errors.New("every text contains the empty text")
	}
	return nil
}

// judge scores the share of wanted texts that the answer has, and 0 if it has one that it must not have.
func (c *contains) judge(_ context.Context, o *Outcome) (Verdict, error) {
	answer := c.answer(o)
	has := func(text string) bool { return strings.Contains(answer, text) }
	if c.IgnoreCase {
		answer = strings.ToLower(answer)
		has = func(text string) bool { return strings.Contains(answer, strings.ToLower(text)) }
	}
	if at := slices.IndexFunc(c.Not, has); at >= 0 {
		return no("the answer has %s", shown(c.Not[at])), nil
	}
	wanted, found := len(c.All), 0
	var missing []string
	for _, text := range c.All {
		if has(text) {
			found++
		} else {
			missing = append(missing, shown(text))
		}
	}
	if len(c.Any) > 0 {
		wanted++
		if slices.ContainsFunc(c.Any, has) {
			found++
		} else {
			missing = append(missing, fmt.Sprintf("any of %q", []string(c.Any)))
		}
	}
	return share(found, wanted, "the answer lacks ", missing), nil
}

// A pattern check matches the answer with regular expressions.
type pattern struct {
	head
	Pattern texts `json:"pattern"` // all of them match
	Not     texts `json:"not"`
	without

	match, not []*regexp.Regexp
}

func (p *pattern) prepare(*Options) (err error) {
	if len(p.Pattern)+len(p.Not) == 0 {
		return errors.New("nothing to match: give pattern or not")
	}
	if slices.Contains(slices.Concat(p.Pattern, p.Not), "") {
		return errors.New("every answer matches the empty pattern")
	}
	if p.match, err = compile(p.Pattern); err == nil {
		p.not, err = compile(p.Not)
	}
	return err
}

func compile(patterns []string) (all []*regexp.Regexp, err error) {
	for _, text := range patterns {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		all = append(all, re)
	}
	return all, nil
}

func (p *pattern) judge(_ context.Context, o *Outcome) (Verdict, error) {
	answer := p.answer(o)
	for _, re := range p.not {
		if found := re.FindString(answer); found != "" || re.MatchString(answer) {
			return no("the answer has %s, which matches %s", shown(found), re), nil
		}
	}
	found := 0
	var missing []string
	for _, re := range p.match {
		if re.MatchString(answer) {
			found++
		} else {
			missing = append(missing, re.String())
		}
	}
	return share(found, len(p.match), "the answer does not match ", missing), nil
}

// A number check looks for a number in the answer.
type number struct {
	head
	Equals    *float64 `json:"equals"`
	Tolerance float64  `json:"tolerance"` // absolute
	Relative  float64  `json:"relative"`  // share of equals
	Which     string   `json:"which"`     // first or last
	After     string   `json:"after"`     // a text before the number, in any case

	after *regexp.Regexp
}

// numeral finds a number, with separators of thousands or without.
var numeral = regexp.MustCompile(`(?:\d{1,3}(?:[,_' ]\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`)

// joined and more find what makes a number part of a longer word: before and after it.
var joined, more = regexp.MustCompile(`[A-Za-z0-9]\.?$|\.$`), regexp.MustCompile(`^\.\d`)

// separators may come between groups of three digits.
var separators = strings.NewReplacer(",", "", "_", "", "'", "", " ", "")

func (n *number) prepare(*Options) error {
	switch {
	case n.Equals == nil:
		return errors.New("equals is missing")
	case n.Tolerance < 0 || n.Relative < 0:
		return errors.New("a tolerance must not be negative")
	case n.Which != "" && n.Which != "first" && n.Which != "last":
		return fmt.Errorf("which is %q: it must be first or last", n.Which)
	}
	n.after = regexp.MustCompile("(?i)" + regexp.QuoteMeta(n.After))
	return nil
}

func (n *number) judge(_ context.Context, o *Outcome) (Verdict, error) {
	text, which := o.Answer, n.Which
	if n.After != "" {
		at := n.after.FindStringIndex(text)
		if at == nil {
			return no("the answer lacks %s", shown(n.After)), nil
		}
		text = text[at[1]:]
		if which == "" {
			which = "first"
		}
	}
	all := numbers(cited.Pattern.ReplaceAllString(text, ""))
	if len(all) == 0 {
		all = numbers(text)
	}
	if len(all) == 0 {
		return no("no number in %s", shown(text)), nil
	}
	got := all[len(all)-1]
	if which == "first" {
		got = all[0]
	}
	want := *n.Equals
	if math.Abs(got-want) <= max(n.Tolerance, n.Relative*math.Abs(want)) {
		return yes(), nil
	}
	return no("the number is %v, not %v", got, want), nil
}

// numbers returns the numbers of a text. A hyphen after a letter or digit is not a sign: 10-20 is 10 and 20. Digits in
// a name or a version do not count: sha256, v1.2.3.
func numbers(text string) (all []float64) {
	for _, at := range numeral.FindAllStringIndex(text, -1) {
		value, err := strconv.ParseFloat(separators.Replace(text[at[0]:at[1]]), 64)
		if err != nil {
			continue // too large for a float64
		}
		before := text[:at[0]]
		version := more.MatchString(text[at[1]:]) && text[at[1]-1] != '.'
		if version || joined.MatchString(strings.TrimRight(before, "_")) {
			continue
		}
		before = strings.TrimRight(before, "$€£¥")
		minus := strings.HasSuffix(before, "-") || strings.HasSuffix(before, "−")
		before = strings.TrimRight(before, "-−")
		if minus && (before == "" || !planted.IsWord(rune(before[len(before)-1]))) {
			value = -value
		}
		all = append(all, value)
	}
	return all
}
