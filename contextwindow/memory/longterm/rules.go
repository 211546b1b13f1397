package longterm

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/internal/textsearch"
)

// A rule finds sentences worth remembering. If the pattern has a group "value", it fills a slot, such as name or
// home, that each user has once: a new value supersedes the old one.
type rule struct {
	pattern    *regexp.Regexp
	category   Category
	importance int
	slot       string
}

// The subjects of sentences: the user, the team or its project. Memories that a model wrote speak of "the user".
var (
	self = `(?:^|[,;] |\b` + oneOf("and, but, because, btw, so, actually, also, well, fyi, by the way") + `,? )` +
		`(?:i|i'm|the user|user)(?:'ve|'d|'m)?,? ` +
		many("also , really , always , usually , generally , strongly , still , now , currently , mostly , just ",
			"am , is , have , has , would ")
	our = `\b(?:we|we're|we've|the team|our team)(?:'ve|'re)? ` +
		many("also , have , are , all , now , just , finally ")
	project = `\b(?:our|the|this) ` + oneOf("project, repo, repository, service, app, application, product, api, backend",
		"frontend, database, codebase, team, company, server, pipeline, release, website, stack") + `\b`
	chineseSelf = `(?:^|[,，;；。 ])(?:我|用户|本人)` +
		many("现在, 目前, 一直, 平时, 还, 也, 真的, 其实, 比较, 非常, 特别, 最, 更, 很, 就, 只")
)

