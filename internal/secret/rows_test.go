package secret

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// made returns a credential of the form, of the least length: drawn anew until it shows what the form needs.
func made(t *testing.T, f *form, mark string) string {
	t.Helper()
	chars := func(s *set, n int, seed string) string {
		alphabet := ""
		for c := range s {
			if s[c] && alnum[c] {
				alphabet += string(byte(c))
			}
		}
		if n == 0 || alphabet == "" {
			return ""
		}
		return draw(alphabet, n, seed)
	}
	for try := range 200 {
		seed := fmt.Sprint(mark, try)
		before, body := "", chars(f.chars, f.least, seed)
		if f.before != nil {
			before = chars(f.before, f.leastBy, seed)
		}
		if f.needs == twoDots || f.needs == claims {
			n := len(body)
			body = body[:n/3] + "." + body[n/3+1:2*n/3] + "." + body[2*n/3+1:]
		}
		if (f.needs == aQuery || f.needs.met(&text{data: []byte(mark + body)}, 0, []byte(body))) && !placeholder([]byte(before+mark+body)) {
			return before + mark + body
		}
	}
	t.Fatalf("%s%s: no credential can be made", f.kind, mark)
	return ""
}

// TestForms has a case for each mark of each form: it is masked as its kind in any place of a line, and one character
// too few is not.
func TestForms(t *testing.T) {
	for i := range forms {
		f := &forms[i]
		for mark := range strings.FieldsSeq(f.marks) {
			value := made(t, f, mark)
			query := ""
			if f.needs == aQuery {
				query = "https://store.example/?sv=2022-11-02&"
			}
			for _, around := range []string{"%s", "use %s now", `"%s"`, "(%s)", "a=%s;", "+%s", `\n%s\n`, "<%s>", "see %s.", "é%sé"} {
				line := query + fmt.Sprintf(around, value)
				got := string(Mask([]byte(line)))
				if strings.Contains(got, value) || !strings.Contains(got, opening+f.kind+"]") {
					t.Errorf("%s: %s → %s", f.kind, line, got)
				}
			}
			if f.least > 12 && f.needs != twoDots && f.needs != claims && !strings.HasSuffix(mark, "=") {
				short := value[:len(value)-2]
				if got := string(Mask([]byte("use " + short + " now"))); got != "use "+short+" now" {
					t.Errorf("%s: a short one is masked: %s → %s", f.kind, short, got)
				}
			}
		}
	}
}

// TestNouns has a case for each noun: its value is masked in the languages and formats that people write.
func TestNouns(t *testing.T) {
	for i := range nouns {
		n := &nouns[i]
		value := draw(allLetters, 30, n.words) + "7aZ"
		parts := strings.Fields(n.words)
		snake, kebab := strings.Join(parts, "_"), strings.Join(parts, "-")
		camel := parts[0]
		for _, p := range parts[1:] {
			camel += strings.ToUpper(p[:1]) + p[1:]
		}
		lines := []string{
			snake + ` = "%s"`, strings.ToUpper(snake) + "=%s", "export " + strings.ToUpper("app_"+snake) + "='%s'",
			`"` + camel + `": "%s",`, `  ` + kebab + `: %s`, `var ` + camel + ` string = "%s"`, `let ` + snake + `: &str = "%s";`,
			`<` + snake + `>%s</` + snake + `>`, `<add key="` + camel + `" value="%s"/>`, `{"name":"` + snake + `","value":"%s"}`,
			`--` + kebab + ` %s`, `--` + kebab + `=%s`, `cfg['` + snake + `'] = '%s'`, `"{\"` + snake + `\":\"%s\"}"`,
			`:` + snake + ` => "%s",`, `config.` + camel + ` := "%s"`, `if ` + snake + ` == "%s" {`, snake + "_prod = '%s'",
			`os.environ.get("` + strings.ToUpper(snake) + `", "%s")`, `?` + snake + `=%s&x=1`, `# ` + snake + `: "%s"`,
		}
		for _, line := range lines {
			line = fmt.Sprintf(line, value)
			got := string(Mask([]byte(line)))
			if strings.Contains(got, value) || !strings.Contains(got, opening) {
				t.Errorf("%s: %s → %s", n.words, line, got)
			}
		}
	}
}

