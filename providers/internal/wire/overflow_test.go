package wire_test

import (
	"math"
	"strings"
	"testing"

	"github.com/forayhq/foray/providers/internal/wire"
)

// overflowMessages are errors as the services write them, each with what they name.
var overflowMessages = []struct {
	service, message string
	limit, tokens    int
}{
	{"OpenAI", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9021 tokens (8900 in the messages, 121 in the functions). Please reduce the length of the messages or functions.", 8192, 9021},
	{"OpenAI, older", "This model's maximum context length is 4097 tokens, however you requested 5360 tokens (1360 in your prompt; 4000 for the completion). Please reduce your prompt; or completion length.", 4097, 5360},
	{"OpenAI Responses", "Your input exceeds the context window of this model. Please adjust your input and try again.", 0, 0},
	{"OpenAI, minute", "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 44123. The input or output tokens must be reduced in order to run successfully.", 30000, 44123},
	{"OpenRouter", "This endpoint's maximum context length is 1048576 tokens. However, you requested about 1293741 tokens (1227853 of text input, 353 of tool input, 65535 in the output). Please reduce the length of either one.", 1048576, 1293741},
	{"vLLM, 0.6", "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.", 16384, 122946},
	{"vLLM, 0.10", "This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens. Please reduce the length of the input messages. (parameter=input_tokens, value=40000)", 32768, 40000},
	{"vLLM, 0.15", "This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'. Please reduce one or the other.", 2048, 2053},
	{"vLLM, 0.20", "This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your prompt contains at least 62466 input tokens, for a total of at least 128001 tokens.", 128000, 128001},
	{"vLLM, answer", "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (4096 > 32768 - 30000). None", 32768, 34096},
	{"vLLM, decoder", "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.", 4096, 5000},
	{"SGLang", "Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 270000 tokens: 262000 tokens from the input messages and 8000 tokens for the completion.", 262144, 270000},
	{"SGLang, input", "The input (263000 tokens) is longer than the model's context length (262144 tokens).", 262144, 263000},
	{"Anthropic", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209353 tokens > 199999 maximum"}}`, 199999, 209353},
	{"Anthropic, answer", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again", 200000, 210000},
	{"Gemini", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", 1048575, 1196265},
	{"Gemini, no count", "The input token count exceeds the maximum number of tokens allowed 1048576.", 1048576, 0},
	{"Vertex", "Unable to submit request because the input token count is 32825 but model only supports up to 32768.", 32768, 32825},
	{"Mistral", "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768, 40000},
	{"xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812},
	{"llama.cpp", "request (5,000 tokens) exceeds the available context size (4,096 tokens), try increasing it", 4096, 5000},
	{"llama.cpp, older", "the request exceeds the available context size, try increasing the context size or enable context shift", 0, 0},
	{"TGI", "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000", 4096, 5000},
	{"TGI, answer", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 7000 `inputs` tokens and 2000 `max_new_tokens`", 8192, 9000},
	{"Moonshot", "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)", 262144, 300000},
	{"Poolside", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", 131040, 131393},
	{"Copilot", "prompt token count of 12345 exceeds the limit of 8192", 8192, 12345},
	{"Cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt", 4081, 4292},
	{"DashScope", "Range of input length should be [1, 30720]", 30720, 0},
	{"LM Studio", "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.", 4096, 5000},
	{"Groq", "Please reduce the length of the messages or completion.", 0, 0},
	{"MiniMax", "invalid params, context window exceeds limit (2013)", 0, 0},
	{"a code", "context_length_exceeded", 0, 0},
	{"a limit only", "The context window is 4096 tokens.", 4096, 0},
}

func TestParseOverflowReadsTheServices(t *testing.T) {
	for _, tt := range overflowMessages {
		limit, tokens, ok := wire.ParseOverflow(tt.message)
		if !ok || limit != tt.limit || tokens != tt.tokens {
			t.Errorf("%s: limit %d tokens %d ok %v, want %d and %d in %q", tt.service, limit, tokens, ok, tt.limit, tt.tokens, tt.message)
		}
	}
}

func TestParseOverflowLeavesOtherErrors(t *testing.T) {
	for _, message := range []string{
		"",
		"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
		"ThrottlingException: Too many tokens, please wait before trying again.",
		"max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
		"Invalid 'messages[3].content': string too long.",
		"The model `gpt-9` does not exist",
		"Incorrect API key provided",
		"You exceeded your current quota, please check your plan and billing details.",
	} {
		if limit, tokens, ok := wire.ParseOverflow(message); ok || limit != 0 || tokens != 0 {
			t.Errorf("%q is taken for an overflow of %d over %d", message, tokens, limit)
		}
	}
}

func FuzzParseOverflow(f *testing.F) {
	for _, tt := range overflowMessages {
		f.Add(tt.message)
	}
	f.Add("prompt is too long: 99999999999999999999 tokens > 2147483647 maximum")
	f.Add("prompt is too long: 2147483647 tokens > 1,,2 maximum")
	f.Fuzz(func(t *testing.T, message string) {
		limit, tokens, ok := wire.ParseOverflow(message)
		if !ok && (limit != 0 || tokens != 0) {
			t.Errorf("numbers %d and %d without an overflow", limit, tokens)
		}
		if limit < 0 || limit > math.MaxInt32 || tokens < 0 || tokens > math.MaxInt32 {
			t.Errorf("limit %d, tokens %d: not a count of tokens", limit, tokens)
		}
		if _, _, again := wire.ParseOverflow(strings.ToUpper(message)); again != ok && isASCII(message) && len(message) < 1000 {
			t.Errorf("the case of letters decides: %v, in capitals %v", ok, again)
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 127 }) < 0
}
