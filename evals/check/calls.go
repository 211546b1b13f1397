package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// A trajectory check compares the calls of tools with those that are wanted.
type trajectory struct {
	head
	Mode string   `json:"mode"` // strict, unordered, subset, superset or f1
	Want []wanted `json:"want"`
	Min  float64  `json:"min"` // the score that passes, of the mode f1
}

// A wanted call matches a call of its name that has its arguments, and maybe others.
type wanted struct {
	Name string                     `json:"name"`
	Args map[string]json.RawMessage `json:"args"`

	args map[string]any // decoded
}

func (t *trajectory) prepare(*Options) error {
	switch {
	case !slices.Contains([]string{"strict", "unordered", "subset", "superset", "f1"}, t.Mode):
		return fmt.Errorf("mode is %q: it must be strict, unordered, subset, superset or f1", t.Mode)
	case t.Want == nil:
		return errors.New(`want is missing: calls such as {"name":"read_file","args":{"path":"go.mod"}}`)
	case slices.ContainsFunc(t.Want, func(w wanted) bool { return w.Name == "" }):
		return errors.New("a wanted call has no name")
	case t.Min < 0 || t.Min > 1 || t.Min != 0 && t.Mode != "f1":
		return errors.New("min must be from 0 to 1, and is of the mode f1")
	}
	for i := range t.Want {
		w := &t.Want[i]
		w.args = make(map[string]any, len(w.Args))
		for name, raw := range w.Args {
			value, err := decode(raw)
			if err != nil {
				return fmt.Errorf("the argument %s of %s: %w", name, w.Name, err)
			}
			w.args[name] = value
		}
	}
	return nil
}

func (t *trajectory) judge(_ context.Context, o *Outcome) (Verdict, error) {
	pairs := make([][]int, len(t.Want)) // the calls that each wanted call matches
	for j := range o.Calls {
		made, _ := decode(o.Calls[j].Args)
		args, _ := made.(map[string]any) // what is not an object has no argument
		for i, w := range t.Want {
			if w.Name == o.Calls[j].Name && w.in(args) && (t.Mode != "strict" || i == j) {
				pairs[i] = append(pairs[i], j)
			}
		}
	}
	matched := matching(pairs, len(o.Calls))
	made, found := len(o.Calls), len(t.Want)-len(matched.free)
	v := Verdict{Score: 1}
	if made+len(t.Want) > 0 {
		v.Score = 2 * float64(found) / float64(made+len(t.Want))
	}
	switch t.Mode {
	case "strict", "unordered":
		v.Passed = found == made && found == len(t.Want)
	case "subset":
		v.Passed = found == made
	case "superset":
		v.Passed = found == len(t.Want)
	case "f1":
		v.Passed = v.Score >= cmp.Or(t.Min, 1)
	}
	if v.Passed && t.Mode != "f1" {
		v.Score = 1
	}
	if !v.Passed {
		v.Why = t.why(matched, o.Calls)
	}
	return v, nil
}

// in reports whether the arguments of a call have those that are wanted.
func (w *wanted) in(args map[string]any) bool {
	for name, value := range w.args {
		if has, ok := args[name]; !ok || !reflect.DeepEqual(has, value) {
			return false
		}
	}
	return true
}

// why names what is missing and what is too much.
func (t *trajectory) why(m match, calls []Call) string {
	var missing, extra []string
	for _, i := range m.free {
		missing = append(missing, t.Want[i].Name)
	}
	for j := range calls {
		if m.of[j] < 0 {
			extra = append(extra, calls[j].Name)
		}
	}
	return line.Truncate(fmt.Sprintf("%d of %d calls match; missing: %s; beside them: %s", len(t.Want)-len(m.free),
		len(t.Want), strings.Join(missing, ", "), strings.Join(extra, ", ")), 500)
}

// A match pairs calls with wanted ones.
type match struct {
	of   []int // the wanted call of each call; -1: none
	free []int // wanted calls without a call
}

// matching pairs as many as possible, by augmenting paths.
func matching(pairs [][]int, calls int) match {
	m := match{of: slices.Repeat([]int{-1}, calls)}
	seen := make([]int, calls) // the round in which each call was tried
	var pair func(i, round int) bool
	pair = func(i, round int) bool {
		for _, j := range pairs[i] {
			if seen[j] == round {
				continue
			}
			seen[j] = round
			if m.of[j] < 0 || pair(m.of[j], round) {
				m.of[j] = i
				return true
			}
		}
		return false
	}
	for i := range pairs {
		if !pair(i, i+1) {
			m.free = append(m.free, i)
		}
	}
	return m
}
