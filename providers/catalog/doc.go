// Package catalog opens models by name and knows their facts: addresses, keys, windows, token ratios and prices.
//
// Start with [Open]:
//
//	m, err := catalog.Open("openai/gpt-4.1", nil)
//
// The name is PROVIDER/MODEL; [Endpoints] lists the providers. The key comes from the provider's environment variable,
// and the model retries, limits and times out its requests. [Resolve] stops one step earlier: it returns the [Target]
// with its address and key, without the layers.
//
// Servers on the user's own machines know more than the table: [Target.Served] asks them which window they run a model
// with, [Target.Adopt] takes it over, and [OpenChain] opens the target. [FindLocal] finds such servers.
//
// # The tables
//
// Each fact has one home: the endpoints in endpoints.go, the models in internal/models/table.go. The dialects complete
// their [providers.Info] from the table of models too, so a model made without this package has the same window and
// price. To add a service, add a row; to add a dialect, add a case to [Target.Open].
//
// # Keys
//
// A key never appears in an error, an answer or a printed [Target].
package catalog
