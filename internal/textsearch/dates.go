package textsearch

import (
	"strconv"
	"strings"
	"time"
)

// days are whole days, first and last, counted from 1970-01-01.
type days struct{ first, last int }

func (d days) meet(e days) bool { return d.first <= e.last && e.first <= d.last }

func dayOf(t time.Time) int {
	y, m, d := t.Date()
	return dayNumber(y, m, d)
}

func dayNumber(y int, m time.Month, d int) int {
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

func monthDays(y int, m time.Month) days { return days{dayNumber(y, m, 1), dayNumber(y, m+1, 0)} }

func yearDays(y int) days { return days{dayNumber(y, 1, 1), dayNumber(y, 12, 31)} }

// A calendar finds days in texts.
type calendar struct {
	years [2]int // first and last year that a date without a year may have
	on    int    // the day that "yesterday" counts from; 0: none
}

// find returns the days that a text, split into words, mentions.
func (c calendar) find(text string, words []string) []days {
	found := c.absolute(words)
	if c.on != 0 {
		found = append(found, c.relative(words)...)
	}
	if strings.ContainsFunc(text, IsCJK) {
		found = append(found, c.chinese(text)...)
	}
	return found
}

var months = map[string]time.Month{
	"january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "april": 4, "apr": 4, "may": 5, "june": 6, "jun": 6,
	"july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sept": 9, "sep": 9, "october": 10, "oct": 10,
	"november": 11, "nov": 11, "december": 12, "dec": 12,
}

// beforeMonth are the words after which "may" and "march" are months.
var beforeMonth = set("in on of since last next early late mid during by until before after")

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// absolute finds "8 May 2023", "May 8th", "in May", "2023", "2023-05-08".
func (c calendar) absolute(words []string) (found []days) {
	for i := 0; i < len(words); i++ {
		if m := months[words[i]]; m != 0 {
			if d, used := c.inMonth(words, i, m); used >= 0 {
				found = append(found, d...)
				i += used
			}
			continue
		}
		y := yearOf(words[i])
		if y == 0 || strings.HasPrefix(at(words, i+1), "年") {
			continue
		}
		day, _, _ := strings.Cut(at(words, i+2), "t") // what is before a time of day
		m, d := number(at(words, i+1), 12), number(day, 31)
		if m > 0 && d > 0 {
			found = append(found, days{dayNumber(y, time.Month(m), d), dayNumber(y, time.Month(m), d)})
			i += 2
			continue
		}
		found = append(found, yearDays(y))
	}
	return found
}

// inMonth returns the days of the date around the month name at i, once for each year that it may be in. Used is how
// many of the words after the name belong to the date, or -1 if the name is not a month here.
func (c calendar) inMonth(words []string, i int, m time.Month) (found []days, used int) {
	day := number(at(words, i-1), 31)
	if at(words, i-1) == "of" {
		day = number(at(words, i-2), 31)
	}
	if day == 0 {
		if day = number(at(words, i+1), 31); day > 0 {
			used++
		}
	}
	y := yearOf(at(words, i+1+used))
	if (words[i] == "may" || words[i] == "march") && day == 0 && y == 0 && !beforeMonth[at(words, i-1)] {
		return nil, -1
	}
	if y > 0 {
		return []days{inYear(y, m, day)}, used + 1
	}
	for y := c.years[0]; y <= c.years[1]; y++ {
		found = append(found, inYear(y, m, day))
	}
	return found, used
}

// inYear returns a day of a month, or the month if day is 0.
func inYear(y int, m time.Month, day int) days {
	if day == 0 {
		return monthDays(y, m)
	}
	return days{dayNumber(y, m, day), dayNumber(y, m, day)}
}

func at(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}

// mayDate reports whether a word may be part of a date: a number, a month, or one that counts from today.
func mayDate(w string) bool {
	_, near := nearDays[w]
	_, step := unitSteps[w]
	return near || step || w == "ago" || months[w] != 0 || w[0] >= '0' && w[0] <= '9'
}

// yearOf returns the year from 1900 to 2099 that a word is, or 0.
func yearOf(word string) int {
	if n, err := strconv.Atoi(word); err == nil && len(word) == 4 && n >= 1900 && n < 2100 {
		return n
	}
	return 0
}

// number returns the number from 1 to a limit that a word is, as in "3", "3rd" or "three", or 0.
func number(word string, limit int) int {
	n, err := strconv.Atoi(strings.TrimRight(word, "stndrh"))
	if err != nil {
		n = smallNumbers[word]
	}
	if n < 1 || n > limit {
		return 0
	}
	return n
}

var smallNumbers = map[string]int{
	"one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
	"nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"一": 1, "二": 2, "两": 2, "三": 3, "几": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}
