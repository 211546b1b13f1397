package intent

// A row is a kind of question and the forms that people give it.
type row struct {
	kind  Kind
	weak  bool // the forms also match other questions
	forms []string
}

// table is tried in order; see the package documentation for how to add a row.
var table = []row{
	{kind: Message, forms: []string{
		`(what|who) (causes|triggers|raises|throws|prints|emits|logs|outputs|produces|returns|generates|` +
			`creates) [the] [error|message|warning|exception|log] [message|line] TEXT`,
		`(what|which|whose) [code|function|line|file|place] (causes|triggers|raises|throws|prints|emits|logs|` +
			`outputs|produces|says|shows) [the|this] [error|message|warning|exception|log] [message|line] ` +
			`TEXT`,
		`(why|when|where) (do|did|does|would|could|can) (i|it|we|one|you|users|this|the log|the logs|the output|` +
			`the console|the program|the server) (get|see|say|print|log|` +
			`hit|raise|throw|report|show|receive|emit|fail with|complain) [about] [the|this|an|a] [error|` +
			`message|warning|exception] [message|saying|that says] TEXT [error|message|warning|exception]`,
		`(why|when|where) (am|are) (i|we) (getting|seeing|hitting|receiving) [the|this|an|a] [error|message|` +
			`warning|exception] [message] TEXT`,
		`(why|when|where) (is|was|does|would|will) [the|this] (error|message|warning|exception|text|string|` +
			`line|log) [message] TEXT (raised|thrown|printed|shown|logged|reported|emitted|appear|occur|` +
			`happen|come from|produced|generated|displayed|returned|output|coming from|defined|written|used|` +
			`originate [from])`,
		`(why|when|where) (is|does|was) [the|this] TEXT [error|message|warning|exception] (raised|thrown|printed|` +
			`shown|logged|reported|emitted|appear|occur|happen|come from|produced|generated|displayed|returned|` +
			`output|coming from|originate [from])`,
		`(i|we) (get|got|see|saw|hit|am getting|am seeing|keep getting|keep seeing|receive) [the|this|an|a] ` +
			`[error|message|warning|exception] [message|saying] TEXT [why|where does it come from|what does ` +
			`it mean|what is wrong|what does that mean|how come|what causes it]`,
		`[the] [error|message|warning|exception] TEXT [why|where does it come from|what does it mean|comes ` +
			`from where]`,
		`where (does|do|did) OF (print|say|log|raise|throw|report|show|emit|output|write) [the] TEXT`,
		`what does [the] [error|message|warning|exception] [message] TEXT mean`,
		`[what is] [the] (reason|cause|explanation|origin|source) (for|of) [the] [error|message|warning] ` +
			`[message] TEXT`,
		`(error|warning|fatal|exception|panic|fehler|错误|报错) REST`,
		`(warum|wann|wo|weshalb|wieso) (bekomme|sehe|erhalte|kriege|kommt|erscheint|steht|entsteht|wird|` +
			`tritt|gibt es) [ich|man|wir] [die|den|der|das] [meldung|fehler|fehlermeldung|warnung|nachricht|` +
			`text] TEXT [auf|ausgegeben|geworfen|gemeldet|angezeigt|ausgelöst|her|erzeugt]`,
		`(woher|wo) (kommt|stammt|wird) [die|der|den|das] [meldung|fehler|fehlermeldung|warnung|nachricht|` +
			`text] TEXT [her|ausgegeben|geworfen|gemeldet|angezeigt|ausgelöst|erzeugt]`,
		`was (verursacht|bedeutet|löst|heißt|erzeugt) [die|der|den|das] [meldung|fehler|fehlermeldung|` +
			`warnung|nachricht] TEXT [aus]`,
		`(什么时候|为什么|为何|何时|在什么情况下|哪里|在哪里|什么情况下) [会|我会|要|我] [报|报错|出现|显示|抛出|打印|输出|提示|看到|得到|遇到|报告|产生|收到] [错误|消息|` +
			`信息|异常|警告|这个错误] TEXT [错误|的错误|消息|信息|异常]`,
		`[错误|消息|信息|报错|错误信息|提示] TEXT [这个] [错误|消息|信息|报错|提示] [是] [从|在] [哪里|哪儿|哪] [来|来的|抛出|报|产生|打印|输出|抛出的|报的|产生的|` +
			`打印的|输出的]`,
		`[错误|消息|信息|报错|错误信息] TEXT [是] (什么意思|怎么回事|什么原因|为什么|怎么来的|怎么产生的)`,
		`(是什么|什么) [导致|引起|造成|会导致] [了] [错误|消息|信息] TEXT`,
	}},
	{kind: Default, forms: []string{
		`[what is|what are|which is|tell me|show me] [the] default [value|setting] (of|for) [the] [KIND] NAME`,
		`[what is|what are|which is|tell me|show me] [the] default [value|setting] [of|for] [the] [KIND] ` +
			`NAME [parameter|argument|option|setting|flag|keyword] (of|in|for|to|on) [the] [KIND] OF`,
		`(what|which) (is|are|value is) [the] NAME [parameter|argument|option|setting] (of|in) [the] [KIND] ` +
			`OF [set to] by default`,
		`what does [the] [KIND] NAME [parameter|argument|option] (of|in) [the] [KIND] OF default to`,
		`what does [the] [KIND] OF's NAME [parameter|argument|option|setting] default to`,
		`what does [the] [KIND] NAME default to`,
		`[what is|which is|tell me|show me] [the] [KIND] OF's default [value] [of|for] NAME`,
		`[what is|which is|tell me|show me] [the] [KIND] OF's NAME [parameter|argument|option] (default|by default) ` +
			`[value]`,
		`[the] [KIND] NAME default [value] (of|in|for) [the] [KIND] OF`,
		`(what|which) NAME (does|do) [the] [KIND] OF (use|have|take|assume|apply|get|default to) by default`,
		`(what|which) NAME (does|do) [the] [KIND] OF default to`,
		`if i (omit|leave out|do not pass|do not give) NAME (what is it|what is the default|what happens)`,
		`(what|which) default (value|setting) does [the] [KIND] NAME [parameter|argument|option] (of|in) ` +
			`[the] [KIND] OF (have|take|use)`,
		`(what|which) default [value|setting] (does|has|is used for) [the] [KIND] NAME [have|take|use]`,
		`what is [the] [KIND] NAME (set to|by default|equal to|initialized to|initialised to|initially|set ` +
			`to by default)`,
		`(what|which) value (does|has|is) [the] [KIND] NAME [have|take|hold|get|use|set to|by default]`,
		`what is the value (of|for) [the] [KIND] NAME`,
		`(which|what) NAME (is|are|gets) (used|set|applied|taken|chosen) [by default]`,
		`[KIND] NAME default [value]`,
		`(welchen|welcher|welches) (standardwert|vorgabewert|defaultwert|wert|default) (hat|besitzt|hatte|` +
			`ist) [der|die|das] [KIND] NAME [parameter] (in|von|bei) OF`,
		`(welchen|welcher|welches) (standardwert|vorgabewert|defaultwert|wert|default) (hat|besitzt|ist) ` +
			`[der|die|das] [KIND] NAME [standardmäßig]`,
		`was ist (der|die) (standardwert|vorgabewert|default|defaultwert|voreinstellung|wert|` +
			`standardeinstellung) (von|für|des|der) [KIND] NAME (in|von|bei) OF`,
		`was ist (der|die) (standardwert|vorgabewert|default|defaultwert|voreinstellung|wert|` +
			`standardeinstellung) (von|für|des|der) [KIND] NAME`,
		`(wie lautet|was ist|nenne) [mir] (der|die|das|den) (standardwert|vorgabewert|default|defaultwert|` +
			`voreinstellung) (für|von|des|der) [KIND] NAME (in|von|bei|für) OF`,
		`(wie lautet|nenne) [mir] (der|die|das|den) (standardwert|vorgabewert|default|defaultwert|voreinstellung) ` +
			`(für|von|des|der) [KIND] NAME`,
		`(standardwert|vorgabewert|defaultwert|voreinstellung) [für|von|des|der] [KIND] NAME`,
		`(wie|worauf|auf was) (ist|steht|wird) [der|die|das] [KIND] NAME (standardmäßig|per default|voreingestellt) ` +
			`[gesetzt|eingestellt]`,
		`was ist (der|die|das) (standard|default) NAME`,
		`(wie) (groß|lang|hoch|viele|oft|tief) ist [der|die|das] [KIND] NAME [standardmäßig]`,
		`[KIND] NAME [KIND] [的] (默认值|缺省值|默认|初始值|预设值) [是] [多少|什么|几] [呢|啊]`,
		`OF (中|里|的) [KIND] NAME [KIND] [的] (默认值|缺省值|默认|初始值|预设值) [是] [多少|什么|几] [呢|啊]`,
		`OF (中|里|的) (默认|缺省) [的] NAME [是] (多少|什么|多大|几)`,
		`NAME (默认|缺省) [是|为] (多少|什么|多大|几|哪个)`,
		`NAME [的] [值] [是] (多少|多大|多长|几)`,
		`(默认|缺省) [的] [KIND] NAME [是] (多少|什么|多大|几)`,
	}},
	{kind: Default, weak: true, forms: []string{
		`(what|which) (is|are) the default NAME [that|which] (it|the server|the program|the tool|the app|` +
			`the application|the daemon|the service) CLAUSE`,
		`(what|which) (is|are) the default REST`,
		`(what|which) (is|are) the LIMIT`,
		`how (large|big|long|high|many|small|much|deep|wide|old|often) (is|are) [the] [KIND] NAME [by ` +
			`default]`,
		`[the] default [value|setting] [for|of] [the] [KIND] NAME`,
	}},
	{kind: Callers, forms: []string{
		`(who|what|which code|which places|which parts) [else] (calls|uses|invokes|references|consumes|needs|` +
			`imports|depends on|relies on|makes use of|is calling|is using|call|use|invoke|reference|` +
			`instantiates) [the] [KIND] NAME`,
		`(which|what) (functions|methods|files|places|code|classes|modules|parts|callers|function|method|` +
			`file|lines|components) [else] (call|use|invoke|reference|calls|uses|invokes|references|depend ` +
			`on|need|rely on|import) [the] [KIND] NAME`,
		`(which|what) (functions|methods|files|places|code|classes|modules|parts|callers|function|method|file|lines|` +
			`components|tests) [else] (is|are) (calling|using|invoking|referencing|importing|depending on) [the] ` +
			`[KIND] NAME`,
		`by (whom|who|what|which function|which code) (is|are|gets) [the] [KIND] NAME (called|used|invoked|` +
			`referenced|needed)`,
		`(who|what|whom) (is|are) [the] [KIND] NAME (called|used|invoked|referenced|needed) (by|from)`,
		`(is|are) [the] [KIND] NAME [ever|still] (called|used|invoked|referenced|needed|imported) [anywhere|somewhere|` +
			`at all|by anyone|by anything|by someone|by something]`,
		`[the] [KIND] NAME (is|are|gets) (called|used|invoked|referenced|needed) [by] (where|who|whom|what|from where)`,
		`(does|do) (anything|anyone|anybody|something|someone|any code|any function|we) [else] [still] [actually] (call|` +
			`use|invoke|reference|need|import) [the] [KIND] NAME`,
		`[show me|list|find|give me|what are|who are] [all] [the] [KIND] NAME's (callers|usages|uses|users|references|` +
			`call sites|consumers)`,
		`(when|where|why|who|what) (is|are|gets|does) [the|a|an] [KIND] NAME [get|gets] (raised|thrown|emitted)`,
		`(who|what|where|when|which code|which function) (raises|throws|do we raise|do we throw) [the|a|an] [KIND] NAME`,
		`where (is|are|does|do) [the] [KIND] NAME [being|get|gets] (called|used|invoked|referenced|consumed|` +
			`needed|instantiated|applied|imported) [from]`,
		`where [the] [KIND] NAME (is|are|gets) (called|used|invoked|referenced|needed|instantiated)`,
		`(where|from where) (do|does|did|can) (we|i|it|they|you|one|the code|people) (call|use|invoke|` +
			`reference|need) [the] [KIND] NAME`,
		`(when|where|why) (does|do|will) [the] OF (call|invoke) [the] [KIND] NAME`,
		`(when|where|why) (does|do|will) [the] OF (call|invoke) [the] [KIND] NAME (on|with|for|from|in|after|before) CLAUSE`,
		`from where is [the] [KIND] NAME (called|used|invoked|referenced)`,
		`[show me|list|find|give me|get|show|what are|where are] [all|me] [the] (callers|usages|uses|usage|` +
			`references|invocations|calls|call sites|callsites|occurrences|places|users|consumers|reference|` +
			`caller|call site) (of|to|for|that use|that call|using|calling) [the] [KIND] NAME`,
		`[all] NAME (callers|usages|uses|usage|references|call sites|callsites|invocations)`,
		`(everything|anything|code|functions|places|all code|all places|every place|is there anything) ` +
			`(calling|using|that calls|that uses|that call|that use|where) [the] [KIND] NAME [is] [used|` +
			`called]`,
		`(wer|was|wo|welche funktionen|welche funktion|welcher code|welche methoden|welche stellen) (ruft|` +
			`rufen|verwendet|benutzt|nutzt|verwenden|benutzen|nutzen|braucht) [man|wir] [die|den|das] [KIND] ` +
			`NAME [auf]`,
		`(wo|von wo|woher|von wem) (wird|werden) [die|der|das|den] [KIND] NAME (verwendet|benutzt|aufgerufen|` +
			`genutzt|gebraucht|eingesetzt)`,
		`[zeig|zeige|nenne|finde|liste] [mir] [alle|die] (aufrufer|verwendungen|aufrufe|verwendung|benutzer|` +
			`aufrufstellen|nutzer) (von|der|des|für) [KIND] NAME [auf]`,
		`wird [die|der|das|den] [KIND] NAME [irgendwo|überhaupt|noch|denn] [noch|überhaupt] (verwendet|benutzt|` +
			`aufgerufen|genutzt|gebraucht)`,
		`[die|der|das] [KIND] NAME wird (wo|von wem|wovon) (verwendet|benutzt|aufgerufen|genutzt)`,
		`(wo|wann) wird [die|der|das|den|eine|ein|einen] [KIND] NAME (geworfen|ausgelöst)`,
		`(wer|was) wirft [die|der|das|den|eine|ein|einen] [KIND] NAME`,
		`[alle|die] (aufrufer|verwendungen|aufrufe|verwendung|benutzer|aufrufstellen) (von|der|des) [KIND] ` +
			`NAME`,
		`(有|还有|都有) (谁|哪些|哪些地方|哪些函数|哪些代码|哪些方法|什么地方|哪些文件) [在|会|都] (调用|用到|使用|引用|用) [了|过] [KIND] NAME [KIND]`,
		`(谁|哪里|哪些地方|哪些函数|哪些代码|哪些) 在 (调用|用到|使用|引用|用) [KIND] NAME [KIND]`,
		`[KIND] NAME [KIND] (有|都有) (哪些|什么) (调用者|调用方|引用|用法|调用处|使用处)`,
		`[KIND] NAME [KIND] (有没有|有) [人|地方|代码] [被] (调用|用到|使用|引用)`,
		`(什么时候|哪里|在哪里|为什么|何时|谁) [会] (抛出|引发) [了] [KIND] NAME [KIND]`,
		`(谁|哪里|哪些地方|哪些函数|哪些代码|哪些方法|什么地方|在哪里|在哪儿|哪儿|哪些文件|什么|在哪些地方) [会|都] (调用|用到|使用|引用|用|调用到|使用到) [了|过] [KIND] ` +
			`NAME [KIND]`,
		`[KIND] NAME [KIND] [是] [在|被] (哪里|哪儿|哪些地方|谁|哪些函数|什么地方|哪些代码|哪些文件) [被|所|会|都] (调用|用到|使用|引用|用) [了|的|过|到]`,
		`[列出|找出|显示] [所有] [KIND] NAME [KIND] [的] [所有] (调用者|调用|引用|用法|使用|调用处|使用处|调用方) [在哪里|有哪些|是谁]`,
		`[列出|找出|显示] [所有] (调用|使用|引用|用到) [了] [KIND] NAME [KIND] 的 (地方|代码|函数|位置|文件)`,
	}},
	{kind: Tests, forms: []string{
		`(which|what) [unit] (tests|test|specs|test cases|test files|test functions) (cover|covers|exercise|` +
			`test|check|use|call|verify|exist for|are there for|belong to|exercises|target|are for) [the] ` +
			`[KIND] NAME`,
		`[show me|find|list|where are|give me|show|are there|is there|what are] [me] [the|a|an|any|all|some|already a] ` +
			`[unit] (tests|test|specs|spec|test cases|test case|test coverage|unittest) (for|of|covering|` +
			`that cover|that use|that test|testing|on|about) [the] [KIND] NAME`,
		`(how|where|is|are) (is|are|do we|does one|do they|does the project|did we|) [the] [KIND] NAME ` +
			`[being] (tested|covered|covered by tests|covered by a test|unit tested|checked by tests|test|` +
			`exercised)`,
		`(does|do) [the] [KIND] NAME have [a|any|some] [unit] (tests|test|specs|test coverage)`,
		`(does|do|did) (we|they|you|it|anyone|the project|someone) (have|write) [a|any|some] [unit] (tests|test|specs|` +
			`test ` +
			`coverage) (for|of|on|covering) [the] [KIND] NAME`,
		`(does|do) (any|a|some|which) [unit] (tests|test|specs) (cover|covers|exercise|test|check|use|call|verify) [the] ` +
			`[KIND] NAME`,
		`(which|what) [unit] (tests|test|specs) (are there|exist|do we have|exists|do you have) (for|of) [the] [KIND] NAME`,
		`[show me|list|find|what are|where are] [the] [KIND] NAME's [unit] (tests|specs|test)`,
		`by (which|what) (test|tests) (is|are) [the] [KIND] NAME (covered|tested|checked|exercised)`,
		`(how|where) (do we|do they|do you|does it|does one|do i) test [the] [KIND] NAME`,
		`where [the] [KIND] NAME (is|are) (tested|covered)`,
		`(who|what) (tests|covers) [the] [KIND] NAME`,
		`NAME (tests|test|specs|unit tests|test cases)`,
		`(is|are) [the] [KIND] NAME (tested|covered) [anywhere|somewhere|by a test|by tests]`,
		`(welche|was für) (tests|testfälle|test) (decken|testen|prüfen|gibt es für|überprüfen|deckt|testet|` +
			`prüft|betreffen|gehören zu|verwenden) [die|den|das|der] [KIND] NAME [ab]`,
		`gibt es [einen|eine|irgendwelche|schon] (tests|test|testfälle|unittests) (für|zu|von) [die|den|das|der] ` +
			`[KIND] NAME`,
		`(hat|haben|ist|sind) [die|der|das] [KIND] NAME [einen|durch] (tests|test|testfälle|unittests) [abgedeckt]`,
		`(wie|wo|ist) [die|der|das] [KIND] NAME (getestet|geprüft|abgedeckt)`,
		`(von|durch) (welchen|welchem) (tests|test) wird [die|der|das] [KIND] NAME (getestet|geprüft|abgedeckt)`,
		`(wie|wo|wird) (wird|ist|werden|) [die|der|das] [KIND] NAME (getestet|geprüft|abgedeckt)`,
		`[zeig|zeige|finde] [mir] [die|alle] (tests|testfälle|test) (für|zu|von) [die|den|das] [KIND] NAME`,
		`(哪些|哪个|什么) (测试|测试用例|单元测试|单测) [会] (覆盖|测试|用到|检查|测|涵盖|使用|验证) [了|到] [KIND] NAME [KIND]`,
		`[KIND] NAME [KIND] [是] [在] (哪里|怎么|如何|怎样|哪儿|哪个文件) [被|进行] (测试|测) [的|到]`,
		`[KIND] NAME [KIND] [的] (测试|测试用例|单元测试|单测) [代码] [在] [哪里|哪儿|有哪些|哪个文件|是哪些|在哪里]`,
		`(有没有|有|是否有|哪里有) [针对|关于|测] [KIND] NAME [KIND] [的] (测试|测试用例|单元测试|单测)`,
		`[KIND] NAME [KIND] (有没有|有|是否有) [被] (测试|测试用例|单元测试|单测|测试覆盖)`,
		`(测试|测试用例|单元测试) [了] [KIND] NAME [KIND] 的 (代码|地方|文件) [在哪里]`,
	}},
	{kind: Implementers, forms: []string{
		`(who|what|which code|which types|what types|which classes|what classes|which structs|what structs|which things|` +
			`which modules|which type|which class|which struct) [else] [all] (implements|extends|subclasses|inherits from|` +
			`inherits|derives from|satisfies|implement|extend|subclass|inherit from|inherit|derive from|satisfy) [the] ` +
			`[KIND] NAME [KIND]`,
		`[what are|where are|show me|list|find|give me|are there|which are] [all|me|any|the|other] [all|the|other] ` +
			`(implementations|implementers|implementors|subclasses|subtypes|derived classes|child classes) (of|for) [the] ` +
			`[KIND] NAME [KIND]`,
		`(what|which) (implementations|implementers|subclasses|subtypes) (of|for) [the] [KIND] NAME [KIND] ` +
			`(are there|exist|do we have|does it have)`,
		`(what|which) (implementations|implementers|subclasses|subtypes) does [the] [KIND] NAME [KIND] have`,
		`(wer|was|welche klassen|welche typen|welche structs|welche klasse|welcher typ) (implementiert|erweitert|` +
			`implementieren|erweitern|erbt von|erben von) [die|das|den|der] [KIND] NAME`,
		`[zeig|zeige|liste] [mir] [alle|die] (implementierungen|unterklassen) (von|der|des) [KIND] NAME`,
		`(谁|哪些类|哪些类型|哪些|哪个类|哪个类型) (实现|继承|扩展) [了|自] [KIND] NAME [KIND]`,
		`[KIND] NAME [KIND] [的] [所有] (实现类|子类|派生类) [有] [哪些|什么]`,
	}},
	{kind: Definition, forms: []string{
		`(where|in which file|in what file|which file|what file) (is|are|was|gets|does) [the] [KIND] NAME ` +
			`[KIND] [being] (defined|declared|implemented|located|definition|specified|created|introduced|` +
			`written|define|live|sit|reside|exist|in|found|defined at|defined in|come from|coming from)`,
		`(where|in which file) [the] [KIND] NAME [KIND] (is|are|lives|sits|gets) [being] [defined|declared|` +
			`implemented|located]`,
		`(which|what) (file|module|package|class|place|header|source file|line) (defines|declares|implements|` +
			`contains|holds|has|provides|is defining) [the] [definition of] [KIND] NAME`,
		`where (do|did|does|have) (you|they|we|it|the project) (define|defined|declare|declared|implement|` +
			`implemented) [the] ` +
			`[KIND] NAME`,
		`in (which|what) (module|package|class|file|place|directory|folder|header) (is|are|does|do) [the] [KIND] NAME ` +
			`[KIND] (defined|declared|implemented|located|live|found)`,
		`[the] [KIND] NAME (is|are) (defined|declared|implemented|located) (where|in which file)`,
		`where (can|do|could|would|should|might) (i|we|one|you) (find|see|look for|look up|locate|get) [the] ` +
			`[definition|declaration|implementation|source|code|source code] [of|for] [the] [KIND] NAME ` +
			`[KIND]`,
		`[where is|what is|show me|find|give me|show|see|go to|goto|jump to|locate|i need|take me to|open] ` +
			`[me] [the] (definition|declaration|implementation|source|source code|code|signature|def) (of|` +
			`for) [the] [KIND] NAME [KIND]`,
		`[the] [KIND] NAME (definition|declaration|def)`,
		`who (defines|declares) [the] [KIND] NAME`,
		`(wo|in welcher datei|wo genau) (ist|wird|wurde|steht|liegt|befindet sich|finde ich|findet man|sind) ` +
			`[die|der|das|den] [KIND] [definition|deklaration|implementierung] [von] NAME [KIND] (definiert|` +
			`deklariert|implementiert|festgelegt|zu finden|definition)`,
		`(wo|in welcher datei) (ist|steht|liegt|finde ich|findet man) die (definition|deklaration|` +
			`implementierung) (von|der|des) [KIND] NAME`,
		`(welche datei|welches modul|welche klasse) (definiert|enthält|deklariert|implementiert) [die|den|` +
			`das] [KIND] NAME`,
		`[zeig|zeige] [mir] [die] (definition|deklaration|implementierung) (von|der|des) [KIND] NAME`,
		`[KIND] NAME [KIND] [是] [在] (哪里|哪儿|哪个文件|什么地方|何处|哪|哪个模块|哪一行) [被|进行|里|中] (定义|声明|实现) [的|了]`,
		`[KIND] NAME [KIND] [的] (定义|声明|实现|源码|源代码) [代码] [位于|在|是在|在于] (哪里|哪儿|哪个文件|什么地方|何处|哪|哪个文件里) [里|中]`,
		`(哪里|哪儿|哪个文件|在哪里|什么地方|在哪个文件) [里|中] (定义|声明|实现|包含) [了] [KIND] NAME [KIND]`,
		`[KIND] NAME [KIND] [是] (在哪里|在哪儿|在哪个文件|位于哪里|在哪|定义在哪里|定义在哪|定义在哪个文件) [里|中]`,
		`[查看|显示|看看|找到|查找|找] [KIND] NAME [KIND] [的] (定义|声明|实现|源码)`,
	}},
	{kind: Definition, weak: true, forms: []string{
		`(what|who) (is|are) [a|an|the] [KIND] NAME [KIND]`,
		`what does [the] [KIND] NAME [KIND] (do|mean|return|contain|hold)`,
		`what (is|are) [the] [KIND] NAME [KIND] (for|good for|about|used for)`,
		`(explain|describe) [to me] [the] [KIND] NAME [KIND]`,
		`(find|locate|open|show|display|see|view|look up|lookup|search for|look for|goto|go to|jump to|print|` +
			`get) [me] [the] [KIND] NAME [KIND]`,
		`where (is|are) [the] [KIND] NAME [KIND]`,
		`where [the] [KIND] NAME (is|are)`,
		`(wo|in welcher datei) (ist|steht|liegt|finde ich|findet man) [die|der|das|den] [KIND] NAME [KIND]`,
		`(was|wer) (ist|sind) [ein|eine|der|die|das] [KIND] NAME`,
		`was (macht|tut|bedeutet|bewirkt) [die|der|das] [KIND] NAME`,
		`(zeig|zeige|finde|such|suche|öffne|erkläre) [mir] [die|den|das|der] [KIND] NAME`,
		`[KIND] NAME [KIND] (是什么|是啥|是做什么的|是干什么的|做什么|干什么|有什么用|的作用|的作用是什么|是什么意思|是干嘛的)`,
		`(什么是|查找|找到|显示|看看|查看|解释|解释一下|找|找一下) [一下] [KIND] NAME [KIND]`,
	}},
	{kind: Message, weak: true, forms: []string{
		`(why|when|where) (do|does|did|would|could|can) (i|it|we|one|you|users|this) (get|see|say|print|log|hit|` +
			`raise|throw|report|show|receive|emit|fail with|complain) [about|that] [the|this|an|a] [error|message|` +
			`warning|exception] [message|saying|that says] REST`,
		`(why|when|where) (am|are) (i|we) (getting|seeing|hitting|receiving) [the|this|an|a] [error|message|warning|` +
			`exception] [message|saying|that says] REST`,
		`(why|when|where) (do|does|did|would|could|can) [my|the|our|this] OF (fail|crash|die|exit|end|abort|stop|` +
			`break) with [the|this|an|a] [error|message|warning|exception] [message|saying|that says] REST`,
	}},
}
