package geminiwire

import (
	"cmp"

	"github.com/forayhq/foray/providers"
)

// finishes maps the finish reasons of generateContent. Any other reason is a Stop.
var finishes = map[string]providers.Finish{
	"MAX_TOKENS":               providers.Length,
	"CONTINUATION":             providers.Length, // the service wants to be asked again, which the loop does
	"SAFETY":                   providers.Filtered,
	"RECITATION":               providers.Filtered,
	"LANGUAGE":                 providers.Filtered,
	"BLOCKLIST":                providers.Filtered,
	"PROHIBITED_CONTENT":       providers.Filtered,
	"SPII":                     providers.Filtered,
	"MODEL_ARMOR":              providers.Filtered,
	"IMAGE_SAFETY":             providers.Filtered,
	"IMAGE_PROHIBITED_CONTENT": providers.Filtered,
	"IMAGE_RECITATION":         providers.Filtered,
}

// failures maps the finish reasons that are errors.
var failures = map[string]providers.Class{
	"MALFORMED_FUNCTION_CALL": providers.Transient, // the model wrote a call that the service could not parse this time
	"UNEXPECTED_TOOL_CALL":    providers.Transient, // the model called although it has no tools
	"TOO_MANY_TOOL_CALLS":     providers.Transient,
	"OTHER":                   providers.Transient, // the service does not say why
}

// Unspecified is the finish reason of an answer that continues.
const Unspecified = "FINISH_REASON_UNSPECIFIED"

// Finish returns the finish of an answer by its reason. The service says STOP even if the answer ends in calls.
func Finish(reason string, calls bool) providers.Finish {
	if finish, ok := finishes[reason]; ok || !calls {
		return cmp.Or(finish, providers.Stop)
	}
	return providers.Calls
}

// Failure returns the class of a finish reason that is an error, and whether it is one.
func Failure(reason string) (class providers.Class, failed bool) {
	class, failed = failures[reason]
	return class, failed
}
