package agent

import (
	"errors"
	"strings"

	"github.com/forayhq/foray/providers"
)

// Words in the errors of services that refuse a forced call, or a schema for the answer.
var (
	forcedWords = []string{
		"tool_choice", "tool choice", "toolchoice", "tool_config", "toolconfig",
		"function calling config", "function_calling_config",
	}
	schemaWords = []string{
		"response_format", "response format", "responseschema", "response_schema", "responsejsonschema",
		"json_schema", "json schema", "mime type", "structured output",
	}
)

// disorderWords are words in the errors of services that refuse messages for their order or for missing results. They
// count only in an error of class [providers.Invalid].
var disorderWords = []string{
	"tool_call",             // OpenAI, DeepSeek, vLLM: must be followed by, must be a response to, insufficient tool messages
	"function call output",  // OpenAI, Responses: no tool call found for, no tool output found for
	"tool_use",              // Anthropic: ids were found without tool_result blocks, must be unique
	"tool_result",           // Anthropic: unexpected, each tool_use must have a single result
	"function call",         // Gemini: turn comes immediately after, number of function response parts; Mistral
	"function response",     // Gemini
	"role 'tool'",           // OpenAI and compatible services
	"roles must alternate",  // Anthropic, chat templates
	"must use the \"user\"", // Anthropic: the first message
	"end with a user",       // Anthropic
	"ends with a user",      // Gemini
	"last role",             // Mistral: expected last role user or tool
	"unexpected role",       // Mistral
	"non-empty content",     // Anthropic
	"must not be empty",     // OpenAI-compatible: content, contents
	"redacted_thinking",     // Anthropic: cannot be modified
	"thinking blocks",       // Anthropic: must be passed back unmodified, must be the first
	"signature",             // Anthropic, Gemini: of modified thinking
	"reasoning_content",     // DeepSeek
	"without its required",  // OpenAI, Responses: reasoning item without its following item
}

// isDisorder reports whether a service refused a request for the order or the pairing of its messages.
func isDisorder(err error) bool {
	return providers.ClassOf(err) == providers.Invalid && containsAny(strings.ToLower(err.Error()), disorderWords)
}

// fromService reports whether an error is an answer of a service, with a status.
func fromService(refusal error) bool {
	var e *providers.Error
	return errors.As(refusal, &e) && e.Status != 0
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
