package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/evals/internal/cited"
	"github.com/forayhq/foray/tools/report"
)

// A cites check compares the files and lines that the answer cites with those that it should.
type cites struct {
	head
	Want  texts   `json:"want"`  // PATH:12-30, or PATH for any of its lines
	Mode  string  `json:"mode"`  // all, any or f1
	First int     `json:"first"` // how many citations count; 0: all
	Score string  `json:"score"` // f1, precision or recall
	Min   float64 `json:"min"`   // the score that passes, of the mode f1

	places []report.Citation // Start is 0 for a file
}

func (c *cites) prepare(*Options) error {
	if len(c.Want) == 0 {
		return errors.New("want is missing: places such as main.go:12-30")
	}
	for _, text := range c.Want {
		place, err := report.ParseCitation(text)
		switch {
		case err != nil && place.Path != "":
			return err
		case err != nil:
			place = report.Citation{Path: path.Clean(text)}
		}
		if place.Path == "." {
			return fmt.Errorf("want has %q: it must be the path of a file", text)
		}
		if !filepath.IsLocal(place.Path) {
			return fmt.Errorf("%s is not a path in the working copy", text)
		}
		c.places = append(c.places, place)
	}
	switch {
	case !slices.Contains([]string{"", "all", "any", "f1"}, c.Mode):
		return fmt.Errorf("mode is %q: it must be all, any or f1", c.Mode)
	case !slices.Contains([]string{"", "f1", "precision", "recall"}, c.Score):
		return fmt.Errorf("score is %q: it must be f1, precision or recall", c.Score)
	case c.First < 0 || c.Min < 0 || c.Min > 1:
		return errors.New("first must not be negative, and min must be from 0 to 1")
	case c.Min != 0 && c.Mode != "f1":
		return errors.New("min is of the mode f1")
	}
	return nil
}

func (c *cites) judge(_ context.Context, o *Outcome) (Verdict, error) {
	all, files := cited.In(o.Answer)
	if c.First > 0 {
		all = all[:min(len(all), c.First)]
	}
	for i := range all {
		all[i].Path = inCopy(all[i].Path, o.Dir)
	}
	var missing []string
	named := 0 // files that are wanted, and that the answer names without lines
	for i, place := range c.places {
		switch {
		case slices.ContainsFunc(all, func(cited report.Citation) bool { return shows(cited, place) }):
		case place.Start == 0 && mentions(o, place.Path, files):
			named++
		default:
			missing = append(missing, c.Want[i])
		}
	}
	right := named
	for _, cited := range all {
		if slices.ContainsFunc(c.places, func(place report.Citation) bool { return shows(cited, place) }) {
			right++
		}
	}
	recall := 1 - float64(len(missing))/float64(len(c.places))
	precision := recall // without lines, the files that the answer names are all that it cites
	if len(all) > 0 {
		precision = float64(right) / float64(len(all)+named)
	}
	return c.verdict(precision, recall, missing), nil
}

func (c *cites) verdict(precision, recall float64, missing []string) Verdict {
	var v Verdict
	switch c.Score {
	case "precision":
		v.Score = precision
	case "recall":
		v.Score = recall
	case "", "f1":
		if precision+recall > 0 {
			v.Score = 2 * precision * recall / (precision + recall)
		}
	}
	switch c.Mode {
	case "", "all":
		v.Passed = len(missing) == 0
	case "any":
		v.Passed = recall > 0
	case "f1":
		v.Passed = v.Score >= cmp.Or(c.Min, 1)
	}
	if !v.Passed {
		v.Why = fmt.Sprintf("precision %.2f, recall %.2f", precision, recall)
		if len(missing) > 0 {
			v.Why += "; the answer does not cite " + strings.Join(missing, ", ")
		}
	}
	return v
}

// shows reports whether a citation shows a place, which may be a whole file.
func shows(c, place report.Citation) bool {
	return place.Start == 0 && c.Path == place.Path || place.Start > 0 && cited.Shows(c, place)
}

// mentions reports whether an answer names a file, with or without lines. A longer path that contains it is another.
func mentions(o *Outcome, name string, listed []string) bool {
	for _, file := range listed {
		if inCopy(path.Clean(file), o.Dir) == name {
			return true
		}
	}
	prefix := `\./`
	if o.Dir != "" {
		prefix += "|" + regexp.QuoteMeta(filepath.ToSlash(o.Dir)+"/")
	}
	_, first := utf8.DecodeRuneInString(name) // may be a capital at the beginning of a sentence
	quoted := "(?i:" + regexp.QuoteMeta(name[:first]) + ")" + regexp.QuoteMeta(name[first:])
	const begin, end = `(?:^|[^\w./@+\\-])`, `(?:$|[./]+(?:$|[^\w./])|[^\w./@+-])`
	named, err := regexp.Compile(begin + `(?:` + prefix + `)?` + quoted + end)
	return err == nil && named.MatchString(o.Answer)
}

// inCopy returns a path relative to the working copy.
func inCopy(name, dir string) string {
	if dir == "" {
		return name
	}
	return strings.TrimPrefix(name, filepath.ToSlash(dir)+"/")
}
