package codebase

import (
	"bytes"
	"regexp"
)

// A credential is a form of credential that is recognised with high confidence: by a prefix that nothing else has, and a
// length. Sources: the providers' own documentation of their token formats.
type credential struct {
	name  string
	hints []string // one of them occurs in every match
	re    *regexp.Regexp
}

var credentials = []credential{
	{"private-key", []string{"PRIVATE KEY"}, regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z)`)},
	{"aws-key", []string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`)},
	{"github-token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})`)},
	{"gitlab-token", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"api-key", []string{"sk-"}, regexp.MustCompile(`\bsk-(?:(?:proj|ant|or|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})`)},
	{"stripe-key", []string{"k_live_"}, regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{20,}`)},
	{"slack-token", []string{"xox"}, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"google-key", []string{"AIza"}, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
	{"npm-token", []string{"npm_"}, regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"pypi-token", []string{"pypi-AgEI"}, regexp.MustCompile(`\bpypi-AgEI[A-Za-z0-9_-]{50,}`)},
	{"jwt", []string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
}

// redact replaces tokens by [redacted:name]. Newlines stay, so that lines keep their numbers. It returns data itself
// when there is nothing to replace.
func (t *tree) redact(data []byte) []byte {
	if t.o.AllowSecrets {
		return data
	}
	for _, k := range credentials {
		if !k.occurs(data) {
			continue
		}
		data = k.re.ReplaceAllFunc(data, func(m []byte) []byte {
			lines := bytes.Split(m, []byte("\n"))
			for i := range lines {
				lines[i] = []byte("[redacted:" + k.name + "]")
			}
			return bytes.Join(lines, []byte("\n"))
		})
	}
	return data
}

func (k *credential) occurs(data []byte) bool {
	for _, h := range k.hints {
		if bytes.Contains(data, []byte(h)) {
			return true
		}
	}
	return false
}
