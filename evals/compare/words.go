package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

func count(n int, noun string) string { return line.Count(n, noun) }

// counted is a number before the noun phrase that fits it.
func counted(n int, one, many string) string { return line.Number(n) + " " + choose(n, one, many) }

func choose(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// some lists at most five names.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// percent writes a share from 0 to 1.
func percent(share float64) string { return decimals(100*share, 1) + " %" }

// points writes a difference of two shares in percentage points, with its sign.
func points(difference float64) string { return signed(100*difference, 1) }

// mostTimes is the ratio above which a figure says no more than that it is large.
const mostTimes = 100

// change writes a ratio as a signed change in percent.
func change(ratio float64) string {
	if ratio > mostTimes {
		return fmt.Sprintf("more than ×%d", mostTimes)
	}
	return signed(100*(ratio-1), 0)
}

func signed(v float64, places int) string {
	text := decimals(v, places)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
}

// decimals rounds to so many places and writes no more of them than needed.
func decimals(v float64, places int) string {
	text := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// pValue writes a p value as papers do.
func pValue(p float64) string {
	switch {
	case p < .001:
		return "p < .001"
	case p >= .995:
		return "p = 1"
	case p < .1:
		return "p = " + strings.TrimPrefix(strconv.FormatFloat(p, 'f', 3, 64), "0")
	}
	return "p = " + strings.TrimPrefix(strconv.FormatFloat(p, 'f', 2, 64), "0")
}

// about rounds a count to two digits.
func about(n int) string {
	if n < 100 {
		return line.Number(n)
	}
	unit := math.Pow(10, math.Floor(math.Log10(float64(n)))-1)
	return line.Number(int(math.Round(float64(n)/unit) * unit))
}

// dollars writes a cost.
func dollars(v float64) string {
	switch {
	case v == 0:
		return "–"
	case v < .01:
		return "$" + strconv.FormatFloat(v, 'g', 2, 64)
	}
	return "$" + strconv.FormatFloat(v, 'f', 2, 64)
}

// seconds writes a time that may be far below a second.
func seconds(v float64) string {
	switch {
	case v < 1:
		return fmt.Sprintf("%.0f ms", 1000*v)
	case v < 10:
		return fmt.Sprintf("%.1f s", v)
	case v < 600:
		return fmt.Sprintf("%.0f s", v)
	}
	return fmt.Sprintf("%.0f min", v/60)
}
