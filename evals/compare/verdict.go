package compare

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/internal/line"
)

// fewTasks is below how many tasks intervals from a bootstrap are too narrow to judge by.
const fewTasks = 10

// verdict says in plain sentences what the difference is and whether to believe it.
func (d *difference) verdict(s, base *subjectSummary) string {
	of := choose(s.Tasks, "task", "tasks")
	if s.Trials > s.Tasks {
		of = fmt.Sprintf("trials of %s", count(s.Tasks, "task"))
	}
	var b strings.Builder
	switch more := s.Passed - base.Passed; {
	case d.Better+d.Worse == 0:
		fmt.Fprintf(&b, "%s and %s pass the same %d of %d %s.", d.Subject, d.Baseline, s.Passed, s.Trials, of)
	case more == 0:
		fmt.Fprintf(&b, "%s and %s pass equally many, %d of %d %s; each passes %d that the other does not.",
			d.Subject, d.Baseline, s.Passed, s.Trials, of, d.Better)
	default:
		direction, chance := "more", "that could be chance"
		if more < 0 {
			direction = "fewer"
		}
		if d.P < d.Alpha {
			chance = "that is hardly chance"
		}
		interval := ""
		if s.Tasks >= fewTasks {
			interval = fmt.Sprintf(" (95 %% interval %s to %s)", points(d.PassRate.Low), points(d.PassRate.High))
		}
		fmt.Fprintf(&b, "%s passes %d %s of %d %s than %s: %d instead of %d, %s points%s; %s (%s).",
			d.Subject, max(more, -more), direction, s.Trials, of, d.Baseline, s.Passed, base.Passed,
			points(d.PassRate.Value), interval, chance, pValue(d.P))
	}
	if d.P >= d.Alpha {
		fmt.Fprintf(&b, " %s", d.power(s.Tasks))
	}
	if spent := d.spent(); spent != "" && s.Tasks >= fewTasks {
		fmt.Fprintf(&b, " %s", spent)
	}
	return b.String()
}

// power says what so many tasks can show.
func (d *difference) power(tasks int) string {
	if least := leastTasks(d.Alpha); tasks < least {
		return fmt.Sprintf("With %s no difference can be told from chance; you need at least %d.", count(tasks, "task"), least)
	}
	if d.Needed <= tasks {
		return fmt.Sprintf("%s are enough to see a difference of 3 points.", count(tasks, "task"))
	}
	return fmt.Sprintf("%s reliably %s only a difference of %s points or more; to see one of 3 points you need about %s.",
		count(tasks, "task"), choose(tasks, "shows", "show"), line.Decimals(min(100*d.Visible, 100), 0), about(d.Needed))
}

// manyTimes is the ratio from which people read "5 times" more easily than "400 % more".
const manyTimes = 3

// spent says what the subject spends more or less of, as far as that is hardly chance.
func (d *difference) spent() string {
	var parts []string
	for _, f := range []struct {
		ratio             *stats.Estimate
		noun, less, great string
	}{
		{d.Tokens, "tokens", "fewer", "more"}, {d.Cost, "cost", "less", "more"},
		{d.Steps, "steps", "fewer", "more"}, {d.Seconds, "time", "less", "more"},
	} {
		if f.ratio == nil || f.ratio.Low <= 1 && f.ratio.High >= 1 {
			continue
		}
		word := f.great
		if f.ratio.Value < 1 {
			word = f.less
		}
		if f.ratio.Value >= manyTimes {
			times := line.Decimals(f.ratio.Value, 0)
			if f.ratio.Value > mostTimes {
				times = fmt.Sprintf("more than %d", mostTimes)
			}
			parts = append(parts, fmt.Sprintf("%s times the %s", times, f.noun))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %% %s %s", strings.TrimLeft(change(f.ratio.Value), "+−"), word, f.noun))
	}
	if len(parts) == 0 {
		return ""
	}
	return "It takes " + strings.Join(parts, ", ") + "."
}
