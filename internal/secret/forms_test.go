package secret

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// letters of generated values. No value stands in this file, so that it holds nothing that a scanner would report.
const (
	digitLetters = "0123456789"
	hexLetters   = digitLetters + "abcdef"
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	allLetters   = digitLetters + lowerLetters + upperLetters
	urlLetters   = allLetters + "-_"
	baseLetters  = allLetters + "+/"
)

// draw returns n letters of an alphabet, the same on each run.
func draw(alphabet string, n int, seed string) string {
	source := [32]byte{}
	copy(source[:], seed)
	r := rand.New(rand.NewChaCha8(source))
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// A sample is a line with a credential in it, where %s stands.
type sample struct{ name, line, secret string }

// vendorSamples are from the documentation of vendors, each in a line as users write it.
func vendorSamples() []sample {
	d := func(alphabet string, n int) string { return draw(alphabet, n, fmt.Sprint("vendor", n, alphabet)) }
	uuid := func() string {
		h := d(hexLetters, 32)
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	}
	return []sample{
		{"Groq", `client = Groq(api_key="%s")`, "gsk" + "_" + d(allLetters, 52)},
		{"xAI", `XAI_API_KEY=%s`, "xa" + "i-" + d(allLetters, 80)},
		{"Hugging Face", `huggingface-cli login --token %s`, "h" + "f_" + d(lowerLetters+upperLetters, 34)},
		{"Together", `  "Authorization": "Bearer %s",`, "tgp" + "_v1_" + d(urlLetters, 43)},
		{"Anthropic", `key := "%s"`, "sk-" + "ant-api03-" + d(urlLetters, 93) + "AA"},
		{"OpenAI project", `openai.api_key = '%s'`, "sk-" + "proj-" + d(urlLetters, 120)},
		{"OpenAI", `echo %s`, "sk" + "-" + d(allLetters, 48)},
		{"Replicate", `export REPLICATE_API_TOKEN=%s`, "r" + "8_" + d(allLetters, 37)},
		{"Perplexity", `pplx = %s`, "pp" + "lx-" + d(allLetters, 48)},
		{"AWS access key", `aws_access_key_id = %s`, "AK" + "IA" + d(upperLetters+"234567", 16)},
		{"AWS secret key", `aws_secret_access_key = %s`, d(baseLetters, 40)},
		{"AWS secret in code", `SecretAccessKey: "%s",`, d(baseLetters, 40)},
		{"Google API key", `const maps = "%s";`, "AI" + "za" + d(urlLetters, 35)},
		{"Google client secret", `"client_secret":"%s"`, "GOC" + "SPX-" + d(urlLetters, 28)},
		{"Azure storage", `DefaultEndpointsProtocol=https;AccountName=store;AccountKey=%s;EndpointSuffix=core`,
			d(baseLetters, 86) + "=="},
		{"DigitalOcean", `doctl auth init -t %s`, "do" + "p_v1_" + d(hexLetters, 64)},
		{"Heroku", `HEROKU_API_KEY=%s`, uuid()},
		{"Vault", `vault login %s`, "hv" + "s." + d(urlLetters, 95)},
		{"Terraform Cloud", `  token = "%s"`, d(allLetters, 14) + ".atl" + "asv1." + d(allLetters, 67)},
		{"GitHub", `git remote add o https://x-access-token:%s@github.com/a/b`, "gh" + "p_" + d(allLetters, 36)},
		{"GitHub fine-grained", `GH_TOKEN: %s`, "github" + "_pat_" + d(allLetters, 22) + "_" + d(allLetters, 59)},
		{"GitLab", `curl --header "PRIVATE-TOKEN: %s" https://gitlab.com`, "gl" + "pat-" + d(urlLetters, 20)},
		{"npm", `//registry.npmjs.org/:_authToken=%s`, "np" + "m_" + d(allLetters, 36)},
		{"npm login", `_auth = "%s"`, base64.StdEncoding.EncodeToString([]byte("deploy:" + "Wq8zR2kPv5"))},
		{"PyPI", `password = %s`, "py" + "pi-AgEIcHlwaS5vcmc" + d(urlLetters, 150)},
		{"Slack bot", `slack.WebClient(token="%s")`, "xo" + "xb-" + d(digitLetters, 12) + "-" + d(digitLetters, 13) + "-" + d(allLetters, 24)},
		{"Slack webhook", `url: https://%s`, "hooks." + "slack.com/services/T" + d(upperLetters+digitLetters, 8) + "/B" + d(upperLetters+digitLetters, 10) + "/" + d(allLetters, 24)},
		{"Stripe", `stripe.api_key = "%s"`, "sk_" + "live_" + d(allLetters, 24)},
		{"Stripe webhook", `endpoint_secret = '%s'`, "whs" + "ec_" + d(allLetters, 32)},
		{"SendGrid", `SENDGRID=%s`, "S" + "G." + d(urlLetters, 22) + "." + d(urlLetters, 43)},
		{"Mailgun", `api.mailgun.net -u api:%s`, "ke" + "y-" + d(hexLetters, 32)},
		{"Mailchimp", `mailchimp.setConfig({apiKey: "%s"})`, d(hexLetters, 32) + "-u" + "s14"},
		{"Twilio", `new Twilio.Client("%s")`, "S" + "K" + d(hexLetters, 32)},
		{"Telegram", `https://api.telegram.org/bot%s/getMe`, d(digitLetters, 10) + ":A" + "A" + d(urlLetters, 33)},
		{"Discord bot", `client.login(token="%s")`, d(allLetters, 24) + "." + d(urlLetters, 6) + "." + d(urlLetters, 38)},
		{"Discord bot, bare", `%s`, base64.RawURLEncoding.EncodeToString([]byte("7"+d(digitLetters, 17))) + "." + d(urlLetters, 6) + "." + d(urlLetters, 37) + "x"},
		{"JWT, unsigned", `%s`, "ey" + "JhbGciOiJub25lIn0." + "eyJ" + d(allLetters, 60)},
		{"Shopify", `X-Shopify-Access-Token: %s`, "shp" + "at_" + d(hexLetters, 32)},
		{"Postgres URL", `DATABASE_URL=postgres://app:%s@db.internal:5432/app`, "k9" + "Vq2mLxTz"},
		{"MySQL DSN in Go", `sql.Open("mysql", "root:%s@tcp(10.0.0.1:3306)/app")`, "Tr0ub" + "4dor&3"},
		{"SQL Server", `"Server=db;Database=app;User Id=sa;Password=%s;Encrypt=true"`, "Yx7!" + "kdPq2"},
		{"Redis URL", `redis://:%s@cache:6379/0`, "p4x9" + "c2f8d1aa"},
		{"JWT", `Authorization: Bearer %s`, "ey" + "JhbGciOiJIUzI1NiJ9." + "eyJ" + d(allLetters, 60) + "." + d(urlLetters, 43)},
		{"Basic header", `-H "Authorization: Basic %s"`, base64.StdEncoding.EncodeToString([]byte("deploy:" + "Wq8zR2kPv5"))},
		{"container environment", "- name: DB_PASSWORD\n  value: %s\n", "n7Qwx2Lp"},
		{"container environment in JSON", "{\"name\": \"DB_PASSWORD\",\n \"value\": \"%s\"}", "n7Qwx2Lp"},
		{"env file", `DB_PASSWORD=%s`, "n7Qw" + "-x2Lp!e"},
		{"JSON configuration", `  "smtp_password": "%s",`, "Gx4" + "tRm9wQz"},
		{"YAML configuration", `  password: %s`, "hu" + "nter22"},
		{"Django", `SECRET_KEY = '%s'`, "j8#k" + "2!p0" + d(lowerLetters+digitLetters, 40)},
	}
}

func TestVendorForms(t *testing.T) {
	for _, s := range vendorSamples() {
		t.Run(s.name, func(t *testing.T) {
			text := "first line\n" + fmt.Sprintf(s.line, s.secret) + "\nlast line\n"
			got := string(Mask([]byte(text)))
			if strings.Contains(got, s.secret) || !strings.Contains(got, opening) {
				t.Errorf("shown: %s", got)
			}
			if !strings.HasPrefix(got, "first line\n") || !strings.HasSuffix(got, "\nlast line\n") {
				t.Errorf("other lines changed: %s", got)
			}
			if again := string(Mask([]byte(got))); again != got {
				t.Errorf("not stable: %s", again)
			}
		})
	}
}

// A credential between a literal and what it names is masked as well.
func TestTwoOnALine(t *testing.T) {
	key, form := "ghp"+"_"+draw(allLetters, 36, "b"), "github"+"_pat_U8pQp4It0E2yWh_9uAn9y6"
	for line, want := range map[string]string{
		"curl -H 'X: " + key + "' -u ann:aB3dE6gH https://h": "curl -H 'X: [redacted:github-token]' -u ann:[redacted:password] https://h",
		"TOKEN:" + form + "=rUnC8u6Tn9My8cFP":                "TOKEN:[redacted:github-token]=[redacted:token]",
	} {
		if got := string(Mask([]byte(line))); got != want {
			t.Errorf("%s → %s", line, got)
		}
	}
}
