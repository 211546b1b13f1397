package tree

import (
	"bytes"
	"regexp"
)

// A credential is a form of credential that is recognised with high confidence: by a prefix that nothing else has, and a
// length. Sources: the providers' own documentation of their token formats.
type credential struct {
	name  string
	hints []string // one of them occurs in every match
	back  int      // how far before the hint a match may begin, in bytes
	block bool     // the match opens a block of lines, which ends with a line -----END
	re    *regexp.Regexp
}

var credentials = []credential{
	{"private-key", []string{"PRIVATE KEY"}, 60, true, regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)},
	{"aws-key", []string{"AKIA", "ASIA"}, 0, false, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`)},
	{"github-token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, 0, false, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})`)},
	{"gitlab-token", []string{"glpat-"}, 0, false, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"api-key", []string{"sk-"}, 0, false, regexp.MustCompile(`\bsk-(?:(?:proj|ant|or|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})`)},
	{"stripe-key", []string{"k_live_"}, 1, false, regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{20,}`)},
	{"slack-token", []string{"xox"}, 0, false, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"google-key", []string{"AIza"}, 0, false, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
	{"npm-token", []string{"npm_"}, 0, false, regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"pypi-token", []string{"pypi-AgEI"}, 0, false, regexp.MustCompile(`\bpypi-AgEI[A-Za-z0-9_-]{50,}`)},
	{"jwt", []string{"eyJ"}, 0, false, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
}

// Redact is [Redact], where the options do not allow secrets.
func (t *Tree) Redact(data []byte) []byte {
	if t.o.AllowSecrets {
		return data
	}
	return Redact(data)
}

// Redact replaces credentials by [redacted:name]. Newlines stay, so that lines keep their numbers. It returns data itself
// when there is nothing to replace.
func Redact(data []byte) []byte {
	for i := range credentials {
		for _, hint := range credentials[i].hints {
			data = credentials[i].replace(data, []byte(hint))
		}
	}
	return data
}

// Shown is the content as it may be shown: redacted. For a file in memory that is found out once.
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

// minCredential is less than the length of any credential on one line, in bytes.
const minCredential = 15

// Suspect reports whether line may hold a credential that [Tree.Shown] redacts. A key of several lines is found by
// [Content.HasKey] instead.
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

// HasKey reports whether a private key of several lines may be in c.
func (c Content) HasKey() bool { return bytes.Contains(c.Data, []byte(credentials[0].hints[0])) }

// reach is how far behind a hint the regexp looks, in bytes.
const reach = 8 << 10

// replace looks only at the places of a hint: the regexp over the whole text would cost more than the search.
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
		out = append(out, k.cover(data[from+loc[0]:end])...)
		at, done = end, end
	}
	if done == 0 {
		return data
	}
	return append(out, data[done:]...)
}

// blockEnd is the length of a block up to the end of its -----END line, or of all the rest when it has none.
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

// cover stands for a credential, on each line that it takes.
func (k *credential) cover(found []byte) []byte {
	mark := []byte("[redacted:" + k.name + "]")
	lines := bytes.Count(found, []byte("\n"))
	return append(bytes.Repeat(append(bytes.Clone(mark), '\n'), lines), mark...)
}
