package textcalls

import (
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// A form is one way to write calls into a text.
type form struct {
	name   string // for people
	open   string // how it begins
	close  string // what may follow the calls; often left out
	tagged bool   // nobody writes open for anything else
	read   func(*parser) ([]call, bool)

	write  string // how a call of NAME with ARGUMENTS is written in the history
	result string // the same for its RESULT, in a user message
}

// How calls and results are written in a history, after the chat templates of Hermes 2 Pro and Qwen 2.5; models
// without a template for results read plain words.
const (
	jsonCall    = `{"name": "NAME", "arguments": ARGUMENTS}`
	tagResult   = "<tool_response>\nRESULT\n</tool_response>"
	plainResult = "Result of NAME:\nRESULT"
)

// Names of forms that other code asks for.
const (
	functionOpen = "<function="
	toolCallEnd  = "</tool_call>"
	fenceOpen    = "```"
)

// forms is the table of forms; the first that matches wins. The sources are the documentation of models and servers.
var forms = []form{
	// Hermes 2 Pro, Qwen 2.5 and 3 (their chat templates; vLLM's parser hermes). Qwen3-Coder puts <function=…> inside.
	{"<tool_call>", "<tool_call>", toolCallEnd, true, (*parser).body,
		"<tool_call>\n" + jsonCall + "\n</tool_call>", tagResult},
	// Qwen2.5-Coder repeats the tag that its template puts around the schemas (vLLM issue 32926).
	{"<tools>", "<tools>", "</tools>", true, (*parser).body, "<tools>\n" + jsonCall + "\n</tools>", tagResult},
	// Llama 3.1 (custom functions; llama.cpp, docs/function-calling.md) with JSON, Qwen3-Coder (vLLM's parser
	// qwen3_coder) with <parameter=…>, often without the <tool_call> before.
	{"<function=…>", functionOpen, toolCallEnd, true, (*parser).element,
		"<function=NAME>ARGUMENTS</function>", plainResult},
	// Mistral (docs.mistral.ai; vLLM's parser mistral): a list, or name[ARGS]{…} since tokenizer 11.
	{"[TOOL_CALLS]", "[TOOL_CALLS]", "", true, (*parser).mistral, "[TOOL_CALLS][" + jsonCall + "]", plainResult},
	// Llama 3 (llama.com, prompt formats; vLLM's parser llama3_json): objects, separated by semicolons.
	{"<|python_tag|>", "<|python_tag|>", "", true, (*parser).body,
		`<|python_tag|>{"name": "NAME", "parameters": ARGUMENTS}`, plainResult},
	// Qwen2.5-Coder without examples, in 100 % of its calls (vLLM issue 32926), and many others.
	{"fenced JSON", fenceOpen, "", false, (*parser).fenced, "```json\n" + jsonCall + "\n```", plainResult},
	// Qwen2.5-Coder in Ollama (issue 12174), Llama 3.2, and models that were asked for JSON.
	{"bare JSON", "{", "", false, (*parser).objects, jsonCall, plainResult},
	{"bare JSON", "[", "", false, (*parser).objects, jsonCall, plainResult},
}

// The keys of a call as JSON: those of OpenAI, Llama ("parameters"), and what models confuse them with.
var (
	nameKeys     = []string{"name", "function", "tool", "tool_name"}
	argumentKeys = []string{"arguments", "parameters", "args", "input"}
	otherKeys    = []string{"id", "type"} // OpenAI's
)

// announcements in the words before it make a call an example, in lower case. They are phrases, because a model that
// looks for examples, formats and schemas names these too.
var announcements = []string{"for example", "an example", "example:", "example of", "for instance", "e.g.", "such as",
	"like this", "look like", "looks like", "would be", "would write", "format is", "format:", "syntax is", "syntax:",
	"a typical", "a sample"}

// body reads what is between tags: calls in JSON, or elements of the form <function=…>.
func (p *parser) body() ([]call, bool) {
	p.space()
	if !p.at(functionOpen) {
		return p.objects()
	}
	var all []call
	for p.skip(functionOpen) {
		calls, ok := p.element()
		if !ok {
			return nil, false
		}
		all = append(all, calls...)
		p.space()
	}
	return all, true
}

// element reads a call after "<function=".
func (p *parser) element() ([]call, bool) {
	name, ok := p.until(">", maxName)
	c := call{name: name, whole: true}
	if !ok || !p.tools.has(name) {
		return nil, false
	}
	if p.space(); p.at("{") {
		c.args, ok = p.raw()
	} else {
		c.args, ok = p.parameters(name)
	}
	p.space()
	p.skip("</function>")
	return []call{c}, ok && c.normalize()
}

// mistral reads what follows "[TOOL_CALLS]".
func (p *parser) mistral() ([]call, bool) {
	if p.space(); p.at("[") || p.at("{") {
		return p.objects()
	}
	var all []call
	for {
		name := p.word()
		if !p.tools.has(name) {
			return nil, false
		}
		if p.skip("[CALL_ID]") {
			p.word()
		}
		p.skip("[ARGS]")
		p.space()
		args, ok := p.raw()
		c := call{name: name, args: args, whole: true}
		if !ok || !c.normalize() {
			return nil, false
		}
		all = append(all, c)
		if p.space(); !p.skip("[TOOL_CALLS]") {
			return all, true
		}
		p.space()
	}
}

// fenced reads what follows "```": a word for the language, then calls in any other form, and the end of the fence.
func (p *parser) fenced() ([]call, bool) {
	p.word()
	p.space()
	f := p.opening(true)
	if f == nil {
		return nil, false
	}
	p.enter(f)
	calls, ok := f.read(p)
	if ok {
		p.leave(f)
	}
	p.space()
	return calls, ok && (p.skip(fenceOpen) || p.finished())
}

// parameters reads elements of the form <parameter=KEY>VALUE</parameter> as one object of arguments.
func (p *parser) parameters(tool string) (json.RawMessage, bool) {
	args := map[string]json.RawMessage{}
	for p.space(); p.skip("<parameter="); p.space() {
		key, ok := p.until(">", maxName)
		if !ok {
			return nil, false
		}
		from := p.pos
		for p.more(0) && !(p.buf[p.pos] == '<' && (p.at("</parameter>") || p.at("<parameter=") || p.at("</function>"))) {
			p.pos++
		}
		text := strings.TrimSuffix(strings.TrimPrefix(string(p.buf[from:p.pos]), "\n"), "\n")
		p.skip("</parameter>")
		args[key] = p.tools.value(tool, key, text)
	}
	raw, err := line.JSON(args)
	return raw, err == nil && !p.cut
}
