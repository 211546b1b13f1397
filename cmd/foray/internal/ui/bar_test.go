package ui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBar(t *testing.T) {
	var b strings.Builder
	progress, clear := Bar(&b, 30, "work")
	progress(0, 4)
	progress(1, 4)
	progress(1, 4)
	progress(4, 4)
	clear()
	lines := strings.Split(b.String(), "\r\x1b[2K")
	want := []string{"", "work [..................] 0/4", "work [####..............] 1/4", "work [##################] 4/4", ""}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	narrow, clearNothing := Bar(&b, 8, "work")
	clearNothing()
	if b.Len() > 0 {
		t.Errorf("nothing was drawn, but cleared: %q", b.String())
	}
	if narrow(1, 2); b.String() != "\r\x1b[2Kwork 1/2" {
		t.Errorf("on a narrow terminal: %q", b.String())
	}
}
