package wire_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/providers/internal/wire"
)

// each writes every character of a secret with a format for its number.
func each(format string) func(string) string {
	return func(secret string) string {
		var b strings.Builder
		for _, c := range []byte(secret) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
}

// forms are the forms in which a server may send a secret back.
var forms = map[string]func(secret string) string{
	"as it is":             func(s string) string { return s },
	"escapes of JSON":      each(`\u%04x`),
	"escapes in capitals":  each(`\u%04X`),
	"JSON in JSON":         each(`\\u%04x`),
	"JSON in JSON in JSON": each(`\\\\u%04x`),
	"the first escaped":    func(s string) string { return each(`\u%04x`)(s[:1]) + s[1:] },
	"the last escaped":     func(s string) string { return s[:len(s)-1] + each(`\u%04x`)(s[len(s)-1:]) },
	"slashes escaped":      func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
	"json.Marshal":         func(s string) string { raw, _ := json.Marshal(s); return string(raw) },
	"json.Marshal twice": func(s string) string {
		raw, _ := json.Marshal(s)
		raw, _ = json.Marshal(string(raw))
		return string(raw)
	},
	"escapes of C":               each(`\x%02x`),
	"octal escapes":              each(`\%03o`),
	"%q":                         func(s string) string { return fmt.Sprintf("%q", s) },
	"%q twice":                   func(s string) string { return fmt.Sprintf("%q", strconv.Quote(s)) },
	"%+q of bytes":               func(s string) string { return fmt.Sprintf("%+q", []byte(s)) },
	"%x":                         func(s string) string { return fmt.Sprintf("%x", s) },
	"%X":                         func(s string) string { return fmt.Sprintf("%X", s) },
	"% x":                        func(s string) string { return fmt.Sprintf("% x", s) },
	"bytes":                      func(s string) string { return fmt.Sprint([]byte(s)) },
	"bytes in JSON":              func(s string) string { return strings.ReplaceAll(fmt.Sprint([]byte(s)), " ", ",") },
	"a dump":                     func(s string) string { return hex.EncodeToString([]byte(s)) },
	"percent-encoding":           url.QueryEscape,
	"percent-encoding of a path": url.PathEscape,
	"percent-encoding of all":    each("%%%02X"),
	"percent-encoding twice":     func(s string) string { return url.QueryEscape(each("%%%02x")(s)) },
	"HTML":                       html.EscapeString,
	"references of HTML":         each("&#%d;"),
	"hexadecimal references":     each("&#x%02x;"),
	"base64":                     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 of a URL":            func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"Basic, a password":          func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+s)) },
	"Basic, a name":              func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s+":x")) },
	"Basic, no name":             func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(":"+s)) },
	"Basic in JSON": func(s string) string {
		return strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte("ab:"+s)), "/", `\/`)
	},
	"base64 of a header": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("Authorization: Bearer " + s)) },
}

// plain undoes the forms of a text as a reader could, for a check that does not use the mask.
func plain(text string) string {
	for range 4 {
		text = html.UnescapeString(text)
		if back, err := url.QueryUnescape(text); err == nil {
			text = back
		}
		text = strings.NewReplacer(`\\`, `\`, `\/`, `/`, `\"`, `"`).Replace(text)
		for c := range 128 {
			text = strings.NewReplacer(fmt.Sprintf(`\u%04x`, c), string(rune(c)), fmt.Sprintf(`\u%04X`, c), string(rune(c)),
				fmt.Sprintf(`\x%02x`, c), string(rune(c)), fmt.Sprintf(`\%03o`, c), string(rune(c))).Replace(text)
		}
	}
	return text
}

// TestMask has each form of keys as services issue them, whole and cut at each byte into two pieces.
func TestMask(t *testing.T) {
	for _, secret := range []string{
		"sk-secret-0123456789-abcdefghijklmnop", "AIzaSyA/b+c=d&e<f>\"g'h%i", "gsk_aaaaaaaaaaaaaaaa", "npm_x0041u0041", `back\slash-%41`,
	} {
		mask := wire.NewMask(secret)
		for name, form := range forms {
			const before, after = `{"error":"no \"key\" `, ` & 5% \n of it"}`
			text := before + form(secret) + after
			clean := mask.Clean(text)
			if !strings.Contains(clean, wire.Redacted) || strings.Contains(clean, secret) || strings.Contains(plain(clean), secret) {
				t.Errorf("%s: %s of %s", name, clean, text)
			}
			if !strings.HasPrefix(clean, before) || !strings.HasSuffix(clean, after) {
				t.Errorf("%s: more than the secret is gone: %s of %s", name, clean, text)
			}
			for i := range text {
				head, rest := mask.Split(text[:i])
				tail, last := mask.Split(rest + text[i:])
				if got := head + tail + mask.Clean(last); got != clean {
					t.Fatalf("%s: cut at %d: %s, whole: %s", name, i, got, clean)
				}
			}
		}
	}
}

// TestMaskKeeps has texts that only look like a secret.
func TestMaskKeeps(t *testing.T) {
	mask := wire.NewMask("sk-0123456789", "short", "")
	for _, text := range []string{
		"", "short", "sk-", "sk-012345678", "sk-0123456788", `\u0073k-\u`, `C:\sk\0`, "100 %", "R&D", "a&b;c", `\\\\`, "%25%2", "&#x", "日本 🙂",
		strings.Repeat("c2stMDEy ", 3), strings.Repeat(`\`, 100),
	} {
		if got := mask.Clean(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := mask.CleanPart("the key is sk-01234"); got != "the key is "+wire.Redacted {
		t.Errorf("a cut key: %q", got)
	}
	if got := mask.CleanPart("Risk"); got != "Risk" {
		t.Errorf("no key: %q", got)
	}
}

// TestMaskProperty has texts of secrets whose characters each have any form, between other texts.
func TestMaskProperty(t *testing.T) {
	ways := []string{"%c", `\u%04x`, `\\u%04X`, `\x%02x`, "%%%02x", "%%25%02X", "&#%d;", "&#x%x;"}
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9_/+=.~-]{6,40}`).Draw(t, "secret")
		other := rapid.StringMatching(`[^!]{0,9}`).Draw(t, "other")
		var b strings.Builder
		for _, c := range []byte(secret) {
			fmt.Fprintf(&b, rapid.SampledFrom(ways).Draw(t, "way"), c)
		}
		mask := wire.NewMask(secret)
		clean := mask.Clean("!" + other + "!" + b.String() + "!" + other)
		if !strings.Contains(clean, wire.Redacted) || strings.Contains(clean, "!"+b.String()+"!") {
			t.Fatalf("%q of %q", clean, b.String())
		}
	})
}
