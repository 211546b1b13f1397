package httpapi

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forayhq/foray/agent/chat"
)

// Options say how a Chat is served over HTTP. The zero value of each field is the default.
type Options struct {
	// Token is what requests must bear: "Authorization: Bearer …". "": none; requests must then name the server by an
	// address or as localhost, so that no page in a browser can reach it under a name of its own.
	Token   string
	MaxBody int64         // maximum size of a request body in bytes (default 1 MiB)
	Stop    time.Duration // how long Serve lets open requests finish when it stops (default 10 s)
	Log     *slog.Logger  // logs server errors; nil: none
}

const (
	defaultMaxBody = 1 << 20 // bytes
	defaultStop    = 10 * time.Second
)

// withDefaults returns a copy with every field set. nil is the zero value.
func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	all.MaxBody = cmp.Or(all.MaxBody, defaultMaxBody)
	all.Stop = cmp.Or(all.Stop, defaultStop)
	all.Log = cmp.Or(all.Log, slog.New(slog.DiscardHandler))
	return all
}

//go:embed openapi.json
var openAPI []byte

// A server answers requests about a Chat.
type server struct {
	chat    *chat.Chat
	options Options
	token   [sha256.Size]byte
	cross   *http.CrossOriginProtection

	configuring sync.Mutex // held from reading the settings to changing them
}

// A route is what is done for a method and a path. What it returns is answered with its status, or with 204 if it is nil;
// an error is answered as a problem. One that returns answered has answered itself.
type route struct {
	method, path string
	status       int
	do           func(*server, http.ResponseWriter, *http.Request) (any, error)
}

// answered is what a route returns that has answered itself.
type answered struct{}

// routes is the API, in the order of its description.
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

// Handler serves a Chat as JSON over HTTP, and answers to messages also as server-sent events. OpenAPI describes it. It
// answers what is wrong as problem details (RFC 9457). A client that goes away cancels the turn that it waits for.
func Handler(c *chat.Chat, o *Options) http.Handler {
	options := o.withDefaults()
	s := &server{chat: c, options: options, token: sha256.Sum256([]byte(options.Token)), cross: http.NewCrossOriginProtection()}
	byPath := make(map[string][]route)
	for _, r := range routes {
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, rs := range byPath {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, rs) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, &problem{Status: http.StatusNotFound, Detail: "there is nothing at this path; /openapi.json describes what there is"})
	})
	return mux
}

// serve answers a request for a path with these routes.
func (s *server) serve(w http.ResponseWriter, r *http.Request, rs []route) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	i := slices.IndexFunc(rs, func(x route) bool { return x.method == r.Method })
	if i < 0 {
		var allowed []string
		for _, x := range rs {
			allowed = append(allowed, x.method)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.refuse(w, r, &problem{Status: http.StatusMethodNotAllowed, Detail: "here are allowed: " + strings.Join(allowed, ", ")})
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

// admit checks who asks and how much is sent, before anything of it is read.
func (s *server) admit(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Path != "/openapi.json" {
		if err := s.authorize(w, r); err != nil {
			return err
		}
	}
	if err := s.cross.Check(r); err != nil {
		return &problem{Status: http.StatusForbidden, Detail: "requests from pages of other origins are not taken"}
	}
	if r.ContentLength > s.options.MaxBody {
		w.Header().Set("Connection", "close")
		return tooLarge(s.options.MaxBody)
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.options.MaxBody)
	return nil
}

// authorize compares tokens by their hashes, in a time that tells nothing of them.
func (s *server) authorize(w http.ResponseWriter, r *http.Request) error {
	if s.options.Token == "" {
		if !isAddress(r.Host) {
			return &problem{Status: http.StatusMisdirectedRequest, Detail: "without a token the server answers to an address or localhost only"}
		}
		return nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(token)))
	same := subtle.ConstantTimeCompare(hash[:], s.token[:]) == 1
	if !strings.EqualFold(scheme, "Bearer") || !same {
		w.Header().Set("WWW-Authenticate", `Bearer realm="foray"`)
		return &problem{Status: http.StatusUnauthorized, Detail: "the token is missing or wrong"}
	}
	return nil
}

// isAddress reports whether a Host is no name that somebody could have made to point here.
func isAddress(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	_, err := netip.ParseAddr(host)
	return err == nil || strings.EqualFold(host, "localhost")
}

func (s *server) describe(w http.ResponseWriter, _ *http.Request) (any, error) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(openAPI); err != nil {
		return answered{}, errors.New("the client has gone")
	}
	return answered{}, nil
}
