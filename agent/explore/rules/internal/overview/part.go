package overview

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// A Part is what a question about the whole project asks for first.
type Part string

// The parts of an overview.
const (
	None     Part = ""         // no question about the whole project
	What     Part = "what"     // what it is
	Licence  Part = "licence"  // its licence
	Entry    Part = "entry"    // where it starts
	Packages Part = "packages" // its main directories
	Build    Part = "build"    // how it is built and tested
	Needs    Part = "needs"    // which versions of its language and platform it needs
	Version  Part = "version"  // its own version
	Authors  Part = "authors"  // who wrote it
	Depends  Part = "depends"  // which packages it requires; only beside another part
)

// filler are words that any question about a whole project may contain.
const filler = `what wat wht waht which wich whats is are was the a an this that it its there do does did can could i we you one my in of for
to on under with by from at how where who please me us tell show give list find name project projects repo repository
repositories code codebase library package tool app application software program programme framework main all here use used uses using have has
there's actually whole entire thing
was ist sind das die der den dem des dieses diese dieser diesem dieser es ein eine einen in im für von zu wie wo welche
welcher welches welchen unter steht hat man ich wir mir bitte projekt projekts projekte repos quelltext code
programm bibliothek hier nutzt verwendet`

// A row lists the words that ask for a part.
type row struct {
	part     Part
	keys     map[string]bool    // one of them must occur
	words    map[string]bool    // others that may occur
	patterns *lazyregexp.Regexp // a question in Chinese
}

// table is tried in order.
var table = []row{
	{Licence, set(`license licence licensed licensing licenses lizenz lizenziert lizenzen commercial commercially kommerziell
		proprietary`), set(`product company released distributed open source free or am allowed may modify sell
		redistribute published publish business terms kind type sort darf nutzen verwenden produkt einem work closed`),
		lazyregexp.New(`许可|授权协议|开源协议|商用|license`)},
	{Version, set(`version`), set(`number current latest newest release released set defined stored kept written checkout
		checked out aktuelle welche hat`), lazyregexp.New(`(?:当前|最新)?版本(?:号)?`)},
	{Needs, set(`versions supported supports support required requires require needed need needs minimum minimal
		compatible msrv benötigt unterstützt mindestversion braucht`), set(`python node nodejs js javascript
		typescript go golang rust rustc ruby php java jdk jvm kotlin scala elixir erlang otp swift dotnet
		net sdk android ios cmake c compiler min version
		run runs work works with least lowest oldest older newest still be to installed runtime language platform versionen
		build compile compiles develop läuft mindestens`), lazyregexp.New(`(?:支持|需要|要求)(?:的)?(?:哪个|哪些|什么|最低)?(?:的)?` +
		`(?:Python|Node(?:\.js)?|Go|Rust|Ruby|PHP|Java|JDK|Elixir|Swift)?(?:的)?版本|最低版本`)},
	{Authors, set(`wrote author authors maintainer maintainers maintains maintained created creator creators writes
		autor autoren geschrieben entwickelt`), set(`by current original wer von`),
		lazyregexp.New(`作者|维护者|谁(?:写|开发|维护)`)},
	{Packages, set(`packages directories folders modules structure structured organized organised organisation organization
		architecture layout components pakete verzeichnisse ordner module aufgebaut struktur architektur aufbau komponenten
		subsystems parts structuring`), set(`top level important source sources hold holds contain contains summarize summarise
		explain describe overview laid out live lives high big biggest core key together wichtigsten enthalten überblick
		directory folder package gibt about`),
		lazyregexp.New(`目录结构|项目结构|代码结构|整体结构|架构|主要(?:的)?(?:包|模块|目录|文件夹)|(?:哪些|有什么)(?:主要)?(?:包|模块|目录)|怎么组织|如何组织`)},
	{What, set(`should reading looking soll sollte`), set(`im new cloned and read look lesen would start starting
		begin first
		best know understand learn newcomer beginner anfangen zuerst wissen`), lazyregexp.New(`从(?:哪里|哪儿)开始(?:读|看)|先(?:读|看)(?:哪里|什么)`)},
	{Entry, set(`entry entrypoint entrypoints entries einstieg einstiegspunkt einstiegspunkte startpunkt begin begins starts
		start execution executable beginnt startet`), set(`point points file files function does execution run located defined
		into and everything running first datei funktion befindet sich ausführung`),
		lazyregexp.New(`入口|从哪里开始(?:执行|运行)|主函数在`)},
	{What, set(`what wat wht waht whats summarize summarise summary describe overview purpose about introduction introduce explain tour
		goal was worum zweck überblick zusammenfassung fasse beschreibe macht`), set(`geht zusammen kurz short brief briefly
		sentence few words good sentences quick mach tut solve problem tl dr tldr`),
		lazyregexp.New(`(?:做|干)什么|是什么(?:项目|东西|库|工具)|(?:这个|该|本)(?:项目|仓库|库|工具)是什么|介绍(?:一下)?` +
			`(?:这个|该|本)?(?:项目|仓库|库)|什么(?:项目|用途)|总结|^\s*是(?:什么|啥)`)},
	{Build, set(`build built compile compiled builds bauen baue kompilieren test tests testing tested testsuite lint
		linter contribute contributing`), set(`run running runs execute and scratch source suite unit command commands script
		scripts instructions single all make führe aus starte ausführen npm yarn cargo go mvn gradle pytest`),
		lazyregexp.New(`(?:怎么|如何)(?:构建|编译|运行测试|跑测试|测试)(?:这个|该|本)?(?:项目|代码)?`)},
}

