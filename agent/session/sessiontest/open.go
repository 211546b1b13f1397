package sessiontest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/sessionwalk"
)

func (c *check) open() {
	o, is := c.store.(session.Opener)
	if !is {
		c.Skip("the store leaves no texts")
	}
	records := []session.Record{{Run: &session.Run{Prompt: strings.Repeat("prompt ", 9000)}}}
	for n, size := range []int{10, 5_000, contextwindow.LongResult - 10, contextwindow.LongResult, 300_000} {
		text := strings.Repeat(fmt.Sprintf("line %d of \"this\" <file>\n", n), size)[:size]
		records = append(records, sessionwalk.LongStep(n+1, text)...)
	}
	failed := sessionwalk.LongStep(6, strings.Repeat("failed ", 5_000))
	failed[0].Entries[0].Unit.Messages[1].Failed = true // its text says why
	unsized := sessionwalk.LongStep(7, strings.Repeat("unsized ", 5_000))
	unsized[0].Entries[0].Unit.Sizes = nil
	records = append(append(records, failed...), unsized...)
	c.append("s", 0, records...)
	var got []session.Record
	left := 0
	for r, err := range o.OpenRecords(context.Background(), "s") {
		if err != nil {
			c.Fatalf("opening record %d: %v", len(got), err)
		}
		left += c.fill(&r)
		got = append(got, r)
	}
	if len(got) != len(records) || left > 2 {
		c.Fatalf("%d records with %d texts to read, want %d with 2 at most", len(got), left, len(records))
	}
	for i := range got {
		if where := differ(reflect.ValueOf(records[i]), reflect.ValueOf(got[i])); where != "" {
			c.Errorf("record %d differs once its texts are read: Record%s", i, where)
		}
	}
	for r, err := range o.OpenRecords(context.Background(), "unknown") {
		if !errors.Is(err, session.ErrUnknown) {
			c.Errorf("%v, record %+v", err, r)
		}
	}
}

// fill reads the texts that a record was opened without, and returns how many those of results were.
func (c *check) fill(r *session.Record) (left int) {
	for _, e := range r.Entries {
		if e.Unit == nil {
			continue
		}
		for i, t := range e.Unit.Left {
			text, err := t.Read()
			if err != nil || t.Size != len(text) || t.Sum != sha256.Sum256([]byte(text)) {
				c.Errorf("a text of %d bytes has another size or sum than %d, or an error: %v", len(text), t.Size, err)
			}
			e.Unit.Messages[i].Text = text
			left++
		}
	}
	if r.Step == nil {
		return left
	}
	for i := range r.Step.Tools {
		if t := &r.Step.Tools[i]; t.Later != nil {
			value, err := t.Later()
			if err != nil {
				c.Errorf("the value of a call: %v", err)
			}
			t.Value = value
		}
	}
	return left
}
