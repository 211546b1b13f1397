// Package providertest is the suite that every provider passes: the contract of providers.Model as cases, each with
// the rule that it guards.
//
// A provider's test gives Run a Suite, whose New makes a model that is connected to a service of the test's own. The
// service answers each request with the next Turn, written in the provider's dialect: for a provider that speaks HTTP
// an httptest.Server, for one that does not the thing itself. A Turn says in no dialect's words what the answer holds
// and how it goes wrong; Missing says whether the request told the service what it should.
//
// # Invariants
//
// Run looks at every delta of every case for the form of the stream, and after every case for goroutines left behind.
// A case names its rule when it fails.
//
// # The wire run
//
// StartAimock starts a server that others wrote, for tests that hold a conversation over a real connection. They run
// only when FORAY_WIRE is set, as make test-wire does.
package providertest
