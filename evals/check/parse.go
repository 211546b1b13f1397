package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/strict"
	"github.com/forayhq/foray/providers"
)

// Options are what some kinds of checks need. Nil means no judge, no files and no kinds but those of foray.
type Options struct {
	// Ask asks the model that judges. The answer should be a JSON value of the schema. Nil: checks of the kind judge
	// return an error.
	Ask func(ctx context.Context, prompt string, schema json.RawMessage) (string, error)
	// Files is the folder of the task set, where checks find tests. Nil: checks that need it cannot be parsed.
	Files fs.FS
	// Kinds makes checks of kinds of your own, by kind, from the JSON of the check. One with the name of a kind below
	// replaces it. The check may have no name: Parse names it as it does others.
	Kinds map[string]func(raw json.RawMessage) (Check, error)
}

// A rule is the JSON of a kind of check, decoded.
type rule interface {
	// prepare returns why no outcome can be judged by the rule.
	prepare(o *Options) error
	judge(ctx context.Context, o *Outcome) (Verdict, error)
}

// kinds has an empty rule for each kind.
var kinds = map[string]func() rule{
	"exact":    func() rule { return &exact{} },
	"contains": func() rule { return &contains{} },
	"regex":    func() rule { return &pattern{} },
	"number":   func() rule { return &number{} },
	"json":     func() rule { return &value{} },
	"cites":    func() rule { return &cites{} },
	"files":    func() rule { return &files{} },
	"command":  func() rule { return &command{} },
	"harbor":   func() rule { return &harbor{} },
	"calls":    func() rule { return &trajectory{} },
	"canary":   func() rule { return &canary{} },
	"judge":    func() rule { return &opinion{} },
	"cost":     func() rule { return &bound{of: "cost", unit: "US dollars"} },
	"steps":    func() rule { return &bound{of: "steps", unit: "steps"} },
	"tokens":   func() rule { return &bound{of: "tokens", unit: "tokens"} },
	"seconds":  func() rule { return &bound{of: "seconds", unit: "seconds"} },
}

// A head has the fields that every kind has.
type head struct {
	Kind string `json:"kind"`
	Name string `json:"name"` // replaces the kind as the name of the check
}

// Parse makes a check of its JSON, an object whose kind says what else it may hold: see the table of this package. Its
// name is that of the object, or its kind. The error says what is wrong, unknown fields included.
func Parse(raw json.RawMessage, o *Options) (Check, error) {
	if o == nil {
		o = &Options{}
	}
	var h head
	if err := json.Unmarshal(raw, &h); err != nil {
		return Check{}, strict.Decode(raw, &h) // says where
	}
	if own := o.Kinds[h.Kind]; own != nil {
		c, err := own(raw)
		if err == nil && c.Run == nil {
			err = errors.New("it has no function Run")
		}
		if err != nil {
			return Check{}, fmt.Errorf("check %s: %w", h.Kind, err)
		}
		c.Name = cmp.Or(h.Name, c.Name, h.Kind)
		return c, nil
	}
	empty, known := kinds[h.Kind]
	if !known {
		return Check{}, unknownKind(h.Kind, o)
	}
	r := empty()
	if err := strict.Decode(raw, r); err != nil {
		return Check{}, fmt.Errorf("check %s: %w", h.Kind, err)
	}
	if err := r.prepare(o); err != nil {
		return Check{}, fmt.Errorf("check %s: %w", h.Kind, err)
	}
	c := Check{Name: cmp.Or(h.Name, h.Kind), Run: r.judge}
	if t, ok := r.(interface{ longest() time.Duration }); ok {
		c.Limit = t.longest()
	}
	return c, nil
}

// unknownKind is the error of a kind that neither foray nor the options have.
func unknownKind(kind string, o *Options) error {
	names := slices.Concat(slices.Collect(maps.Keys(kinds)), slices.Collect(maps.Keys(o.Kinds)))
	slices.Sort(names)
	if near := line.Closest(kind, names, 1); kind != "" && line.Distance(kind, near[0]) <= 2 {
		return fmt.Errorf("unknown kind of check %q; did you mean %q?", kind, near[0])
	}
	return fmt.Errorf("unknown kind of check %q: it must be one of %s", kind, strings.Join(names, ", "))
}

// texts are several strings; one may come without brackets.
type texts []string

func (t *texts) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		*t = make(texts, 1)
		return json.Unmarshal(raw, &(*t)[0])
	}
	var all []string
	if err := json.Unmarshal(raw, &all); err != nil {
		return errors.New("must be a string or an array of strings")
	}
	*t = all
	return nil
}

// yes is the verdict of a check without degrees that found what it wants; no, of one that did not.
func yes() Verdict { return Verdict{Passed: true, Score: 1} }

func no(format string, args ...any) Verdict { return Verdict{Why: fmt.Sprintf(format, args...)} }

// share is the verdict of a check that found some of what it wants.
func share(found, wanted int, why string, missing []string) Verdict {
	if len(missing) == 0 {
		return yes()
	}
	return Verdict{Score: float64(found) / float64(wanted), Why: why + strings.Join(missing, ", ")}
}

// shown shortens a text for a person.
func shown(text string) string {
	const most = 200 // bytes
	return fmt.Sprintf("%q", line.Truncate(text, most))
}

// A bound is an upper bound of something that a trial consumed.
type bound struct {
	head
	Max float64 `json:"max"`

	of, unit string
}

func (b *bound) prepare(*Options) error {
	if !(b.Max > 0) || math.IsInf(b.Max, 0) {
		return errors.New("max must be a number above 0")
	}
	return nil
}

func (b *bound) judge(_ context.Context, o *Outcome) (Verdict, error) {
	none := o.Steps == 0 && o.Usage == providers.Usage{} && o.Cost == 0 && !o.Priced && len(o.Calls) == 0
	if none && b.of != "seconds" {
		return Verdict{}, errors.New("the subject reports no steps, tokens or cost: they are unknown, not 0")
	}
	if b.of == "cost" && !o.Priced && o.Cost == 0 {
		return Verdict{}, errors.New("the cost is unknown: the subject reports none, or the model's price is not known")
	}
	var used float64
	switch b.of {
	case "cost":
		used = o.Cost
	case "steps":
		used = float64(o.Steps)
	case "tokens":
		used = float64(o.Usage.Input) + float64(o.Usage.Output)
	case "seconds":
		used = o.Took.Seconds()
	}
	v := Verdict{Passed: used <= b.Max, Score: min(max(2-used/b.Max, 0), 1)}
	if !v.Passed {
		v.Why = fmt.Sprintf("%.6g %s, above %g", used, b.unit, b.Max)
	} else if used == 0 {
		v.Why = fmt.Sprintf("0 %s reported", b.unit)
	}
	return v, nil
}
