package secret

import (
	"strings"
	"testing"
)

// TestMeantForTests holds values of other scanners' tests that a random one does not resemble.
func TestMeantForTests(t *testing.T) {
	hex := strings.Repeat("abcd"+"1234", 8)
	for _, line := range []string{
		"softlayer_api_key: " + hex, "--softlayer-api-key " + hex, `"iam_api_key" : "` + hex[:40] + `--__"`,
		"https://acct-x:" + hex + "@acct-x.cloudant.com", "xoxr" + "-523423-234243-234233-e039d02840a0b9379c",
	} {
		if !In([]byte(line)) {
			t.Errorf("not masked: %s", line)
		}
	}
}
