// Package httpapi serves conversations over HTTP: JSON requests and answers, and the events of a turn as
// server-sent events.
//
// Start with [Serve], or mount [Handler] in a server of your own. GET /openapi.json describes the API:
//
//	POST   /v1/threads                 create a thread      GET      list threads
//	GET    /v1/threads/{id}            read a thread        DELETE   delete it
//	POST   /v1/threads/{id}/messages   send a message       GET      list messages
//	GET    /v1/threads/{id}/context    what the next request would contain, and what the last one did
//	POST   /v1/threads/{id}/compact    summarise now        POST     …/warmup   …/undo
//	GET    /v1/threads/{id}/summary    read the summary     DELETE   reset it
//	PUT    /v1/threads/{id}/pins/{seq} pin a message        DELETE   unpin it
//	GET    /v1/config                  read the settings    PUT      change them
//	GET    /v1/memories                list or search       POST     remember     DELETE ?id= forget
//
// A message answers with the whole turn, or with its events when the client accepts text/event-stream. A
// stream that has been silent for 15 seconds sends a comment, so that proxies keep it open. Errors are
// problem details (RFC 9457). The names of events and fields are part of the API: they stay when a Go type is
// renamed.
//
// # Why not huma
//
// huma's SSE writes the status before the turn can fail, and has no place for the comments of a silent
// stream. It would replace 200 lines of routing and decoding, change the status and shape of most errors, and
// add 1.3 MB to the binary.
package httpapi
