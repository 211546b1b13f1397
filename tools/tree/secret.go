package tree

import (
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/secret"
	"github.com/forayhq/foray/tools"
)

// Allowed are patterns of the files whose secrets are shown: they are read although they are named like files with
// credentials, and nothing in them is redacted. A pattern without a slash matches a name, one with a slash the path
// from the root, as in a .gitignore. "**" allows every file, and texts that are not from a file, as commit messages.
type Allowed []string

// IsSecret reports whether the file p is named like one with credentials, in upper or lower case, and is not allowed.
// No tool reads such a file.
func (a Allowed) IsSecret(p string) bool {
	return secret.File(path.Dir(p), path.Base(p)) && !a.shows(p)
}

// Refuse returns the [tools.Problem] of a file that [Allowed.IsSecret], else nil.
func (a Allowed) Refuse(p string) error {
	if !a.IsSecret(p) {
		return nil
	}
	shown := line.Path(p)
	return tools.Problemf("secret",
		"an example file, or the code that reads it; only the user can allow the file, with --allow-secret "+shown,
		"%s has the name of a file with credentials and is not read", shown)
}

// Redact replaces the credentials in data, a text of the file p, with [redacted:type], and keeps newlines. It returns
// data itself if it finds none, or if p is allowed. The path of a text that is not from a file is "".
func (a Allowed) Redact(p string, data []byte) []byte {
	if a.shows(p) {
		return data
	}
	return secret.Mask(data)
}

// shows reports whether the secrets of the file p are shown.
func (a Allowed) shows(p string) bool {
	return slices.ContainsFunc(a, func(pattern string) bool {
		if pattern == "**" {
			return true
		}
		if !strings.Contains(pattern, "/") {
			return p != "" && wildmatch(pattern, path.Base(p))
		}
		return wildmatch(strings.TrimPrefix(strings.TrimPrefix(pattern, "."), "/"), p)
	})
}

// Redact is [Allowed.Redact] with the options of the tree.
func (t *Tree) Redact(p string, data []byte) []byte { return t.o.AllowSecret.Redact(p, data) }

// Shown returns the text of c, redacted unless its file is allowed. It redacts a cached file once.
func (t *Tree) Shown(c Content) []byte {
	if c.kept == nil {
		return t.Redact(c.path, c.Data)
	}
	if p := c.kept.shown.Load(); p != nil {
		return *p
	}
	data := t.Redact(c.path, c.Data)
	c.kept.shown.Store(&data)
	return data
}

// Suspect reports whether line, from the file p, holds a credential that is not allowed. [Content.Spans] finds one that
// spans lines.
func (t *Tree) Suspect(p string, line []byte) bool {
	return secret.In(line) && !t.o.AllowSecret.shows(p)
}

// Spans reports whether c may contain a credential that cannot be recognised by one of its lines alone.
func (c Content) Spans() bool { return secret.Spans(c.Data) }