// TestHarmless holds lines with the words of secrets, and without one.
func TestHarmless(t *testing.T) {
	uuid := "550e8400-e29b-41d4-a716-446655440000"
	for _, line := range []string{
		"xoxb-your-token-here", `"ey` + `JhbGciOiJIUzUxMiJ9.eyJ` + draw(allLetters, 30, "cut") + `..."`, "AKIA" + "IOSFODNN7EXAMPLE", "password: changeme", `password = "password123"`, "token: <token>",
		`api_key = os.environ["API_KEY"]`, "secret = getSecret(id)", `password := req.Password`, "PASSWORD=${DB_PASSWORD}",
		"postgres://user:password@localhost/db", "postgres://postgres:postgres@db/app", "https://user:pass@example.com",
		"mongodb://<user>:<password>@host", "https://$USER:$PASS@host/", "amqp://guest:guest@rabbit:5672/",
		"golang.org/x/net v0.1.0 h1:hZ/3BUoy5aId7sCpA/Tc5lt8DkFgdVS2onTpJsZ/fl0=", "token_id = " + uuid, "id: " + uuid,
		`"integrity": "sha512-` + draw(baseLetters, 86, "sri") + `=="`, "sha256:" + draw(hexLetters, 64, "sha"),
		"commit " + draw(hexLetters, 40, "git"), "data:image/png;base64," + draw(baseLetters, 400, "png"),
		"ssh-rsa AAAAB3NzaC1yc2E" + draw(baseLetters, 300, "ssh"), "-----BEGIN PUBLIC KEY-----\n" + draw(baseLetters, 64, "pub") + "\n-----END PUBLIC KEY-----",
		`if strings.Contains(s, "-----BEGIN RSA PRIVATE KEY-----") {` + "\n\treturn nil\n}", `tokenUrl: "https://host/oauth2/token"`,
		`password_hash = "` + draw(hexLetters, 64, "hash") + `"`, `next_page_token = "` + draw(allLetters, 40, "page") + `"`,
		`<input type="password" name="password1" id="id_password1">`, "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx", `token = Token2Type`,
		`publicKey: "` + draw(baseLetters, 44, "key") + `"`, "const SECRET_KEY = 'your-256-bit-secret'", `"secret": "arn:aws:secretsmanager"`,
		"curl -u user:password https://example.com", "mysql -u root -p dbname", "Authorization: Bearer <token>", "Authorization: Basic dXNlcjpwYXNz",
		"TOKEN_TYPE = 'refresh_token_2'", "password: str = None", "func NewToken(kind string) Token2 {", "validate_password('abc12345x')",
		"just pass `NODE_DEBUG=koa*` and look", `"authorization": "Basic dXNlcm5hbWU6cGFzc3dvcmQ="`,
		"Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==", "for key: `8e9e05c52164694d`", "the password is required",
		`variable "db_password" { default = "changeme" }`, `Authorization: Token <token>`, `jwt.sign(payload, 'shhhhh')`,
		"password: |\n  of the user\n", `auth=("user", "password")`, `{"d": "M 10 10 L 20 20", "k": "v"}`,
		"secrets: [db_password_1]", `token: "access-token-1234567890"`, `private static final String SECRET = "client-secret-2";`,
	} {
		if got := Mask([]byte(line)); string(got) != line {
			t.Errorf("%s → %s", line, got)
		}
	}
}

