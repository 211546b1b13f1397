package sets

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/forayhq/foray/evals/canaries"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
)

// retained says which conversations there are, one for each window. They fill three windows, and the last 1.3 of these
// say nothing that is asked for.
var retained = canaries.Config{Budgets: []int{8_000, 16_000, 32_000}, Windows: []int{3}, Languages: []string{"en"},
	Split: "all", Seed: 1}

// carriers are how the sentences of a kind that are asked for were said, in turn: one by the user in words of his own,
// one otherwise.
var carriers = [][]string{{"short", "beside"}, {"inside", "tool", "assistant"}}

// retention makes the set of generated conversations. Tasks of one conversation share its messages.
func retention(name string) (*task.Set, error) {
	sessions, err := canaries.Sessions(retained)
	if err != nil {
		return nil, err
	}
	set := &task.Set{Name: name}
	hash := sha256.New()
	for i := range sessions {
		if err := addSession(set, &sessions[i], hash); err != nil {
			return nil, err
		}
	}
	set.Hash = fmt.Sprintf("%x", hash.Sum(nil))
	return set, nil
}

func addSession(set *task.Set, s *canaries.Session, hash io.Writer) error {
	if err := json.NewEncoder(hash).Encode(s.Messages); err != nil {
		return err
	}
	turn := make(map[string]int) // of kinds, in the order in which they were met
	for _, p := range s.Planted {
		if _, met := turn[p.Kind]; !met {
			turn[p.Kind] = len(turn)
		}
		if !slices.ContainsFunc(carriers, func(c []string) bool { return c[turn[p.Kind]%len(c)] == p.Carrier }) {
			continue
		}
		window := fmt.Sprintf("%dk", s.Budget/1000)
		t := task.Task{
			ID:       window + "-" + p.Kind + "-" + p.Carrier,
			Prompt:   p.Question,
			System:   s.System,
			Messages: s.Messages,
			Window:   s.Budget,
			Tags:     []string{"window-" + window, p.Kind, p.Carrier},
		}
		raw, err := json.Marshal(p.Check)
		if err != nil {
			return err
		}
		judge, err := check.Parse(raw, nil)
		if err != nil {
			return err
		}
		t.Checks, t.Judges = []json.RawMessage{raw}, []check.Check{judge}
		fmt.Fprintf(hash, "%s %s\n", t.ID, raw)
		set.Tasks = append(set.Tasks, t)
	}
	return nil
}
