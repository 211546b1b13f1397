package providertest

import (
	"strconv"
	"strings"
)

// In the events of a hostile wire, piece is where its text goes, and number where the index of a call goes.
const (
	piece  = "PIECE"
	number = "NUMBER"
)

// A hostileWire is how a dialect writes what the attacks need. An empty event means that the dialect lacks it.
type hostileWire struct {
	path       string // the end of its path
	kind       string // of its content
	first      string // an event before all others
	from       int    // the index of the first call
	begin, end string // before and after each event
	text       string
	reasoning  string
	call       string // a whole call whose name is the piece
	open       string // a call whose arguments are the piece
	more       string // more of these arguments; empty: calls are always whole
	plain      bool   // arguments are JSON, not a text that holds JSON
	empty      string // an event that says nothing
	progress   string // how far the server is with reading
	details    string // what the server wants back with the answer
	list       string // a list that continues after the piece
	texts      string // a list of texts that continues after the piece
	whole      string // the answer of a server that does not stream
	last       string // the end of an answer; the piece counts its tokens
	filler     string // repeated as the endless piece of a value; empty: words
}

const (
	chatDelta     = `{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{`
	claudeDelta   = `{"type":"content_block_delta","index":0,"delta":{`
	claudeCall    = `{"type":"content_block_start","index":NUMBER,"content_block":{"type":"tool_use","id":"c_NUMBER",`
	ollamaMessage = `{"model":"x","message":{"role":"assistant",`
	geminiPart    = `{"candidates":[{"index":0,"content":{"role":"model","parts":[{`
)

