package line

import (
	"fmt"
	"strconv"
	"strings"
)

// Percent writes a share from 0 to 1: "42 %", "56.2 %". Only all is 100 %, and only none is 0 %.
func Percent(share float64) string {
	v := 100 * share
	if v > 0 && v < 100 {
		v = min(max(v, .1), 99.9)
	}
	return Decimals(v, 1) + " %"
}

// Decimals rounds to so many places and writes no more of them than needed.
func Decimals(v float64, places int) string {
	text := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// Dollars writes a cost: "$0", "$0.0042", "$1.23".
func Dollars(v float64) string {
	switch {
	case v == 0:
		return "$0"
	case v < .01:
		return "$" + strconv.FormatFloat(v, 'g', 2, 64)
	}
	return "$" + strconv.FormatFloat(v, 'f', 2, 64)
}

// Seconds writes a time that may be far below a second: "54 ms", "1.5 s", "12 min".
func Seconds(v float64) string {
	switch {
	case v < .9995:
		return fmt.Sprintf("%.0f ms", 1000*v)
	case v < 9.95:
		return fmt.Sprintf("%.1f s", v)
	case v < 599.5:
		return fmt.Sprintf("%.0f s", v)
	}
	return fmt.Sprintf("%.0f min", v/60)
}

// Cost writes the cost of trials, not all of which have a known one: "–" if none has.
func Cost(usd float64, known, all int) string {
	switch known {
	case 0:
		return "–"
	case all:
		return Dollars(usd)
	}
	return fmt.Sprintf("%s (%s of %s unknown)", Dollars(usd), Number(all-known), Number(all))
}
