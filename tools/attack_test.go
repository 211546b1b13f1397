package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/tools"
)

func unknownFields(n int) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"path":"a"`)
	for i := range n {
		fmt.Fprintf(&b, `,"unknown%06d":1`, i)
	}
	return json.RawMessage(b.String() + "}")
}

// Half a million unknown fields are refused before they are decoded, wherever arguments come in, and the error names
// the first: they took 500 MB. So are those that fit the bounds: their error would take more than they do.
func TestAttackUnknownFields(t *testing.T) {
	attacktable.Watch(t, "tools", "unknown fields are refused unread")
	type in struct {
		Path string `json:"path"`
	}
	tool := tools.New("t", "", func(context.Context, in) (string, error) { return "", nil })
	set, err := tools.NewSet(tool)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := tools.AnswerOf[in]()
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string]func(json.RawMessage) error{
		"Validate": func(args json.RawMessage) error { return set.Validate("t", args) },
		"Call":     func(args json.RawMessage) error { _, err := tool.Call(t.Context(), args); return err },
		"Parse":    func(args json.RawMessage) error { _, err := answer.Parse(args); return err },
	}
	for _, n := range []int{500_000, 15_000} {
		args := unknownFields(n)
		for name, refuse := range ways {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := refuse(args)
			runtime.ReadMemStats(&after)
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 40 {
				t.Errorf("%s of %d fields: took %d MiB, want at most 40", name, n, took)
			}
			if err == nil || !strings.Contains(err.Error(), "unknown000000") || len(err.Error()) > 4_000 {
				t.Errorf("%s of %d fields: %.500v", name, n, err)
			}
		}
	}
	many := (*tools.ArgumentError)(nil)
	err = set.Validate("t", unknownFields(15_000))
	if !errors.As(err, &many) || len(many.Violations) != 101 || !strings.Contains(fmt.Sprint(many.Violations), "14900 more unknown fields") {
		t.Errorf("of 15,000 unknown fields: %.500v", err)
	}
}
