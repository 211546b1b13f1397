package textsearch

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var weekdays = map[string]time.Weekday{
	"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
	"日": 0, "天": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6,
}

// Words that mean a day relative to the current one, and words that mean another unit if one follows.
var (
	nearDays  = map[string]int{"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
	unitSteps = map[string]int{"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1}
)

// relative finds "yesterday", "last week", "two months ago", "next Friday".
func (c calendar) relative(words []string) (found []days) {
	for i, w := range words {
		if by, ok := nearDays[w]; ok {
			found = append(found, c.shift("day", by)...)
		}
		if by, ok := unitSteps[w]; ok {
			found = append(found, c.shift(at(words, i+1), by)...)
		}
		if w != "ago" {
			continue
		}
		n := number(at(words, i-2), 999)
		switch at(words, i-2) {
		case "a", "an":
			n = 1
		case "of":
			n = number(at(words, i-3), 999)
		}
		if n > 0 {
			found = append(found, c.ago(at(words, i-1), n)...)
		}
	}
	return found
}

// shift returns the day, week, month, year or weekday that is some steps from that of c.on. A week is the seven days
// around the same weekday.
func (c calendar) shift(unit string, by int) []days {
	t := time.Unix(int64(c.on)*24*60*60, 0).UTC()
	if weekday, ok := weekdays[unit]; ok {
		d := c.on + int(weekday) - int(t.Weekday())
		if by < 0 && d >= c.on || by > 0 && d <= c.on {
			d += 7 * by
		}
		return []days{{d, d}}
	}
	switch unit {
	case "day", "night":
		return []days{{c.on + by, c.on + by}}
	case "week":
		return []days{{c.on + 7*by - 3, c.on + 7*by + 3}}
	case "weekend":
		saturday := c.on + int(time.Saturday-t.Weekday()) + 7*by
		return []days{{saturday - 1, saturday + 1}}
	case "month":
		return []days{monthDays(t.Year(), t.Month()+time.Month(by))}
	case "year":
		return []days{yearDays(t.Year() + by)}
	case "summer":
		return []days{{dayNumber(t.Year()+by, 6, 1), dayNumber(t.Year()+by, 8, 31)}}
	}
	return nil
}

// ago returns the days about n units before c.on, with the precision that people mean.
func (c calendar) ago(unit string, n int) []days {
	switch unit = strings.TrimSuffix(unit, "s"); unit {
	case "day":
		return []days{{c.on - n - 1, c.on - n + 1}}
	case "week", "month", "year":
		return c.shift(unit, -n)
	}
	return nil
}

// The days in Chinese texts: dates with or without year and day, and words relative to the day of the text.
var (
	chineseDate = regexp.MustCompile(`(?:(\d{4})年)?(\d{1,2}|十[一二]?|[一二三四五六七八九])月` +
		`(?:份|(\d{1,2}|[一二三]?十?[一二三四五六七八九]?)[日号])?`)
	chineseYear  = regexp.MustCompile(`(\d{4})年(?:[^0-9一二三四五六七八九十]|$)`)
	chineseAgo   = regexp.MustCompile(`(\d{1,3}|[一二两三四五六七八九十几])个?(天|周|星期|礼拜|月|年)(?:以)?前`)
	chineseWeek  = regexp.MustCompile(`(上|这|本|下)个?(?:周|星期|礼拜)([一二三四五六日天末])?`)
	chineseUnits = map[string]string{"天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
	chineseSteps = map[string]int{"上": -1, "这": 0, "本": 0, "下": 1}
)

var chineseWords = []struct {
	word, unit string
	by         int
}{
	{"前天", "day", -2}, {"昨天", "day", -1}, {"昨晚", "day", -1}, {"今天", "day", 0}, {"今晚", "day", 0}, {"明天", "day", 1},
	{"后天", "day", 2}, {"上个月", "month", -1}, {"上月", "month", -1}, {"这个月", "month", 0}, {"本月", "month", 0},
	{"下个月", "month", 1}, {"下月", "month", 1}, {"前年", "year", -2}, {"去年", "year", -1}, {"今年", "year", 0}, {"明年", "year", 1},
}

// chinese finds the days that a Chinese text mentions.
func (c calendar) chinese(text string) (found []days) {
	for _, m := range chineseDate.FindAllStringSubmatch(text, -1) {
		month, day := chineseNumber(m[2]), chineseNumber(m[3])
		if month < 1 || month > 12 || day > 31 {
			continue
		}
		first, last := c.years[0], c.years[1]
		if y := yearOf(m[1]); y > 0 {
			first, last = y, y
		}
		for y := first; y <= last; y++ {
			found = append(found, inYear(y, time.Month(month), day))
		}
	}
	for _, m := range chineseYear.FindAllStringSubmatch(text, -1) {
		if y := yearOf(m[1]); y > 0 {
			found = append(found, yearDays(y))
		}
	}
	if c.on != 0 {
		found = append(found, c.chineseRelative(text)...)
	}
	return found
}

func (c calendar) chineseRelative(text string) (found []days) {
	for _, w := range chineseWords {
		if strings.Contains(text, w.word) {
			found = append(found, c.shift(w.unit, w.by)...)
		}
	}
	for _, m := range chineseAgo.FindAllStringSubmatch(text, -1) {
		if n := chineseNumber(m[1]); n > 0 {
			found = append(found, c.ago(chineseUnits[m[2]], n)...)
		}
	}
	for _, m := range chineseWeek.FindAllStringSubmatch(text, -1) {
		switch by := chineseSteps[m[1]]; m[2] {
		case "":
			found = append(found, c.shift("week", by)...)
		case "末":
			found = append(found, c.shift("weekend", by)...)
		default:
			found = append(found, c.inWeek(weekdays[m[2]], by)...)
		}
	}
	return found
}

// inWeek returns a weekday of the week that is some weeks from that of c.on. As in Chinese, weeks begin on Monday.
func (c calendar) inWeek(weekday time.Weekday, by int) []days {
	today := time.Unix(int64(c.on)*24*60*60, 0).UTC().Weekday()
	d := c.on - int(today+6)%7 + int(weekday+6)%7 + 7*by
	return []days{{d, d}}
}

// chineseNumber parses a number up to 39 in digits or characters. It returns 0 for anything else.
func chineseNumber(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	tens, ones, ten := strings.Cut(text, "十")
	if !ten {
		return smallNumbers[text]
	}
	n := 10
	if tens != "" {
		n *= smallNumbers[tens]
	}
	return n + smallNumbers[ones]
}
