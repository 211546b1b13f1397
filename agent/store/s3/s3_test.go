package s3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store/s3"
)

// A service is a server of the API of S3 that can die: it then breaks off each request after some bytes of its body.
type service struct {
	*httptest.Server
	backend *s3mem.Backend
	dead    atomic.Bool
	asked   atomic.Int64
}

func serve(t *testing.T) *service {
	t.Helper()
	s := &service{backend: s3mem.New()}
	must(t, s.backend.CreateBucket("texts"))
	fake := gofakes3.New(s.backend).Server()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if s.dead.Load() {
			_, _ = r.Body.Read(make([]byte, 100))
			panic(http.ErrAbortHandler)
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) options() s3.Options {
	return s3.Options{Endpoint: s.URL, Bucket: "texts", Prefix: "foray/", AccessKey: "key", SecretKey: "secret",
		Retries: -1, Timeout: 10 * time.Second}
}

func (s *service) open(t *testing.T) *s3.Bucket {
	t.Helper()
	b, err := s3.Open(t.Context(), s.options())
	must(t, err)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Rule: what was put comes back byte for byte, also if it is put again, and by many at once.
func TestPutAndGet(t *testing.T) {
	b := serve(t).open(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for _, size := range []int{1, 70_000, 6 << 20} {
				data := bytes.Repeat([]byte{byte(size), 0, 255}, size/3+1)[:size]
				hash := sha256.Sum256(data)
				if err := b.PutBody(t.Context(), hash, data); err != nil {
					t.Errorf("%d: putting %d bytes: %v", i, size, err)
				}
				if got, err := b.GetBody(t.Context(), hash); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%d: %d bytes of %d: %v", i, len(got), size, err)
				}
			}
		})
	}
	all.Wait()
}

// Rule: a missing object is ErrNoBody, with bucket and name; that of a service that is down is not.
func TestMissing(t *testing.T) {
	s := serve(t)
	b := s.open(t)
	hash := sha256.Sum256([]byte("missing"))
	_, err := b.GetBody(t.Context(), hash)
	name := fmt.Sprintf("texts/foray/%x/%x", hash[:1], hash)
	if !errors.Is(err, session.ErrNoBody) || !strings.Contains(err.Error(), name) {
		t.Errorf("%v, want ErrNoBody that names %s", err, name)
	}
	s.dead.Store(true)
	if _, err := b.GetBody(t.Context(), hash); err == nil || errors.Is(err, session.ErrNoBody) || !strings.Contains(err.Error(), name) {
		t.Errorf("a service that is down: %v", err)
	}
}

// Rule: a service that dies in the middle of an upload leaves no object, and the same upload succeeds later.
func TestDiesInTheMiddle(t *testing.T) {
	s := serve(t)
	b := s.open(t)
	data := bytes.Repeat([]byte("text "), 400_000)
	hash := sha256.Sum256(data)
	s.dead.Store(true)
	if err := b.PutBody(t.Context(), hash, data); err == nil {
		t.Fatal("a text is stored in a service that died")
	}
	s.dead.Store(false)
	if _, err := b.GetBody(t.Context(), hash); !errors.Is(err, session.ErrNoBody) {
		t.Errorf("after an upload that broke off: %v", err)
	}
	must(t, b.PutBody(t.Context(), hash, data))
	if got, err := b.GetBody(t.Context(), hash); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes: %v", len(got), err)
	}
}

// Rule: a request is repeated as often as the options say, so that a moment without the service is no error.
func TestRetries(t *testing.T) {
	s := serve(t)
	o := s.options()
	o.Retries = 3
	b, err := s3.Open(t.Context(), o)
	must(t, err)
	s.dead.Store(true)
	before := s.asked.Load()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for s.asked.Load() == before { // the first request fails
			if ctx.Err() != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
		s.dead.Store(false)
	}()
	must(t, b.PutBody(t.Context(), sha256.Sum256([]byte("data")), []byte("data")))
}

// Rule: an upload that is garbled on its way is refused, and leaves no object.
func TestGarbledUpload(t *testing.T) {
	s := serve(t)
	garbling := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			data, err := io.ReadAll(r.Body)
			if err != nil || len(data) == 0 {
				t.Errorf("an upload of %d bytes: %v", len(data), err)
				return
			}
			data[len(data)/2] ^= 1
			r.Body = io.NopCloser(bytes.NewReader(data))
		}
		s.Config.Handler.ServeHTTP(w, r)
	}))
	defer garbling.Close()
	o := s.options()
	o.Endpoint = garbling.URL
	b, err := s3.Open(t.Context(), o)
	must(t, err)
	data := bytes.Repeat([]byte("text "), 20_000) // its middle is no frame of the upload
	hash := sha256.Sum256(data)
	if err := b.PutBody(t.Context(), hash, data); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%x", hash)) {
		t.Errorf("a garbled upload: %v", err)
	}
	if _, err := b.GetBody(t.Context(), hash); !errors.Is(err, session.ErrNoBody) {
		t.Errorf("after a garbled upload: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	s := serve(t)
	for name, change := range map[string]func(*s3.Options){
		`bucket "other" does not exist`: func(o *s3.Options) { o.Bucket = "other" },
		"is not a URL":                  func(o *s3.Options) { o.Endpoint = "s3.example.com" },
		"set AllowHTTP":                 func(o *s3.Options) { o.Endpoint = "http://s3.example.com" },
		`bucket "texts" at http://127.`: func(o *s3.Options) { s.dead.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			defer s.dead.Store(false)
			o := s.options()
			change(&o)
			if _, err := s3.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%v, want %q", err, name)
			}
		})
	}
}
