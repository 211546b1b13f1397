package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// An origin says which part of the suite a row is of, and which model it is about.
type origin struct {
	Part   string `json:"part"`
	Model  string `json:"model"`
	Window int    `json:"window"` // tokens
}

func (s *session) origin(part string) origin { return origin{part, s.report.Model, s.report.Window} }

// earlier are the rows of an interrupted run.
type earlier struct {
	questions map[string]questionRow // by id
	turns     []turnRow
	memories  map[int]memoryRow     // by number
	summaries map[string]summaryRow // by who made them
	sittings  map[string]sittingRow // by story, sitting and number
	forms     map[string]formRow    // by form
}

// parseEarlier reads the rows that are about the model and the window of the report. A torn last line is left out.
func (s *session) parseEarlier() (*earlier, error) {
	e := &earlier{questions: map[string]questionRow{}, memories: map[int]memoryRow{}, summaries: map[string]summaryRow{},
		forms: map[string]formRow{}, sittings: map[string]sittingRow{}}
	for number, line := range slices.Collect(bytes.Lines(s.Earlier)) {
		var o origin
		if err := json.Unmarshal(line, &o); err != nil {
			if !bytes.HasSuffix(line, []byte("\n")) {
				break
			}
			return nil, fmt.Errorf("line %d of the rows: %w", number+1, err)
		}
		if o != s.origin(o.Part) {
			continue
		}
		if err := e.add(o.Part, line); err != nil {
			return nil, fmt.Errorf("line %d of the rows: %w", number+1, err)
		}
	}
	return e, nil
}

// add adds a row. A later one about the same replaces it.
func (e *earlier) add(part string, line []byte) error {
	switch part {
	case "question":
		return put(e.questions, line, func(r *questionRow) string { return r.ID })
	case "turn":
		var row turnRow
		err := json.Unmarshal(line, &row)
		if len(e.turns) > 0 && row.Turn <= e.turns[len(e.turns)-1].Turn { // another conversation begins
			e.turns = nil
		}
		e.turns = append(e.turns, row)
		return err
	case "memory":
		return put(e.memories, line, func(r *memoryRow) int { return r.Number })
	case "summary":
		return put(e.summaries, line, func(r *summaryRow) string { return r.By })
	case "sitting":
		return put(e.sittings, line, (*sittingRow).key)
	case "form":
		return put(e.forms, line, func(r *formRow) string { return r.Form })
	}
	return fmt.Errorf("unknown part %q", part)
}

// put parses a row into those of its part.
func put[K comparable, R any](rows map[K]R, line []byte, key func(*R) K) error {
	var row R
	err := json.Unmarshal(line, &row)
	rows[key(&row)] = row
	return err
}
