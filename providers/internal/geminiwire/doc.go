// Package geminiwire is what the Gemini dialect is whichever library speaks it: its addresses, names and finish reasons,
// the events of its streams, and its errors.
//
// providers/gemini and providers/generativeai stand on it. Each reaches a Service through a library of its own and has
// that library send over Service.Send; Service.Events reads a stream, Service.Whole looks at any other answer. Requests,
// and what the parts of an answer become, are the dialects' own, for there the libraries differ.
//
// # What comes is trusted in nothing
//
// A stream may be server-sent events, with comments and other line ends, or a list of objects, which the service sends
// to those who do not ask for events. A web page, text, JSON of another form, an event that is too long: each is an error
// of class Malformed that names the base URL where that may be why. An error inside an answer is an error of its own
// class. The key is in no error.
package geminiwire
