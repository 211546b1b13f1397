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
	asking       traits = 1 << iota // the turn ends with a question mark
	firstPerson                     // the turn is about its speaker
	timed                           // the turn says when
	counted                         // the turn says how many
	naming                          // the turn has a name inside a sentence
	quoting                         // the turn has a title in quotes
	standing                        // the turn says how to do things from now on
	preferring                      // the turn says what its speaker prefers
	cue                             // a word may belong to a phrase of standing or preferring
	whenAsked                       // the question asks for a time
	countAsked                      // the question asks for a number
	nameAsked                       // the question asks who, where, or for a title
	backAsked                       // the question asks what the assistant said
	summaryAsked                    // the question asks for a summary
)

// A favour is the factor for passages with a trait, if the question has one.
type favour struct {
	question, turn traits
	factor         float64
}

// favours are all of them. The first applies to every question: people speak of themselves.
var favours = []favour{
	{0, firstPerson, 1.08},
	{whenAsked, timed, 1.5},
	{countAsked, counted, 1.4},
	{nameAsked, naming, 1.2},
	{nameAsked, quoting, 1.1},
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
	summaryAsks = []string{"summar", "overview", "recap", "zusammenfass", "总结", "概括", "概述"}
	quoteMarks  = "\"“《「"
	endQuestion = "?？"
)

// The words that begin a standing instruction or a preference, and those that show it anywhere, each in a sentence of
// its own. The apostrophe is a space.
var (
	standingOpens  = []string{"always ", "never ", "please always ", "please never ", "whenever ", "every time "}
	standingPhrase = []string{
		" when i ask ", " whenever i ", " every time i ", " from now on ", " in the future ", " immer wenn ", " ab jetzt ",
		"每次", "每当", "以后都", "以后请", "从现在起", "总是要",
	}
	preferringPhrase = []string{
		" i prefer ", " i d prefer ", " i would prefer ", " i d rather ", " i would rather ",
		" i don t like ", " i hate ", " i dislike ", " my favorite ", " my favourite ", " ich mag ",
		" ich bevorzuge ", "我喜欢", "我更喜欢", "我不喜欢", "我讨厌", "我偏好", "我最爱",
	}
)

// cues are the longest words of these phrases: without one, a piece has none.
var cues = func() map[string]bool {
	words := make(map[string]bool)
	for _, phrase := range slices.Concat(standingOpens, standingPhrase, preferringPhrase) {
		longest := slices.MaxFunc(Words(phrase), func(a, b string) int { return len(a) - len(b) })
		words[longest] = true
	}
	return words
}()

// traitsOfText returns the traits of a piece of a turn that single words do not show. Cued says whether one of its
// words is a cue.
func traitsOfText(text string, words []string, cued bool) (t traits) {
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
	if !cued {
		return t
	}
	line := " " + strings.Join(words, " ") + " "
	opens := func(phrase string) bool { return strings.HasPrefix(line[1:], phrase) }
	if slices.ContainsFunc(standingOpens, opens) || containsAny(line, standingPhrase) {
		t |= standing
	}
	if containsAny(line, preferringPhrase) {
		t |= preferring
	}
	return t
}

// traitsOfWord returns the traits that a word shows, other than a run of Chinese.
func traitsOfWord(w string) (t traits) {
	switch {
	case selfWords[w]:
		t = firstPerson
	case timeWords[w]:
		t = timed
	case w[0] >= '0' && w[0] <= '9':
		t = counted
		if yearOf(w) > 0 {
			t |= timed
		}
	case smallNumbers[w] > 0:
		t = counted
	}
	if cues[w] {
		t |= cue
	}
	return t
}

// traitsOfRun returns the traits of a run of Chinese.
func traitsOfRun(run string) traits {
	t := cue
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
	if asksBack(text, words) {
		t |= backAsked
	}
	if containsAny(line, summaryAsks) {
		t |= summaryAsked
	}
	if slices.ContainsFunc(words, func(w string) bool { return nameWords[w] }) || containsAny(text, chineseNames) {
		t |= nameAsked
	}
	return t
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}
