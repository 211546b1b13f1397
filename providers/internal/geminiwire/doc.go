// Package geminiwire is the part of the Gemini dialect that does not depend on the library: addresses, names,
// finish reasons and errors.
//
// Start with [New]. The packages gemini and generativeai each send requests through their own library, whose
// transport calls [Service.Send]; [Service.Events] reads a stream, [Service.Whole] any other answer.
//
// A stream may be server-sent events or a list of objects, which the service sends to clients that do not ask
// for events. A web page, text, other JSON or an event that is too long is an error of class Malformed, with
// a hint if the base URL may be wrong. An error inside an answer has a class of its own. No error contains
// the key.
package geminiwire
