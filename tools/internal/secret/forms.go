package secret

// A form is a kind of credential that its vendor marks with a literal: a prefix, or a part between two others.
type form struct {
	kind    string   // for the mask
	marks   []string // every match contains one
	chars   *set     // after the mark
	least   int      // characters after the mark
	most    int      // of them; 0: as many as follow
	before  *set     // characters before the mark that belong to the credential; nil: none
	leastBy int      // characters before the mark
	needs   need     // beyond the form; the zero value: a digit
}

// A need is what the characters after a mark must show, so that a word or an identifier is no credential.
type need int

const (
	aDigit need = iota
	mixedCase
	mixedAndDigit
	nothing
	twoDots // A.B.C, as in a JWT
	aQuery  // a URL with other parameters of a signature
)

// forms are the credentials with a mark, from the documentation of their vendors.
var forms = []form{
	// Code hosts and package registries.
	{kind: "github-token", marks: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, chars: alnum, least: 36, most: 255},
	{kind: "github-token", marks: []string{"github_pat_"}, chars: word, least: 22, most: 255},
	{kind: "gitlab-token", marks: []string{"glpat-", "gldt-", "glrt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-",
		"glffct-", "glptt-", "glcbt-", "glwt-", "GR1348941"}, chars: dotted, least: 20, most: 320},
	{kind: "bitbucket-token", marks: []string{"ATBB", "ATCTT3"}, chars: urlSafe, least: 28, most: 320, needs: mixedAndDigit},
	{kind: "atlassian-token", marks: []string{"ATATT3"}, chars: urlSafe, least: 40, most: 320},
	{kind: "npm-token", marks: []string{"npm_"}, chars: alnum, least: 36, most: 36},
	{kind: "pypi-token", marks: []string{"pypi-AgE"}, chars: urlSafe, least: 50},
	{kind: "rubygems-token", marks: []string{"rubygems_"}, chars: hex, least: 48, most: 48},
	{kind: "crates-token", marks: []string{"cio"}, chars: alnum, least: 32, most: 32, needs: mixedAndDigit},
	{kind: "nuget-key", marks: []string{"oy2"}, chars: lowerAlnum, least: 43, most: 43},
	{kind: "clojars-token", marks: []string{"CLOJARS_"}, chars: lowerAlnum, least: 60, most: 60},
	{kind: "docker-token", marks: []string{"dckr_pat_", "dckr_oat_"}, chars: urlSafe, least: 24, most: 64},
	{kind: "artifactory-token", marks: []string{"AKCp"}, chars: alnum, least: 60, most: 80},
	{kind: "artifactory-token", marks: []string{"cmVmdGtuO"}, chars: alnum, least: 50, most: 60},
	{kind: "sourcegraph-token", marks: []string{"sgp_", "slk_"}, chars: word, least: 40, most: 64},
	{kind: "circleci-token", marks: []string{"CCIPAT_", "CCIPRJ_"}, chars: word, least: 40, most: 80},
	{kind: "buildkite-token", marks: []string{"bkua_", "bkat_"}, chars: hex, least: 40, most: 40},
	{kind: "codecov-token", marks: []string{"codecov_tok_"}, chars: word, least: 20, most: 60},
	{kind: "sonar-token", marks: []string{"squ_", "sqp_", "sqa_"}, chars: hex, least: 40, most: 40},
	{kind: "harness-key", marks: []string{"pat.", "sat."}, chars: dotted, least: 66, most: 70, needs: twoDots},
	{kind: "octopus-key", marks: []string{"API-"}, chars: upperAlnum, least: 25, most: 36},

	// Clouds and hosting.
	{kind: "aws-key", marks: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, chars: base32, least: 16, most: 16, needs: nothing},
	{kind: "aws-bedrock-key", marks: []string{"ABSK"}, chars: base64Set, least: 109, most: 272},
	{kind: "aws-mws-key", marks: []string{"amzn.mws."}, chars: hexDash, least: 36, most: 36},
	{kind: "google-key", marks: []string{"AIza"}, chars: urlSafe, least: 35, most: 35},
	{kind: "google-secret", marks: []string{"GOCSPX-"}, chars: urlSafe, least: 20, most: 40},
	{kind: "google-token", marks: []string{"ya29."}, chars: dotted, least: 20, most: 2048},
	{kind: "google-token", marks: []string{"1//0"}, chars: urlSafe, least: 40, most: 160, needs: mixedAndDigit},
	{kind: "firebase-key", marks: []string{":APA91b"}, chars: urlSafe, least: 100, most: 200, before: urlSafe, leastBy: 7},
	{kind: "azure-key", marks: []string{"AccountKey=", "SharedAccessKey=", "SharedSecretValue="}, chars: base64Set, least: 40,
		most: 96},
	{kind: "azure-key", marks: []string{"AZDO", "AzSe", "AzFu", "ACDb", "AzCa", "+ASt", "+AMC"}, chars: base64Set, least: 4,
		most: 10, before: base64Set, leastBy: 42, needs: nothing},
	{kind: "azure-signature", marks: []string{"sig="}, chars: percent, least: 40, most: 70, needs: aQuery},
	{kind: "azure-secret", marks: []string{"8Q~", "7Q~", "6Q~", "9Q~"}, chars: tilde, least: 31, most: 34, before: tilde,
		leastBy: 3},
	{kind: "alibaba-key", marks: []string{"LTAI"}, chars: alnum, least: 12, most: 22, needs: mixedAndDigit},
	{kind: "tencent-key", marks: []string{"AKID"}, chars: alnum, least: 32, most: 40},
	{kind: "digitalocean-token", marks: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, chars: hex, least: 64, most: 64},
	{kind: "heroku-key", marks: []string{"HRKU-"}, chars: urlSafe, least: 36, most: 64},
	{kind: "fly-token", marks: []string{"fo1_"}, chars: urlSafe, least: 43, most: 43},
	{kind: "fly-token", marks: []string{"fm1a_", "fm1r_", "fm2_"}, chars: base64Set, least: 100},
	{kind: "cloudflare-key", marks: []string{"v1.0-"}, chars: hexDash, least: 171, most: 171},
	{kind: "vercel-token", marks: []string{"vcp_", "vci_", "vca_", "vcr_", "vck_"}, chars: alnum, least: 40, most: 80},
	{kind: "netlify-token", marks: []string{"nfp_", "nfc_", "nfo_", "nfu_"}, chars: alnum, least: 36, most: 60},
	{kind: "render-key", marks: []string{"rnd_"}, chars: alnum, least: 26, most: 48},
	{kind: "scaleway-key", marks: []string{"SCW"}, chars: upperAlnum, least: 17, most: 17},
	{kind: "yandex-key", marks: []string{"AQVN", "YCAJ", "YCPJ"}, chars: urlSafe, least: 20, most: 40, needs: mixedAndDigit},
	{kind: "supabase-key", marks: []string{"sbp_", "sb_secret_"}, chars: urlSafe, least: 30, most: 80},
	{kind: "neon-key", marks: []string{"napi_"}, chars: alnum, least: 40, most: 80},
	{kind: "planetscale-token", marks: []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, chars: dotted, least: 32,
		most: 64},
	{kind: "mongodb-secret", marks: []string{"mdb_sa_sk_"}, chars: urlSafe, least: 30, most: 64},
	{kind: "databricks-token", marks: []string{"dapi"}, chars: hexDash, least: 32, most: 34},
	{kind: "openshift-token", marks: []string{"sha256~"}, chars: urlSafe, least: 43, most: 43},
	{kind: "pulumi-token", marks: []string{"pul-"}, chars: hex, least: 40, most: 40},
	{kind: "terraform-token", marks: []string{".atlasv1."}, chars: urlSafe, least: 60, most: 70, before: alnum, leastBy: 14},
	{kind: "vault-token", marks: []string{"hvs.", "hvb.", "hvr."}, chars: urlSafe, least: 24, most: 300},
	{kind: "doppler-token", marks: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, chars: dotted,
		least: 40, most: 80},
	{kind: "onepassword-token", marks: []string{"ops_eyJ"}, chars: base64Set, least: 100},
	{kind: "onepassword-key", marks: []string{"A3-"}, chars: upperDash, least: 31, most: 36},
	{kind: "age-key", marks: []string{"AGE-SECRET-KEY-1"}, chars: upperAlnum, least: 58, most: 58},
	{kind: "tailscale-key", marks: []string{"tskey-auth-", "tskey-api-", "tskey-client-", "tskey-scim-", "tskey-webhook-"},
		chars: urlSafe, least: 20, most: 80},
	{kind: "infracost-key", marks: []string{"ico-"}, chars: alnum, least: 32, most: 32},
	{kind: "prefect-key", marks: []string{"pnu_"}, chars: alnum, least: 36, most: 36},

	// Models.
	{kind: "anthropic-key", marks: []string{"sk-ant-"}, chars: urlSafe, least: 20},
	{kind: "openrouter-key", marks: []string{"sk-or-"}, chars: urlSafe, least: 20},
	{kind: "openai-key", marks: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, chars: urlSafe, least: 20},
	{kind: "langfuse-key", marks: []string{"sk-lf-"}, chars: hexDash, least: 36, most: 36},
	{kind: "api-key", marks: []string{"sk-"}, chars: alnum, least: 32, most: 128},
	{kind: "groq-key", marks: []string{"gsk_"}, chars: alnum, least: 40, most: 60},
	{kind: "xai-key", marks: []string{"xai-"}, chars: alnum, least: 60, most: 100},
	{kind: "huggingface-token", marks: []string{"hf_", "api_org_"}, chars: alnum, least: 30, most: 40, needs: mixedCase},
	{kind: "together-key", marks: []string{"tgp_v1_"}, chars: urlSafe, least: 30, most: 64},
	{kind: "perplexity-key", marks: []string{"pplx-"}, chars: alnum, least: 40, most: 64},
	{kind: "replicate-token", marks: []string{"r8_"}, chars: alnum, least: 37, most: 40},
	{kind: "fireworks-key", marks: []string{"fw_"}, chars: alnum, least: 22, most: 40, needs: mixedAndDigit},
	{kind: "cerebras-key", marks: []string{"csk-"}, chars: alnum, least: 40, most: 60},
	{kind: "nvidia-key", marks: []string{"nvapi-"}, chars: urlSafe, least: 40, most: 80},
	{kind: "voyage-key", marks: []string{"pa-"}, chars: urlSafe, least: 40, most: 48, needs: mixedAndDigit},
	{kind: "jina-key", marks: []string{"jina_"}, chars: alnum, least: 40, most: 80},
	{kind: "langsmith-key", marks: []string{"lsv2_pt_", "lsv2_sk_"}, chars: word, least: 40, most: 50},
	{kind: "tavily-key", marks: []string{"tvly-"}, chars: urlSafe, least: 28, most: 60},
	{kind: "firecrawl-key", marks: []string{"fc-"}, chars: hex, least: 32, most: 32},
	{kind: "pinecone-key", marks: []string{"pcsk_"}, chars: word, least: 50, most: 90},
	{kind: "wandb-key", marks: []string{"wandb_v1_"}, chars: word, least: 40, most: 100},

	// Payment, mail and messages.
	{kind: "stripe-key", marks: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_"}, chars: alnum,
		least: 16, most: 255},
	{kind: "elevenlabs-key", marks: []string{"sk_"}, chars: hex, least: 48, most: 48},
	{kind: "webhook-secret", marks: []string{"whsec_"}, chars: base64Set, least: 24, most: 96},
	{kind: "square-token", marks: []string{"sq0atp-", "sq0csp-", "EAAAE"}, chars: urlSafe, least: 22, most: 60,
		needs: mixedAndDigit},
	{kind: "paypal-token", marks: []string{"access_token$production$", "access_token$sandbox$"}, chars: dollar, least: 40,
		most: 60},
	{kind: "paddle-key", marks: []string{"pdl_live_apikey_", "pdl_sdbx_apikey_"}, chars: word, least: 40, most: 60},
	{kind: "plaid-token", marks: []string{"access-sandbox-", "access-development-", "access-production-"}, chars: hexDash,
		least: 36, most: 36},
	{kind: "shopify-token", marks: []string{"shpat_", "shpca_", "shppa_", "shpss_", "shptka_"}, chars: hex, least: 32, most: 32},
	{kind: "shippo-token", marks: []string{"shippo_live_", "shippo_test_"}, chars: hex, least: 40, most: 40},
	{kind: "easypost-key", marks: []string{"EZAK", "EZTK"}, chars: alnum, least: 54, most: 54},
	{kind: "duffel-token", marks: []string{"duffel_live_", "duffel_test_"}, chars: urlSafe, least: 43, most: 43},
	{kind: "flutterwave-key", marks: []string{"FLWSECK-", "FLWSECK_TEST-"}, chars: urlSafe, least: 12, most: 40},
	{kind: "slack-token", marks: []string{"xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-",
		"xapp-", "xoxe.xoxb-", "xoxe.xoxp-"}, chars: percent, least: 10},
	{kind: "slack-webhook", marks: []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/",
		"hooks.slack.com/triggers/"}, chars: slash, least: 40, most: 90},
	{kind: "teams-webhook", marks: []string{".webhook.office.com/webhookb2/"}, chars: slashAt, least: 60, most: 260},
	{kind: "discord-webhook", marks: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, chars: slash,
		least: 60, most: 110},
	{kind: "telegram-token", marks: []string{":AA"}, chars: urlSafe, least: 33, most: 33, before: digits, leastBy: 8,
		needs: nothing},
	{kind: "twilio-key", marks: twilio(), chars: hex, least: 31, most: 31},
	{kind: "sendgrid-key", marks: []string{"SG."}, chars: dotted, least: 60, most: 72},
	{kind: "mailgun-key", marks: []string{"key-"}, chars: hex, least: 32, most: 32},
	{kind: "mailchimp-key", marks: []string{"-us"}, chars: digits, least: 1, most: 2, before: hex, leastBy: 32},
	{kind: "brevo-key", marks: []string{"xkeysib-", "xsmtpsib-"}, chars: urlSafe, least: 64, most: 90},
	{kind: "resend-key", marks: []string{"re_"}, chars: word, least: 30, most: 40, needs: mixedAndDigit},
	{kind: "facebook-token", marks: []string{"EAAC", "EAAM", "EAAG", "EAAB"}, chars: alnum, least: 80, needs: mixedAndDigit},
	{kind: "hubspot-token", marks: []string{"pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-"}, chars: hexDash, least: 36, most: 36},
	{kind: "zuplo-key", marks: []string{"zpka_"}, chars: word, least: 30, most: 80},

	// Tools and data.
	{kind: "linear-key", marks: []string{"lin_api_", "lin_oauth_", "lin_wh_"}, chars: alnum, least: 32, most: 80},
	{kind: "notion-token", marks: []string{"ntn_"}, chars: alnum, least: 40, most: 50},
	{kind: "notion-token", marks: []string{"secret_"}, chars: alnum, least: 43, most: 43, needs: mixedAndDigit},
	{kind: "figma-token", marks: []string{"figd_", "figu_"}, chars: urlSafe, least: 36, most: 64},
	{kind: "airtable-token", marks: []string{"pat"}, chars: dotted, least: 79, most: 79},
	{kind: "dropbox-token", marks: []string{"sl."}, chars: dotted, least: 130, needs: mixedAndDigit},
	{kind: "postman-key", marks: []string{"PMAK-"}, chars: hexDash, least: 59, most: 59},
	{kind: "readme-key", marks: []string{"rdme_"}, chars: lowerAlnum, least: 70, most: 70},
	{kind: "typeform-token", marks: []string{"tfp_"}, chars: dotted, least: 40, most: 64},
	{kind: "frameio-token", marks: []string{"fio-u-"}, chars: urlSafe, least: 64, most: 64},
	{kind: "contentful-token", marks: []string{"CFPAT-"}, chars: urlSafe, least: 43, most: 64},
	{kind: "mapbox-token", marks: []string{"sk.eyJ"}, chars: dotted, least: 60, most: 200},
	{kind: "grafana-token", marks: []string{"glc_"}, chars: base64Set, least: 32, most: 400},
	{kind: "grafana-token", marks: []string{"glsa_"}, chars: word, least: 41, most: 41},
	{kind: "grafana-token", marks: []string{"eyJrIjoi"}, chars: base64Set, least: 60, most: 400},
	{kind: "sentry-token", marks: []string{"sntrys_", "sntryu_", "sntrya_"}, chars: base64Word, least: 40, most: 500},
	{kind: "newrelic-key", marks: []string{"NRAK-", "NRII-", "NRRA-", "NRIQ-"}, chars: urlSafe, least: 27, most: 42},
	{kind: "newrelic-key", marks: []string{"NRAL"}, before: hex, leastBy: 36, chars: none, needs: nothing},
	{kind: "dynatrace-token", marks: []string{"dt0c01.", "dt0s01.", "dt0s16."}, chars: dotted, least: 60, most: 100},
	{kind: "honeycomb-key", marks: []string{"hcaik_", "hcamk_", "hcxik_"}, chars: alnum, least: 40, most: 70},
	{kind: "posthog-key", marks: []string{"phx_"}, chars: alnum, least: 36, most: 60},
	{kind: "elastic-key", marks: []string{"essu_"}, chars: base64Set, least: 60, most: 120},
	{kind: "launchdarkly-key", marks: []string{"sdk-", "api-"}, chars: hexDash, least: 36, most: 36},
	{kind: "adobe-secret", marks: []string{"p8e-"}, chars: urlSafe, least: 32, most: 40},
	{kind: "maxmind-key", marks: []string{"_mmk"}, chars: none, before: word, leastBy: 30, needs: nothing},
	{kind: "jwt", marks: []string{"eyJ"}, chars: dotted, least: 40, needs: twoDots},
}

// twilio returns the marks of a Twilio key: SK and the first hexadecimal digit, since a mark has three bytes or more.
func twilio() []string {
	var all []string
	for _, digit := range "0123456789abcdef" {
		all = append(all, "SK"+string(digit))
	}
	return all
}
