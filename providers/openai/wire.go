package openai

import (
	"context"

	library "github.com/sashabaranov/go-openai"

	"github.com/forayhq/foray/providers"
)

// A Wire is a form of requests and answers that OpenAI made and others speak.
type Wire string

// The wires.
const (
	Responses Wire = "responses" // POST /responses: items in order, reasoning handed back encrypted
	Chat      Wire = "chat"      // POST /chat/completions: messages; nearly every server has it
)

// A form is what is different between the wires.
type form struct {
	path   string   // below the base URL
	fields []string // fields of a request that this package writes
	encode func(*Model, *providers.Request) ([]byte, error)
	open   func(context.Context, *library.Client) (lines, error)
	answer func(*Model) answer
}

// forms are the wires. The requests that the library builds are empty: exchange sends ours.
var forms = map[Wire]form{
	Responses: {
		path: "/responses", fields: responsesFields, encode: (*Model).encodeResponses, answer: (*Model).newResponsesAnswer,
		open: func(ctx context.Context, c *library.Client) (lines, error) {
			return c.CreateResponseStream(ctx, library.CreateResponseRequest{})
		},
	},
	Chat: {
		path: "/chat/completions", fields: chatFields, encode: (*Model).encodeChat, answer: (*Model).newChatAnswer,
		open: func(ctx context.Context, c *library.Client) (lines, error) {
			return c.CreateChatCompletionStream(ctx, library.ChatCompletionRequest{})
		},
	},
}

// lines is the library's reader of a stream, whatever it thinks the stream holds.
type lines interface {
	RecvRaw() ([]byte, error)
	Close() error
}