// TestPrivateKey keeps the lines around a key and their number.
func TestPrivateKey(t *testing.T) {
	head, tail := "-----BEGIN RSA PRIVATE"+" KEY-----", "-----END RSA PRIVATE"+" KEY-----"
	body := draw(baseLetters, 64, "body")
	for name, c := range map[string]struct{ in, want string }{
		"whole":       {"a\n" + head + "\n" + body + "\n" + body + "\n" + tail + "\nz\n", "a\n*\n*\n*\n*\nz\n"},
		"no end":      {"a\n" + head + "\n" + body + "\n" + body + "\n\nplain words\n", "a\n*\n*\n*\n\nplain words\n"},
		"JSON":        {`{"k":"` + head + `\n` + body + `\n` + tail + `\n","z":1}`, `{"k":"*\n","z":1}`},
		"Go":          {"k := `" + head + "\n" + body + "\n" + tail + "`\nz", "k := `*\n*\n*\nz"},
		"quoted":      {`"` + head + `\n" +` + "\n" + `"` + body + `\n" +` + "\n" + `"` + tail + "\"\nz", `"*` + "\n*\n*\nz"},
		"indented":    {"  key: |\n    " + head + "\n    " + body + "\n    " + tail + "\n  z: 1", "  key: |\n    *\n*\n*\n  z: 1"},
		"encrypted":   {head + "\nProc-Type: 4,ENCRYPTED\n\n" + body + "\n" + tail + "\n", "*\n*\n*\n*\n*\n"},
		"two":         {head + "\n" + body + "\n" + tail + "\n" + head + "\n" + body + "\n" + tail + "\n", "*\n*\n*\n*\n*\n*\n"},
		"mention":     {"starts with " + head + " and ends", "starts with " + head + " and ends"},
		"concatenate": {`"` + head + `\n" + key + "\n` + tail + `"`, `"` + head + `\n" + key + "\n` + tail + `"`},
	} {
		got := string(Mask([]byte(c.in)))
		if want := strings.ReplaceAll(c.want, "*", opening+"private-key]"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// FuzzMask: masking keeps the lines, shows nothing new, and finds nothing more when it is done again.
func FuzzMask(f *testing.F) {
	for _, s := range append(vendorSamples(), placeSamples()...) {
		f.Add(fmt.Sprintf(s.line, s.secret))
	}
	f.Add("a\n-----BEGIN RSA PRIVATE" + " KEY-----\n" + draw(baseLetters, 64, "a") + "\n-----END RSA PRIVATE" + " KEY-----\nz\n")
	f.Add("env:\n- name: DB_PASSWORD\n  value: aB3dE6gH\n")
	f.Add("TOKEN:github" + "_pat_U8pQp4It0E2yWh_9uAn9y6=rUnC8u6Tn9My8cFP")
	f.Add("curl -H 'X-Key: ghp" + "_" + draw(allLetters, 36, "b") + "' -u ann:aB3dE6gH https://h\n")
	f.Fuzz(func(t *testing.T, s string) {
		once := Mask([]byte(s))
		if strings.Count(string(once), "\n") != strings.Count(s, "\n") {
			t.Errorf("lines changed: %q → %q", s, once)
		}
		if rest := withoutMarks(once); !within(rest, []byte(s)) {
			t.Errorf("new text: %q → %q", s, once)
		}
		if twice := Mask(once); !bytes.Equal(twice, once) {
			t.Errorf("not stable: %q → %q → %q", s, once, twice)
		}
		for n, line := range strings.Split(s, "\n") {
			masked := strings.Split(string(once), "\n")[n]
			if masked != line && !In([]byte(line)) && !Spans([]byte(s)) {
				t.Errorf("line %d is masked only together with others: %q", n, line)
			}
		}
	})
}

// withoutMarks removes the marks of masked credentials.
func withoutMarks(data []byte) []byte {
	var out []byte
	for {
		i := bytes.Index(data, []byte(opening))
		if i < 0 {
			return append(out, data...)
		}
		end := bytes.IndexByte(data[i:], ']')
		if end < 0 {
			return append(out, data...)
		}
		out, data = append(out, data[:i]...), data[i+end+1:]
	}
}

// within reports whether part is whole with some bytes left out.
func within(part, whole []byte) bool {
	for _, c := range part {
		i := bytes.IndexByte(whole, c)
		if i < 0 {
			return false
		}
		whole = whole[i+1:]
	}
	return true
}