// rules are tried in order; the first that matches decides. Importance is from 1 to 10.
var rules = []rule{
	{re(`^(?:please |pls )?(?:remember|keep in mind|note|don't forget)(?: that|:|,)? .{8,}`), Fact, 8, ""},
	{re(`(?:记住|请记得|记得一下|别忘了|请注意)[,，:： ]?.{3,}`), Fact, 8, ""},
	{re(`\bcall me (?P<value>[\p{L} ]+)`), UserPreference, 8, "called"},
	{re(`\bmy (?:full |first )?name(?:'s| is) (?P<value>[\p{L}' -]+)`), Fact, 8, "name"},
	{re(`(?:我叫|我的名字(?:是|叫)|用户(?:名)?叫)(?P<value>[\p{L}]{1,12})`), Fact, 8, "name"},
	{re(`(?:叫我|称呼我为?)(?P<value>[\p{L}]{1,12})`), UserPreference, 8, "called"},
	{re(`^(?:please |from now on,? (?:please )?|in (?:the )?future,? (?:please )?)*`,
		`(?:always|never|don't ever) [a-z]+ .{3,}`), UserPreference, 8, ""},
	{re(`\bfrom now on\b.{5,}`), UserPreference, 8, ""},
	{re(`(?:以后|今后|从现在起|从今以后)(?:都|请|就|不要|别|一律)+.{2,}`), UserPreference, 8, ""},
	{re(self, `(?:allergic|intolerant) to .+`), Fact, 9, ""},
	{re(chineseSelf, `对.{1,10}过敏`), Fact, 9, ""},
	{re(self, `(?:live|lives|living|moved|relocated) (?:in|to|near) (?P<value>[\p{L}, ]+)`), Fact, 7, "home"},
	{re(chineseSelf, `(?:住在|搬到了?|定居在?)(?P<value>[\p{L}]{2,12})`), Fact, 7, "home"},
	{re(self, `(?:work|works|working) (?:at|for) (?P<value>[\p{L}\d&.' -]+)`), Fact, 7, "employer"},
	{re(self, `(?:work|works|working) (?:as|in|on|with) .+`), Fact, 7, ""},
	{re(chineseSelf, `在(?P<value>[\p{L}\d]{2,16}?)(?:工作|上班|任职)`), Fact, 7, "employer"},
	{re(self, `(?:prefer|prefers|favou?r|favou?rs) .+`), UserPreference, 7, ""},
	{re(self, oneOf("like, likes, love, loves, enjoy, enjoys, hate, hates, dislike, dislikes, can't stand"), ` .+`),
		UserPreference, 6, ""},
	{re(self, `(?:do not|does not|don't|doesn't) (?:really )?(?:like|want|enjoy|drink|eat|use) .+`),
		UserPreference, 6, ""},
	{re(`\bmy (?:favou?rite|preferred) [\p{L} ]+ (?:is|are) .+`), UserPreference, 6, ""},
	{re(chineseSelf, `(?:不)?`, oneOf("喜欢, 偏好, 偏爱, 喜爱, 热爱, 讨厌, 习惯, 爱吃, 爱喝, 爱看, 爱听, 吃不惯, 受不了"), `.+`),
		UserPreference, 6, ""},
	{re(chineseSelf, `(?:不吃|不喝|不用|只吃|只喝|只用).+`), UserPreference, 6, ""},
	{re(`(?:我)?最(?:喜欢|爱)的.+是.+`), UserPreference, 6, ""},
	{re(our, oneOf("decided, agreed, chose, settled on, go with, going with, picked, switched, switching, moving",
		"migrated, migrating, will use, use, using, standardi[sz]ed"), ` .+`), ProjectContext, 7, ""},
	{re(`^(?:ok,? |okay,? |so,? )?let's (?:use|go with|stick with|switch to) .+`), ProjectContext, 7, ""},
	{re(`\b(?:the )?(?:deadline|due date|release date|launch date) `, `(?:is|was moved to|moved to|has moved to) `,
		`(?P<value>.+)`), ProjectContext, 8, "deadline"},
	{re(project, `.* `, oneOf("is, are, uses, use, runs, run, must, should, will, needs, has, have, targets, depends",
		"lives, requires"), ` .+`), ProjectContext, 6, ""},
	{re(`(?:我们|咱们|团队|公司|组里)(?:已经|最后|最终|现在|都|就)*`,
		oneOf("决定, 确定, 选定, 商定, 约定, 统一, 改用, 换成, 采用, 使用, 用的是"), `.+`), ProjectContext, 7, ""},
	{re(`(?:那就|就)(?:定|用|选|采用).{2,}`), ProjectContext, 6, ""},
	{re(`(?:截止(?:日期|时间)?|上线(?:日期|时间)|验收(?:日期|时间)|交付(?:日期|时间)?)`,
		`(?:是|定在|定于|改到|推迟到|为)(?P<value>.+)`), ProjectContext, 8, "deadline"},
	{re(oneOf("项目, 系统, 服务, 后端, 前端, 数据库, 接口, 仓库, 服务器, 产品"), `(?:.{0,8})`,
		oneOf("是, 用, 使用, 采用, 部署, 运行, 必须, 需要, 基于"), `.{2,}`), ProjectContext, 6, ""},
	{re(self, `(?:good|experienced|fluent|skilled|proficient) (?:at|in|with) .+`), Skill, 6, ""},
	{re(self, `(?:know how to|can play|can speak|speak|speaks|code in|program in|play|plays) .+`), Skill, 5, ""},
	{re(self, `(?:been )?(?:\w+ ){0,4}`,
		oneOf(`\d+, \w+teen, two, three, four, five, six, seven, eight, nine, ten, twenty`),
		` years of experience.*`), Skill, 6, ""},
	{re(chineseSelf, `(?:擅长|精通|熟悉|会说|会弹|会写|会用|会开|会做|懂).+`), Skill, 6, ""},
	{re(chineseSelf, `有.{1,6}年.{0,12}经验`), Skill, 6, ""},
	{re(`\bmy birthday is (?:on )?(?P<value>.+)`), Fact, 7, "birthday"},
	{re(`我?的?生日是(?P<value>.+)`), Fact, 7, "birthday"},
	{re(`\bmy `, oneOf("wife, husband, partner, girlfriend, boyfriend, son, daughter, kid, kids, child, children, mother",
		"father, mom, dad, sister, brother, boss, manager, dog, cat, team, email, phone, address, timezone, time zone, car",
		"job, office, laptop"), `\b.* (?:is|are|has|have|works?|lives?|was|likes?|loves?) .+`), Fact, 6, ""},
	{re(`我的?`, oneOf("妻子, 老婆, 太太, 丈夫, 老公, 男朋友, 女朋友, 对象, 儿子, 女儿, 孩子, 爸爸, 妈妈, 父亲, 母亲, 哥哥, 姐姐",
		"弟弟, 妹妹, 老板, 经理, 狗, 猫, 邮箱, 电话, 地址, 车, 公司"), `.{0,4}(?:是|叫|在|有|今年|喜欢|住).+`), Fact, 6, ""},
	{re(self, `(?:from|born in|married|divorced|single|vegetarian|vegan|diabetic|pregnant|retired)\b.*`), Fact, 7, ""},
	{re(`^(?:i am|i'm|the user is) (?:a|an) [\p{L} -]{3,}`), Fact, 6, ""},
	{re(`^i have (?:a|an|two|three|four|five|\d+) [\p{L}]+.*`), Fact, 5, ""},
	{re(chineseSelf, `(?:是|当)(?:一?[名个位])[\p{L}\d]{2,}`), Fact, 6, ""},
	{re(chineseSelf, oneOf("来自, 出生在, 出生于, 毕业于, 结婚, 离婚, 怀孕, 退休, 吃素, 养了, 今年[\\d一二三四五六七八九十]+岁"), `.*`), Fact, 6, ""},
	{re(chineseSelf, `有(?:一|两|三|四|\d)[个只条台辆位].+`), Fact, 5, ""},
}

