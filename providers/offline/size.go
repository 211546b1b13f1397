package offline

import "github.com/forayhq/foray/providers"

// Size estimates the tokens of a request: of its system prompt, its messages with their calls, and its tools.
func Size(req *providers.Request) int {
	n := tokens(req.System)
	for _, m := range req.Messages {
		n += tokens(m.Text)
		for _, c := range m.Calls {
			n += tokens(c.Name) + tokens(string(c.Args))
		}
		if m.Opaque != nil {
			n += m.Opaque.Tokens
		}
	}
	for _, t := range req.Tools {
		n += tokens(t.Name) + tokens(t.Description) + tokens(string(t.Schema))
	}
	return n
}

func tokens(s string) int { return (len(s) + 3) / 4 }
