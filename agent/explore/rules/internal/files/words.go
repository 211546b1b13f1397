package files

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// kinds are the kinds of definitions by the words for them.
var kinds = map[string][]string{
	"function": {"func", "method"}, "method": {"func", "method"}, "class": {"class", "struct"},
	"type":   {"type", "struct", "interface", "class", "enum", "trait"},
	"struct": {"struct"}, "interface": {"interface", "trait"}, "trait": {"trait"}, "constant": {"const"},
	"variable": {"var"}, "enum": {"enum"}, "section": {"heading"}, "heading": {"heading"}, "macro": {"macro"},
	"funktion": {"func", "method"}, "methode": {"func", "method"}, "klasse": {"class", "struct"},
	"typ": {"type", "struct", "interface", "class", "enum", "trait"}, "konstante": {"const"}, "abschnitt": {"heading"},
}

// hanKinds are the kinds of definitions by the Chinese words for them.
var hanKinds = map[string][]string{"函数": {"func", "method"}, "方法": {"func", "method"}, "类": {"class", "struct"}}

// noName are the words beside one for a directory that are not its name.
var noName = set(`the this that these those a an any each every which what in of under inside whole it is are for and or do
	does show list explain describe summarize tour der die das dem den des ein eine im in von ist sind und was dieses`)

// directory are the words for a directory, beside which a plain word is the name of one.
var directory = set(`folder directory dir package subfolder subdirectory subpackage crate ordner verzeichnis unterordner
	paket`)

// asksWhole are the words that ask for a file or directory as a whole.
var asksWhole = set(`
explain explains describe describes summarize summarise summary overview outline list tour tldr tl dr gist purpose role job
responsible responsibility meant intended about contents content contain contains define defines declare export exports
provide provides hold holds live lives do does work works show open read print cat view display walk introduce short
brief implement implements implementing idea point used describe description explanation structure structured organized
organised big
erkläre erklär erklären beschreibe beschreib beschreiben fasse zusammen zusammenfassung überblick zeig zeige öffne lies
macht tut enthält enthalten dient wozu wofür zweck aufgabe zuständig inhalt bedeutet definiert steht liegt liegen
beschreibung drin handle handles handelt understand understanding clue`)

// locates are the words that ask for a place, a time, a reason or an amount in a file.
var locates = set(`where when why lines many much long wo wann warum weshalb viele zeilen stelle`)

var hanLocates = lazyregexp.New(`哪里|哪儿|在哪|为什么|何时|什么时候|多少|哪一行|哪行`)

var article = set(`the this our your a das dem der den die im diesem`)

// filler are the words that add nothing to a question about a file or directory.
var filler = set(`
s m re ve ll d go trying try opened what which whats who whose how is are was were be been it its this that these those they them there here the a an of
in inside into on for to from under by with at as and or so but did has have had can could would will should
may might i i'm im we you me my our us your new one ones each every all any some many much more most exactly actually
really basically roughly just only please pls plz thanks thank hi hello hey ok okay sorry quick quickly bit little file
files folder folders directory directories dir dirs package packages module modules script scripts page document doc docs
header source sources code component components crate part project repo repository codebase tree library app thing things
stuff definitions definition symbols names exports defined declared contained exported implemented located found need needs
such needed exist exists good use going happens happening happen tell say says give get see look find know wonder wondering
understand through with line over line lines sentence sentences words full set up setup enough two few main
am der die das den dem des ein eine einen einem einer und oder ist sind war hat haben wird werden was wer wie
welche welcher welches mir mich ich wir uns man es in im am an auf aus für von zu zum zur bei mit da denn eigentlich genau
bitte danke hallo mal kurz alles alle gibt datei dateien ordner verzeichnis verzeichnisse paket modul skript code projekt
diese dieser dieses dies hier so gut brauche braucht man`)

// hanFiller matches what Chinese questions about a file or directory say.
var hanFiller = lazyregexp.New(`请问|请|帮我|麻烦|一下|我想|想|知道|了解|这个|那个|这|那|文件夹|文件|目录|模块|脚本|代码|项目|包|里面|里边|里头|里|中|下面|下|面|` +
	`都|是|做|干|什么|啥|哪些|哪个|怎么|用|用来|用途|作用|有|包含|定义|负责|主要|内容|功能|解释|介绍|总结|概括|说明|看看|看|打开|显示|读|描述|讲讲|讲|简单|` +
	`的|了|呢|吗|和|在|我|你|给|能|可以|告诉|放|些|个|函数|方法|类|写|为|要|它|东西|对|来`)
