package live

import (
	"bytes"
	_ "embed" // the questions
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed questions.json
var questions []byte

// A question is a question about a module, and what is known of its answer.
type question struct {
	ID       string   `json:"id"`
	Module   string   `json:"module"`             // path of the module, as in go.mod, or of a directory
	Language string   `json:"language,omitempty"` // of Ask; empty: English
	Ask      string   `json:"ask"`
	Places   []string `json:"places,omitempty"` // FILE#SYMBOL or FILE:12-30; one must be cited. None: nothing in the module answers
	Words    []string `json:"words"`            // regular expressions that the answer must match, ignoring case
	Not      []string `json:"not,omitempty"`    // regular expressions that it must not match

	words, not []*regexp.Regexp
}

// Load reads the questions of a list from files, or without a file those of foray. A file is a JSON array. The list
// holds numbers and ranges that count from 1, such as 1-5,8; an empty one is all. The error names what is invalid.
func (c *Config) Load(list string, files ...string) error {
	all, err := allQuestions(files)
	if err == nil {
		c.questions, err = pick(all, list)
	}
	return err
}

func allQuestions(files []string) ([]question, error) {
	if len(files) == 0 {
		return parseQuestions(questions)
	}
	var all []question
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		some, err := parseQuestions(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

func parseQuestions(raw []byte) ([]question, error) {
	var all []question
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("the questions are not a JSON array of questions: %w", err)
	}
	for i := range all {
		if err := all[i].compile(); err != nil {
			return nil, fmt.Errorf("question %d (%s): %w", i+1, all[i].ID, err)
		}
	}
	return all, nil
}

// compile checks a question and compiles its expressions.
func (q *question) compile() (err error) {
	if q.ID == "" || q.Module == "" || q.Ask == "" || len(q.Words) == 0 {
		return errors.New("it needs id, module, ask and words")
	}
	if q.words, err = compileAll(q.Words); err == nil {
		q.not, err = compileAll(q.Not)
	}
	return err
}

func compileAll(patterns []string) ([]*regexp.Regexp, error) {
	var all []*regexp.Regexp
	for _, p := range patterns {
		r, err := regexp.Compile("(?is)" + p)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// says reports whether a text has all the words and none that it must not have, and whether it has one of those.
func (q *question) says(text string) (all, forbidden bool) {
	in := func(r *regexp.Regexp) bool { return r.MatchString(text) }
	forbidden = slices.ContainsFunc(q.not, in)
	return !forbidden && !slices.ContainsFunc(q.words, func(r *regexp.Regexp) bool { return !in(r) }), forbidden
}

// pick returns the questions of a list, as [Config.Load] takes it.
func pick(all []question, list string) ([]question, error) {
	if list == "" {
		return all, nil
	}
	var some []question
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first < 1 || last < first || last > len(all) {
			return nil, fmt.Errorf("%q is not a number or range of questions from 1 to %d", part, len(all))
		}
		some = append(some, all[first-1:last]...)
	}
	return some, nil
}
