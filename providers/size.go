package providers

import "github.com/forayhq/foray/toollimit"

// Size estimates the tokens of a request: its system prompt, messages with their calls and pictures, tools and schema.
func Size(req *Request) int {
	n := toollimit.Tokens(req.System) + toollimit.Tokens(string(req.Schema))
	for _, m := range req.Messages {
		n += toollimit.Tokens(m.Text) + m.ImageTokens()
		for _, c := range m.Calls {
			n += toollimit.Tokens(c.Name) + toollimit.Tokens(string(c.Args))
		}
		if m.ProviderData != nil {
			n += m.ProviderData.Tokens
		}
	}
	for _, t := range req.Tools {
		n += toollimit.Tokens(t.Name) + toollimit.Tokens(t.Description) + toollimit.Tokens(string(t.Schema))
	}
	return n
}
