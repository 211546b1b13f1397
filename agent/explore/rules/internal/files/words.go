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
explain explains describe describes summarize summarise summary overview outline list tour tldr tl dr gist purpose role
job responsible responsibility meant intended about contents content introduce introduction brief description explanation
structure structured organized organised understand understanding clue walk
erkläre erklär erklären beschreibe beschreib beschreiben fasse zusammen zusammenfassung überblick zweck zuständig inhalt
wozu wofür beschreibung`)

// aboutIt matches a question about a path that another part of it names, and one for what it is there for.
var aboutIt = lazyregexp.New(`(?i)\b(?:what|which \w+|was) (?:is|does|do|are|ist|macht) ` +
	`(?:it|this|that|they|these|there|das|es)\b|\b(?:doing|there for|good for|around for)\b`)

// quotedMessage matches a message in quotes, which may have a path, and thenSays a question and what is said after it.
var (
	quotedMessage = lazyregexp.New(`"[^"]* [^"]*"|“[^”]* [^”]*”`)
	thenSays      = lazyregexp.New(`^([^?]*\?) +\p{Lu}[^?]*$`)
)

// doing matches a question for what a file does, which may say how it is used.
var doing = lazyregexp.New(`(?i)\bwhat(?: lives|'s| is) in\b|\b(?:doing|good for|there for)(?: there|` +
	` here)?\W*$|\bwhat (?:do|did) we keep\b|\bdoing in (?:an?|the|this)\b`)

// existence matches a question why a file or directory exists.
var existence = lazyregexp.New(`(?i)\bwhy (?:does|do|did|is|are|was|have|has) (?:it|this|that|they|we|there|` +
	`these)\b.*\b(?:exist\w*|there|have|has|` +
	`needed|need|kept|keep)\b|\bwhy (?:is|are) there (?:an? |the )?\S+\.\w+\b|^(?:there is|there's|we have|` +
	`i see|why is there) .*\bwhy\W*$|\bwhat(?: is|` +
	`'?s) the point\b|\bpoint of\b|\bpurpose\W*$|\bwhat (?:is it )?for\W*$|\bstill (?:needed|have a job|` +
	`used for anything)\b`)

// dispensable matches a question whether a file may go, which depends on what it is for.
var dispensable = lazyregexp.New(`(?i),?\s*\b(?:can|could|may|should) (?:i|we|it|this|that) (?:safely )?(?:be )?` +
	`(?:deleted?|removed?|dropped|drop|ignored?)(?: it| this| that)?\b|\bin the (?:repo(?:sitory)? )?root\b`)

// usedFor matches a question for a purpose.
var usedFor = lazyregexp.New(`(?i)\bused for\b|\bused (?:to|as)\b|\bfor\b.*\bused\b`)

// relations are the words that ask for what uses something, and relation the forms that ask where it is used, or for tests.
var (
	relations = set(`uses use using user users call calls called calling caller callers import imports imported importing
	importer reference references referenced depends depend dependents verwendet benutzt nutzt aufgerufen ruft importiert`)
	relation = lazyregexp.New(`(?i)\bwhere\b.*\b(?:read|open|opened|used|loaded|written|parsed|defined|handled|` +
		`set|printed|shown)\b|` +
		`\b(?:which|what) tests?\b|\btests? (?:for|of|cover|covers|that)\b|\b(?:tested|getestet)\b`)
)

// abbreviation are the words with points that are no path.
var abbreviation = set(`e.g i.e z.b d.h u.a a.k.a w.r.t vs. etc.`)

// locates are the words that ask for a place, a time, a reason or an amount in a file.
var locates = set(`where when why lines many much long how wie wo wann warum weshalb viele zeilen stelle`)

var hanLocates = lazyregexp.New(`哪里|哪儿|在哪|为什么|何时|什么时候|多少|哪一行|哪行`)

var article = set(`the this our your a das dem der den die im diesem`)

// filler are the words that add nothing to a question about a file or directory.
var filler = set(`
s m re ve ll d go trying try opened what which whats who whose is are was were be been it its this that these those
they them there here the a an of in inside into on for to from under by with at as and or so but do does did has have had
can could would will should may might i im we you me my our us your new one ones each every all any some much more most
exactly actually really basically roughly just only please pls plz thanks thank hi hello hey ok okay sorry quick quickly
bit little such kind kinds sort file files folder folders directory directories dir dirs package packages module modules script scripts
page document doc docs header source sources code component components crate part project repo repository codebase tree
library app test tests cover covers covered thing things stuff definitions definition symbols names exports export define defines defined declare declares
declared contain contains contained provide provides provided hold holds live lives do work works exported implement
implemented located found show open read display print view cat handle handles big short long used job need needs needed
exist exists good going happens happening happen tell say says give get look looking see find know wonder wondering
through line over sentence sentences words full set up setup enough two few main
am der die das den dem des ein eine einen einem einer und oder ist sind hat haben wird werden wer welche welcher
welches mir mich ich wir uns man es im an auf aus für von zu zum zur bei mit da denn eigentlich genau bitte danke hallo mal
kurz alles alle gibt datei dateien ordner verzeichnis verzeichnisse paket modul skript projekt diese dieser dieses dies
hier gut brauche braucht macht tut enthält enthalten dient aufgabe bedeutet definiert steht liegt liegen drin exportiert
zeig zeige öffne lies`)

// hanFiller matches what Chinese questions about a file or directory say.
var hanFiller = lazyregexp.New(`请问|请|帮我|麻烦|一下|我想|想|知道|了解|这个|那个|这|那|文件夹|文件|目录|模块|脚本|代码|项目|包|里面|里边|里头|里|中|下面|下|面|` +
	`都|是|做|干|什么|啥|哪些|哪个|怎么|用|用来|用途|作用|有|包含|定义|负责|主要|内容|功能|解释|介绍|总结|概括|说明|看看|看|打开|显示|读|描述|讲讲|讲|简单|` +
	`的|了|呢|吗|和|在|我|你|给|能|可以|告诉|放|些|个|函数|方法|类|写|为|要|它|东西|对|来`)
