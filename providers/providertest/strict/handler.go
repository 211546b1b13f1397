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

// A wireRequest is a request on the wire: the field that holds its messages, the text of what precedes them, and the
// sums of the request before each message and of all. A compaction begins it anew.
type wireRequest struct {
	list     string // "" for another kind of request
	frame    string
	messages []json.RawMessage
	sums     []uint64
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
		req := s.read(body)
		if at := s.checkWire(req); at >= 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, refusals[req.list].body, fmt.Sprintf(refusals[req.list].text, at))
			return
		}
		if req.list != "" {
			w = &recorder{ResponseWriter: w, service: s, frame: req.frame, at: req.sums[len(req.messages)]}
		}
		next.ServeHTTP(w, r)
	})
}

// read reads a request.
func (s *Service) read(body []byte) (r wireRequest) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return wireRequest{}
	}
	for name := range refusals {
		if fields[name] != nil && json.Unmarshal(fields[name], &r.messages) == nil {
			r.list = name
		}
	}
	for _, name := range frames {
		r.frame += name + string(fields[name])
	}
	texts := []string{r.frame}
	r.sums = append(r.sums, s.sumOf(texts))
	for _, m := range r.messages {
		if sealed := compactionIn(m); sealed != "" {
			texts = afterCompaction(r.frame, sealed)
		} else {
			texts = append(texts, string(m))
		}
		r.sums = append(r.sums, s.sumOf(texts))
	}
	return r
}

// afterCompaction is what a request consists of up to a compaction: the service ignores what precedes it.
func afterCompaction(frame, sealed string) []string { return []string{frame, "compaction", sealed} }

func (s *Service) sumOf(texts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	put(&h, texts...)
	return h.Sum64()
}

// compactionIn returns the encrypted content of an item that is a compaction, "" for any other.
func compactionIn(raw []byte) string {
	var item struct {
		Type   string
		Sealed string `json:"encrypted_content"`
	}
	if json.Unmarshal(raw, &item) != nil || item.Type != "compaction" {
		return ""
	}
	return item.Sealed
}

// checkWire returns the index of the message with a part out of place, -1 for none.
func (s *Service) checkWire(r wireRequest) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(r.messages, func(m json.RawMessage) bool { return len(partsIn(m)) > 0 }) {
		s.requests++
	}
	for at := range r.messages {
		if s.misplaced(r, at) {
			s.refused++
			return at
		}
	}
	return -1
}

// misplaced reports whether a message has a part that belongs elsewhere: only others of the same answer may come
// between the request that it was issued for and its message. A compaction may come first, in place of that request.
func (s *Service) misplaced(r wireRequest, at int) bool {
	for _, part := range partsIn(r.messages[at]) {
		places := s.wire[part.text]
		fits := func(place uint64) bool {
			for before := at; before >= 0; before-- {
				if r.sums[before] == place {
					return true
				}
				if before > 0 && fromOutside(r.messages[before-1]) {
					return false
				}
			}
			return false
		}
		switch {
		case len(places) == 0 && part.mayBeOther():
		case len(places) > 0 && at == 0 && compactionIn(r.messages[at]) != "":
		case !slices.ContainsFunc(places, fits):
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
	frame   string
	at      uint64 // sum of what the parts follow
	rest    []byte // of the answer, from the last line that did not end
}

// Unwrap lets [http.ResponseController] flush.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush implements [http.Flusher].
func (r *recorder) Flush() { _ = http.NewResponseController(r.ResponseWriter).Flush() }

func (r *recorder) Write(data []byte) (int, error) {
	r.rest = append(r.rest, data...)
	for {
		line, rest, ended := bytes.Cut(r.rest, []byte{'\n'})
		r.learn(line)
		if !ended {
			return r.ResponseWriter.Write(data)
		}
		var event struct{ Item json.RawMessage }
		if json.Unmarshal(bytes.TrimPrefix(line, []byte("data: ")), &event) == nil {
			if sealed := compactionIn(event.Item); sealed != "" {
				r.at = r.service.sumOf(afterCompaction(r.frame, sealed))
			}
		}
		r.rest = rest
	}
}

// learn learns the parts in a line.
func (r *recorder) learn(line []byte) {
	r.service.mu.Lock()
	defer r.service.mu.Unlock()
	for _, part := range partsIn(line) {
		if known := r.service.wire[part.text]; !slices.Contains(known, r.at) {
			r.service.wire[part.text] = append(known, r.at)
		}
	}
}
