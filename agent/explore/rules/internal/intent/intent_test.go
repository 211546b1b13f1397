package intent

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		question string
		want     Intent
	}{
		{"where is echo defined?", Intent{Kind: Definition, Name: "echo"}},
		{"could you please show me where Window.Fit is defined in this repo", Intent{Kind: Definition, Name: "Window.Fit"}},
		{"wehre is `open_file` deined", Intent{Kind: Definition, Name: "open_file", Quoted: true}},
		{"show me where jsonreader is", Intent{Kind: Definition, Name: "jsonreader"}},
		{"show me the class Dict", Intent{Kind: Definition, Name: "Dict", Weak: true, Symbols: kindWords["class"]}},
		{"where is max buffered line number defined?", Intent{Kind: Definition, Name: "max buffered line number"}},
		{"what's foo::Bar()?", Intent{Kind: Definition, Name: "foo::Bar", Weak: true}},
		{"Wo ist die Klasse Printer definiert?", Intent{Kind: Definition, Name: "Printer", Symbols: kindWords["klasse"]}},
		{"Wo wird Printer definiert", Intent{Kind: Definition, Name: "Printer"}},
		{"wann wird CartError geworfen?", Intent{Kind: Raised, Name: "CartError", Weak: true}},
		{"PowerShellComplete的定义在哪个文件", Intent{Kind: Definition, Name: "PowerShellComplete"}},
		{"请问 describe_token 在哪里定义的？", Intent{Kind: Definition, Name: "describe_token"}},
		{"who implements the Fs interface?", Intent{Kind: Implementers, Name: "Fs", Symbols: kindWords["interface"]}},
		{"which classes inherit from HTTPError?", Intent{Kind: Implementers, Name: "HTTPError"}},
		{"subclasses of BaseTransport", Intent{Kind: Implementers, Name: "BaseTransport"}},
		{"what are the implementations of io.Reader", Intent{Kind: Implementers, Name: "io.Reader"}},
		{"welche Klassen erben von Signer?", Intent{Kind: Implementers, Name: "Signer"}},
		{"哪些类实现了 Exporter", Intent{Kind: Implementers, Name: "Exporter"}},
		{"show me the implementation of Draw", Intent{Kind: Definition, Name: "Draw"}},
		{"who raises `SignatureExpired`?", Intent{Kind: Raised, Name: "SignatureExpired", Quoted: true, Weak: true}},
		{"who raises `stock is too low`?", Intent{Kind: Message, Name: "stock is too low", Quoted: true}},
		{`why do I get "sender may not be blank" and which address is it looking at?`,
			Intent{Kind: Message, Name: "sender may not be blank", Quoted: true, Weak: true}},
		{`it prints "sender may not be blank" when I send, how do I fix that?`,
			Intent{Kind: Message, Name: "sender may not be blank", Quoted: true, Weak: true}},
		{"why does my pool fail with couldn't open the door after 3 s?",
			Intent{Kind: Message, Name: "couldn't open the door after 3 s", Of: "pool", Weak: true}},
		{"adding a coin to my till fails with the till is read only, why?",
			Intent{Kind: Message, Name: "till is read only", Weak: true}},
		{"who uses from_reader in glow?", Intent{Kind: Callers, Name: "from_reader", Scope: Scope{Dirs: []string{"glow"}}}},
		{"in glow, which tests cover Discard", Intent{Kind: Tests, Name: "Discard"}},
		{"where is Discard defined in Rake?", Intent{Kind: Definition, Name: "Discard"}},
		{"where are lint rules registered in biome?", Intent{}},
		{"wht calls from_reader", Intent{Kind: Callers, Name: "from_reader"}},
		{"usages of shell_quote", Intent{Kind: Callers, Name: "shell_quote"}},
		{"Wer ruft isImportUsed auf?", Intent{Kind: Callers, Name: "isImportUsed"}},
		{"哪些地方用到了 DoMatch", Intent{Kind: Callers, Name: "DoMatch"}},
		{"which tets cover Discard?", Intent{Kind: Tests, Name: "Discard"}},
		{"Welche Tests decken localDateTime ab?", Intent{Kind: Tests, Name: "localDateTime"}},
		{"what causes \"Invalid escaped character\"?", Intent{Kind: Message, Name: "Invalid escaped character", Quoted: true}},
		{"error: caching unmanaged certificate", Intent{Kind: Message, Name: "caching unmanaged certificate"}},
		{"error: we cannot tell why the pack is corrupt", Intent{Kind: Message, Name: "we cannot tell why the pack is corrupt"}},
		{"where are lint rules registered?", Intent{}},
		{"where is the random seed?", Intent{Kind: Definition, Name: "random seed", Weak: true}},
		{"where is the time last modified?", Intent{}},
		{"what is the time last modified?", Intent{Kind: Definition, Name: "time last modified", Weak: true}},
		{"Error: caching unmanaged certificate, why do I see this", Intent{Kind: Message, Name: "caching unmanaged certificate"}},
		{"Why does it say open() called two times?", Intent{Kind: Message, Name: "open called two times", Weak: true}},
		{"why am I getting the error no such table in shop", Intent{Kind: Message, Name: "no such table in shop", Weak: true}},
		{"什么时候会报 \"no such file\"？", Intent{Kind: Message, Name: "no such file", Quoted: true}},
		{"default value of the err parameter of secho", Intent{Kind: Default, Name: "err", Of: "secho"}},
		{"how large is the max conns?", Intent{Kind: Default, Name: "max conns", Weak: true}},
		{"what is the default port the server listens on?", Intent{Kind: Default, Name: "port", Weak: true}},
		{"what is the default delay that it waits for", Intent{Kind: Default, Name: "delay", Weak: true}},
		{"what is the default port the admin page is on?", Intent{Kind: Default, Name: "port the admin page is on", Weak: true}},
		{"Welchen Standardwert hat sep in join?", Intent{Kind: Default, Name: "sep", Of: "join"}},
		{"what is the max bytes written?", Intent{Kind: Default, Name: "max bytes written", Weak: true}},
		{"which functions are calling open_cart", Intent{Kind: Callers, Name: "open_cart"}},
		{"by whom is `Cart.Open` called?", Intent{Kind: Callers, Name: "Cart.Open", Quoted: true}},
		{"open_cart's callers", Intent{Kind: Callers, Name: "open_cart"}},
		{"`open_cart`'s callers", Intent{Kind: Callers, Name: "open_cart", Quoted: true}},
		{"list all the callers of v.find", Intent{Kind: Callers, Name: "v.find"}},
		{"is opencart used anywhere", Intent{Kind: Callers, Name: "opencart"}},
		{"does anything still call opencart", Intent{Kind: Callers, Name: "opencart"}},
		{"why do I get a ERR_CART_FULL?", Intent{Kind: Raised, Name: "ERR_CART_FULL", Weak: true}},
		{"my order fails with CartFull since today, where is that from", Intent{Kind: Raised, Name: "CartFull", Weak: true}},
		{"CartError when I add a coat, why", Intent{Kind: Raised, Name: "CartError", Weak: true}},
		{"where do I handle a CartError?", Intent{}},
		{"CartPool limit of size 5 reached, no room left - why do I get this at noon", Intent{Kind: Message,
			Name: "CartPool limit of size 5 reached, no room left", Quoted: true, Weak: true}},
		{"what happens when CartError is met", Intent{}},
		{"is CartError a ShopError, and why?", Intent{}},
		{"为什么会收到 CartError？", Intent{Kind: Raised, Name: "CartError", Weak: true}},
		{"what causes cart.ErrNoStock", Intent{Kind: Raised, Name: "cart.ErrNoStock", Weak: true}},
		{"why \"the cart is full\" in the log", Intent{Kind: Message, Name: "the cart is full", Quoted: true}},
		{"why does checkout say \"the cart is full\"", Intent{Kind: Message, Name: "the cart is full", Of: "checkout", Quoted: true}},
		{"when is CartError raised?", Intent{Kind: Raised, Name: "CartError", Weak: true}},
		{"wird open_cart noch verwendet?", Intent{Kind: Callers, Name: "open_cart"}},
		{"Zeig mir alle Aufrufer von open_cart", Intent{Kind: Callers, Name: "open_cart"}},
		{"有哪些地方调用了 open_cart", Intent{Kind: Callers, Name: "open_cart"}},
		{"open_cart 有哪些调用者？", Intent{Kind: Callers, Name: "open_cart"}},
		{"is there a test for open_cart", Intent{Kind: Tests, Name: "open_cart"}},
		{"does open_cart have tests", Intent{Kind: Tests, Name: "open_cart"}},
		{"Gibt es einen Test für open_cart?", Intent{Kind: Tests, Name: "open_cart"}},
		{"open_cart 有没有测试？", Intent{Kind: Tests, Name: "open_cart"}},
		{"what does take's amount default to", Intent{Kind: Default, Name: "amount", Of: "take"}},
		{"what's take's default amount", Intent{Kind: Default, Name: "amount", Of: "take"}},
		{"what's the difference between cart.add and put_back", Intent{Kind: Difference, Name: "cart.add", Of: "put_back", Weak: true}},
		{"put_back or putAside, how do they differ?", Intent{Kind: Difference, Name: "put_back", Of: "putAside", Weak: true}},
		{"does put_back call putAside?", Intent{}},
		{"Cart vs Basket", Intent{Kind: Difference, Name: "Cart", Of: "Basket", Weak: true}},
		{"when should I use Cart instead of Basket?", Intent{Kind: Difference, Name: "Cart", Of: "Basket", Weak: true}},
		{"Cart 和 Basket 有什么区别", Intent{Kind: Difference, Name: "Cart", Of: "Basket", Weak: true}},
		{"default timeout for buying", Intent{Kind: Default, Name: "timeout for buying", Weak: true}},
		{"which timeout does shop use by default", Intent{Kind: Default, Name: "timeout", Of: "shop"}},
		{"Wie lautet der Standardwert von max_carts?", Intent{Kind: Default, Name: "max_carts"}},
		{"in which package is Cart defined", Intent{Kind: Definition, Name: "Cart"}},
		{"where do you define Cart", Intent{Kind: Definition, Name: "Cart"}},
		{"kMaxRef 的默认值是多少？", Intent{Kind: Default, Name: "kMaxRef"}},
		{"Cannot check whether", Intent{Kind: Message, Name: "Cannot check whether", Weak: true}},
		{"hello", Intent{}},
		{"how does the loop retry a failed request?", Intent{}},
		{"what is the best way to add a tool?", Intent{}},
		{"where is foo defined\nand why?", Intent{}},
		{`"` + strings.Repeat("a long story ", 40) + `"`, Intent{}},
		{"", Intent{}},
	} {
		got, ok := Parse(tt.question)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" || ok != (tt.want.Kind != "") {
			t.Errorf("%s: recognised %v\n%s", tt.question, ok, diff)
		}
	}
}

