package secret

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/ostest"
)

// placeSamples are credentials that no vendor marks, in the places where people write them.
func placeSamples() []sample {
	chosen, long := "M8"+draw(allLetters, 12, "chosen")+"q3", draw(allLetters, 38, "long")+"7aZ"
	login := base64.StdEncoding.EncodeToString([]byte("deploy:" + chosen))
	member, hex40 := draw(urlLetters, 84, "member")+"7aZ", draw(hexLetters, 40, "forty")
	return []sample{
		{"Authorization with a scheme", "Authorization: SSWS %s", long},
		{"Authorization of GitHub", "curl -H 'Authorization: token %s' https://host", hex40},
		{"Authorization without a scheme", `"authorization": "%s"`, long},
		{"login of a registry", `"auths": {"r.io": {"auth": "%s"}}`, login},
		{"secret of a registry", ".dockerconfigjson: %s", base64.StdEncoding.EncodeToString([]byte(`{"auths":{"r":{"auth":"` + login + `"}}}`))},
		{"docker login", "docker login -u me -p %s registry.io", chosen},
		{"redis-cli", "redis-cli -h cache -a %s ping", chosen},
		{"ldapsearch", "ldapsearch -D cn=admin -w %s -b dc=x", chosen},
		{"keytool", "keytool -list -storepass %s -v", chosen},
		{"gpg", "gpg --batch --passphrase %s -d x", chosen},
		{"chpasswd", `echo "root:%s" | chpasswd`, chosen},
		{"PowerShell", `ConvertTo-SecureString "%s" -AsPlainText -Force`, chosen},
		{"SQL", "CREATE USER app WITH PASSWORD '%s';", chosen},
		{"SQL of MySQL", "CREATE USER 'app' IDENTIFIED BY '%s';", chosen},
		{"line of .netrc", "machine host login me password %s", chosen},
		{"Terraform", "variable \"db_password\" {\n  type = string\n  default = \"%s\"\n}", chosen},
		{"Terraform on one line", `variable "db_password" { default = "%s" }`, chosen},
		{"block of YAML", "password: >-\n  %s", chosen},
		{"PHP", "define('DB_PASSWORD', '%s');", chosen},
		{"setter of Java", `source.setPassword("%s");`, chosen},
		{"Gradle", "storePassword '%s'", chosen},
		{"macro of C", `#define WIFI_PASSWORD "%s"`, chosen},
		{"three quotes", `password = """%s"""`, chosen},
		{"Lua", "password = [[%s]]", chosen},
		{"Clojure", `{:password "%s"}`, chosen},
		{"requests of Python", `requests.get(url, auth=("admin", "%s"))`, chosen},
		{"Bundler", "BUNDLE_GEMS__CONTRIBSYS__COM=%s", draw(hexLetters, 8, "user") + ":1f" + draw(hexLetters, 8, "gem")},
		{"sign of JavaScript", "jwt.sign(payload, '%s')", long},
		{"HMAC of Go", `hmac.New(sha256.New, []byte("%s"))`, long},
		{"key", `key = "%s"`, long},
		{"JSON Web Key", `{"kty":"RSA","e":"AQAB","d":"%s"}`, member},
		{"PuTTY", "Private-Lines: 1\n%s\nPrivate-MAC: x", draw(baseLetters, 48, "putty")},
		{"table of Markdown", "| password | `%s` |", chosen},
		{"bold Markdown", "**Password:** %s", chosen},
		{"prose", "the password is %s", chosen},
		{"token that is a UUID", "CODECOV_TOKEN: %s", "bdf9c96c-6b28-c1d5-bdd3-35592832ceff"},
		{"Portuguese", `senha = "%s"`, chosen},
		{"French", `mot_de_passe = "%s"`, chosen},
	}
}

// TestPlaces masks each, and finds it as a search does: by its line, or in a file that is known to span lines.
func TestPlaces(t *testing.T) {
	for _, s := range placeSamples() {
		t.Run(s.name, func(t *testing.T) {
			text := []byte("first line\n" + fmt.Sprintf(s.line, s.secret) + "\nlast line\n")
			got := string(Mask(text))
			shown := s.secret[strings.IndexByte(s.secret, ':')+1:]
			if strings.Contains(got, shown) {
				t.Errorf("shown: %s", got)
			}
			if !strings.HasPrefix(got, "first line\n") || !strings.HasSuffix(got, "\nlast line\n") {
				t.Errorf("other lines changed: %s", got)
			}
			alone := false
			for line := range strings.Lines(string(text)) {
				alone = alone || strings.Contains(line, shown) && In([]byte(line))
			}
			if !alone && !Spans(text) {
				t.Error("a search by lines finds it")
			}
			if again := string(Mask([]byte(got))); again != got {
				t.Errorf("not stable: %s", again)
			}
		})
	}
}

// TestRandomValues counts the random values that look like words or like anything but a credential. A few do.
func TestRandomValues(t *testing.T) {
	const tries = 5000
	for _, tc := range []struct {
		line, alphabet string
		n              int
		most           int // shown of a thousand
	}{
		{`password = "%s"`, allLetters, 12, 60}, {"api_key: %s", allLetters, 24, 15}, {"api_key: %s", allLetters, 40, 5},
		{"token = '%s'", lowerLetters + digitLetters, 20, 15}, {"api_key=%s", hexLetters, 32, 2},
	} {
		shown := 0
		for i := range tries {
			if line := fmt.Sprintf(tc.line, draw(tc.alphabet, tc.n, fmt.Sprint("value", i))); !In([]byte(line)) {
				shown++
			}
		}
		if shown*1000 > tc.most*tries {
			t.Errorf("%s, %d of %d letters: %d of %d are shown", tc.line, tc.n, len(tc.alphabet), shown, tries)
		}
	}
}

// TestManyMarks masks megabytes of the beginnings of credentials: the time is linear in the size. If it were quadratic,
// eight times the text would take 64 times as long; a busy machine spoils one try or two, but not all.
func TestManyMarks(t *testing.T) {
	ostest.SkipRaced(t)
	took := func(mark string, size int) time.Duration {
		text := []byte(strings.Repeat(mark, size/len(mark)))
		started := time.Now()
		Mask(text)
		return time.Since(started)
	}
	for _, mark := range []string{
		"-----BEGIN PRIVATE KEY-----\n", "Private-Lines:", "jwt.sign('", "auth=('a',", "variable \"password\" {", "authorization: ",
		"BUNDLE_A__B=", "redis-cli -a ", "password: |\n", `"d":"`, "key = \"", "IDENTIFIED BY '",
	} {
		grown := 0.0
		for range 5 {
			if grown = float64(took(mark, 2<<20)) / float64(took(mark, 2<<17)); grown < 24 {
				break
			}
		}
		if grown >= 24 {
			t.Errorf("%q: eight times the text takes %.0f times as long", mark, grown)
		}
	}
}