// re compiles a pattern, given in parts, for text in lower case.
func re(parts ...string) *regexp.Regexp { return regexp.MustCompile(strings.Join(parts, "")) }

// oneOf returns the pattern of any of some phrases, which are separated by a comma and a space.
func oneOf(phrases ...string) string {
	return "(?:" + strings.ReplaceAll(strings.Join(phrases, ", "), ", ", "|") + ")"
}

// many returns the pattern of any number of some phrases.
func many(phrases ...string) string { return oneOf(phrases...) + "*" }

// The lengths of sentences that are read, in characters. Longer ones are pasted, not said.
const (
	minSentence   = 4
	maxSentence   = 300
	maxStatements = 8 // of one message
)

// statementsOf returns the sentences of a user's message that match a rule.
func statementsOf(text string) []statement {
	var found []statement
	for _, sentence := range speech.Sentences(withoutCode(text)) {
		if len(found) == maxStatements {
			break
		}
		n := utf8.RuneCountInString(sentence)
		if n < minSentence || n > maxSentence || questionLike(sentence) || supposed(sentence) {
			continue
		}
		if r := firstRule(sentence); r != nil {
			found = append(found, statement{Content: sentence, Category: r.category, Importance: r.importance})
		}
	}
	return found
}

func firstRule(sentence string) *rule {
	lower := normalize(sentence)
	for i := range rules {
		if rules[i].pattern.MatchString(lower) {
			return &rules[i]
		}
	}
	return nil
}

// slotsOf returns the slots that a statement fills, with their values.
func slotsOf(text string) map[string]string {
	slots := make(map[string]string)
	lower := normalize(text)
	for _, r := range rules {
		if r.slot == "" {
			continue
		}
		if m := r.pattern.FindStringSubmatch(lower); m != nil {
			slots[r.slot] = strings.Join(textsearch.Terms(m[r.pattern.SubexpIndex("value")]), " ")
		}
	}
	return slots
}

// normalize returns a text in lower case with plain apostrophes and single spaces.
func normalize(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(text), "’", "'")), " ")
}

var fenced = regexp.MustCompile("(?s)```.*?(?:```|$)")

func withoutCode(text string) string { return fenced.ReplaceAllString(text, "\n") }

// The words that questions begin with or contain, and phrases of sentences that only suppose or ask for work.
var (
	questionStarts = strings.Fields("what who whom whose where when why how which is are was were do does did can " +
		"could would will shall should have has may am isn't aren't doesn't")
	questionRuns = []string{"吗", "什么", "怎么", "为什么", "哪里", "哪个", "哪些", "是否", "是不是", "能不能", "有没有", "多少", "如何"}
	supposings   = []string{
		"if i ", "if we ", "suppose ", "imagine ", "let's say", "hypothetically", "for example", "what if", "i wonder",
		"maybe ", "perhaps ", "how to ", "i'd like you to", "i would like you to", "i want you to", "i need you to",
		"如果", "假如", "假设", "要是", "也许", "可能我", "比如",
	}
)

// questionLike reports whether a sentence asks, by its mark or its words.
func questionLike(sentence string) bool {
	if speech.IsQuestion(sentence) {
		return true
	}
	lower := normalize(sentence)
	first, _, _ := strings.Cut(lower, " ")
	if slices.Contains(questionStarts, strings.TrimRight(first, ",")) {
		return true
	}
	end := strings.TrimRightFunc(lower, func(r rune) bool { return unicode.IsPunct(r) })
	return strings.HasSuffix(end, "呢") || speech.Contains(lower, questionRuns)
}

// supposed reports whether a sentence only supposes something or asks for work.
func supposed(sentence string) bool { return speech.Contains(normalize(sentence), supposings) }

// greetings are words, beside acknowledgements, that say nothing worth remembering.
var greetings = strings.Fields("hi hello hey bye goodbye good morning afternoon evening night thanks thank you " +
	"so much nice 你好 您好 早上好 晚上好 晚安 再见 谢谢 谢谢你 多谢")

// trivial reports whether a message says nothing worth remembering: it is empty, or only greets, thanks or agrees.
func trivial(text string) bool {
	if speech.IsAcknowledgement(text) {
		return true
	}
	return !slices.ContainsFunc(textsearch.Words(text), func(w string) bool { return !slices.Contains(greetings, w) })
}
