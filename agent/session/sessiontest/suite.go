package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forayhq/foray/agent/session"
)

// Run checks that stores fulfil the contract of [session.Store]. open returns an empty store for each case, and closes
// it with t.Cleanup. A failure says which rule was broken.
func Run(t *testing.T, open func(t *testing.T) session.Store) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			c.run(&check{t, open(t)})
			if t.Failed() {
				t.Log("rule: " + c.rule)
			}
		})
	}
}

var cases = []struct {
	name, rule string
	run        func(*check)
}{
	{"order", "Records come back in the order in which they were added, over all appends.", (*check).order},
	{"equal", "A record comes back equal in every field, and every text byte for byte.", (*check).equal},
	{"open", "Opened records are equal once the texts that were left are read.", (*check).open},
	{"large", "Texts of a megabyte and thousands of records come back equal.", (*check).large},
	{"all or none", "An append that fails adds none of its records.", (*check).allOrNone},
	{"conflict", "An append at another number of records than the session has returns ErrConflict.", (*check).conflict},
	{"unknown", "The records of an unknown session are one ErrUnknown, and no record.", (*check).unknown},
	{"apart", "Sessions are told apart by every byte of their ids.", (*check).apart},
	{"race", "Of many who append at one index, one wins and the others get ErrConflict.", (*check).race},
	{"one state", "Records yields what the session had when it began, whatever is added meanwhile.", (*check).oneState},
	{"break", "A caller may stop reading records at any of them.", (*check).breakOff},
	{"lock", "A session that is locked returns ErrInUse at once; others can be locked.", (*check).lock},
	{"unlock", "Unlock frees a session, and a second unlock does not take it from the next holder.", (*check).unlock},
	{"lock race", "Of many who lock a session at once, one gets it.", (*check).lockRace},
	{"cancelled", "A context that has ended is returned as an error, and nothing is added.", (*check).cancelled},
}

// A check is one case, with its store.
type check struct {
	*testing.T
	store session.Store
}

// append adds records and fails the test at an error.
func (c *check) append(id string, from int, records ...session.Record) {
	c.Helper()
	if err := c.store.AppendRecords(context.Background(), id, from, records...); err != nil {
		c.Fatalf("adding %d records to session %q, which has %d: %v", len(records), id, from, err)
	}
}

// has compares the records of a session.
func (c *check) has(id string, want ...session.Record) {
	c.Helper()
	var got []session.Record
	for r, err := range c.store.Records(context.Background(), id) {
		if err != nil {
			c.Fatalf("reading record %d of session %q: %v", len(got), id, err)
		}
		got = append(got, r)
	}
	if len(got) != len(want) {
		c.Fatalf("session %q has %d records, want %d", id, len(got), len(want))
	}
	for i := range want {
		if where := differ(reflect.ValueOf(want[i]), reflect.ValueOf(got[i])); where != "" {
			c.Errorf("record %d of session %q differs: Record%s", i, id, where)
		}
	}
}

// differ returns where two values of a type differ, and "" if they do not. Empty and nil slices are equal, and times
// are compared by instant.
func differ(want, got reflect.Value) string {
	switch want.Kind() {
	case reflect.Pointer:
		if want.IsNil() || got.IsNil() {
			if want.IsNil() != got.IsNil() {
				return fmt.Sprintf(": nil is %t, want %t", got.IsNil(), want.IsNil())
			}
			return ""
		}
		return differ(want.Elem(), got.Elem())
	case reflect.Struct:
		if at, is := want.Interface().(time.Time); is {
			if now := got.Interface().(time.Time); !at.Equal(now) {
				return fmt.Sprintf(": %v, want %v", now, at)
			}
			return ""
		}
		for i := range want.NumField() {
			if want.Type().Field(i).Tag.Get("json") == "-" {
				continue
			}
			if where := differ(want.Field(i), got.Field(i)); where != "" {
				return "." + want.Type().Field(i).Name + where
			}
		}
		return ""
	case reflect.Slice:
		if want.Type().Elem().Kind() == reflect.Uint8 && string(want.Bytes()) == string(got.Bytes()) {
			return ""
		}
		if want.Len() != got.Len() {
			return fmt.Sprintf(": length %d, want %d", got.Len(), want.Len())
		}
		for i := range want.Len() {
			if where := differ(want.Index(i), got.Index(i)); where != "" {
				return fmt.Sprintf("[%d]%s", i, where)
			}
		}
		return ""
	default:
		if !want.Equal(got) {
			return fmt.Sprintf(": %.80q, want %.80q", fmt.Sprint(got), fmt.Sprint(want))
		}
		return ""
	}
}

