package tree

import (
	"strings"
	"testing"
)

// FuzzRedact: no line is lost, and what is redacted once has nothing left to redact.
func FuzzRedact(f *testing.F) {
	f.Add("a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nz\n")
	f.Add("AKIAABCDEFGHIJKLMNOP AKIAABCDEFGHIJKLMNOP ghp_0123456789abcdefghijABCDEFGHIJ0123456789")
	f.Add("-----BEGIN PRIVATE KEY-----\nPRIVATE KEY")
	f.Fuzz(func(t *testing.T, s string) {
		once := Redact([]byte(s))
		if strings.Count(string(once), "\n") != strings.Count(s, "\n") {
			t.Errorf("lines changed: %q → %q", s, once)
		}
		if twice := Redact(once); string(twice) != string(once) {
			t.Errorf("not stable: %q → %q → %q", s, once, twice)
		}
	})
}