var fillers = set(filler)

// OfNamed returns the part of an overview that a question asks for if its one other word is the name of the project,
// and that word: "glow" in "what does glow do?". The name is "" without one.
func OfNamed(question string) (name string, part Part) {
	rest := token.ReplaceAllStringFunc(recently.ReplaceAllString(question, "I "), func(w string) string {
		low := strings.ToLower(strings.TrimSuffix(w, "'s"))
		switch {
		case known()[low] || name != "" && low != strings.ToLower(name):
			return w
		case name == "":
			name = strings.TrimSuffix(w, "'s")
		}
		return ""
	})
	switch {
	case name == "" || len(name) < 2:
		return "", None
	case strings.Trim(rest, " ?!.") == "":
		return name, What
	}
	if part = PartOf(rest); part == None || part == What && another.MatchString(rest) && !reads.MatchString(rest) {
		return "", None
	}
	return name, part
}

// recently matches what somebody says before a question that the name of a project is not in.
var recently = lazyregexp.New(`(?i)^i(?:'ve| have)? (?:just|recently) `)

// PartsOf returns the parts that a question of several clauses asks for, and the name of the project that some have, as
// in "which licence is glow under, and which Go does it need?"; no parts if a clause asks for anything else.
func PartsOf(question string) (name string, parts []Part) {
	for _, clause := range clauses.Split(strings.TrimSpace(question), -1) {
		part := PartOf(clause)
		if part == None {
			named, of := OfNamed(clause)
			if of == None || name != "" && !strings.EqualFold(name, named) {
				return "", nil
			}
			name, part = named, of
		}
		parts = append(parts, part)
	}
	return name, parts
}

var clauses = lazyregexp.New(`(?i)(?:\s*[,;]|\s+[-–—])?\s+(?:and|und|plus|also:?|as well as|sowie|&)\s+|\s*[,;]\s+`)

