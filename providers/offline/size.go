package offline

import "github.com/forayhq/foray/providers"

// Size estimates the tokens of a request, as Options.Limit counts them: providers.Size.
func Size(req *providers.Request) int { return providers.Size(req) }
