package working

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// Options limit what a [Memory] keeps of sessions, and for how long. Zero and negative values mean the defaults.
type Options struct {
	Idle     time.Duration    // since a text was last read (30 minutes)
	Absolute time.Duration    // since it was kept (2 hours)
	Entries  int              // texts of a session (256)
	Bytes    int              // of the texts of a session (64 MiB)
	Archive  Archive          // keeps sessions beyond the process; nil: they end with it
	Now      func() time.Time // nil: time.Now
}

func (o Options) withDefaults() Options {
	o.Idle = cmp.Or(max(o.Idle, 0), 30*time.Minute)
	o.Absolute = cmp.Or(max(o.Absolute, 0), 2*time.Hour)
	o.Entries = cmp.Or(max(o.Entries, 0), 256)
	o.Bytes = cmp.Or(max(o.Bytes, 0), 64<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// An Archive keeps the texts of sessions beyond the process. Implementations are safe for concurrent use. A session is
// locked while its archive is called.
type Archive interface {
	// Entries returns the entries of a session without their texts, in any order.
	Entries(ctx context.Context, session string) ([]Entry, error)
	// Body returns the text of an entry.
	Body(ctx context.Context, session, id string) (string, error)
	// Keep writes entries, each in place of the one with its id: all of them or, with an error, none. An entry whose
	// text is not in texts keeps the text that is there. An entry that is Gone has no text; only the latest 1,024 of
	// these need be kept.
	Keep(ctx context.Context, session string, entries []Entry, texts map[string]string) error
}

// expires returns when an entry expires unless it is read before.
func (o *Options) expires(e *Entry) time.Time {
	idle, absolute := e.Read.Add(o.Idle), e.Created.Add(o.Absolute)
	if absolute.Before(idle) {
		return absolute
	}
	return idle
}

// whyExpired says which limit an expired entry has passed.
func (o *Options) whyExpired(e *Entry) string {
	if e.Created.Add(o.Absolute).Before(e.Read.Add(o.Idle)) {
		return fmt.Sprintf("texts are kept for %s", spoken(o.Absolute))
	}
	return fmt.Sprintf("texts that nobody reads are kept for %s", spoken(o.Idle))
}

// spoken writes a duration without its zero parts: "30m", "2h".
func spoken(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