func (c *check) order() {
	var want []session.Record
	for i := range 30 {
		add := prompts(len(want), 1+i%4)
		c.append("a", len(want), add...)
		want = append(want, add...)
	}
	c.has("a", want...)
}

func (c *check) equal() {
	c.append("broken", 0, broken()...)
	c.has("broken", broken()...)
	for i, text := range texts {
		id := fmt.Sprint("text ", i)
		records := everything(text, raws[i%len(raws)])
		c.append(id, 0, records...)
		c.has(id, records...)
	}
}

func (c *check) large() {
	var want []session.Record
	for _, size := range []int{1 << 10, 1<<10 + 1, 1 << 16, 1 << 20} {
		want = append(want, large(filler(size))...)
	}
	c.append("texts", 0, want...)
	c.append("texts", len(want), want...) // once more: a store may share them
	c.has("texts", slices.Concat(want, want)...)
	many := prompts(0, 5000)
	c.append("many", 0, many[:10]...)
	c.append("many", 10, many[10:]...)
	c.has("many", many...)
}

func (c *check) allOrNone() {
	good := prompts(0, 2)
	c.append("a", 0, good...)
	add := append(prompts(2, 3), large(filler(5000))...)
	c.conflicts("a", 1, add...)
	c.has("a", good...)
	bad := session.Record{Step: &session.Stepped{}}
	bad.Step.Step.Window = nan()
	if c.store.AppendRecords(context.Background(), "a", 2, append(add, bad)...) == nil {
		return // a store that keeps what JSON cannot say
	}
	c.has("a", good...)
	c.append("a", 2, add...)
	c.has("a", append(good, add...)...)
}

func (c *check) conflict() {
	c.append("a", 0, prompts(0, 3)...)
	for _, from := range []int{-1, 0, 2, 4, 1 << 30} {
		c.conflicts("a", from, prompts(9, 1)...)
	}
	c.conflicts("new", 1, prompts(9, 1)...)
	c.isUnknown("new")
	c.has("a", prompts(0, 3)...)
}

// conflicts adds records where they do not belong.
func (c *check) conflicts(id string, from int, records ...session.Record) {
	c.Helper()
	err := c.store.AppendRecords(context.Background(), id, from, records...)
	if !errors.Is(err, session.ErrConflict) {
		c.Errorf("adding to session %q at %d: error %v, want ErrConflict", id, from, err)
	}
}

func (c *check) isUnknown(id string) {
	c.Helper()
	pairs := 0
	for _, err := range c.store.Records(context.Background(), id) {
		if pairs++; !errors.Is(err, session.ErrUnknown) {
			c.Errorf("session %q: error %v, want ErrUnknown", id, err)
		}
	}
	if pairs != 1 {
		c.Errorf("session %q yields %d pairs, want one with ErrUnknown", id, pairs)
	}
}

func (c *check) unknown() {
	c.isUnknown("a")
	c.append("b", 0, prompts(0, 1)...)
	c.isUnknown("a")
}

func (c *check) apart() {
	ids := []string{"a", "A", "a ", " a", "a'; DROP TABLE records; --", "../a", "a\x00", "a\x00b",
		"ä", "a\u0308", "%", "a%", "_"}
	for i, id := range ids {
		c.append(id, 0, prompts(i, 1)...)
	}
	for i, id := range ids {
		c.append(id, 1, prompts(100+i, 1)...)
	}
	for i, id := range ids {
		c.has(id, slices.Concat(prompts(i, 1), prompts(100+i, 1))...)
	}
}

