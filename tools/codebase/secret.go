package codebase

import (
	"path"
	"strings"
)

// secrets are names of files that hold credentials, as path.Match patterns in lower case: of base names, or of the last
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

// isSecret tells by its name, in any case, whether a file holds credentials.
func isSecret(p string) bool {
	p = strings.ToLower(p)
	base := path.Base(p)
	two := path.Join(path.Base(path.Dir(p)), base)
	any := func(patterns []string) bool {
		for _, pattern := range patterns {
			name := base
			if strings.Contains(pattern, "/") {
				name = two
			}
			if ok, err := path.Match(pattern, name); ok && err == nil {
				return true
			}
		}
		return false
	}
	return any(secrets) && !any(examples)
}
