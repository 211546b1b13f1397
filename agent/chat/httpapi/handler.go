package httpapi

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/internal/httpserve"
)

// Options say how a [chat.Chat] is served. The zero value of each field is its default.
type Options struct {
	// Token is what requests must carry: "Authorization: Bearer …". Without a token, requests must address the server by
	// an IP address or as localhost, so that no web page can reach it through a domain of its own (DNS rebinding).
	Token   string
	MaxBody int64         // maximum size of a request body in bytes (default 1 MiB)
	Stop    time.Duration // how long Serve lets open requests finish when it stops (default 10 s)
	Log     *slog.Logger  // logs server errors; nil: none
}

const defaultMaxBody = 1 << 20 // bytes

// withDefaults returns a copy with every field set. nil is the zero value.
func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	all.MaxBody = cmp.Or(all.MaxBody, defaultMaxBody)
	all.Stop = cmp.Or(all.Stop, httpserve.DefaultStop)
	all.Log = cmp.Or(all.Log, slog.New(slog.DiscardHandler))
	return all
}

//go:embed openapi.json
var openAPI []byte

// A server answers requests for a [chat.Chat].
type server struct {
	chat    *chat.Chat
	options Options
	guard   *httpserve.Guard

	configuring sync.Mutex // held from reading the settings until they are changed
}

// A route handles a method of a path. Its value is the answer, with the given status; nil has no body. An error is
// answered as a problem in place of the value. A route that returns answered has written its answer itself.
type route struct {
	method, path string
	status       int
	do           func(*server, http.ResponseWriter, *http.Request) (any, error)
}

// answered is the value of a route that has written its answer itself.
type answered struct{}

// routes is the API, in the order of openapi.json.
var routes = []route{
	{"GET", "/v1/threads", http.StatusOK, (*server).listThreads},
	{"POST", "/v1/threads", http.StatusCreated, (*server).createThread},
	{"GET", "/v1/threads/{id}", http.StatusOK, (*server).getThread},
	{"DELETE", "/v1/threads/{id}", http.StatusNoContent, (*server).deleteThread},
	{"GET", "/v1/threads/{id}/messages", http.StatusOK, (*server).listMessages},
	{"POST", "/v1/threads/{id}/messages", http.StatusOK, (*server).sendMessage},
	{"GET", "/v1/threads/{id}/context", http.StatusOK, (*server).getContext},
	{"POST", "/v1/threads/{id}/compact", http.StatusOK, (*server).compact},
	{"GET", "/v1/threads/{id}/summary", http.StatusOK, (*server).getSummary},
	{"DELETE", "/v1/threads/{id}/summary", http.StatusNoContent, (*server).deleteSummary},
	{"POST", "/v1/threads/{id}/warmup", http.StatusAccepted, (*server).warm},
	{"POST", "/v1/threads/{id}/undo", http.StatusOK, (*server).undo},
	{"PUT", "/v1/threads/{id}/pins/{seq}", http.StatusNoContent, (*server).pin},
	{"DELETE", "/v1/threads/{id}/pins/{seq}", http.StatusNoContent, (*server).unpin},
	{"GET", "/v1/config", http.StatusOK, (*server).getConfig},
	{"PUT", "/v1/config", http.StatusOK, (*server).putConfig},
	{"GET", "/v1/memories", http.StatusOK, (*server).listMemories},
	{"POST", "/v1/memories", http.StatusCreated, (*server).addMemory},
	{"DELETE", "/v1/memories", http.StatusNoContent, (*server).deleteMemories},
	{"GET", "/openapi.json", http.StatusOK, (*server).describe},
}

// Handler returns the API of a [chat.Chat]. GET /openapi.json describes it. A client that disconnects cancels the turn
// it waits for. Nil options mean the defaults.
func Handler(c *chat.Chat, o *Options) http.Handler {
	options := o.withDefaults()
	s := &server{chat: c, options: options, guard: httpserve.NewGuard(options.Token)}
	byPath := make(map[string][]route)
	for _, r := range routes {
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, rs := range byPath {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, rs) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, &problem{Status: http.StatusNotFound, Detail: "nothing at this path; see /openapi.json"})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkPath(r.URL.EscapedPath()); err != nil {
			s.refuse(w, r, err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// checkPath refuses paths that a ServeMux would redirect to others: those with an empty segment, "." or "..". None of
// them is the id of a thread.
func checkPath(path string) error {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if s == "." || s == ".." || s == "" && i > 0 && i < len(segments)-1 {
			return fmt.Errorf("%w; the path has the segment %q", chat.CheckThreadID(s), s)
		}
	}
	return nil
}

// serve answers a request by one of the routes of its path.
func (s *server) serve(w http.ResponseWriter, r *http.Request, rs []route) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	i := slices.IndexFunc(rs, func(x route) bool { return x.method == r.Method })
	if i < 0 {
		var allowed []string
		for _, x := range rs {
			allowed = append(allowed, x.method)
		}
		list := strings.Join(allowed, ", ")
		w.Header().Set("Allow", list)
		s.refuse(w, r, &problem{Status: http.StatusMethodNotAllowed, Detail: "allowed methods: " + list})
		return
	}
	if err := s.admit(w, r); err != nil {
		s.refuse(w, r, err)
		return
	}
	value, err := rs[i].do(s, w, r)
	switch {
	case value == answered{}:
	case err != nil:
		s.refuse(w, r, err)
	case value == nil:
		w.WriteHeader(rs[i].status)
	default:
		s.write(w, rs[i].status, "application/json", value)
	}
}

// admit checks token, origin and size before the body is read.
func (s *server) admit(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Path != "/openapi.json" {
		if status, why := s.guard.Authorize(w, r); status != 0 {
			return &problem{Status: status, Detail: why}
		}
	}
	if status, why := s.guard.SameOrigin(r); status != 0 {
		return &problem{Status: status, Detail: why}
	}
	if r.ContentLength > s.options.MaxBody {
		w.Header().Set("Connection", "close")
		return tooLarge(s.options.MaxBody)
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.options.MaxBody)
	return nil
}

func (s *server) describe(w http.ResponseWriter, _ *http.Request) (any, error) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(openAPI); err != nil {
		return answered{}, errors.New("the client disconnected")
	}
	return answered{}, nil
}
