package secret

import (
	"path"
	"strings"
	"testing"
)

// TestFile has a name for each row of the tables, made of the row, and the names that the rows must not reach.
func TestFile(t *testing.T) {
	for _, list := range [][]string{keyFiles, loginFiles, environmentFiles} {
		for _, row := range list {
			name := strings.ReplaceAll(row, "*", "x1")
			for _, p := range []string{name, "a/b/" + name, strings.ToUpper(name), name + ".bak", name + "~", "./" + name} {
				if !File(path.Dir(p), path.Base(p)) {
					t.Errorf("%s is read (row %s)", p, row)
				}
			}
		}
	}
	for _, p := range strings.Fields(`
		prod.env .env .env.local .env.production config/.env docker.env .ENV secrets.yaml secrets.yml k8s/secret.yaml
		app-secrets.json prod.secrets.toml credentials.json credentials terraform.tfvars prod.auto.tfvars kubeconfig
		.envrc .cargo/credentials.toml .config/gh/hosts.yml .my.cnf key.pem.bak server.key.old cert.p8 secrets/db_password
		secrets/db.txt run/secrets/token client_secret_1.apps.json id_rsa Id_Rsa id_ed25519 deploy_rsa .ssh/id_work .npmrc .dev.vars
		terraform.tfstate.backup vault_pass.txt .git-credentials ~/.netrc wp-config.php prod.env.bak .env~ .env.swp
		config/master.key .docker/config.json .kube/config .azure/token.json my-service-account.json SECRETS.YAML`) {
		if !File(path.Dir(p), path.Base(p)) {
			t.Errorf("%s is read", p)
		}
	}
	for _, p := range strings.Fields(`
		main.go env.go secrets.go secrets.py secret.ts credentials.go credentials.py tokens.json token.go keys.go key.go
		.env.example .env.sample .env.template env.example terraform.tfvars.example id_rsa.pub README.md secrets.md
		docs/secrets/index.md secrets/README charts/app/templates/secret.yaml environment.yml env.py env.d.ts wp-config-sample.php
		config.json config.yaml package.json docker-compose.yml values.yaml settings.xml gradle.properties config go.sum
		auth.json hosts.yml locales/en/auth.json clouds.tf password.go password_reset.html passwords.py access_token.rb
		private_key.go api_key.rb .gitignore .travis.yml keyboard.json monkey.yaml secretary.yaml tokenizer.json api.env.go`) {
		if File(path.Dir(p), path.Base(p)) {
			t.Errorf("%s is not read", p)
		}
	}
}
