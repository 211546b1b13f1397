package intent

// courtesies may come before a question, any number of them.
var courtesies = []string{
	`(hi|hey|hello|ok|okay|so|well|hm|please|pls|plz|now|and|sorry|excuse me|thanks) ` +
		`[there|all|everyone]`, `(quick|short) (q|question)`,
	`(can|could|would|will) (you|someone|anyone|anybody|somebody|we) [please|kindly|quickly|maybe|also] ` +
		`[tell|show|explain to|give|help|point|let] [me] [know|find|out|to|see]`,
	`(do|does) (you|anyone|anybody|someone) [happen to] know`,
	`(i|we) (want|need|would like|would love|wish|am trying|have|like) to (know|see|find|understand|learn|look at)`,
	`(i|we) (wonder|was wondering|am wondering|cannot find|can not find|do not know|am curious|forgot|have no idea)`,
	`(i|we) (am|are) (looking|searching) for`, `any (idea|clue)`, `(tell|help|show) me [find|out|see|understand]`,
	`let me (know|see)`, `please`, `remind me`,
	`(kannst|könntest|würdest|könnten|können) (du|ihr|sie) [mir|uns] [bitte] [mal] [sagen|zeigen|erklären|verraten]`,
	`(bitte|hallo|hi|moin|mal|sag|sagt)  [mir] [bitte] [mal]`,
	`(ich|wir) (möchte|will|würde gern|würde gerne|wüsste gern|möchten|wollen|suche) [gern] [wissen|sehen|verstehen]`,
	`weißt du`,
	`(请问|请|你好|您好|麻烦|那么|想问|想问一下|请问一下|问一下)`,
	`(你|您) [能|可以|能不能|可不可以|能否|可否] [告诉|给|帮|跟] [我] [说|看|讲|找] [一下|下]`,
	`(能不能|能否|可以|可否|能) [请] [你|您] (告诉|帮|给) 我 [看|看看|找|找找|一下]`, `我 [想|要|想要] (知道|了解|看|找|问)`,
	`(帮|告诉|给) 我 [看|看看|找|找找|说] [一下|下]`,
}

// closings may come after a question, any number of them.
var closings = []string{
	`please`, `thanks`, `thank you`, `thx`, `pls`, `(bitte|danke)`, `(谢谢|吗|呢|啊|呀|吧|的)`,
	`(in|within|of|inside|across|from) (this|the|our|your|my) (repo|repository|code|codebase|project|code base|` +
		`source|` +
		`source code|library|tree|package|app)`,
	`(here|already|exactly|anyway|actually|precisely|again|anywhere|somewhere|then|right now|currently)`, `in here`,
	`from anywhere`,
	`(outside|besides|except|apart from|other than|not counting) [of|in] [the] tests`, `(at all|any more|anymore)`,
	`(in|im) (diesem|dem|der|dieser|unserem) (projekt|repo|code|repository|bibliothek|codebasis)`,
	`(hier|genau|eigentlich|denn)`, `in the (code|docs|source)`,
}

// kindWords says what the definition is: the kinds of package symbols that each word allows.
var kindWords = map[string][]string{
	"function": {"func", "method", "macro"}, "func": {"func", "method"}, "method": {"method", "func"},
	"procedure": {"func", "method"}, "routine": {"func", "method"},
	"helper":      {"func", "method"},
	"constructor": {"method", "func"}, "middleware": {}, "decorator": {"func", "method", "class"},
	"class": {"class", "struct"}, "struct": {"struct", "class", "type"}, "structure": {"struct", "class", "type"},
	"interface": {"interface", "trait", "class"}, "trait": {"trait", "interface"}, "protocol": {"interface", "class"},
	"enum": {"enum", "class", "type"}, "enumeration": {"enum", "class"},
	"type":   {"type", "struct", "class", "interface", "enum", "trait"},
	"module": {"module"}, "macro": {"macro"}, "exception": {"class"},
	"constant": {"const", "var", "macro"}, "const": {"const", "var", "macro"},
	"variable": {"var", "const"}, "var": {"var", "const"}, "field": {}, "property": {}, "attribute": {}, "member": {},
	"parameter": {}, "argument": {}, "option": {}, "flag": {}, "setting": {}, "param": {}, "object": {},
	"symbol": {},
	"name":   {}, "identifier": {}, "template": {}, "hook": {"func", "method"}, "record": {"class", "struct"},
	"funktion": {"func", "method", "macro"}, "methode": {"method", "func"}, "klasse": {"class", "struct"},
	"schnittstelle": {"interface", "trait", "class"}, "typ": {"type", "struct", "class", "interface", "enum"},
	"konstante": {"const", "var", "macro"}, "struktur": {"struct", "class", "type"}, "modul": {"module"},
	"makro": {"macro"}, "einstellung": {}, "wert": {},
	"函数": {"func", "method", "macro"}, "方法": {"method", "func"}, "类": {"class", "struct"},
	"接口": {"interface", "trait", "class"}, "结构体": {"struct", "class", "type"},
	"类型": {"type", "struct", "class", "interface", "enum"}, "常量": {"const", "var", "macro"},
	"变量": {"var", "const"}, "枚举": {"enum", "class"}, "宏": {"macro"}, "模块": {"module"},
	"参数": {}, "选项": {}, "这个": {}, "属性": {},
}
