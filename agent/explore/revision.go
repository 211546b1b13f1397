package explore

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// commitHash matches a SHA-1 or SHA-256 commit hash.
var commitHash = lazyregexp.New(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

const maxGitFile = 32 << 20 // bytes read of a file in .git: packed-refs of a large repository

// headOf returns the commit at HEAD of the repository around a directory, or "" outside of one. It reads the files of
// the repository instead of running git, because git runs commands that the repository's configuration names.
func headOf(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for at := abs; ; at = filepath.Dir(at) {
		if git := gitDir(at); git != "" {
			return resolveHead(git)
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// gitDir returns the git directory of a work tree: .git, or the directory that the file .git names.
func gitDir(dir string) string {
	at := filepath.Join(dir, ".git")
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return at
	}
	target, ok := strings.CutPrefix(readSmall(at), "gitdir:")
	if !ok {
		return ""
	}
	return within(dir, strings.TrimSpace(target))
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// resolveHead follows HEAD through symbolic references. A loose reference takes precedence over a packed one.
func resolveHead(git string) string {
	const depth = 5 // like git
	common := git
	if dir := strings.TrimSpace(readSmall(filepath.Join(git, "commondir"))); dir != "" {
		common = within(git, dir)
	}
	value := strings.TrimSpace(readSmall(filepath.Join(git, "HEAD")))
	for range depth {
		ref, symbolic := strings.CutPrefix(value, "ref:")
		ref = strings.TrimSpace(ref)
		switch {
		case !symbolic && commitHash.MatchString(value):
			return value
		case !symbolic || !filepath.IsLocal(ref):
			return ""
		}
		if value = strings.TrimSpace(readSmall(filepath.Join(common, filepath.FromSlash(ref)))); value == "" {
			value = packedRef(readSmall(filepath.Join(common, "packed-refs")), ref)
		}
	}
	return ""
}

// packedRef looks a reference up in the text of packed-refs.
func packedRef(refs, ref string) string {
	for entry := range strings.Lines(refs) {
		if hash, name, ok := strings.Cut(strings.TrimSpace(entry), " "); ok && name == ref {
			return hash
		}
	}
	return ""
}

// readSmall returns the text of a regular file, or "" if it cannot be read.
func readSmall(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	if err != nil {
		return ""
	}
	return string(raw)
}
