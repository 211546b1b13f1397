package catalog

import (
	"strings"
	"testing"

	"github.com/forayhq/foray/providers"
)

// Rule: a service with an address of one's own is asked where its variable says, and nowhere without one.
func TestPlaces(t *testing.T) {
	noKeys(t)
	t.Setenv("AZURE_OPENAI_API_KEY", "sk-0123456789")
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "sk-0123456789")
	for _, tt := range []struct{ model, variable, value, want, failed string }{
		{"azure/mine", "AZURE_OPENAI_ENDPOINT", "https://shop.openai.azure.com", "https://shop.openai.azure.com/openai/v1", ""},
		{"azure/mine", "AZURE_OPENAI_ENDPOINT", "https://shop.openai.azure.com/openai/v1/",
			"https://shop.openai.azure.com/openai/v1", ""},
		{"azure/mine", "AZURE_OPENAI_ENDPOINT", "shop", "", "AZURE_OPENAI_ENDPOINT must be an address such as"},
		{"azure/mine", "AZURE_OPENAI_ENDPOINT", "http://shop.openai.azure.com", "", "must be an address such as https://"},
		{"azure/mine", "AZURE_OPENAI_ENDPOINT", "https://key:secret@shop.openai.azure.com", "", "must be an address"},
		{"azure/mine", "AZURE_OPENAI_ENDPOINT", "", "", "set AZURE_OPENAI_ENDPOINT"},
		{"bedrock/openai.gpt-oss-120b", "AWS_REGION", "eu-central-1", "https://bedrock-mantle.eu-central-1.api.aws/v1", ""},
		{"bedrock/openai.gpt-oss-120b", "AWS_DEFAULT_REGION", "us-gov-west-1", "https://bedrock-mantle.us-gov-west-1.api.aws/v1", ""},
		{"bedrock/openai.gpt-oss-120b", "AWS_REGION", "evil.example/", "", "must be a region"},
		{"bedrock/openai.gpt-oss-120b", "AWS_REGION", "", "", "set AWS_REGION or AWS_DEFAULT_REGION"},
	} {
		for _, name := range []string{"AZURE_OPENAI_ENDPOINT", "AWS_REGION", "AWS_DEFAULT_REGION"} {
			t.Setenv(name, "")
		}
		t.Setenv(tt.variable, tt.value)
		x, err := Resolve(tt.model, nil)
		var m providers.Model
		if err == nil {
			m, err = x.Open()
		}
		switch {
		case tt.failed != "" && (err == nil || !strings.Contains(err.Error(), tt.failed) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s with %s=%s: error %v, want %q", tt.model, tt.variable, tt.value, err, tt.failed)
		case tt.failed == "" && (err != nil || x.URL != tt.want || m.Info().Provider != x.Name):
			t.Errorf("%s with %s=%s: %s, %v, want %s", tt.model, tt.variable, tt.value, x.URL, err, tt.want)
		}
		if names := x.List(t.Context()); tt.failed != "" && names != nil {
			t.Errorf("%s lists %v from nowhere", tt.model, names)
		}
	}
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "")
	if _, err := Open("bedrock/openai.gpt-oss-120b", nil); providers.ClassOf(err) != providers.Auth {
		t.Errorf("without a key: %v", err)
	}
}
