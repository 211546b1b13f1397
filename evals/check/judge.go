package check

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

//go:embed prompts/grade.md
var gradePrompt string

//go:embed prompts/compare.md
var comparePrompt string

// The forms of a judge's verdict.
const (
	gradeSchema = `{"type":"object","properties":{"reason":{"type":"string"},"score":{"type":"number",` +
		`"minimum":0,"maximum":1}},"required":["reason","score"],"additionalProperties":false}`
	compareSchema = `{"type":"object","properties":{"reason":{"type":"string"},"better":{"type":"string",` +
		`"enum":["first","second","equal"]}},"required":["reason","better"],"additionalProperties":false}`
)

// errNoJudge means that no model judges.
var errNoJudge = errors.New("no judge: set --judge")

// An opinion check asks a model.
type opinion struct {
	head
	Rubric    string   `json:"rubric"`
	Reference string   `json:"reference"` // an answer to compare with
	Min       *float64 `json:"min"`       // the score that passes; 0.5 by default

	ask func(ctx context.Context, prompt string, schema json.RawMessage) (string, error)
}

func (p *opinion) prepare(o *Options) error {
	p.ask = o.Ask
	if strings.TrimSpace(p.Rubric) == "" {
		return errors.New("rubric is missing: what a good answer has")
	}
	if p.Min != nil && (*p.Min < 0 || *p.Min > 1) {
		return errors.New("min must be from 0 to 1")
	}
	return nil
}

func (p *opinion) judge(ctx context.Context, o *Outcome) (Verdict, error) {
	if p.ask == nil {
		return Verdict{}, errNoJudge
	}
	weigh := p.grade
	if p.Reference != "" {
		weigh = p.compare
	}
	score, why, err := weigh(ctx, o)
	if err != nil {
		return Verdict{}, err
	}
	least := .5
	if p.Min != nil {
		least = *p.Min
	}
	return Verdict{Passed: score >= least, Score: score, Why: why}, nil
}

// grade asks for a score by the rubric.
func (p *opinion) grade(ctx context.Context, o *Outcome) (float64, string, error) {
	var said struct {
		Reason string  `json:"reason"`
		Score  float64 `json:"score"`
	}
	prompt := fill(gradePrompt, "RUBRIC", p.Rubric, "QUESTION", o.Prompt, "ANSWER", o.Answer)
	err := p.put(ctx, prompt, gradeSchema, &said)
	return said.Score, said.Reason, err
}

// compare asks twice, with the two answers in both orders, since judges prefer a position.
func (p *opinion) compare(ctx context.Context, o *Outcome) (score float64, why string, err error) {
	var reasons []string
	for _, own := range []string{"first", "second"} {
		one, two := o.Answer, p.Reference
		if own == "second" {
			one, two = two, one
		}
		var said struct {
			Reason string `json:"reason"`
			Better string `json:"better"`
		}
		prompt := fill(comparePrompt, "RUBRIC", p.Rubric, "QUESTION", o.Prompt, "FIRST", one, "SECOND", two)
		if err := p.put(ctx, prompt, compareSchema, &said); err != nil {
			return 0, "", err
		}
		switch said.Better {
		case own:
			score += .5
		case "equal":
			score += .25
		}
		reasons = append(reasons, fmt.Sprintf("as the %s answer: %s", own, said.Reason))
	}
	return score, strings.Join(reasons, "; "), nil
}

// put asks one question, and decodes an answer of the schema.
func (p *opinion) put(ctx context.Context, prompt, schema string, into any) error {
	answer, err := p.ask(ctx, prompt, json.RawMessage(schema))
	if err != nil {
		return fmt.Errorf("asking the judge: %w", err)
	}
	form := value{Schema: json.RawMessage(schema)}
	if err := form.prepare(nil); err != nil {
		return err
	}
	if v, err := form.judge(ctx, &Outcome{Answer: answer}); err != nil || !v.Passed {
		return errors.Join(err, fmt.Errorf("the judge gave no verdict: %s", v.Why))
	}
	return json.Unmarshal(jsonIn(answer), into)
}

// fill replaces names in a template by texts that may hold the names of others.
func fill(template string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(template)
}
