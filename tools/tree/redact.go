package tree

import (
	"bytes"
	"regexp"
)

// A credential describes a kind of credential by the form that its provider documents: a unique prefix and a length,
// which rarely match anything else.
type credential struct {
	name  string
	hints []string // every match contains one
	back  int      // how many bytes before the hint a match may begin
	block bool     // the match opens a block of lines that ends with -----END
	re    *regexp.Regexp
}

var credentials = []credential{
	{name: "private-key", hints: []string{"PRIVATE KEY"}, back: 60, block: true,
		re: regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)},
	{name: "aws-key", hints: []string{"AKIA", "ASIA"}, re: regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`)},
	{name: "github-token", hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		re: regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})`)},
	{name: "gitlab-token", hints: []string{"glpat-"}, re: regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{name: "api-key", hints: []string{"sk-"},
		re: regexp.MustCompile(`\bsk-(?:(?:proj|ant|or|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})`)},
	{name: "stripe-key", hints: []string{"k_live_"}, back: 1, re: regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{20,}`)},
	{name: "slack-token", hints: []string{"xox"}, re: regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{name: "google-key", hints: []string{"AIza"}, re: regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
	{name: "npm-token", hints: []string{"npm_"}, re: regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{name: "pypi-token", hints: []string{"pypi-AgEI"}, re: regexp.MustCompile(`\bpypi-AgEI[A-Za-z0-9_-]{50,}`)},
	{name: "jwt", hints: []string{"eyJ"},
		re: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
}

// Redact is the function [Redact], unless the options allow secrets.
func (t *Tree) Redact(data []byte) []byte {
	if t.o.AllowSecrets {
		return data
	}
	return Redact(data)
}

// Redact replaces credentials with [redacted:type], and keeps newlines. It returns data itself if it finds none.
func Redact(data []byte) []byte {
	for i := range credentials {
		for _, hint := range credentials[i].hints {
			data = credentials[i].replace(data, []byte(hint))
		}
	}
	return data
}

// Shown returns the text of c, redacted unless the options allow secrets. It redacts a cached file once.
func (t *Tree) Shown(c Content) []byte {
	if t.o.AllowSecrets || c.kept == nil {
		return t.Redact(c.Data)
	}
	if p := c.kept.shown.Load(); p != nil {
		return *p
	}
	data := t.Redact(c.Data)
	c.kept.shown.Store(&data)
	return data
}

// minCredential is shorter than any credential on one line, in bytes.
const minCredential = 15

// Suspect reports whether line may hold a credential on one line. [Content.HasKey] finds keys of several lines.
func (t *Tree) Suspect(line []byte) bool {
	if t.o.AllowSecrets || len(line) < minCredential {
		return false
	}
	for i := range credentials {
		for _, hint := range credentials[i].hints {
			if bytes.Contains(line, []byte(hint)) {
				return true
			}
		}
	}
	return false
}

// HasKey reports whether c may contain a private key of several lines.
func (c Content) HasKey() bool { return bytes.Contains(c.Data, []byte(credentials[0].hints[0])) }

// reach is how far past a hint the regexp searches, in bytes.
const reach = 8 << 10

// replace runs the regexp only at hints: over the whole text it would cost more than a search.
func (k *credential) replace(data, hint []byte) []byte {
	var out []byte
	done := 0
	for at := 0; ; {
		i := bytes.Index(data[at:], hint)
		if i < 0 {
			break
		}
		from, to := max(done, at+i-k.back-1), min(len(data), at+i+reach)
		loc := k.re.FindIndex(data[from:to])
		if loc == nil || from+loc[0] > at+i {
			at += i + len(hint)
			continue
		}
		end := from + loc[1]
		if k.block {
			end += blockEnd(data[end:])
		}
		out = append(out, data[done:from+loc[0]]...)
		out = append(out, k.mask(data[from+loc[0]:end])...)
		at, done = end, end
	}
	if done == 0 {
		return data
	}
	return append(out, data[done:]...)
}

// blockEnd returns the length of a block through its -----END line, or of all data without one.
func blockEnd(data []byte) int {
	i := bytes.Index(data, []byte("-----END "))
	if i < 0 {
		return len(data)
	}
	if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(data)
}

// mask returns the replacement of a credential: one mark for each of its lines.
func (k *credential) mask(found []byte) []byte {
	mark := []byte("[redacted:" + k.name + "]")
	lines := bytes.Count(found, []byte("\n"))
	return append(bytes.Repeat(append(bytes.Clone(mark), '\n'), lines), mark...)
}