func (c *check) race() {
	const writers, each = 16, 10
	var wait sync.WaitGroup
	var mu sync.Mutex
	won := make(map[int]session.Record)
	for w := range writers {
		wait.Go(func() {
			for n := range each {
				mine := prompts(1000*w+n, 1)[0]
				err := c.store.AppendRecords(context.Background(), "a", n, mine)
				mu.Lock()
				switch _, taken := won[n]; {
				case err == nil && taken:
					c.Errorf("two records are number %d", n)
				case err == nil:
					won[n] = mine
				case !errors.Is(err, session.ErrConflict):
					c.Errorf("error %v, want ErrConflict", err)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	want := make([]session.Record, len(won))
	for n := range want {
		want[n] = won[n]
	}
	c.has("a", want...)
}

func (c *check) oneState() {
	want := prompts(0, 1200)
	c.append("a", 0, want...)
	read, has := 0, len(want)
	for r, err := range c.store.Records(context.Background(), "a") {
		if err != nil {
			c.Fatalf("record %d: %v", read, err)
		}
		if read < len(want) && r.Run.Prompt != want[read].Run.Prompt {
			c.Fatalf("record %d is %q, want %q", read, r.Run.Prompt, want[read].Run.Prompt)
		}
		if read++; read%100 == 1 {
			c.append("a", has, prompts(has, 1)...)
			has++
		}
	}
	if read != len(want) {
		c.Errorf("%d records, want the %d of the beginning", read, len(want))
	}
	c.has("a", prompts(0, has)...)
}

func (c *check) breakOff() {
	c.append("a", 0, prompts(0, 20)...)
	for n := range 20 {
		for range c.store.Records(context.Background(), "a") {
			if n--; n < 0 {
				break
			}
		}
	}
	c.append("a", 20, prompts(20, 1)...)
	c.has("a", prompts(0, 21)...)
}

func (c *check) lock() {
	unlock := c.locked("a")
	defer unlock()
	for range 3 {
		if other, err := c.store.LockSession(context.Background(), "a"); !errors.Is(err, session.ErrInUse) {
			c.Errorf("error %v, want ErrInUse", err)
			if err == nil {
				other()
			}
		}
	}
	c.locked("b")()
	c.locked("A")()
	c.append("a", 0, prompts(0, 1)...) // who holds the lock may write
	c.has("a", prompts(0, 1)...)
}

// locked locks a session, or fails the test.
func (c *check) locked(id string) (unlock func()) {
	c.Helper()
	unlock, err := c.store.LockSession(context.Background(), id)
	if err != nil {
		c.Fatalf("locking session %q: %v", id, err)
	}
	return unlock
}

func (c *check) unlock() {
	first := c.locked("a")
	first()
	second := c.locked("a")
	first()
	if _, err := c.store.LockSession(context.Background(), "a"); !errors.Is(err, session.ErrInUse) {
		c.Errorf("an unlock that was called before: error %v, want ErrInUse", err)
	}
	second()
	c.locked("a")()
}

func (c *check) lockRace() {
	var wait sync.WaitGroup
	got := make(chan func(), 20)
	for range cap(got) {
		wait.Go(func() {
			unlock, err := c.store.LockSession(context.Background(), "a")
			if err == nil {
				got <- unlock
			} else if !errors.Is(err, session.ErrInUse) {
				c.Errorf("error %v, want ErrInUse", err)
			}
		})
	}
	wait.Wait()
	if len(got) != 1 {
		c.Errorf("%d hold the lock, want 1", len(got))
	}
	close(got)
	for unlock := range got {
		unlock()
	}
}

func (c *check) cancelled() {
	c.append("a", 0, prompts(0, 1)...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.store.AppendRecords(ctx, "a", 1, prompts(1, 1)...); !errors.Is(err, context.Canceled) {
		c.Errorf("adding: error %v, want context.Canceled", err)
	}
	for _, err := range c.store.Records(ctx, "a") {
		if !errors.Is(err, context.Canceled) {
			c.Errorf("reading: error %v, want context.Canceled", err)
		}
	}
	if unlock, err := c.store.LockSession(ctx, "a"); !errors.Is(err, context.Canceled) {
		c.Errorf("locking: error %v, want context.Canceled", err)
		if err == nil {
			unlock()
		}
	}
	c.has("a", prompts(0, 1)...)
	c.locked("a")()
}
