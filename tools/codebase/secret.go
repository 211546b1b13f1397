package codebase

import (
	"path"
	"slices"
	"strings"
)

// secrets are names of files that hold credentials, with at most one star, in lower case: of base names, or of the last
// two parts of a path where they have a slash. examples are exempt.
var (
	secrets = []string{
		".env", ".env.*", "*.env.local", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
		".npmrc", ".netrc", "_netrc", ".pypirc", ".htpasswd", ".git-credentials", ".pgpass", ".dockercfg",
		".aws/credentials", ".aws/config", ".docker/config.json", ".kube/config", ".azure/*.json", "gcloud/*.json", "gcloud/credentials.db",
		"application_default_credentials.json", "service-account*.json", "service_account*.json", "gha-creds-*.json",
		".terraformrc", "terraform.tfstate", "terraform.tfstate.backup", ".vault-token",
	}
	examples = []string{
		".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.*.example", ".env.*.sample", "*.pub",
	}
)

// IsSecret tells by its name, in any case, whether the file at a path holds credentials: the tools do not read it.
func IsSecret(p string) bool { return isSecret(p) }

// isSecret tells by its name, in any case, whether a file holds credentials.
func isSecret(p string) bool {
	p = strings.ToLower(p)
	base := p[strings.LastIndexByte(p, '/')+1:]
	parent := path.Base(path.Dir(p))
	matches := func(pattern string) bool {
		dir, name, nested := strings.Cut(pattern, "/")
		if !nested {
			return like(pattern, base)
		}
		return dir == parent && like(name, base)
	}
	return slices.ContainsFunc(secrets, matches) && !slices.ContainsFunc(examples, matches)
}

// like matches a name with a pattern that has at most one star.
func like(pattern, name string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return name == pattern
	}
	return len(name) >= len(head)+len(tail) && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail)
}
