package intent

import "testing"

// A name as code writes it and what is asked about it are enough, whatever else a question says.
func TestCues(t *testing.T) {
	for question, want := range map[string]Intent{
		"i want to rename parse_url, what would break":             {Kind: Callers, Name: "parse_url"},
		"hey can u tell me who's using parse_url thx":              {Kind: Callers, Name: "parse_url"},
		"do we have any test that exercises trim_all! or not":      {Kind: Tests, Name: "trim_all!"},
		"Shop::Runner - who inherits?":                             {Kind: Implementers, Name: "Shop::Runner"},
		"types that satisfy list.Interface":                        {Kind: Implementers, Name: "list.Interface"},
		"how many classes extend JsonNode all in all":              {Kind: Implementers, Name: "JsonNode"},
		"shop worker_timeout default?":                             {Kind: Default, Name: "worker_timeout"},
		"whats the maxPayload if i dont set it":                    {Kind: Default, Name: "maxPayload"},
		"how many requests until it closes, max_keep_alive i mean": {Kind: Default, Name: "max_keep_alive"},
		"whats a RetryBag in shop":                                 {Kind: Definition, Name: "RetryBag", Weak: true},
		"where is RetryBag definied":                               {Kind: Definition, Name: "RetryBag", Weak: true},
		"when does send_task raise":                                {Kind: Raised, Name: "send_task"},
		"RetryBag or RetryList, when which":                        {Kind: Difference, Name: "RetryBag", Of: "RetryList", Weak: true},
	} {
		if got, ok := Parse(question); !ok || got.Kind != want.Kind || got.Name != want.Name || got.Of != want.Of || got.Weak != want.Weak {
			t.Errorf("%s: %+v, want %+v", question, got, want)
		}
	}
	for _, question := range []string{
		"what happens if I call send_all() before the socket is open?", "how does parse_url use the cache to be fast?",
		"what does read_all test before it returns?", "how long does a RetryBag that I make for tests stay valid", "which HTTP methods does it accept by default?",
		"exit codes of the program?", "what values can RetryMode have",
	} {
		if got, ok := Parse(question); ok && (got.Kind == Callers || got.Kind == Tests || got.Kind == Default || got.Kind == Message && got.Weak && !got.Quoted) {
			t.Errorf("%s: %+v", question, got)
		}
	}
}
