package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"regexp"
	"slices"
)

// refusals are what services answer, by the field of a request that holds its messages.
var refusals = map[string]struct{ text, body string }{
	"messages": {
		"messages.%d: `thinking` or `redacted_thinking` blocks cannot be modified: " +
			"these blocks must remain as they were in the original response",
		`{"type":"error","error":{"type":"invalid_request_error","message":%q}}`,
	},
	"input": {
		"input[%d]: the encrypted content could not be verified",
		`{"error":{"message":%q,"type":"invalid_request_error","param":"input","code":"invalid_encrypted_content"}}`,
	},
	"contents": {
		"contents[%d]: thought signature is not valid",
		`{"error":{"code":400,"message":%q,"status":"INVALID_ARGUMENT"}}`,
	},
}

// frames are the fields of a request that precede its messages.
var frames = []string{"system", "instructions", "systemInstruction", "tools"}

// A wirePlace is where a part was issued: the number of messages in the request, and the sum of the request.
type wirePlace struct {
	messages int
	sum      uint64
}

// Handler returns a handler that passes on requests to another one, learns the parts in its answers, and refuses a
// request with a part out of place.
func (s *Service) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		list, sums, at := s.checkWire(body)
		if at >= 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, refusals[list].body, fmt.Sprintf(refusals[list].text, at))
			return
		}
		if len(sums) > 0 {
			w = &recorder{ResponseWriter: w, service: s, at: wirePlace{len(sums) - 1, sums[len(sums)-1]}}
		}
		next.ServeHTTP(w, r)
	})
}

// checkWire returns the field that holds the messages, the sums of the request before each and of all, and the index of
// the message with a part out of place, -1 for none. Another kind of request has no sums.
func (s *Service) checkWire(body []byte) (list string, sums []uint64, at int) {
	var fields map[string]json.RawMessage
	var messages []json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return "", nil, -1
	}
	for name := range refusals {
		if fields[name] != nil && json.Unmarshal(fields[name], &messages) == nil {
			list = name
		}
	}
	if list == "" {
		return "", nil, -1
	}
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, name := range frames {
		put(&h, string(fields[name]))
	}
	sums = append(sums, h.Sum64())
	for _, m := range messages {
		put(&h, string(m))
		sums = append(sums, h.Sum64())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(messages, func(m json.RawMessage) bool { return len(partsIn(m)) > 0 }) {
		s.requests++
	}
	for at := range messages {
		if s.misplaced(messages, sums, at) {
			s.refused++
			return list, sums, at
		}
	}
	return list, sums, -1
}

// misplaced reports whether a message has a part that belongs elsewhere: only others of the same answer may come
// between the request that it was issued for and its message.
func (s *Service) misplaced(messages []json.RawMessage, sums []uint64, at int) bool {
	for _, part := range partsIn(messages[at]) {
		places := s.wire[part.text]
		fits := func(p wirePlace) bool {
			return p.messages <= at && sums[p.messages] == p.sum && !slices.ContainsFunc(messages[p.messages:at], fromOutside)
		}
		if len(places) > 0 && !slices.ContainsFunc(places, fits) || len(places) == 0 && !part.mayBeOther() {
			return true
		}
	}
	return false
}

// fromOutside reports whether a message is not the model's.
func fromOutside(raw json.RawMessage) bool {
	var m struct{ Role, Type string }
	return json.Unmarshal(raw, &m) != nil || m.Role != "assistant" && m.Role != "model" &&
		(m.Role != "" || m.Type == "function_call_output")
}

// A part is a signature or an encrypted text, with the name of its field.
type part struct{ field, text string }

// mayBeOther reports whether a field of this name may also be something else, as an argument of a call or an image,
// or holds Gemini's documented placeholder.
func (p part) mayBeOther() bool {
	return p.field == "signature" || p.field == "data" || p.text == "skip_thought_signature_validator"
}

var partField = regexp.MustCompile(
	`"(signature|thought_signature|thoughtSignature|encrypted_content|data)"\s*:\s*("(?:[^"\\]|\\.)+")`)

func partsIn(text []byte) []part {
	var parts []part
	for _, match := range partField.FindAllSubmatch(text, -1) {
		var value string
		if json.Unmarshal(match[2], &value) == nil {
			parts = append(parts, part{string(match[1]), value})
		}
	}
	return parts
}

// A recorder learns the parts of an answer before the client can send them back.
type recorder struct {
	http.ResponseWriter
	service *Service
	at      wirePlace
	rest    []byte // of the answer, from the last line that did not end
}

// Unwrap lets [http.ResponseController] flush.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush implements [http.Flusher].
func (r *recorder) Flush() { _ = http.NewResponseController(r.ResponseWriter).Flush() }

func (r *recorder) Write(data []byte) (int, error) {
	r.rest = append(r.rest, data...)
	r.service.mu.Lock()
	for _, part := range partsIn(r.rest) {
		if known := r.service.wire[part.text]; !slices.Contains(known, r.at) {
			r.service.wire[part.text] = append(known, r.at)
		}
	}
	r.service.mu.Unlock()
	r.rest = r.rest[bytes.LastIndexByte(r.rest, '\n')+1:]
	return r.ResponseWriter.Write(data)
}
