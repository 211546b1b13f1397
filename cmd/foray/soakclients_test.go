package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var discardLog = log.New(io.Discard, "", 0)

// A soakClientele is the clients of a server.
type soakClientele struct {
	url      string
	http     http.Client
	requests atomic.Int64

	mu       sync.Mutex
	outcomes map[string]int // by what was asked and how it ended
	strange  map[string]int // answers that no server may give, with an example
}

func newClientele(url string) *soakClientele {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 4
	return &soakClientele{url: url, http: http.Client{Transport: transport}, outcomes: map[string]int{}, strange: map[string]int{}}
}

// soakPatience is how long a client waits for an answer at most.
const soakPatience = 20 * time.Second

// do sends a request and reads the answer until its end, its limit in bytes (0: none) or the client's patience.
func (c *soakClientele) do(ctx context.Context, what, method, path, body string, limit int64, header ...string) []byte {
	ctx, cancel := context.WithTimeout(ctx, soakPatience)
	defer cancel()
	c.requests.Add(1)
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.note(what+" not sent", err.Error())
		return nil
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		if c.note(what+" no answer", ""); ctx.Err() == nil {
			c.note("", what+": "+err.Error())
		}
		return nil
	}
	defer res.Body.Close()
	reader := io.Reader(res.Body)
	if limit > 0 {
		reader = io.LimitReader(reader, limit)
	}
	text, err := io.ReadAll(reader)
	outcome := fmt.Sprintf("%s %d", what, res.StatusCode)
	switch {
	case err != nil:
		outcome += " broken off"
	case limit > 0:
		outcome += " left"
	}
	c.note(outcome, "")
	if known := res.StatusCode < 500 || slices.Contains([]int{502, 503, 504}, res.StatusCode); !known {
		c.note("", fmt.Sprintf("%s: %d %.300s", what, res.StatusCode, text))
	}
	if err == nil && limit == 0 && len(text) > 0 && len(header) == 0 && !json.Valid(text) {
		c.note("", fmt.Sprintf("%s: not JSON: %.300s", what, text))
	}
	return text
}

func (c *soakClientele) note(outcome, strange string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if outcome != "" {
		c.outcomes[outcome]++
	}
	if strange != "" && len(c.strange) < 50 {
		c.strange[strange]++
	}
}

// faults returns answers that no server may give.
func (c *soakClientele) faults() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.strange))
}

// table returns the outcomes.
func (c *soakClientele) table() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.outcomes)) {
		fmt.Fprintf(&b, "%9d  %s\n", c.outcomes[name], name)
	}
	return b.String()
}

// threads returns the ids of threads in the store, at most 1,000.
func (c *soakClientele) threads() []string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/v1/threads?limit=1000", nil)
	if err != nil {
		return nil
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	var list struct{ Threads []struct{ ID string } }
	_ = json.NewDecoder(res.Body).Decode(&list) // then it is empty
	var ids []string
	for _, t := range list.Threads {
		ids = append(ids, t.ID)
	}
	return ids
}

// sweep deletes what clients left, and closes their connections.
func (c *soakClientele) sweep() {
	for ids := c.threads(); len(ids) > 0; ids = c.threads() {
		for _, id := range ids {
			c.do(context.Background(), "sweep thread", http.MethodDelete, "/v1/threads/"+id, "", 0)
		}
	}
	c.forget(context.Background(), "")
	c.http.CloseIdleConnections()
}

// forget deletes the memories of a user, "" for those of all.
func (c *soakClientele) forget(ctx context.Context, user string) {
	var list struct{ Memories []struct{ ID string } }
	_ = json.Unmarshal(c.do(ctx, "list memories", http.MethodGet, "/v1/memories?limit=100&user="+user, "", 0), &list)
	for _, m := range list.Memories {
		c.do(ctx, "forget", http.MethodDelete, "/v1/memories?id="+m.ID, "", 0)
	}
}

// open lets clients work until end is called, which waits for them.
func (c *soakClientele) open(clients int) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				c.visit(ctx, fmt.Sprintf("c%d", i), fmt.Sprintf("c%d-%d-%d", i, n, rand.IntN(1e9)))
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// soakTexts are what clients say: questions, and what is remembered of them.
var soakTexts = []string{
	"where is Retry?", "I prefer tabs to spaces.", "who calls it?", "Please summarise what we know so far.",
	"My project is called Delta and I live in Oslo.", strings.Repeat("a long message about retries and their limits. ", 80),
}

// visit is what a client does in one thread, before it deletes it.
func (c *soakClientele) visit(ctx context.Context, user, id string) {
	path := "/v1/threads/" + id
	c.do(ctx, "create", http.MethodPost, "/v1/threads", fmt.Sprintf(`{"id":%q,"user":%q}`, id, user), 0)
	message := func() string {
		text, _ := json.Marshal(map[string]string{"text": soakTexts[rand.IntN(len(soakTexts))]}) // strings always encode
		return string(text)
	}
	for range 2 + rand.IntN(5) {
		if ctx.Err() != nil {
			break
		}
		soakSteps[rand.IntN(len(soakSteps))](c, ctx, user, path, message())
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(rand.IntN(int(200 * time.Millisecond)))):
		}
	}
	c.do(context.WithoutCancel(ctx), "delete", http.MethodDelete, path, "", 0)
	c.forget(context.WithoutCancel(ctx), user)
}

// soakSteps are what clients do. Half of them talk.
var soakSteps = []func(c *soakClientele, ctx context.Context, user, path, message string){
	func(c *soakClientele, ctx context.Context, _, path, message string) {
		c.do(ctx, "chat", http.MethodPost, path+"/messages", message, 0)
	},
	func(c *soakClientele, ctx context.Context, _, path, message string) {
		c.do(ctx, "stream", http.MethodPost, path+"/messages", message, 0, "Accept", "text/event-stream")
	},
	func(c *soakClientele, ctx context.Context, _, path, message string) { // it leaves in the middle of the answer
		c.do(ctx, "leave", http.MethodPost, path+"/messages", message, 1+rand.Int64N(20_000), "Accept", "text/event-stream")
	},
	func(c *soakClientele, ctx context.Context, _, path, message string) { // it leaves at some moment
		hasty, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(int(2*time.Second))))
		defer cancel()
		c.do(hasty, "hasty", http.MethodPost, path+"/messages", message, 0, "Accept", "text/event-stream")
	},
	func(c *soakClientele, ctx context.Context, _, path, _ string) {
		c.do(ctx, "read", http.MethodGet, path+"/messages", "", 0)
		c.do(ctx, "context", http.MethodGet, path+"/context", "", 0)
	},
	func(c *soakClientele, ctx context.Context, user, _, _ string) {
		c.do(ctx, "remember", http.MethodPost, "/v1/memories", fmt.Sprintf(`{"user":%q,"content":"likes tea and trains"}`, user), 0)
		c.do(ctx, "search", http.MethodGet, "/v1/memories?query=tea&user="+user, "", 0)
	},
	func(c *soakClientele, ctx context.Context, _, path, _ string) {
		c.do(ctx, "undo", http.MethodPost, path+"/undo", "", 0)
	},
	func(c *soakClientele, ctx context.Context, _, path, _ string) {
		c.do(ctx, "compact", http.MethodPost, path+"/compact", "", 0)
		c.do(ctx, "pin", http.MethodPut, path+"/pins/1", "", 0)
	},
}
