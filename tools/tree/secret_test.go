package tree

import "testing"

// TestAllowed has what each pattern shows and what it leaves hidden.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		allowed       Allowed
		shows, hidden []string
	}{
		{nil, nil, []string{".env", "a/prod.env", "keys/a.pem"}},
		{Allowed{".env"}, []string{".env", "a/b/.env"}, []string{".ENV", ".env.local", "prod.env"}},
		{Allowed{"*.pem", ".env"}, []string{"a.pem", "x/y/b.pem", ".env"}, []string{"a.key"}},
		{Allowed{"test/keys/**"}, []string{"test/keys/a.pem", "test/keys/b/c.key"}, []string{"keys/a.pem", "a/test/keys/a.pem"}},
		{Allowed{"./test/*.pem"}, []string{"test/a.pem"}, []string{"test/b/a.pem"}},
		{Allowed{"/prod.env"}, []string{"prod.env"}, []string{"a/prod.env"}},
		{Allowed{"**"}, []string{".env", "a/b/id_rsa"}, nil},
	} {
		for _, p := range c.shows {
			if c.allowed.IsSecret(p) || c.allowed.Refuse(p) != nil || string(c.allowed.Redact(p, []byte(token))) != token {
				t.Errorf("%q hides %s", c.allowed, p)
			}
		}
		for _, p := range c.hidden {
			if !c.allowed.IsSecret(p) || c.allowed.Refuse(p) == nil || string(c.allowed.Redact(p, []byte(token))) == token {
				t.Errorf("%q shows %s", c.allowed, p)
			}
		}
	}
	if got := (Allowed{"*"}).Redact("", []byte(token)); string(got) == token {
		t.Error("* allows texts that are not from a file")
	}
}

const token = "ghp" + "_0123456789abcdefghijABCDEFGHIJ456789"
