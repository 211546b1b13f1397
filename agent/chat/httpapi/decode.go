package httpapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/internal/strict"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/picture"
)

// decode reads the body of a request: one JSON object without unknown fields.
func decode[T any](r *http.Request) (value T, err error) {
	body, err := read(r)
	if err == nil {
		err = parse(body, &value)
	}
	return value, err
}

func read(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &problem{Status: http.StatusUnsupportedMediaType, Detail: "the body must be application/json"}
	}
	body, err := io.ReadAll(r.Body)
	if large := (*http.MaxBytesError)(nil); err != nil && !errors.As(err, &large) {
		return nil, fmt.Errorf("%w: body: %w", chat.ErrInvalid, err)
	}
	return bytes.TrimSpace(body), err
}

func parse(body []byte, value any) error {
	err := errors.New("not a JSON object")
	switch {
	case len(body) == 0:
		err = errors.New("empty")
	case body[0] == '{':
		err = strict.Decode(body, value)
	}
	if err != nil {
		return fmt.Errorf("%w: body: %w", chat.ErrInvalid, err)
	}
	return nil
}

// A sentImage is a picture beside a message: its bytes, in base64, or an address.
type sentImage struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
	URL  string `json:"url"`
}

// imagesOf checks the pictures of a message.
func imagesOf(in []sentImage) ([]toollimit.Image, error) {
	var images []toollimit.Image
	for i, sent := range in {
		im, err := toollimit.Image{}, errors.New("either data or url")
		switch {
		case len(sent.Data) > 0 && sent.URL == "":
			im, err = picture.Of(cmp.Or(sent.Name, fmt.Sprintf("picture %d", i+1)), sent.Data)
		case len(sent.Data) == 0 && sent.URL != "":
			im, err = picture.At(sent.URL)
		}
		if said := (*tools.Problem)(nil); errors.As(err, &said) {
			err = errors.New(said.Message)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: images[%d]: %w", chat.ErrInvalid, i, err)
		}
		images = append(images, im)
	}
	return images, nil
}

// A query is the query of a request. It collects its errors.
type query struct {
	values url.Values
	errs   []error
}

// queryOf returns the query of a request. Parameters with other names are errors.
func queryOf(r *http.Request, names ...string) *query {
	q := &query{}
	var err error
	if q.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		q.wrong("query: %w", err)
	}
	for name := range q.values {
		if !slices.Contains(names, name) {
			q.wrong("unknown parameter %.40q; known: %s", name, strings.Join(names, ", "))
		}
	}
	return q
}

func (q *query) wrong(format string, args ...any) {
	q.errs = append(q.errs, fmt.Errorf(format, args...))
}

// number returns a parameter, or its default.
func (q *query) number(name string, fallback int64) int64 {
	text := q.values.Get(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		q.wrong("%s is not a whole number from 0", name)
	}
	return n
}

// share returns a parameter between 0 and 1, or its default.
func (q *query) share(name string, fallback float64) float64 {
	text := q.values.Get(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= 1) {
		q.wrong("%s is not a number from 0 to 1", name)
	}
	return n
}

func (q *query) err() error {
	if len(q.errs) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", chat.ErrInvalid, errors.Join(q.errs...))
}
