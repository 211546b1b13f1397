package intent

import (
	"reflect"
	"testing"
)

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

// Words that say what is asked come in any order, also with a second name, and with remarks beside them.
func TestCuesOfTwoNames(t *testing.T) {
	for _, test := range []struct {
		question string
		want     Intent
	}{
		{"default of maxSize in the RingBuffer?", Intent{Kind: Default, Name: "maxSize", Of: "RingBuffer"}},
		{"Standardwert von maxSize im RingBuffer?", Intent{Kind: Default, Name: "maxSize", Of: "RingBuffer"}},
		{"openStore: is readOnly on by default or do I have to pass it", Intent{Kind: Default, Name: "readOnly", Of: "openStore"}},
		{"open_store: is skip_errors on by default?", Intent{Kind: Default, Name: "skip_errors", Of: "open_store"}},
		{"how long do we wait unless somebody calls setRetryDelay", Intent{Kind: Default, Name: "retryDelay"}},
		{"which codec does FrameReader use if set_codec is never called?", Intent{Kind: Default, Name: "codec", Of: "FrameReader"}},
		{"when does setRetryDelay not throw", Intent{Kind: Raised, Name: "setRetryDelay"}},
		{"what happens when I call setRetryDelay without a delay", Intent{}},
		{"when should I use set_codec and not codecs.add", Intent{}},
		{"Buffer::Ring capacity when not specified", Intent{Kind: Default, Name: "capacity", Of: "Buffer::Ring"}},
		{"retry delay of DefaultStore = ?", Intent{Kind: Default, Name: "retry delay", Of: "DefaultStore"}},
		{"wann wirft app.open() einen StateError?", Intent{Kind: Raised, Name: "app.open"}},
		{"Store.range: under what circumstances will it blow up with a RangeError", Intent{Kind: Raised, Name: "Store.range"}},
		{"RingBuffer::new panics for which sizes?", Intent{Kind: Raised, Name: "RingBuffer::new"}},
		{"TornWrite gets raised where?", Intent{Kind: Raised, Name: "TornWrite", Weak: true}},
		{"TornWriteError gets raised where, and who catches it", Intent{Kind: Raised, Name: "TornWriteError"}},
		{"which stores are built on top of BaseStore?", Intent{Kind: Implementers, Name: "BaseStore"}},
		{"list every direct subclass of Store under lib/, leaving out the tests",
			Intent{Kind: Implementers, Name: "Store", Scope: Scope{Dirs: []string{"lib"}, NoTests: true}}},
		{"apart from tests, does anything use openStore?", Intent{Kind: Callers, Name: "openStore", Scope: Scope{NoTests: true}}},
		{"is openStore covered by a test? I need to change how it retries", Intent{Kind: Tests, Name: "openStore"}},
		{"was macht die Klasse Store und wo liegt sie?", Intent{Kind: Definition, Name: "Store", Weak: true}},
		{"store: what is it", Intent{Kind: Definition, Name: "store", Weak: true}},
		{"store class??", Intent{Kind: Definition, Name: "store", Weak: true}},
		{"filestore vs memstore, what is the point of both?", Intent{Kind: Difference, Name: "filestore", Of: "memstore", Weak: true}},
		{"Store .get() vs .fetch() - when do I need which", Intent{Kind: Difference, Name: "get", Of: "fetch", Weak: true}},
		{"we want to change read_all, which places (not only tests) call it?", Intent{Kind: Callers, Name: "read_all"}},
		{"where do we call read_all besides its tests", Intent{Kind: Callers, Name: "read_all", Scope: Scope{NoTests: true}}},
		{"read_all in store.c - which operations go through it", Intent{Kind: Callers, Name: "read_all",
			Scope: Scope{Dirs: []string{"store.c"}}}},
		{"I'm reworking the pages, from where does Store.read get called", Intent{Kind: Callers, Name: "Store.read"}},
		{"welche Klassen leiten von store_base ab", Intent{Kind: Implementers, Name: "store_base"}},
		{"I'm adding a method to the Store trait. What are all the types I have to touch?",
			Intent{Kind: Implementers, Name: "Store"}},
		{"list the stores, i.e. everything that implements BaseStore or PageStore", Intent{Kind: Implementers, Name: "BaseStore"}},
		{"new Store(...) - list the situations in which the constructor throws", Intent{Kind: Raised, Name: "Store"}},
		{"can open_store return an Err? for which arguments", Intent{Kind: Raised, Name: "open_store"}},
		{"read_page gives me NULL sometimes, list the cases", Intent{Kind: Raised, Name: "read_page", Of: Nothing}},
		{"which page does PageStore take if I give none?", Intent{}},
		{"page_store, I can import it but can't find it. what is it", Intent{Kind: Definition, Name: "page_store", Weak: true}},
		{"Was unterscheidet read_page von read_all?", Intent{Kind: Difference, Name: "read_page", Of: "read_all", Weak: true}},
		{"the job dies with java.io.IOException: Too many pages were read from /tmp/x -- where is it thrown",
			Intent{Kind: Message, Name: "Too many pages were read from /tmp/x", Weak: true, Quoted: true}},
		{"it stops with   Failed to read a page of [x].   where does that come from?",
			Intent{Kind: Message, Name: "Failed to read a page of [x].", Weak: true, Quoted: true}},
		{"thread 'main' panicked at 'page 12 should be <= 10' who raises it", Intent{Kind: Message,
			Name: "page 12 should be <= 10", Weak: true, Quoted: true}},
		{"Nothing is printed when I attach a debugger, which option fixes that?", Intent{}},
	} {
		if got, _ := Parse(test.question); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.question, got, test.want)
		}
	}
}
