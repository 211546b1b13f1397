package wire

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// maxErrorBody is how many bytes of an error's body are read; maxCause is how many runes of it an error shows.
const (
	maxErrorBody = 64 << 10
	maxCause     = 500
)

// A Reporter makes the errors of one model that is reached over HTTP. Its errors contain no secret, whatever the
// service sends. It is immutable and safe for concurrent use.
type Reporter struct {
	provider, model, hint string
	mask                  Mask
}

// NewReporter returns the reporter of a model. The hint is appended to errors that suggest a wrong base URL, as in ";
// is the base URL right?". Secrets shorter than six bytes are ignored.
func NewReporter(provider, model, hint string, secrets ...string) *Reporter {
	return &Reporter{provider, model, hint, NewMask(secrets...)}
}

// String returns the model's name.
func (r Reporter) String() string { return r.provider + "/" + r.model }

// GoString returns the model's name, so that %#v does not print secrets.
func (r Reporter) GoString() string { return r.String() }

// Redact returns text with each secret replaced by [Redacted], and the beginning of one at the end of text.
func (r *Reporter) Redact(text string) string { return r.mask.CleanPart(text) }

// Error returns an error with the cause on one line, without secrets, truncated to 500 runes.
func (r *Reporter) Error(class providers.Class, cause string) *providers.Error {
	cause = cause[:min(len(cause), maxErrorBody)]
	cause = strings.Join(strings.Fields(strings.ToValidUTF8(r.Redact(cause), "\uFFFD")), " ")
	if runes := []rune(cause); len(runes) > maxCause {
		cause = string(runes[:maxCause]) + "…"
	}
	return r.Wrap(class, errors.New(cmp.Or(cause, "no reason given")))
}

// Wrap returns an error whose cause contains no secret.
func (r *Reporter) Wrap(class providers.Class, cause error) *providers.Error {
	return &providers.Error{Class: class, Provider: r.provider, Model: r.model, Err: cause}
}

// Misled returns an error whose cause suggests a wrong base URL, so it ends in the hint.
func (r *Reporter) Misled(class providers.Class, cause string) *providers.Error {
	return r.Error(class, cause+r.hint)
}

// Refused returns the error of an answer whose status is not a success. Read parses the first 64 KB of the body in the
// form of the dialect, and returns nil for any other form; then the error shows the body as text.
func (r *Reporter) Refused(resp *http.Response, read func(body []byte) *providers.Error) *providers.Error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	e := read(body)
	switch {
	case e != nil:
	case resp.StatusCode < 400:
		e = r.Misled(providers.Malformed, "the server redirects to another address")
	case IsPage(resp.Header, body):
		e = r.Misled(pageClass(resp.StatusCode), "the server answered with a web page")
	default:
		text := cmp.Or(strings.TrimSpace(string(body)), http.StatusText(resp.StatusCode))
		e = r.Error(StatusClass(resp.StatusCode), text)
		if limit, tokens, over := ParseOverflow(text); over {
			e.Class, e.Limit, e.Tokens = providers.Overflow, limit, tokens
		}
	}
	if err != nil && len(body) == 0 {
		e.Err = fmt.Errorf("%w, and its text was not read: %w", e.Err, err)
	}
	e.Status, e.RetryAfter = resp.StatusCode, cmp.Or(e.RetryAfter, RetryAfter(resp.Header, time.Now()))
	return e
}

// pageClass returns the class of a web page that arrived instead of an error: the class of its status if waiting or a
// key may help.
func pageClass(status int) providers.Class {
	if class := StatusClass(status); class != providers.Invalid {
		return class
	}
	return providers.Malformed
}

// IsPage reports whether an answer with the header h and a body that begins with start is a web page.
func IsPage(h http.Header, start []byte) bool {
	return strings.Contains(h.Get("Content-Type"), "html") || bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))
}

// Failed returns err, from the transport or the dialect, as an [*providers.Error]. The end of the caller's context
// takes precedence: it is why the transport failed. If its cause is an [*providers.Error], this is returned.
func (r *Reporter) Failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if e, ok := errors.AsType[*providers.Error](context.Cause(ctx)); ok {
			return e
		}
		return r.Wrap(providers.Cancelled, ctx.Err())
	}
	if e, ok := errors.AsType[*providers.Error](err); ok {
		return e
	}
	class := providers.Network
	var form *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &form):
		return r.Error(providers.Malformed, "reading the answer: "+err.Error())
	case errors.As(err, &syntax) && syntax.Error() != cutJSON:
		return r.Error(providers.Malformed, "reading the answer: "+err.Error())
	case errors.Is(err, http.ErrSchemeMismatch):
		class = providers.Malformed
	case errors.As(err, &certificate):
		class = providers.Invalid // another try does not help
	}
	if text := err.Error(); len(text) > maxCause || r.Redact(text) != text { // some libraries quote a whole answer
		return r.Error(class, text)
	}
	return r.Wrap(class, err)
}

