package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/internal/textsearch"
)

// defaultLimit is how many memories a search returns unless its query has a limit.
const defaultLimit = 10

// Search returns the memories that share words with the query's text, best first by BM25. It compares words by their
// stems, and Chinese, Japanese and Korean by pairs of characters. If it finds fewer than the limit (10 by default), it
// adds memories that contain a word of three or more characters inside another word, such as in a path.
//
// A word that more than 2,000 memories contain counts only if the text has no rarer word. In that case Search returns
// the latest memories with all of the words, then the latest with any.
//
// An empty User means all users. Everybody, At and MinSimilarity are ignored: this search is for people and programs
// that look for words; [longterm.Memories] ranks by similarity.
func (m *Memories) Search(ctx context.Context, q longterm.Query) ([]longterm.Memory, error) {
	s := memorySearch{Query: q}
	if s.Limit == 0 {
		s.Limit = defaultLimit
	}
	err := m.store.read(ctx, "searching memories", s.run)
	return s.found, err
}

// A memorySearch is the state of one [Memories.Search].
type memorySearch struct {
	longterm.Query
	found []longterm.Memory
}

// The orders of a search.
const (
	byRank = "f.rank"
	byTime = "f.rowid DESC"
)

func (s *memorySearch) run(tx *sql.Tx) error {
	words := wordsOf(s.Text)
	rare, known, err := byFrequency(tx, words)
	if err != nil || s.Limit <= 0 {
		return err
	}
	if len(rare) > 0 {
		err = s.add(tx, "memory_words", phrases(rare, spaced, " OR "), byRank)
	} else if len(known) > 0 {
		err = s.add(tx, "memory_words", phrases(known, spaced, " AND "), byTime)
		if err == nil && len(known) > 1 {
			err = s.add(tx, "memory_words", phrases(known, spaced, " OR "), byTime)
		}
	}
	parts := make([]string, 0, len(words))
	for _, w := range words {
		if len([]rune(w)) >= 3 {
			parts = append(parts, w)
		}
	}
	if err != nil || len(parts) == 0 {
		return err
	}
	return s.add(tx, "memory_parts", phrases(parts, nil, " OR "), byRank)
}

// add appends the memories that match and are not found yet, up to the limit.
func (s *memorySearch) add(tx *sql.Tx, index, match, order string) error {
	if len(s.found) >= s.Limit {
		return nil
	}
	has := make(map[string]bool, len(s.found))
	for _, m := range s.found {
		has[m.ID] = true
	}
	more, err := list(tx, scanMemory, `SELECT `+memoryColumns+` FROM `+index+` f CROSS JOIN memories m ON m.key = f.rowid
		WHERE f.content MATCH ?1 AND (?2 = '' OR m.user = ?2) AND (?3 = '' OR m.category = ?3)
		AND (?4 OR m.superseded = '') ORDER BY `+order+` LIMIT ?5`,
		match, s.User, string(s.Category), s.Superseded, s.Limit+len(s.found))
	for _, m := range more {
		if !has[m.ID] && len(s.found) < s.Limit {
			s.found = append(s.found, m)
		}
	}
	return err
}

// maxRare is how many memories may contain a word that Search ranks by. Ranking by a more frequent word takes
// milliseconds and says little.
const maxRare = 2000

// byFrequency returns the words that at most maxRare memories contain, and those that any memory contains.
func byFrequency(tx *sql.Tx, words []string) (rare, known []string, err error) {
	for _, w := range words {
		var n int
		err := tx.QueryRow(`SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE content MATCH ? LIMIT ?)`,
			phrases([]string{w}, spaced, ""), maxRare+1).Scan(&n)
		if err != nil {
			return nil, nil, err
		}
		if n > 0 {
			known = append(known, w)
		}
		if n > 0 && n <= maxRare {
			rare = append(rare, w)
		}
	}
	return rare, known, nil
}

// maxWords is how many words of a query are looked up. A question has fewer, but a query may be a whole page.
const maxWords = 64

// wordsOf returns the words of a query, each once, and of Chinese, Japanese or Korean each pair of characters. Stop
// words are left out unless there are only stop words.
func wordsOf(text string) []string {
	var specific, all []string
	seen := make(map[string]bool)
	for _, run := range textsearch.Words(text) {
		for _, word := range pairs(run) {
			if seen[word] || len(all) == maxWords {
				continue
			}
			seen[word] = true
			all = append(all, word)
			if len(textsearch.Terms(word)) > 0 {
				specific = append(specific, word)
			}
		}
	}
	if len(specific) == 0 {
		return all
	}
	return specific
}

// pairs returns each pair of characters of a run of Chinese, Japanese or Korean. A single character and any other word
// are returned as they are.
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

// spaced puts spaces around each Chinese, Japanese or Korean character, so that the index takes each for a word.
func spaced(text string) string {
	if !strings.ContainsFunc(text, textsearch.IsCJK) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if textsearch.IsCJK(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// phrases joins words to an FTS5 expression. It quotes each word, so that none is read as an operator, after applying
// form unless that is nil.
func phrases(words []string, form func(string) string, between string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if form != nil {
			w = form(w)
		}
		quoted[i] = `"` + strings.TrimSpace(w) + `"`
	}
	return strings.Join(quoted, between)
}
