package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/textsearch"
)

// A Query asks for memories by their words.
type Query struct {
	User       string            // "": of all users
	Category   longterm.Category // "": of all
	Text       string            // in any language; nothing in it is an operator
	Limit      int               // at most so many; 0: 10
	Superseded bool              // also those that no longer hold
}

// A Hit is a memory that a Query found. Score is its BM25, higher for better, and comparable only within one answer; 0 for
// one that only has a part of a word, or common words alone.
type Hit struct {
	longterm.Memory
	Score float64
}

// Search returns the memories that have words of a text, the best first: stems of words, pairs of Chinese, Japanese or
// Korean characters. Where those are fewer than the limit, memories follow that have one of its words of three
// characters or more inside another, as in a path or a name. Words that more than 2,000 memories have count only if there
// is no rarer one; then the latest memories that have all of them come first, and after them those that have any. It is a lexical search for people and programs; a longterm.Memories reads all memories and ranks them
// itself.
func (m *Memories) Search(ctx context.Context, q Query) ([]Hit, error) {
	if q.Limit == 0 {
		q.Limit = 10
	}
	words := wordsOf(q.Text)
	var found []Hit
	err := m.store.read(ctx, "searching memories", func(tx *sql.Tx) error {
		telling, known, err := rare(tx, words)
		switch {
		case err != nil || q.Limit <= 0:
			return err
		case len(telling) > 0:
			found, err = q.search(tx, "memory_words", anyOf(telling, spaced), byRank, q.Limit)
		case len(known) > 0:
			found, err = q.latest(tx, known)
		}
		parts := make([]string, 0, len(words))
		for _, w := range words {
			if len([]rune(w)) >= 3 {
				parts = append(parts, w)
			}
		}
		if err != nil || len(found) >= q.Limit || len(parts) == 0 {
			return err
		}
		found, err = q.fill(tx, found, parts)
		return err
	})
	return found, err
}

// common is how many memories make a word common: to rank by such a word takes milliseconds, and tells little.
const common = 2000

// rare returns the words that are not common, and all that any memory has.
func rare(tx *sql.Tx, words []string) (telling, known []string, err error) {
	for _, w := range words {
		var n int
		err := tx.QueryRow(`SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE content MATCH ? LIMIT ?)`,
			anyOf([]string{w}, spaced), common+1).Scan(&n)
		if err != nil {
			return nil, nil, err
		}
		if n > 0 {
			known = append(known, w)
		}
		if n > 0 && n <= common {
			telling = append(telling, w)
		}
	}
	return telling, known, nil
}

// latest returns the latest memories that have all of the words, and then those that have any: to rank by words that many
// have would take as long as there are memories.
func (q Query) latest(tx *sql.Tx, words []string) ([]Hit, error) {
	found, err := q.search(tx, "memory_words", all(words, spaced), byTime, q.Limit)
	if err != nil || len(found) >= q.Limit || len(words) == 1 {
		return found, err
	}
	more, err := q.search(tx, "memory_words", anyOf(words, spaced), byTime, q.Limit+len(found))
	return q.join(found, more), err
}

// fill adds memories that have one of the words inside another.
func (q Query) fill(tx *sql.Tx, found []Hit, words []string) ([]Hit, error) {
	more, err := q.search(tx, "memory_parts", anyOf(words, func(w string) string { return w }), byRank, q.Limit+len(found))
	return q.join(found, more), err
}

// join adds hits that are not there yet, without their scores.
func (q Query) join(found, more []Hit) []Hit {
	has := make(map[string]bool, len(found))
	for _, h := range found {
		has[h.ID] = true
	}
	for _, h := range more {
		if !has[h.ID] && len(found) < q.Limit {
			h.Score = 0
			found = append(found, h)
		}
	}
	return found
}

// The orders of a search: what it scores by, and what it sorts by.
var (
	byRank = [2]string{"-f.rank", "f.rank"}
	byTime = [2]string{"0.0", "f.rowid DESC"}
)

func (q Query) search(tx *sql.Tx, index, match string, order [2]string, limit int) ([]Hit, error) {
	query := `SELECT ` + order[0] + `, ` + memoryColumns + ` FROM ` + index + ` f CROSS JOIN memories m ON m.key = f.rowid
		WHERE f.content MATCH ?1 AND (?2 = '' OR m.user = ?2) AND (?3 = '' OR m.category = ?3)
		AND (?4 OR m.superseded = '') ORDER BY ` + order[1] + ` LIMIT ?5`
	return list(tx, func(from row) (h Hit, err error) {
		h.Memory, err = scanMemory(scored{from, &h.Score})
		return h, err
	}, query, match, q.User, string(q.Category), q.Superseded, limit)
}

// A scored row has a score in front of its columns.
type scored struct {
	row
	score *float64
}

func (s scored) Scan(into ...any) error { return s.row.Scan(append([]any{s.score}, into...)...) }

// maxWords is how many words of a query are looked for: more than a question has, and a query may be a whole page.
const maxWords = 64

// wordsOf returns the words of a query, each once; of a run of Chinese, Japanese or Korean each two characters that stand
// together. Words that almost every text has are left out unless there is nothing else.
func wordsOf(text string) []string {
	var telling, all []string
	seen := make(map[string]bool)
	for _, word := range textsearch.Words(text) {
		for _, word := range pairs(word) {
			if seen[word] || len(all) == maxWords {
				continue
			}
			seen[word] = true
			all = append(all, word)
			if len(textsearch.Terms(word)) > 0 {
				telling = append(telling, word)
			}
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// pairs returns each two characters of a run of Chinese, Japanese or Korean; any other word, or a single character, as it
// is.
func pairs(word string) []string {
	runes := []rune(word)
	if len(runes) == 1 || !textsearch.IsCJK(runes[0]) {
		return []string{word}
	}
	var two []string
	for i := range len(runes) - 1 {
		two = append(two, string(runes[i:i+2]))
	}
	return two
}

// spaced sets spaces around each Chinese, Japanese or Korean character, so that each is a word to the index.
func spaced(text string) string {
	if !strings.ContainsFunc(text, textsearch.IsCJK) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if textsearch.IsCJK(r) {
			b.WriteRune(' ')
			b.WriteRune(r)
			b.WriteRune(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// anyOf returns the expression of FTS5 for any of the words, each a phrase in quotes.
func anyOf(words []string, form func(string) string) string { return phrases(words, form, " OR ") }

// all returns that for all of the words.
func all(words []string, form func(string) string) string { return phrases(words, form, " AND ") }

func phrases(words []string, form func(string) string, between string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = `"` + strings.TrimSpace(form(w)) + `"`
	}
	return strings.Join(quoted, between)
}