// cutJSON is what the decoder says of a text that ends too early, which is the fault of the network.
const cutJSON = "unexpected end of JSON input"

// WithinTime returns a context that ends after a time, for a request for vectors. Failed then says so.
func (r *Reporter) WithinTime(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	cause := fmt.Sprintf("no vectors within %v: embed fewer or shorter texts at once, or use a faster server", most)
	return context.WithTimeoutCause(ctx, most, r.Error(providers.Network, cause))
}

// IsError reports whether err comes from the service and not from the transport.
func IsError(err error) bool {
	_, ok := errors.AsType[*providers.Error](err)
	return ok
}

// Bounds on what identifies a call, in bytes. No tool has a longer name. Some proxies put data into ids.
const (
	maxCallName = 64
	maxCallID   = 64 << 10
)

// Ending returns the last deltas of a complete answer to req: the calls, which get their missing ids, the provider data
// and the usage, if any, and the finish. It shortens a name that no tool can have and replaces an id that is too long;
// then it drops the provider data, which may repeat them.
func Ending(
	req *providers.Request, calls []transcript.ToolCall, data *transcript.ProviderData, usage *providers.Usage,
	finish providers.Finish,
) []providers.Delta {
	for i, c := range calls {
		if len(c.Name) > maxCallName || len(c.ID) > maxCallID {
			calls[i].Name, data = line.Truncate(c.Name, maxCallName), nil
			if len(c.ID) > maxCallID {
				calls[i].ID = ""
			}
		}
	}
	providers.Identify(req.Messages, calls)
	out := make([]providers.Delta, 0, len(calls)+3)
	for i := range calls {
		out = append(out, providers.Delta{Call: &calls[i]})
	}
	if data != nil {
		out = append(out, providers.Delta{ProviderData: data})
	}
	if usage = believed(req, usage); usage != nil {
		out = append(out, providers.Delta{Usage: usage})
	}
	return append(out, providers.Delta{Finish: finish})
}

// Bounds on what a service may claim: many times what the request holds and what a service adds to it, the longest
// answer, an answer of a day, and a thousand times the fastest server.
const (
	mostTimes   = 16      // times the estimated size of the request
	mostTokens  = 1 << 21 // in an answer, or added to a request
	mostSeconds = 24 * 60 * 60
	mostSpeed   = 1 << 30 // tokens a second
)

// believed returns the usage of an answer to req without what cannot be true: all of it if it counts too few or too
// many tokens, or else parts that exceed the whole and what the service measured of its speed.
func believed(req *providers.Request, u *providers.Usage) *providers.Usage {
	if u == nil || min(u.Input, u.Cached, u.Output, u.Reasoning) < 0 ||
		u.Input > mostTokens+mostTimes*providers.Size(req) || u.Output > mostTokens {
		return nil
	}
	if u.Cached > u.Input || u.Reasoning > u.Output || u.Compacted > u.Input || u.Compacted < 0 {
		fewer := *u
		fewer.Cached, fewer.Reasoning = min(u.Cached, u.Input), min(u.Reasoning, u.Output)
		fewer.Compacted = min(max(u.Compacted, 0), u.Input)
		u = &fewer
	}
	measured := func(tokens int, seconds float64) bool {
		return tokens >= 0 && seconds >= 0 && seconds <= mostSeconds &&
			(seconds == 0 || float64(tokens) <= mostSpeed*seconds)
	}
	if !measured(u.Read, u.ReadTime) || !measured(u.Output, u.WriteTime) {
		plain := *u
		plain.Read, plain.ReadTime, plain.WriteTime = 0, 0, 0
		return &plain
	}
	return u
}

// errBrokenOff means that the caller wants no more deltas.
var errBrokenOff = errors.New("broken off")

// Stream implements [providers.Model.Stream] for a dialect. It runs ask when the iteration starts, yields the deltas
// that ask puts, and then the error that ask returns, converted by [Reporter.Failed]. When the caller breaks off, ctx
// ends, or the text and reasoning of the answer exceed 8 MB, put returns an error that ask must return.
func (r *Reporter) Stream(
	ctx context.Context, ask func(put func([]providers.Delta) error) error,
) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		text := 0
		put := func(deltas []providers.Delta) error {
			for _, d := range deltas {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if text += len(d.Text) + len(d.Reasoning); text > maxText {
					return r.TooLong(fmt.Sprintf("its text is longer than %d MB", maxText/mega))
				}
				if !yield(d, nil) {
					return errBrokenOff
				}
			}
			return nil
		}
		if err := ask(put); err != nil && !errors.Is(err, errBrokenOff) {
			yield(providers.Delta{}, r.Failed(ctx, err))
		}
	}
}
