package openai

import (
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// A Wire is a form of requests and answers that OpenAI made and others speak.
type Wire string

// The wires.
const (
	Responses Wire = "responses" // POST /responses: items in order, reasoning returned encrypted
	Chat      Wire = "chat"      // POST /chat/completions: messages; nearly every server has it
)

// A form is what differs between the wires.
type form struct {
	path   string   // below the base URL
	fields []string // fields of a request that this package writes
	encode func(*Model, *providers.Request) ([]byte, error)
	answer func(*Model) wire.Answer
}

var forms = map[Wire]form{
	Responses: {
		path: "/responses", fields: responsesFields,
		encode: (*Model).encodeResponses, answer: (*Model).newResponsesAnswer,
	},
	Chat: {
		path: "/chat/completions", fields: chatFields,
		encode: (*Model).encodeChat, answer: (*Model).newChatAnswer,
	},
}
