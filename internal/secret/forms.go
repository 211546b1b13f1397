package secret

// A form is a kind of credential that its vendor marks with a literal: a prefix, or a part between two others.
type form struct {
	kind    string // for the mask
	marks   string // every match contains one of these words, of three bytes or more
	chars   *set   // after the mark
	least   int    // characters after the mark
	most    int    // of them; 0: as many as follow
	needs   need   // of them, beyond the form
	before  *set   // characters before the mark that belong to the credential; nil: none
	leastBy int    // characters before the mark
}

// A need is what the characters after a mark must show, so that a word or an identifier is no credential.
type need int

const (
	aDigit need = iota
	mixedCase
	mixedAndDigit
	nothing
	twoDots // A.B.C, as in a JWT
	claims  // A.B.C, or A.B of a JWT without a signature
	aQuery  // a URL with other parameters of a signature
)

// forms are the credentials with a mark, from the documentation of their vendors.
var forms = []form{
	// Code hosts and package registries.
	{"github-token", "ghp_ gho_ ghu_ ghs_ ghr_", alnum, 36, 255, aDigit, nil, 0},
	{"github-token", "github_pat_", word, 22, 255, aDigit, nil, 0},
	{"gitlab-token", "glpat- gldt- glrt- glft- glimt- glagent- gloas- glsoat- glffct- glptt- glcbt- glwt- GR1348941",
		dotted, 20, 320, aDigit, nil, 0},
	{"bitbucket-token", "ATBB ATCTT3", urlSafe, 28, 320, mixedAndDigit, nil, 0},
	{"atlassian-token", "ATATT3", urlSafe, 40, 320, aDigit, nil, 0},
	{"npm-token", "npm_", alnum, 36, 36, aDigit, nil, 0},
	{"pypi-token", "pypi-AgE", urlSafe, 50, 0, aDigit, nil, 0},
	{"rubygems-token", "rubygems_", hex, 48, 48, aDigit, nil, 0},
	{"crates-token", "cio", alnum, 32, 32, mixedAndDigit, nil, 0},
	{"nuget-key", "oy2", lowerAlnum, 43, 43, aDigit, nil, 0},
	{"clojars-token", "CLOJARS_", lowerAlnum, 60, 60, aDigit, nil, 0},
	{"docker-token", "dckr_pat_ dckr_oat_", urlSafe, 24, 64, aDigit, nil, 0},
	{"artifactory-token", "AKCp", alnum, 60, 80, aDigit, nil, 0},
	{"artifactory-token", "cmVmdGtuO", alnum, 50, 60, aDigit, nil, 0},
	{"sourcegraph-token", "sgp_ slk_", word, 40, 64, aDigit, nil, 0},
	{"circleci-token", "CCIPAT_ CCIPRJ_", word, 40, 80, aDigit, nil, 0},
	{"buildkite-token", "bkua_ bkat_", hex, 40, 40, aDigit, nil, 0},
	{"sonar-token", "squ_ sqp_ sqa_", hex, 40, 40, aDigit, nil, 0},
	{"harness-key", "pat. sat.", dotted, 66, 70, twoDots, nil, 0},
	{"octopus-key", "API-", upperAlnum, 25, 36, aDigit, nil, 0},

	// Clouds and hosting.
	{"aws-key", "AKIA ASIA ABIA ACCA", base32, 16, 16, nothing, nil, 0},
	{"aws-bedrock-key", "ABSK", base64Set, 109, 272, aDigit, nil, 0},
	{"aws-mws-key", "amzn.mws.", hexDash, 36, 36, aDigit, nil, 0},
	{"google-key", "AIza", urlSafe, 35, 35, aDigit, nil, 0},
	{"google-secret", "GOCSPX-", urlSafe, 20, 40, aDigit, nil, 0},
	{"google-token", "ya29.", dotted, 20, 2048, aDigit, nil, 0},
	{"google-token", "1//0", urlSafe, 40, 160, mixedAndDigit, nil, 0},
	{kind: "firebase-key", marks: ":APA91b", before: urlSafe, leastBy: 7, chars: urlSafe, least: 100, most: 200},
	{"azure-key", "AccountKey= SharedAccessKey= SharedSecretValue=", base64Set, 40, 96, aDigit, nil, 0},
	{kind: "azure-key", marks: "AZDO AzSe AzFu ACDb AzCa +ASt +AMC",
		before: base64Set, leastBy: 42, chars: base64Set, least: 4, most: 10, needs: nothing},
	{"azure-signature", "sig=", percent, 40, 70, aQuery, nil, 0},
	{kind: "azure-secret", marks: "8Q~ 7Q~ 6Q~ 9Q~", before: tilde, leastBy: 3, chars: tilde, least: 31, most: 34},
	{"alibaba-key", "LTAI", alnum, 12, 22, mixedAndDigit, nil, 0},
	{"tencent-key", "AKID", alnum, 32, 40, aDigit, nil, 0},
	{"digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", hex, 64, 64, aDigit, nil, 0},
	{"heroku-key", "HRKU-", urlSafe, 36, 64, aDigit, nil, 0},
	{"fly-token", "fo1_", urlSafe, 43, 43, aDigit, nil, 0},
	{"fly-token", "fm1a_ fm1r_ fm2_", base64Set, 100, 0, aDigit, nil, 0},
	{"cloudflare-key", "v1.0-", hexDash, 171, 171, aDigit, nil, 0},
	{"vercel-token", "vcp_ vci_ vca_ vcr_ vck_", alnum, 40, 80, aDigit, nil, 0},
	{"netlify-token", "nfp_ nfc_ nfo_ nfu_", alnum, 36, 60, aDigit, nil, 0},
	{"render-key", "rnd_", alnum, 26, 48, aDigit, nil, 0},
	{"scaleway-key", "SCW", upperAlnum, 17, 17, aDigit, nil, 0},
	{"yandex-key", "AQVN YCAJ YCPJ", urlSafe, 20, 40, mixedAndDigit, nil, 0},
	{"supabase-key", "sbp_ sb_secret_", urlSafe, 30, 80, aDigit, nil, 0},
	{"neon-key", "napi_", alnum, 40, 80, aDigit, nil, 0},
	{"planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", dotted, 32, 64, aDigit, nil, 0},
	{"mongodb-secret", "mdb_sa_sk_", urlSafe, 30, 64, aDigit, nil, 0},
	{"databricks-token", "dapi", hexDash, 32, 34, aDigit, nil, 0},
	{"openshift-token", "sha256~", urlSafe, 43, 43, aDigit, nil, 0},
	{"pulumi-token", "pul-", hex, 40, 40, aDigit, nil, 0},
	{kind: "terraform-token", marks: ".atlasv1.", before: alnum, leastBy: 14, chars: urlSafe, least: 60, most: 70},
	{"vault-token", "hvs. hvb. hvr.", urlSafe, 24, 300, aDigit, nil, 0},
	{"doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", dotted, 40, 80, aDigit, nil, 0},
	{"onepassword-token", "ops_eyJ", base64Set, 100, 0, aDigit, nil, 0},
	{"onepassword-key", "A3-", upperDash, 31, 36, aDigit, nil, 0},
	{"age-key", "AGE-SECRET-KEY-1", upperAlnum, 58, 58, aDigit, nil, 0},
	{"tailscale-key",
		"tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-", urlSafe, 20, 80, aDigit, nil, 0},
	{"infracost-key", "ico-", alnum, 32, 32, aDigit, nil, 0},
	{"prefect-key", "pnu_", alnum, 36, 36, aDigit, nil, 0},

	// Models.
	{"anthropic-key", "sk-ant-", urlSafe, 20, 0, aDigit, nil, 0},
	{"openrouter-key", "sk-or-", urlSafe, 20, 0, aDigit, nil, 0},
	{"openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", urlSafe, 20, 0, aDigit, nil, 0},
	{"langfuse-key", "sk-lf-", hexDash, 36, 36, aDigit, nil, 0},
	{"api-key", "sk-", alnum, 32, 128, aDigit, nil, 0},
	{"groq-key", "gsk_", alnum, 40, 60, aDigit, nil, 0},
	{"xai-key", "xai-", alnum, 60, 100, aDigit, nil, 0},
	{"huggingface-token", "hf_ api_org_", alnum, 30, 40, mixedCase, nil, 0},
	{"together-key", "tgp_v1_", urlSafe, 30, 64, aDigit, nil, 0},
	{"perplexity-key", "pplx-", alnum, 40, 64, aDigit, nil, 0},
	{"replicate-token", "r8_", alnum, 37, 40, aDigit, nil, 0},
	{"fireworks-key", "fw_", alnum, 22, 40, mixedAndDigit, nil, 0},
	{"cerebras-key", "csk-", alnum, 40, 60, aDigit, nil, 0},
	{"nvidia-key", "nvapi-", urlSafe, 40, 80, aDigit, nil, 0},
	{"voyage-key", "pa-", urlSafe, 40, 48, mixedAndDigit, nil, 0},
	{"jina-key", "jina_", alnum, 40, 80, aDigit, nil, 0},
	{"langsmith-key", "lsv2_pt_ lsv2_sk_", word, 40, 50, aDigit, nil, 0},
	{"tavily-key", "tvly-", urlSafe, 28, 60, aDigit, nil, 0},
	{"firecrawl-key", "fc-", hex, 32, 32, aDigit, nil, 0},
	{"pinecone-key", "pcsk_", word, 50, 90, aDigit, nil, 0},
	{"wandb-key", "wandb_v1_", word, 40, 100, aDigit, nil, 0},

	// Payment, mail and messages.
	{"stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_", alnum, 16, 255, aDigit, nil, 0},
	{"elevenlabs-key", "sk_", hex, 48, 48, aDigit, nil, 0},
	{"webhook-secret", "whsec_", base64Set, 24, 96, aDigit, nil, 0},
	{"square-token", "sq0atp- sq0csp- EAAA", urlSafe, 22, 64, mixedAndDigit, nil, 0},
	{"paypal-token", "access_token$production$ access_token$sandbox$", dollar, 40, 60, aDigit, nil, 0},
	{"paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", word, 40, 60, aDigit, nil, 0},
	{"plaid-token", "access-sandbox- access-development- access-production-", hexDash, 36, 36, aDigit, nil, 0},
	{"shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", hex, 32, 32, aDigit, nil, 0},
	{"shippo-token", "shippo_live_ shippo_test_", hex, 40, 40, aDigit, nil, 0},
	{"easypost-key", "EZAK EZTK", alnum, 54, 54, aDigit, nil, 0},
	{"duffel-token", "duffel_live_ duffel_test_", urlSafe, 43, 43, aDigit, nil, 0},
	{"flutterwave-key", "FLWSECK- FLWSECK_TEST-", urlSafe, 12, 40, aDigit, nil, 0},
	{"slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp- xoxe.xoxb- xoxe.xoxp-",
		percent, 10, 0, aDigit, nil, 0},
	{"slack-webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
		slash, 40, 90, aDigit, nil, 0},
	{"teams-webhook", ".webhook.office.com/webhookb2/", slashAt, 60, 260, aDigit, nil, 0},
	{"discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", slash, 60, 110, aDigit, nil, 0},
	{kind: "telegram-token", marks: ":AA",
		before: digits, leastBy: 8, chars: urlSafe, least: 33, most: 33, needs: nothing},
	{"twilio-key", "SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf", hex, 31, 31, aDigit, nil, 0},
	{"sendgrid-key", "SG.", dotted, 60, 72, aDigit, nil, 0},
	{"mailgun-key", "key-", hex, 32, 32, aDigit, nil, 0},
	{kind: "mailchimp-key", marks: "-us", before: hex, leastBy: 32, chars: digits, least: 1, most: 2},
	{"brevo-key", "xkeysib- xsmtpsib-", urlSafe, 64, 90, aDigit, nil, 0},
	{"resend-key", "re_", word, 30, 40, mixedAndDigit, nil, 0},
	{"facebook-token", "EAAC EAAM EAAG EAAB", alnum, 80, 0, mixedAndDigit, nil, 0},
	{"hubspot-token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", hexDash, 36, 36, aDigit, nil, 0},
	{"zuplo-key", "zpka_", word, 30, 80, aDigit, nil, 0},

	// Tools and data.
	{"linear-key", "lin_api_ lin_oauth_ lin_wh_", alnum, 32, 80, aDigit, nil, 0},
	{"notion-token", "ntn_", alnum, 40, 50, aDigit, nil, 0},
	{"notion-token", "secret_", alnum, 43, 43, mixedAndDigit, nil, 0},
	{"figma-token", "figd_ figu_", urlSafe, 36, 64, aDigit, nil, 0},
	{"airtable-token", "pat", dotted, 79, 79, aDigit, nil, 0},
	{"dropbox-token", "sl.", dotted, 130, 0, mixedAndDigit, nil, 0},
	{"postman-key", "PMAK-", hexDash, 59, 59, aDigit, nil, 0},
	{"readme-key", "rdme_", lowerAlnum, 70, 70, aDigit, nil, 0},
	{"typeform-token", "tfp_", dotted, 40, 64, aDigit, nil, 0},
	{"frameio-token", "fio-u-", urlSafe, 64, 64, aDigit, nil, 0},
	{"contentful-token", "CFPAT-", urlSafe, 43, 64, aDigit, nil, 0},
	{"mapbox-token", "sk.eyJ", dotted, 60, 200, aDigit, nil, 0},
	{"grafana-token", "glc_", base64Set, 32, 400, aDigit, nil, 0},
	{"grafana-token", "glsa_", word, 41, 41, aDigit, nil, 0},
	{"grafana-token", "eyJrIjoi", base64Set, 60, 400, aDigit, nil, 0},
	{"sentry-token", "sntrys_ sntryu_ sntrya_", base64Word, 40, 500, aDigit, nil, 0},
	{"newrelic-key", "NRAK- NRII- NRRA- NRIQ-", urlSafe, 27, 42, aDigit, nil, 0},
	{kind: "newrelic-key", marks: "NRAL", before: hex, leastBy: 36, chars: none, needs: nothing},
	{"dynatrace-token", "dt0c01. dt0s01. dt0s16.", dotted, 60, 100, aDigit, nil, 0},
	{"honeycomb-key", "hcaik_ hcamk_ hcxik_", alnum, 40, 70, aDigit, nil, 0},
	{"posthog-key", "phx_", alnum, 36, 60, aDigit, nil, 0},
	{"elastic-key", "essu_", base64Set, 60, 120, aDigit, nil, 0},
	{"launchdarkly-key", "sdk- api-", hexDash, 36, 36, aDigit, nil, 0},
	{"adobe-secret", "p8e-", urlSafe, 32, 40, aDigit, nil, 0},
	{kind: "maxmind-key", marks: "_mmk", before: word, leastBy: 30, chars: none, needs: nothing},
	{"jwt", "eyJ", dotted, 40, 0, claims, nil, 0},
}