// Every form of the table has to match the question it describes, with the shortest option of each group.
// TestPhrasings: each of these asks for one thing about draw_line or DrawLine, in the words of people at a terminal.
func TestPhrasings(t *testing.T) {
	for kind, questions := range map[Kind]string{
		Callers: `draw_line - who calls it | draw_line: who uses it? | draw_line used by? | draw_line called by
			draw_line, is that still called somewhere | do you know who ends up calling draw_line
			is draw_line used anywhere outside tests | list the places where draw_line is invoked
			from where does draw_line get called | in which files is draw_line used | how many times is draw_line called
			can i safely delete draw_line | is draw_line dead code | what would break if i removed draw_line
			is draw_line called from anywhere | find usages draw_line | call hierarchy of draw_line
			does anything besides tests use draw_line | who calls draw_line in glow | how many callers does draw_line have`,
		Definition: `draw_line | draw_line() | draw_line? | draw_line where | where draw_line | func draw_line
			draw_line defined where | which line is draw_line on | in which file is draw_line | path to draw_line
			need the location of draw_line | jump to def draw_line | is there a function called draw_line
			draw_line, where is it | can you point me to draw_line | draw_line location | where is draw_line implemented at`,
		Tests: `draw_line - is it tested? | draw_line: any tests? | any tests around draw_line | draw_line test coverage
			which tests touch draw_line | what test should i run after changing draw_line | do the tests cover draw_line
			is anything testing draw_line | what tests break if draw_line changes | test names for draw_line`,
		Implementers: `DrawLine subclasses | DrawLine implementations | all impls of DrawLine | descendants of DrawLine
			does anything inherit from DrawLine | is DrawLine subclassed anywhere | classes derived from DrawLine
			give me every subclass of DrawLine | how many classes implement DrawLine | DrawLine is implemented by
			show classes implementing DrawLine | is there anything derived from DrawLine`,
		Difference: `diff between DrawLine and DrawArc | diff DrawLine DrawArc | is DrawLine the same as DrawArc
			DrawLine or DrawArc | when should i use DrawLine and when DrawArc | why have both DrawLine and DrawArc
			what distinguishes DrawLine from DrawArc | DrawLine and DrawArc - how do they differ`,
		Default: `value of draw_line | draw_line value`,
	} {
		for _, question := range strings.FieldsFunc(questions, func(c rune) bool { return c == '|' || c == '\n' }) {
			question = strings.TrimSpace(question)
			name := "draw_line"
			if strings.Contains(question, "DrawLine") {
				name = "DrawLine"
			}
			if in, ok := Parse(question); !ok || in.Kind != kind || in.Name != name {
				t.Errorf("%s: %+v, want %s of %s", question, in, kind, name)
			}
		}
	}
	for question, want := range map[string]Intent{
		"who calls the draw method of Canvas":          {Kind: Callers, Name: "Canvas.draw"},
		"got this: org.acme.DrawError: no ink is left": {Kind: Message, Name: "no ink is left", Weak: true},
		"could not find the ink":                       {Kind: Message, Name: "could not find the ink", Weak: true},
		"no ink left at Pen.draw (pen.js:5:2)":         {Kind: Message, Name: "no ink left", Weak: true},
		"InkError: no ink is left! Please buy a new one - getting this in a view that draws, why": {Kind: Message,
			Name: "no ink is left! Please buy a new one - getting this in a view that draws, why"},
		"could you find the ink":                                {},
		"welche Typen implementieren den Brush trait":           {Kind: Implementers, Name: "Brush"},
		"hey quick q, who implements the Brush trait in glow":   {Kind: Implementers, Name: "Brush"},
		"what implements the Brush interface in internal/tools": {Kind: Implementers, Name: "Brush"},
		"which painters extend Client_PG":                       {Kind: Implementers, Name: "Client_PG"},
		"wer wirft InkError":                                    {Kind: Raised, Name: "InkError"},
		"can you tell me where drawLine is called from":         {Kind: Callers, Name: "drawLine"},
	} {
		if in, _ := Parse(question); in.Kind != want.Kind || in.Name != want.Name {
			t.Errorf("%s: %+v, want %+v", question, in, want)
		}
	}
}

