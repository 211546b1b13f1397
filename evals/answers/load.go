package answers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/evals/internal/cases"
)

// A Question is a question about a repository at a commit, with the places that answer it.
type Question struct {
	ID       string            `json:"id"`
	Repo     string            `json:"repo"`
	Mirror   string            `json:"mirror"` // repository that has the commit (default Repo)
	Commit   string            `json:"commit"`
	Family   string            `json:"family"`   // what is asked for, as definition or callers
	Language string            `json:"language"` // of the repository
	Text     string            `json:"question"`
	In       map[string]string `json:"in"`   // the question in other languages, as de
	Gold     []gold            `json:"gold"` // empty in the family absent
	Notes    notes             `json:"notes"`
}

// A gold is a range of lines that answers.
type gold struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Line  int    `json:"line"` // that decides, in the family behaviour
}

// notes say more of a question.
type notes struct {
	Sub         string   `json:"sub"`         // part of the family
	Style       string   `json:"style"`       // how it is written, as typo or german
	Value       string   `json:"value"`       // message or default value that the answer must contain
	AnyUse      []string `json:"any_use"`     // lines that use the name, as citations
	Definitions []string `json:"definitions"` // of the name, as citations
	Says        string   `json:"says"`        // the answer must contain these words
	SaysAny     []string `json:"says_any"`    // the answer must contain one of these
}

// Families returns what is known to be asked for.
func Families() []string {
	return []string{"definition", "callers", "tests", "behaviour", "docs", "overview", "open", absent}
}

// absent is the family of questions about what does not exist.
const absent = "absent"

// Load reads questions from files or directories of JSON lines, like evals.EachLine. It names lines that do not parse,
// lack a field or repeat an id in skipped.
func Load(ctx context.Context, paths ...string) (questions []*Question, skipped []string, err error) {
	return cases.Load(ctx, paths, "question", func(q *Question) (string, error) {
		switch {
		case q.ID == "" || q.Repo == "" || q.Commit == "" || q.Text == "":
			return "", errors.New("id, repo, commit or question is missing")
		case !slices.Contains(Families(), q.Family):
			return "", fmt.Errorf("unknown family %q: must be one of %v", q.Family, Families())
		case len(q.Gold) == 0 && q.Family != absent:
			return "", errors.New("gold is missing")
		}
		return q.ID, nil
	})
}

// InLanguage returns the questions that have a text in a language, such as "de", with that text. It is an error if none
// has.
func InLanguage(questions []*Question, language string) (all []*Question, err error) {
	for _, q := range questions {
		if text := q.In[language]; text != "" {
			q := *q
			q.Text = text
			all = append(all, &q)
		}
	}
	if len(all) == 0 {
		err = fmt.Errorf("no question has a text in %q", language)
	}
	return all, err
}

// sampleOf returns n questions of each family, or all if n is 0, in their order. It takes one of each part of the
// family before it takes another, by a hash of their ids.
func sampleOf(questions []*Question, n int) []*Question {
	if n == 0 {
		return questions
	}
	type pick struct {
		*Question
		turn int // how many of its part come before
		hash [sha256.Size]byte
	}
	families := make(map[string][]pick)
	for _, q := range questions {
		families[q.Family] = append(families[q.Family], pick{q, 0, sha256.Sum256([]byte(q.ID))})
	}
	chosen := make(map[*Question]bool)
	for _, all := range families {
		byHash := func(a, b pick) int { return bytes.Compare(a.hash[:], b.hash[:]) }
		slices.SortFunc(all, byHash)
		turns := make(map[string]int)
		for i := range all {
			all[i].turn = turns[all[i].Notes.Sub]
			turns[all[i].Notes.Sub]++
		}
		slices.SortFunc(all, func(a, b pick) int { return cmp.Or(a.turn-b.turn, byHash(a, b)) })
		for _, p := range all[:min(n, len(all))] {
			chosen[p.Question] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(questions), func(q *Question) bool { return !chosen[q] })
}

func (q *Question) mirror() string { return cmp.Or(q.Mirror, q.Repo) }
