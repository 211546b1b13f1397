package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	re := New(`(?P<key>\w+)=(\d+)`)
	if got := re.ReplaceAllString("a=1 b=x c=22", "$key"); got != "a b=x c" {
		t.Errorf("replaced to %q", got)
	}
	if n := re.SubexpIndex("key"); n != 1 || re.String() != `(?P<key>\w+)=(\d+)` {
		t.Errorf("%s has the key in group %d", re, n)
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression passed in a test binary")
		}
	}()
	New(`(`)
}
