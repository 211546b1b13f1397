package textsearch

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// traits are what shows in a turn or a question without understanding it.
type traits uint16

const (
	asking      traits = 1 << iota // the turn ends with a question mark
	firstPerson                    // the turn is about its speaker
	timed                          // the turn says when
	counted                        // the turn says how many
	naming                         // the turn has a name inside a sentence
	quoting                        // the turn has a title in quotes
	whenAsked                      // the question asks for a time
	countAsked                     // the question asks for a number
	nameAsked                      // the question asks who, where, or for a title
)

// favours are the factors for turns with a trait, if the question has one. The first two apply to every question:
// statements answer more than questions do, and people speak of themselves.
var favours = []struct {
	question, turn traits
	factor         float64
}{
	{0, asking, .87},
	{0, firstPerson, 1.08},
	{whenAsked, timed, 1.5},
	{countAsked, counted, 1.4},
	{nameAsked, naming, 1.2},
	{nameAsked, quoting, 1.1},
}

// favour returns the factor of a turn with some traits.
func favour(question, turn traits) float64 {
	f := 1.0
	for _, v := range favours {
		if question&v.question == v.question && turn&v.turn != 0 {
			f *= v.factor
		}
	}
	return f
}

// The words that show traits. Chinese ones are searched inside runs of characters.
var (
	selfWords = set("i my me we our mine")
	timeWords = set("yesterday today tonight tomorrow ago last next week weeks weekend weekends month months year " +
		"years day days monday tuesday wednesday thursday friday saturday sunday january february april june july " +
		"august september october november december recently soon since morning evening summer winter spring fall " +
		"autumn christmas thanksgiving birthday")
	nameWords = set("who whom whose where city country state place places name names named called title book books " +
		"movie movies band bands artist artists game games song songs company brand author restaurant team character " +
		"characters series show shows")

	chineseSelf = []string{"我", "咱"}
	chineseTime = []string{"天", "周", "星期", "月", "年", "号", "点", "小时", "分钟", "早上", "晚上", "下午", "上午", "刚刚", "最近", "生日",
		"春节", "国庆"}
	chineseNames = []string{"谁", "哪", "名字", "叫什么", "什么书", "什么歌", "什么电影"}
)

// The phrases of questions for a time, at their beginning or anywhere, and for a number.
var (
	whenOpens = []string{"when ", "since when "}
	whenAsks  = []string{
		"how long", "what year", "what month", "what date", "what day", "what time", "which year", "which month",
		"which date", "which day",
		"什么时候", "哪天", "哪一天", "哪年", "哪一年", "几月", "几号", "何时", "多久", "几点", "日期",
	}
	countAsks   = []string{"how many", "how much", "how often", "how old", "多少", "几个", "几次", "几岁", "几只", "多大"}
	quoteMarks  = "\"“《「"
	endQuestion = "?？"
)

// traitsOfTurn returns the traits of a turn.
func traitsOfTurn(text string, words []string) (t traits) {
	text = strings.TrimSpace(text)
	if last, _ := utf8.DecodeLastRuneInString(text); strings.ContainsRune(endQuestion, last) {
		t |= asking
	}
	if strings.ContainsAny(text, quoteMarks) {
		t |= quoting
	}
	if namesInside(text) {
		t |= naming
	}
	for _, w := range words {
		switch {
		case selfWords[w]:
			t |= firstPerson
		case timeWords[w]:
			t |= timed
		case w[0] >= '0' && w[0] <= '9':
			t |= counted
			if yearOf(w) > 0 {
				t |= timed
			}
		case smallNumbers[w] > 0:
			t |= counted
		case w[0] >= utf8.RuneSelf:
			t |= traitsOfRun(w)
		}
	}
	return t
}

// traitsOfRun returns the traits of a run of Chinese.
func traitsOfRun(run string) (t traits) {
	if containsAny(run, chineseSelf) {
		t |= firstPerson
	}
	if containsAny(run, chineseTime) {
		t |= timed
	}
	if strings.ContainsAny(run, "一二两三四五六七八九十百千万") {
		t |= counted
	}
	return t
}

// namesInside reports whether a word inside a sentence, other than I, begins with a capital.
func namesInside(text string) bool {
	begins, before := true, ' '
	for i, r := range text {
		if unicode.IsUpper(r) && before == ' ' && !begins {
			next, _ := utf8.DecodeRuneInString(text[i+1:])
			if r != 'I' || unicode.IsLetter(next) {
				return true
			}
		}
		if r != ' ' {
			begins = strings.ContainsRune(".!?…", r)
		}
		before = r
	}
	return false
}

// traitsOfQuestion returns the traits of a question.
func traitsOfQuestion(text string, words []string) (t traits) {
	line := strings.Join(words, " ") + " "
	opens := func(phrase string) bool { return strings.HasPrefix(line, phrase) }
	if slices.ContainsFunc(whenOpens, opens) || containsAny(line, whenAsks) {
		t |= whenAsked
	}
	if containsAny(line, countAsks) {
		t |= countAsked
	}
	if slices.ContainsFunc(words, func(w string) bool { return nameWords[w] }) || containsAny(text, chineseNames) {
		t |= nameAsked
	}
	return t
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}
