package compare

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/forayhq/foray/evals/trial"
)

// A junitSuites is the root of a JUnit report, in the form that CI systems read: suites are subjects, cases are tasks.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"` // seconds
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
	Error   *junitFailure `xml:"error"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes results and what [Check] found of them as JUnit XML. A gate is a case of the class "gate". A task
// is one of the class of its set: failed if a trial did not pass, and an error if that was the fault of provider,
// check or harness.
func WriteJUnit(w io.Writer, r *Results, subjects []string, findings []Finding) error {
	entrants, err := entrantsOf([]*Results{r}, subjects)
	if err != nil {
		return err
	}
	var report junitSuites
	for _, e := range entrants {
		report.Suites = append(report.Suites, e.suite(findings))
	}
	for _, f := range findings {
		if !slices.ContainsFunc(entrants, func(e *entrant) bool { return e.name == f.Subject }) { // without any result
			c := junitCase{Name: f.Gate, Class: "gate", Time: "0", Failure: &junitFailure{Message: f.Text, Type: "gate"}}
			report.Suites = append(report.Suites, junitSuite{Name: f.Subject, Tests: 1, Failures: 1, Time: "0",
				Cases: []junitCase{c}})
		}
	}
	raw, err := xml.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, raw)
	return err
}

func (e *entrant) suite(findings []Finding) junitSuite {
	s := junitSuite{Name: e.name}
	for _, f := range findings {
		if f.Subject == e.name {
			c := junitCase{Name: f.Gate, Class: "gate", Time: "0"}
			if !f.Held {
				c.Failure = &junitFailure{Message: f.Text, Type: "gate"}
			}
			s.Cases = append(s.Cases, c)
		}
	}
	p, total := pair([]*entrant{e}), 0.
	for _, task := range p.tasks {
		c, took := taskCase(e.results.Info.Set, p.rowsOf(e, task))
		total += took
		s.Cases = append(s.Cases, c)
	}
	for _, c := range s.Cases {
		s.Tests++
		s.Failures += int(one(c.Failure != nil))
		s.Errors += int(one(c.Error != nil))
	}
	s.Time = xmlSeconds(total)
	return s
}

// taskCase makes a case of the trials of a task.
func taskCase(set string, rows []*trial.Row) (c junitCase, took float64) {
	passed, text := 0, ""
	var first *trial.Row
	for _, row := range rows {
		took += row.Seconds
		if row.Passed {
			passed++
			continue
		}
		if first == nil {
			first = row
		}
		text += fmt.Sprintf("trial %d: %s\n", row.Trial, why(row))
		if row.Trace != "" {
			text += "  " + row.Trace + "\n"
		}
	}
	c = junitCase{Name: rows[0].Task, Class: set, Time: xmlSeconds(took)}
	if first == nil {
		return c, took
	}
	failure := &junitFailure{Message: why(first), Type: "wrong", Text: text}
	if len(rows) > 1 {
		failure.Message = fmt.Sprintf("%d of %d trials passed: %s", passed, len(rows), why(first))
	}
	if f := first.Failure; f != nil {
		failure.Type = string(f.Class)
	}
	if slices.Contains([]string{string(trial.Provider), string(trial.Check), string(trial.Harness)}, failure.Type) {
		c.Error = failure
	} else {
		c.Failure = failure
	}
	return c, took
}

func xmlSeconds(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
