package wire

import (
	"bytes"
	"context"
	"net/http"
)

// Post returns a request that posts a body of JSON. Its transport sends it once more if the server closed a kept
// connection before it answered: llama.cpp's does so between two requests, without announcing it.
func Post(ctx context.Context, address string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header["Idempotency-Key"] = nil // has net/http send it again; a header without a value is not sent
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// Do sends a request. If the status of the answer is not a success, it returns the error that refused makes of it.
func Do(c *http.Client, req *http.Request, refused func(*http.Response) error) (*http.Response, error) {
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, refused(resp)
	}
	return resp, nil
}