// cues are words that say together which part somebody asks for, whatever else the question says: "we need the licence
// for an audit". What is said of a licence as a text, or as that of others, is no part of the project.
var cues = []struct {
	part         Part
	says, unless *lazyregexp.Regexp
}{
	{Licence, lazyregexp.New(`(?i)\b(?:what|which|welche\w*|its|the|und|and|plus|` +
		`under)(?: \w+){0,2}[ /+]+(?:licen[cs]es?|lizenz)\b|` +
		`\blicen[cs]ed? (?:id|type|under)\b|[+&] ?licen[cs]e\b|^\W*licen[cs]e ?(?:\+|&|and|/|,|\?)|\b(?:and|` +
		`und) licen[cs]e of this\b|\bis (?:it|this) (?:(?:MIT|BSD|GPL|LGPL|Apache|MPL|ISC)\b|licen)|许可证|哪种协议`),
		lazyregexp.New(`(?i)\blicen[cs]es? (?:headers?|keys?|files?|checks?|texts?|of (?:the |` +
			`our )?(?:dependenc|third))`)},
	{Version, lazyregexp.New(`(?i)\b(?:exact|current) version\b|^\W*version ?(?:[+&,]|and\b)|\b(?:release|` +
		`version) of .*\bchecked out\b|` +
		`\bversion of (?:the )?[\w.-]+ (?:crate|gem|package|library|module|project)\b|\bversion (?:of|` +
		`in) (?:this|the) (?:check-?out|tree|repo\w*)\b`),
		lazyregexp.New(`(?i)\b(?:api|protocol|schema|file|format|client|server)\b`)},
	{Needs, lazyregexp.New(`(?i)\bmsrv\b|` +
		`\b(?:min(?:imum|imal)?|oldest|lowest|earliest|mindest\w*|älteste\w*)\b[^.;?]*?\b` + platform + `\b|` +
		`\b` + platform + `\b(?: \w+){0,4} (?:minimum|oldest|lowest)\b|\b(?:which|what|required|` +
		`supported) ` + platform + ` versions?\b|` +
		`\b` + platform + ` versions?\b.*\b(?:supported|required|needed)\b|\brequired ` + platform + `\b|` +
		`\b(?:which|what) ` + platform + ` (?:do|does|must|should|is|are) (?:\w+ )?(?:need|needs|needed|require|` +
		`required|have|supported)\b|` +
		`\b(?:oldest|lowest|min\w*) go version\b|[+&/,] ?(?:go|` + platform + `) versions?\b|` +
		`\b(?:go|` + platform + `) versions? (?:is |are )?(?:required|` +
		`needed|supported)\b|` +
		`\b(?:run|work|build|compile|usable|use|used)\b.* (?:on|with|under|from) ` + platform + `(?: framework|` +
		` core)?(?: ?\d|[,?]|$| and | or )|` +
		`\b(?:which|what) (?:cmake|go) versions?\b|\bwelche\w* ` + platform + `[- ]version(?:en)?\b`),
		lazyregexp.New(`(?i)\b(?:class|function|method|setting|handler|object|generated?)\b`)},
	{Build, lazyregexp.New(`(?i)\bhow (?:do|can|to|does)\b(?: \w+){0,9} run(?: \w+){0,3} (?:tests?|test suite|` +
		`specs)\b|\bset ?up (?:an? |the |my )?dev(?:elopment)? env`),
		lazyregexp.New(`(?i)\b(?:single|one test|specific|for (?:one|my|a (?:single|class|function))|against|with)\b`)},
	{Authors, lazyregexp.New(`(?i)\bauthors?['’]?s? names?\b`), lazyregexp.New(`(?i)\b(?:commit|git)\b`)},
}

// platform matches what a project may need some version of.
const platform = `(?:node(?:\.?js)?|php|python|ruby|golang|java|jdk|jre|jvm|rustc?|\.net|dotnet|typescript|` +
	`(?-i:Go)|android|kotlin|scala|cmake)`

// further are words that ask for a part if other words of the question ask for another one.
var further = []struct {
	part Part
	says *lazyregexp.Regexp
}{
	{Licence, lazyregexp.New(`(?i)\blicen[cs]es?\b|\blizenz`)},
	{Needs, lazyregexp.New(`(?i)\b(?:on|with|under) (?:which |what )?` + platform + ` (?:versions?\b|\d)|` +
		`\b` + platform + ` versions?\b`)},
	{Build, lazyregexp.New(`(?i)\brun(?:ning)? (?:[\w+&]+ ){0,4}(?:tests?|suite|specs)\b`)},
	{Depends, lazyregexp.New(`(?i)\b(?:third[- ]party|external|other|any|no|runtime|extra|which|what)(?: \w+)? ` +
		`(?:modules?|librar(?:y|ies)|packages?|crates?|gems?|dependenc\w+)\b|\bdepends? on\b|\bdependencies\b|` +
		`\babhängigkeiten\b|依赖`)},
}

