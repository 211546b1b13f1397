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
	text := line.Decimals(v, places)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
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

// tokens writes a mean of tokens.
func tokens(v float64) string { return line.Number(int(math.Round(v))) }
