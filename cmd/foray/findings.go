package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// writeFindings prints a table, what is configured first, and behind it what fails, each with a hint.
func writeFindings(w io.Writer, findings []finding) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROVIDER\tANSWER\tMODEL\tWINDOW\tBUDGET\tRATIO\tPRICE\tKEY\tBASE URL")
	for _, last := range []bool{false, true} {
		for _, r := range findings {
			if (r.Status == notConfigured) == last {
				r.write(t)
			}
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range findings {
		if r.Status != fails {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", r.Provider, printable(r.Error)); err != nil {
			return err
		}
		if r.Hint != "" {
			fmt.Fprintf(w, "hint: %s\n", printable(r.Hint))
		}
	}
	return nil
}

// write prints one row.
func (r finding) write(t io.Writer) {
	answer, key := string(r.Status), r.Key
	if r.Status == works {
		answer = fmt.Sprintf("%d ms", r.Millis)
	}
	switch {
	case key == "" && r.NoKey:
		key = "none needed"
	case key == "":
		key = strings.Join(r.Keys, " or ") + " is not set"
	}
	model, window, budget, ratio, price := "-", "-", "-", "-", "-"
	if f := r.modelFacts; f != nil {
		model, window, budget = line(f.Model), count(f.Window), count(f.Budget)
		ratio, price = ratioText(f.Ratio, f.Measured), f.Price.String()
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Provider, answer, model, window, budget, ratio, price, key, r.BaseURL)
}

// ratioText says how many tokens a model counts for an estimated one.
func ratioText(ratio float64, measured bool) string {
	if !measured {
		return "not measured"
	}
	return strconv.FormatFloat(ratio, 'f', 2, 64)
}

// String says a price: of input, cached input and output.
func (r *modelRate) String() string {
	switch {
	case r == nil:
		return "unknown"
	case *r == modelRate{List: r.List}:
		return "none"
	}
	text := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return text(r.Input) + " / " + text(r.Cached) + " / " + text(r.Output)
}
