package wire

import (
	"math"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// overflows are the sentences with which providers say that a request is longer than the window, in the order in which
// they are tried. The named groups are numbers: limit, tokens, and output, which is added to tokens if the provider
// counts the room for the answer separately. The first column says where the sentence was seen.
var overflows = []struct {
	seen    string
	pattern *lazyregexp.Regexp
}{
	{"vLLM, with the answer", re(`maximum context length is <limit> tokens.*?requested <output> output` +
		` tokens and your prompt contains (?:at least )?<tokens> input tokens`)},
	{"vLLM, request plus answer", re(`maximum context length is <limit> tokens.*?your request has <tokens>` +
		` input tokens plus <output> `)},
	{"vLLM, answer too long", re(`maximum context length is <limit> tokens and your request has <tokens>` +
		` input tokens \(<output> >`)},
	{"vLLM", re(`maximum context length is <limit> tokens.*?your request has <tokens> input tokens`)},
	{"vLLM, older", re(`prompt \((?:total )?length <tokens>\) is longer than the maximum model length of <limit>`)},
	{"OpenAI, DeepSeek, OpenRouter, SGLang", re(`maximum context length (?:is|of) <limit>` +
		` tokens.*?(?:requested|resulted in)(?: a total of)?(?: about)? <tokens> tokens`)},
	{"SGLang, Together", re(`input \(<tokens> tokens\) is longer than the model's context length \(<limit> tokens\)`)},
	{"Anthropic", re(`prompt is too long: <tokens> tokens > <limit> maximum`)},
	{"Anthropic, with the answer", re("input length and .max_tokens. exceed context limit: <tokens> \\+ <output> > <limit>")},
	{"Gemini", re(`input token count \(?<tokens>\)? exceeds the maximum number of tokens allowed \(?<limit>`)},
	{"Gemini, no count", re(`input token count exceeds the maximum number of tokens allowed \(?<limit>`)},
	{"Vertex", re(`input token count is <tokens> but (?:the )?model only supports up to <limit>`)},
	{"Mistral", re(`prompt contains <tokens> tokens.*?too large for model with <limit> maximum context`)},
	{"xAI", re(`maximum prompt length is <limit> but the request contains <tokens> tokens`)},
	{"llama.cpp", re(`request \(<tokens> tokens\) exceeds the available context size \(<limit> tokens\)`)},
	{"text-generation-inference", re("inputs. must have less than <limit> tokens\\. given: <tokens>")},
	{"text-generation-inference, with the answer", re("must be <= <limit>\\. given: <tokens> .inputs. tokens and <output> .max_new_tokens")},
	{"Moonshot", re(`exceeded model token limit: <limit> \(requested: <tokens>\)`)},
	{"Poolside", re(`input length <tokens> exceeds the maximum allowed input length of <limit> tokens`)},
	{"GitHub Copilot", re(`prompt token count of <tokens> exceeds the limit of <limit>`)},
	{"Cohere", re(`number of tokens in the prompt cannot exceed <limit>.*?received <tokens>`)},
	{"DashScope", re(`range of input length should be \[\d+, ?<limit>\]`)},
	{"LM Studio", re(`keep the first <tokens> tokens when context.*?context length of only <limit> tokens`)},
	{"LM Studio, no numbers", re(`tokens to keep from the initial prompt is greater than the context length`)},
	{"OpenAI and Groq, more at once than a minute's quota", re(`request too large for.*?limit:? <limit>,` +
		` requested:? <tokens>`)},
	{"any, the limit only", re(`(?:maximum context length|context window|context size|context limit)` +
		` (?:is|of) <limit> tokens`)},
	{"OpenAI Responses", re(`exceeds the context window`)},
	{"llama.cpp, older", re(`exceeds? the available context size`)},
	{"Ollama", re(`input length exceeds the (?:maximum )?context length`)},
	{"Bedrock", re(`input is too long for (?:the )?requested model`)},
	{"Groq", re(`reduce the length of the messages`)},
	{"MiniMax", re(`context window exceeds limit`)},
	{"Z.ai", re(`prompt exceeds max length`)},
	{"codes", re(`context_length_exceeded|exceed_context_size_error|model_context_window_exceeded`)},
}

// maxMessage is how many bytes of a message [ParseOverflow] reads: the sentences are short and come first.
const maxMessage = 4096

// ParseOverflow reports whether message, the text or code of a provider's error, says that the request is longer than
// the window. It returns the numbers in it: the limit, and the size of the request in tokens, including the room for
// the answer if the provider counts that. A number that is missing is 0.
func ParseOverflow(message string) (limit, tokens int, ok bool) {
	if len(message) > maxMessage {
		message = message[:maxMessage]
	}
	for _, o := range overflows {
		m := o.pattern.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		output := 0
		for i, name := range o.pattern.SubexpNames() {
			switch name {
			case "limit":
				limit = number(m[i])
			case "tokens":
				tokens = number(m[i])
			case "output":
				output = number(m[i])
			}
		}
		if tokens += output; tokens > math.MaxInt32 {
			tokens = 0
		}
		return limit, tokens, true
	}
	return 0, 0, false
}

// re returns a row's pattern: case does not matter, "." matches line ends, and <name> is a number.
func re(pattern string) *lazyregexp.Regexp {
	for _, name := range []string{"limit", "tokens", "output"} {
		pattern = strings.ReplaceAll(pattern, "<"+name+">", `(?P<`+name+`>\d[\d,]*)`)
	}
	return lazyregexp.New(`(?is)` + pattern)
}

// number parses a number as providers write it; 0 if it cannot be a count of tokens.
func number(s string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil || n > math.MaxInt32 {
		return 0
	}
	return n
}
