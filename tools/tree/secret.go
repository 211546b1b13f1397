package tree

import (
	"path"
	"slices"
	"strings"
)

// secrets are patterns of names of files with credentials, in lower case, with at most one star. A pattern with a slash
// matches the last two parts of a path. Names that match examples are exempt.
var (
	secrets = []string{
		".env", ".env.*", "*.env.local", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
		".npmrc", ".netrc", "_netrc", ".pypirc", ".htpasswd", ".git-credentials", ".pgpass", ".dockercfg",
		".aws/credentials", ".aws/config", ".docker/config.json", ".kube/config", ".azure/*.json", "gcloud/*.json",
		"gcloud/credentials.db",
		"application_default_credentials.json", "service-account*.json", "service_account*.json", "gha-creds-*.json",
		".terraformrc", "terraform.tfstate", "terraform.tfstate.backup", ".vault-token",
	}
	examples = []string{
		".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.*.example", ".env.*.sample",
		"*.pub",
	}
)

// IsSecret reports whether p is named like a file with credentials, in upper or lower case. No tool reads such a file.
func IsSecret(p string) bool { return isSecretIn(path.Dir(p), path.Base(p)) }

// isSecretIn is [IsSecret] for a file in the directory dir.
func isSecretIn(dir, name string) bool {
	dir, name = strings.ToLower(path.Base(dir)), strings.ToLower(name)
	matches := func(n *namePattern) bool { return n.matches(dir, name) }
	return slices.ContainsFunc(secretNames, matches) && !slices.ContainsFunc(exampleNames, matches)
}

// A namePattern is a row of secrets or examples, parsed once: a walk matches every file with all of them.
type namePattern struct {
	dir        string // name of the parent; "": any
	head, tail string // around the star
	star       bool
}

var secretNames, exampleNames = namePatterns(secrets), namePatterns(examples)

func namePatterns(rows []string) []*namePattern {
	all := make([]*namePattern, len(rows))
	for i, row := range rows {
		n := &namePattern{}
		if dir, name, nested := strings.Cut(row, "/"); nested {
			n.dir, row = dir, name
		}
		n.head, n.tail, n.star = strings.Cut(row, "*")
		all[i] = n
	}
	return all
}

func (n *namePattern) matches(dir, name string) bool {
	switch {
	case n.dir != "" && n.dir != dir:
		return false
	case !n.star:
		return name == n.head
	}
	return len(name) >= len(n.head)+len(n.tail) && strings.HasPrefix(name, n.head) && strings.HasSuffix(name, n.tail)
}