var hostileWires = []hostileWire{
	{
		path: "/chat/completions", kind: "text/event-stream", begin: "data: ", end: "\n\n",
		text:      chatDelta + `"content":"PIECE"}}]}`,
		reasoning: chatDelta + `"reasoning_content":"PIECE"}}]}`,
		call: chatDelta + `"tool_calls":[{"index":NUMBER,"id":"c_NUMBER","type":"function",` +
			`"function":{"name":"PIECE","arguments":"{}"}}]}}]}`,
		open: chatDelta + `"tool_calls":[{"index":NUMBER,"id":"c_NUMBER","type":"function",` +
			`"function":{"name":"read_file","arguments":"PIECE"}}]}}]}`,
		more:     chatDelta + `"tool_calls":[{"index":NUMBER,"function":{"arguments":"PIECE"}}]}}]}`,
		empty:    chatDelta + `}}]}`,
		progress: `{"choices":[],"prompt_progress":{"total":1000000,"cache":0,"processed":1000,"time_ms":1}}`,
		details:  chatDelta + `"reasoning_details":[{"type":"reasoning.text","index":0,"text":"PIECE"}]}}]}`,
		list:     `{"choices":[PIECE{}]}`,
		texts:    chatDelta + `"content":[PIECE{"type":"text","text":"."}]}}]}`,
		whole:    `{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"content":"PIECE"}}]}`,
		last: `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":PIECE,"completion_tokens":PIECE,"total_tokens":PIECE}}` + "\n\ndata: [DONE]",
	},
	{
		path: "/responses", kind: "text/event-stream", begin: "data: ", end: "\n\n",
		text:      `{"type":"response.output_text.delta","item_id":"m","output_index":0,"delta":"PIECE"}`,
		reasoning: `{"type":"response.reasoning_summary_text.delta","item_id":"r","output_index":1,"delta":"PIECE"}`,
		call: `{"type":"response.output_item.done","output_index":NUMBER,"item":{"id":"i_NUMBER","type":"function_call",` +
			`"call_id":"c_NUMBER","name":"PIECE","arguments":"{}"}}`,
		open: `{"type":"response.output_item.added","output_index":NUMBER,"item":{"id":"i_NUMBER",` +
			`"type":"function_call","call_id":"c_NUMBER","name":"read_file","arguments":"PIECE"}}`,
		more:  `{"type":"response.function_call_arguments.delta","output_index":NUMBER,"delta":"PIECE"}`,
		empty: `{"type":"response.in_progress","response":{"object":"response","status":"in_progress","output":[]}}`,
		details: `{"type":"response.output_item.done","output_index":NUMBER,"item":{"id":"i_NUMBER","type":"reasoning",` +
			`"summary":[],"encrypted_content":"PIECE"}}`,
		list: `{"type":"response.completed","response":{"object":"response","output":[PIECE{}]}}`,
		whole: `{"object":"response","status":"completed","output":[{"type":"message","role":"assistant",` +
			`"content":[{"type":"output_text","text":"PIECE"}]}]}`,
		last: `{"type":"response.completed","response":{"object":"response","status":"completed","output":[],` +
			`"usage":{"input_tokens":PIECE,"output_tokens":PIECE,"total_tokens":PIECE}}}`,
	},
	{
		path: "/messages", kind: "text/event-stream", begin: "data: ", end: "\n\n", from: 1,
		first:     `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		text:      claudeDelta + `"type":"text_delta","text":"PIECE"}}`,
		reasoning: claudeDelta + `"type":"thinking_delta","thinking":"PIECE"}}`,
		call:      claudeCall + `"name":"PIECE","input":{}}}`,
		open: claudeCall + `"name":"read_file","input":{}}}` + "\n\ndata: " +
			`{"type":"content_block_delta","index":NUMBER,"delta":{"type":"input_json_delta","partial_json":"PIECE"}}`,
		more:     `{"type":"content_block_delta","index":NUMBER,"delta":{"type":"input_json_delta","partial_json":"PIECE"}}`,
		empty:    claudeDelta + `"type":"text_delta","text":""}}`,
		progress: `{"type":"ping"}`,
		details:  claudeDelta + `"type":"signature_delta","signature":"PIECE"}}`,
		list:     `{"type":"message","content":[PIECE{}]}`,
		whole:    `{"type":"message","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"PIECE"}]}`,
		last: `{"type":"message_delta","delta":{"stop_reason":"end_turn"},` +
			`"usage":{"input_tokens":PIECE,"output_tokens":PIECE}}` + "\n\ndata: " + `{"type":"message_stop"}`,
	},
	{
		path: ":streamGenerateContent", kind: "text/event-stream", begin: "data: ", end: "\n\n", plain: true,
		text:      geminiPart + `"text":"PIECE"}]}}]}`,
		reasoning: geminiPart + `"text":"PIECE","thought":true}]}}]}`,
		call:      geminiPart + `"functionCall":{"id":"c_NUMBER","name":"PIECE","args":{}}}]}}]}`,
		open:      geminiPart + `"functionCall":{"id":"c_NUMBER","name":"read_file","args":PIECE}}]}}]}`,
		empty:     geminiPart + `"text":""}]}}]}`,
		details:   geminiPart + `"text":"","thoughtSignature":"PIECE"}]}}]}`,
		list:      `{"candidates":[PIECE{}]}`,
		texts:     `{"candidates":[{"index":0,"content":{"role":"model","parts":[PIECE{"text":"."}]}}]}`,
		whole:     `[` + geminiPart + `"text":"PIECE"}]},"finishReason":"STOP"}]}]`,
		last: `{"candidates":[{"index":0,"content":{"parts":[]},"finishReason":"STOP"}],` +
			`"usageMetadata":{"promptTokenCount":PIECE,"candidatesTokenCount":PIECE,"totalTokenCount":PIECE}}`,
	},
	{
		path: "/api/chat", kind: "application/x-ndjson", end: "\n", plain: true,
		text:      ollamaMessage + `"content":"PIECE"},"done":false}`,
		reasoning: ollamaMessage + `"content":"","thinking":"PIECE"},"done":false}`,
		call: ollamaMessage + `"content":"","tool_calls":[{"id":"c_NUMBER","function":{"name":"PIECE","arguments":{}}}]},` +
			`"done":false}`,
		open: ollamaMessage + `"content":"","tool_calls":[{"id":"c_NUMBER","function":{"name":"read_file",` +
			`"arguments":PIECE}}]},"done":false}`,
		empty: ollamaMessage + `"content":""},"done":false}`,
		list:  `{"message":{"role":"assistant","tool_calls":[PIECE{}]},"done":false}`,
		whole: ollamaMessage + `"content":"PIECE"},"done":true}`,
		last: ollamaMessage + `"content":""},"done":true,"done_reason":"stop",` +
			`"prompt_eval_count":PIECE,"eval_count":PIECE}`,
	},
	{
		path: "/embeddings", kind: "application/json", filler: "0.25,",
		text:  `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[PIECE0]}]}`,
		call:  `{"object":"list","data":[{"object":"embedding","index":NUMBER,"embedding":[0]}],"model":"PIECE"}`,
		list:  `{"object":"list","data":[PIECE{}]}`,
		whole: `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[PIECE0]}]}`,
		last:  `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0,1]}]}`,
	},
	{
		path: "EmbedContents", kind: "application/json", filler: "0.25,",
		text:  `{"embeddings":[{"values":[PIECE0]}]}`,
		call:  `{"embeddings":[{"values":[0]}],"model":"PIECE"}`,
		list:  `{"embeddings":[PIECE{}]}`,
		whole: `{"embeddings":[{"values":[PIECE0]}]}`,
		last:  `{"embeddings":[{"values":[0,1]}]}`,
	},
	{ // any other question, as for the list of models
		kind: "application/json",
		text: `{"data":[{"id":"PIECE"}]}`, list: `{"data":[PIECE{}]}`, whole: `{"data":[{"id":"PIECE"}]}`, last: `{"data":[{"id":"fine"}]}`,
	},
}

// wireOf returns the wire of a path.
func wireOf(path string) hostileWire {
	for _, w := range hostileWires {
		if strings.HasSuffix(path, w.path) {
			return w
		}
	}
	return hostileWire{}
}

// event returns an event with a text as its piece, as the nth of its kind.
func (w hostileWire) event(form, text string, n int) string {
	return w.begin + strings.NewReplacer(piece, text, number, strconv.Itoa(w.from+n)).Replace(form) + w.end
}

// arguments returns the arguments of a call as the wire has them.
func (w hostileWire) arguments(object string) string {
	if w.plain {
		return object
	}
	return strings.ReplaceAll(object, `"`, `\"`)
}

// halves returns what comes before and after the piece of an event.
func (w hostileWire) halves(form string) (before, after string) {
	before, after, _ = strings.Cut(w.event(form, piece, 0), piece)
	return before, after
}