func TestEveryFormCompiles(t *testing.T) {
	for _, r := range table() {
		if !slices.Contains([]Kind{Definition, Difference, Callers, Raised, Implementers, Tests, Message, Default}, r.kind) {
			t.Errorf("a row is of kind %q", r.kind)
		}
		for i, f := range r.forms {
			slots := 0
			for _, e := range f {
				if e.slot == "NAME" || e.slot == "CODE" || e.slot == "TEXT" || e.slot == "REST" || e.slot == "LIMIT" {
					slots++
				}
			}
			if slots != 1 {
				t.Errorf("%s, form %d has %d slots for the subject, want 1", r.kind, i, slots)
			}
		}
	}
}

func TestMeasureOf(t *testing.T) {
	for _, tt := range []struct {
		question, of string
		names        string // a word of the names
		text, ok     bool
	}{
		{"how many redirects are followed by default?", "redirects", "limit", false, true},
		{"what is the default number of iterations for pbkdf2?", "", "count", false, true},
		{"How often does goleak look again?", "", "interval", false, true},
		{"how large may a request body be?", "", "size", false, true},
		{"which port does it listen on by default?", "which port", "default", true, true},
		{"what is the default fill percent?", "", "default", true, true},
		{"what is the maximum body size?", "", "size", false, true},
		{"What's the minimum time between two runs?", "", "interval", false, true},
		{"what happens when the maximum size is reached?", "", "", false, false},
		{"Wie viele Threads werden benutzt?", "Threads", "max", false, true},
		{"重试几次？", "", "attempts", false, true},
		{"After how many empty messages does it fail?", "empty messages", "limit", false, true},
		{"how are redirects followed?", "", "", false, false},
		{"how does the loop know how long to wait?", "", "", false, false},
		{"which port does it listen on?", "", "", false, false},
		{"where is MaxRedirects defined?", "", "", false, false},
	} {
		m, ok := MeasureOf(tt.question)
		if ok != tt.ok || m.Of != tt.of || m.Text != tt.text || !strings.Contains(m.Names, tt.names) {
			t.Errorf("%s: %+v, %v", tt.question, m, ok)
		}
	}
}

