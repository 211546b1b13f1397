// Package wire is what the dialects share on the wire: addresses and keys, requests' extra and sampling fields,
// streams of events, and errors without secrets.
//
// Start with [NewReporter], which makes the errors of a model, and [NewEvents], which reads a streamed answer.
// [StatusClass], [RetryAfter] and [ParseOverflow] classify errors; [ParseBase] and [CheckKey] refuse addresses and
// keys that cannot work. A [Mask] removes secrets from texts in each form in which servers send them back.
package wire