// Cued returns the parts that words of a question say it asks for, in any order and among others, if every other word
// may be about anything; none if it names code.
func Cued(question string) (parts []Part) {
	if strings.Contains(question, "\n") || codeName.MatchString(question) || len(strings.Fields(question)) > maxCued {
		return nil
	}
	for _, c := range cues {
		if c.says.MatchString(question) && !c.unless.MatchString(question) {
			parts = append(parts, c.part)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	for _, f := range further {
		if f.says.MatchString(question) && !slices.Contains(parts, f.part) {
			parts = append(parts, f.part)
		}
	}
	return parts
}

const maxCued = 30 // words of a question

// another matches what a question has that asks how to do something with the project, not what it is.
var another = lazyregexp.New(`(?i)\b(?:i|we|you|one|how|to|use|when|why)\b`)

// reads matches what asks where a newcomer begins.
var reads = lazyregexp.New(`(?i)\b(?:start|begin) (?:reading|looking)\b|\bread first\b`)

var token = lazyregexp.New(`[\pL\pN](?:[\pL\pN._-]*[\pL\pN])?(?:'s)?`)

// known returns the words of the table.
var known = sync.OnceValue(func() map[string]bool {
	all := maps.Clone(fillers)
	for _, r := range table {
		maps.Copy(all, r.keys)
		maps.Copy(all, r.words)
	}
	return all
})

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

const maxWords = 16 // of a question about a whole project

var (
	chinese = lazyregexp.New(`\p{Han}`)
	// ofThing matches a question for how something of one's own is tested or built with the project.
	ofThing  = lazyregexp.New(`(?i)\b(?:test|build|run) (?:an?|my|our|one) `)
	named    = lazyregexp.New(`(?i)\bwhat(?:'s| is) [\w.-]+,? and (where (?:should|do|to|can)\b)`)
	codeName = lazyregexp.New("[`_]|\\p{Ll}\\p{Lu}|::|\\(\\)|\\s--?\\w")
	aName    = lazyregexp.New("[`_/]|\\p{Ll}\\p{Lu}|::|\\(\\)|\\w\\.\\w|\\s--?\\w")
)

// PartOf returns the part of an overview that a question asks for, or None. Every word of the question must ask for
// that part or be filler; mistyped words count too.
func PartOf(question string) Part {
	if strings.Contains(question, "\n") || aName.MatchString(question) || ofThing.MatchString(question) {
		return None
	}
	question = named.ReplaceAllString(question, "what is this and $1")
	words := textsearch.Words(strings.ReplaceAll(question, "'", ""))
	if len(words) == 0 || len(words) > maxWords {
		return None
	}
	if chinese.MatchString(question) {
		for _, r := range table {
			if at := r.patterns.FindStringIndex(question); at != nil && restIsFiller(question[:at[0]]+" "+question[at[1]:]) {
				return r.part
			}
		}
		return None
	}
	for _, r := range table {
		asked, others := false, false
		for _, w := range words {
			switch {
			case contains(r.keys, w):
				asked = true
			case !contains(fillers, w) && !contains(r.words, w):
				others = true
			}
		}
		if asked && !others {
			return r.part
		}
	}
	return None
}

var chineseFiller = lazyregexp.New(`请问|这个|该|本|项目|代码库|代码|仓库|程序|的|是|在|哪里|哪儿|哪个|哪些|有|用|使用|采用|什么|怎么样|怎样|怎么|如何|吗|呢|` +
	`可以|能|一下|我|我们|介绍|说明|总结|主要|整体|样|库|工具|开源|证|协议|文件|了|它|点|看|[\s\pP]`)

// restIsFiller reports whether the rest of a Chinese question is only filler.
func restIsFiller(rest string) bool { return chineseFiller.ReplaceAllString(rest, "") == "" }

// exactly are words of the table that others are too near to: a Tester is not tested.
var exactly = set(`test tests tested testing lint linter`)

// contains reports whether a set has the word or a likely misspelling of it.
func contains(all map[string]bool, w string) bool {
	if all[w] {
		return true
	}
	for o := range all {
		if len(o) > 3 && !exactly[o] && documents.Alike(w, o) {
			return true
		}
	}
	return false
}