// A question for a length of time asks for no size, and the other way round.
func TestMeasureFits(t *testing.T) {
	for _, tt := range []struct{ question, needs, not string }{
		{"How long are repeated messages suppressed?", "store time", "max message length"},
		{"How long does it wait?", "max age", "messages"},
		{"How many days are logs kept?", "retention", "max size"},
		{"How often is the status line refreshed?", "status interval", "status lines limit"},
		{"How often is it tried again?", "max attempts", "port"},
		{"wie lange wird gewartet?", "30 * time.Second", "limit 30"},
		{"What is the maximum wait time?", "max wait", "max width"},
	} {
		m, _ := MeasureOf(tt.question)
		if !m.Needs.MatchString(tt.needs) || m.Needs.MatchString(tt.not) && !m.Other.MatchString(tt.not) {
			t.Errorf("%s: %+v", tt.question, m)
		}
	}
	for question, other := range map[string]string{
		"how many retries are made?": "retry timeout", "how large is the buffer?": "buffer 30 * time.Second",
	} {
		if m, _ := MeasureOf(question); !m.Other.MatchString(other) {
			t.Errorf("%s: %+v", question, m)
		}
	}
	for question, against := range map[string]string{
		"How many are open at most?": "pool min size", "wie lange wartet es mindestens?": "max wait",
	} {
		if m, _ := MeasureOf(question); m.Against == nil || !m.Against.MatchString(against) {
			t.Errorf("%s: %+v", question, m)
		}
	}
	for question, other := range map[string]string{
		"how many redirects are followed?": "redirect max times", "how large may a body be?": "body 1m",
		"how long may a name be?": "name length", "how many requests are sent per second?": "requests per second",
	} {
		if m, _ := MeasureOf(question); m.Needs != nil || m.Other != nil && m.Other.MatchString(other) {
			t.Errorf("%s: %+v", question, m)
		}
	}
}

// What says that a value is a most or a least.
func TestBounds(t *testing.T) {
	for text, want := range map[string][2]bool{ // most, least
		"MaxBodySize": {true, false}, "item_size_max": {true, false}, "limitTotal": {true, false},
		"min_delay": {false, true}, "chunkMin": {false, true}, "MIN_SIZE": {false, true}, "at least": {false, true},
		"Math.min(times, 10)": {true, false}, "max(1, n)": {false, true}, "minutes": {false, false},
		"terminal": {false, false}, "retryDelay": {false, false},
	} {
		if got := [2]bool{most.MatchString(text), least.MatchString(text)}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
