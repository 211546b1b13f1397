package lazyregexp

import (
	"os"
	"testing"
)

func TestNew(t *testing.T) {
	re := New(`(?P<key>\w+)=(\d+)`)
	if got := re.ReplaceAllString("a=1 b=x c=22", "$key"); got != "a b=x c" {
		t.Errorf("replaced to %q", got)
	}
	if n := re.SubexpIndex("key"); n != 1 || re.String() != `(?P<key>\w+)=(\d+)` {
		t.Errorf("%s has the key in group %d", re, n)
	}
}

// A command finds a wrong expression when it uses it, and a test binary at once.
func TestWrongExpression(t *testing.T) {
	panics := func(f func()) (found bool) {
		defer func() { found = recover() != nil }()
		f()
		return false
	}
	defer func(name string) { os.Args[0] = name }(os.Args[0])
	os.Args[0] = "/bin/foray"
	var re *Regexp
	if panics(func() { re = New(`(`) }) {
		t.Fatal("a command compiled it before its use")
	}
	if !panics(func() { re.MatchString("x") }) {
		t.Error("a command used it")
	}
	for _, name := range []string{"/tmp/rules.test", "rules.test.exe"} {
		os.Args[0] = name
		if !panics(func() { New(`(`) }) {
			t.Errorf("it passed in %s", name)
		}
	}
}
