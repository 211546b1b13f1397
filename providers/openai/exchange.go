package openai

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// An exchange is the transport of one request under the library, which builds and reads too little of it: it sends the
// body that this package wrote, turns an answer without success into an error with its headers, and hands up a stream
// in which each line is one event.
type exchange struct {
	model  *Model
	body   []byte
	whole  bool    // the answer is one JSON value and no stream
	events *events // the body of the answer; nil until it is there
}

// Do sends the request and returns an answer whose body the library reads without loss.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(x.body))
	for name, value := range x.model.config.ExtraHeaders {
		req.Header.Set(name, value)
	}
	resp, err := x.model.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, x.model.refused(resp)
	}
	if x.whole {
		return resp, x.model.wholeBody(resp)
	}
	x.events = newEvents(x.model, resp)
	resp.Body = x.events
	return resp, nil
}

// drainLimit and drainTime bound what is read behind the end of an answer, so that its connection serves the next
// request too: the last bytes of the transfer are there already, or nearly. A server that keeps the connection open
// behind the end, which is none that speaks HTTP well, costs drainTime a request, and a new connection.
const (
	drainLimit = 4 << 10
	drainTime  = 100 * time.Millisecond
)

// drain reads a body to its end, within bounds, and closes it.
func drain(body io.ReadCloser) error {
	timer := time.AfterFunc(drainTime, func() { body.Close() })
	defer timer.Stop()
	io.Copy(io.Discard, io.LimitReader(body, drainLimit)) // an error here is of no answer
	return body.Close()
}
