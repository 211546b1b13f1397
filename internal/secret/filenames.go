package secret

import "strings"

// keyFiles are patterns of names that hold a key or a password for sure, even in an example. A pattern is in lower
// case, has at most two stars, and with a slash also names the directory.
var keyFiles = strings.Fields(`
	*.pem *.key *.p12 *.pfx *.p8 *.pk8 *.jks *.keystore *.bks *.ppk *.kdb *.kdbx *.keytab *.psafe3
	*.agilekeychain *.keychain *.keychain-db *.ovpn *.pkcs12 *.priv *.private *.gpgkey *.pgpkey *.secring
	secring.* *.1pif id_rsa id_dsa id_ecdsa id_ed25519 id_ed448 id_rsa.* id_rsa_* id_dsa.* id_ecdsa.* id_ecdsa_*
	id_ed25519.* id_ed25519_* *_rsa *_dsa *_ecdsa *_ed25519 identity.ssh ssh_host_* .ssh/id_*
	private-keys-v1.d/* .gnupg/* wallet.dat logins.json key3.db key4.db deploy_key deploy-key *_deploy_key
	private.asc *_master_key sops-age-key.* .age/keys.txt .age/key.txt *.jceks *_private_key.* *-private-key.*
	*-private.asc *_private.txt keyrings/* .password-store/* jwk.json *_jwk.json *-jwk.json`)

// loginFiles are patterns of names that hold the credentials of a person or a machine.
var loginFiles = strings.Fields(`
	.netrc _netrc .git-credentials .gitcredentials git/credentials .npmrc .pypirc .htpasswd htpasswd .htdigest
	.pgpass pgpass.conf .my.cnf .mylogin.cnf .mysql_history .psql_history .sqlite_history .rediscli_history
	.bash_history .zsh_history .sh_history .ash_history fish_history .python_history .node_repl_history
	.irb_history .mongorc.js .dockercfg .dockerconfigjson .docker/config.json containers/auth.json
	.composer/auth.json composer/auth.json .aws/credentials .aws/config .boto .s3cfg .passwd-s3fs .azure/*.json
	accesstokens.json azureprofile.json *.publishsettings *.azureauth gcloud/*.json gcloud/*.db
	gcloud/credentials.* adc.json application_default_credentials.json service-account*.json
	service_account*.json serviceaccount*.json *-service-account.json *_service_account.json
	*-serviceaccount.json gha-creds-*.json *firebase-adminsdk* gcp-key*.json gcp-credentials*.json sa-key*.json
	google-credentials*.json client_secret*.json client-secret*.json .kube/config kubeconfig kubeconfig.*
	*.kubeconfig *-kubeconfig kubeconfig-* kubeconfig_* *.kubeconfig.yaml *.kubeconfig.yml kube_config_*
	kube-config .terraformrc terraform.rc credentials.tfrc.json *.tfstate *.tfstate.* .pulumi/credentials.json
	.oci/config .openstack/clouds.yaml clouds.yaml doctl/config.yaml .cloudflared/*.json .dev.vars
	.vercel/auth.json .netlify/config.json .fly/config.yml .databrickscfg .snowsql/config rclone.conf
	.mc/config.json ngrok.yml .ngrok2/* gh/hosts.yml gh/hosts.yaml .config/hub glab-cli/config.yml
	.cargo/credentials .cargo/credentials.toml .gem/credentials .bundle/config .m2/settings.xml
	.m2/settings-security.xml settings-security.xml .gradle/gradle.properties .sbt/.credentials
	.ivy2/.credentials .credentials credentials credentials.* credential.* *.credentials credentials-*
	credentials_* .vault-token .vault_pass .vault_pass.* .vault-pass .vault-pass.* vault_pass.* vault-pass.*
	vault_password* .vault_password* vault-password* ansible_vault_pass* master.key hudson.util.secret .msmtprc
	.esmtprc .fetchmailrc .mbsyncrc .offlineimaprc .wgetrc .curlrc .ftpconfig sftp-config.json .vscode/sftp.json
	recentservers.xml sitemanager.xml filezilla.xml .remote-sync.json .dbeaver-credentials.json
	credentials-config.json robomongo.json .erlang.cookie shadow gshadow master.passwd .secrets .secret
	.secrets/* run/secrets/* .tugboat .purple/accounts.xml wp-config.php localsettings.php local.settings.json
	.jenkins/credentials.xml passwords.* password.txt passwords .password .passwords .passwd apikey.* api_key.*
	api-key.* apikeys.* api_keys.* api-keys.* token.txt .token auth_token auth-token access_token.*
	access-token.* auth_token.* auth-token.* private_key* private-key* privatekey* secret_token.rb secret.key
	secret_key* secret-key* age/keys.txt *.secret *.secrets passwd.txt vault-token wg0.conf wg1.conf op/config
	.snowflake/connections.toml .renviron keystore.properties signing.properties key.properties
	*service-key*.json .pg_service.conf pgpass .mysqlpasswd cqlshrc .*_history .*-history .dbshell .zhistory
	.histfile .lesshst .rhistory .transifexrc hcloud/cli.toml .linode-cli linode-cli scw/config.yaml .hgrc
	svn.simple/* .nuget/nuget.config nuget/nuget.config .pip/pip.conf pip/pip.conf huggingface/token
	.huggingface/token kaggle.json .kaggle/*.json .codex/auth.json .openai/auth.json github-copilot/*.json
	.wakatime.cfg .sentryclirc configstore/*.json fly/config.yml .railway/config.json all/vault.yml
	all/vault.yaml *token.pickle *oauth_token.* *oauth-token.* *oauth2_token.* *_token.txt *-token.txt *_token
	.*token token.json kubernetes/*.conf k3s.yaml talosconfig .talos/config dockerconfig.json *pullsecret.*
	etc/env.php config/parameters.yml logins.csv wireguard/*.conf wireguard.conf chap-secrets pap-secrets
	wpa_supplicant.conf smbcredentials .smbcredentials .cifscredentials cookies.sqlite cookies.txt cookies
	.htpasswd.* .htpasswd-* .htpasswd_* .authinfo authinfo .jira.d/config.yml .circleci/cli.yml .ngrok.yml
	ngrok.yaml .serverlessrc .expo/state.json pypoetry/auth.toml poetry/auth.toml .testpypirc stripe/config.toml`)

// environmentFiles are patterns of names that hold settings, secret ones among them.
var environmentFiles = strings.Fields(`.env .env.* .env-* .env_* *.env .envrc *.envrc .envrc.* env.local env.prod
	env.production env.staging *.env.* *.tfvars *.tfvars.json terraform.tfvars.*`)

// secretWords are words of a name with one of dataEndings that say that the data are secret, as in prod-secrets.yaml.
var secretWords = strings.Fields("secret secrets credentials credential creds passwords")

// dataEndings are endings of files of data, "" for none.
var dataEndings = strings.Fields(`
	yaml yml json toml ini cfg conf config properties props env xml txt csv plist hcl enc dec`)

// exampleWords are words of the names of files that only show a form.
var exampleWords = strings.Fields("example examples sample samples template templates tmpl tpl dist defaults schema")

// sourceEndings are endings of code and of prose, which name secrets rather than hold them.
var sourceEndings = strings.Fields(`go py pyi js cjs mjs jsx ts tsx rb rs java kt kts scala c h cc cpp hpp cs fs swift m
	mm ex exs erl hs ml clj lua pl pm r jl dart vue svelte md mdx rst adoc html htm css scss less svg proto graphql sql
	ipynb map d.ts`)

// backupEndings end the names of copies: the original's name decides.
var backupEndings = strings.Fields(`
	~ .bak .backup .bck .old .orig .save .saved .swp .swo .copy .tmp .disabled .rej .1 .2
	.enc .gpg .age .b64 .base64`)

// A names is patterns by what they can be looked up with, so that a walk does not try each with every file.
type names struct {
	exact    map[string]bool    // NAME and DIR/NAME
	dirs     map[string]bool    // each DIR of exact
	endings  map[string]bool    // *.ENDING with one dot
	patterns map[byte][]pattern // all others, by the first byte of head, 0 if it is empty
}

// A pattern is parsed once: HEAD*TAIL or HEAD*MIDDLE*TAIL, below dir if that is not empty.
type pattern struct{ dir, head, middle, tail string }

func newNames(lists ...[]string) *names {
	n := &names{exact: map[string]bool{}, dirs: map[string]bool{}, endings: map[string]bool{}, patterns: map[byte][]pattern{}}
	for _, list := range lists {
		for _, row := range list {
			head, tail, star := strings.Cut(row, "*")
			switch {
			case !star:
				n.exact[row] = true
				if dir, _, nested := strings.Cut(row, "/"); nested {
					n.dirs[dir] = true
				}
			case head == "" && strings.LastIndexByte(tail, '.') == 0 && !strings.Contains(tail, "*"):
				n.endings[tail[1:]] = true
			default:
				dir, rest, nested := strings.Cut(head, "/")
				if !nested {
					dir, rest = "", head
				}
				middle, end, two := strings.Cut(tail, "*")
				if !two {
					middle, end = "", tail
				}
				p := pattern{dir, rest, middle, end}
				n.patterns[p.first()] = append(n.patterns[p.first()], p)
			}
		}
	}
	return n
}

// first returns the first byte of head, or 0.
func (p *pattern) first() byte {
	if p.head == "" {
		return 0
	}
	return p.head[0]
}

// match reports whether a pattern matches the file name in the directory dir, both in lower case.
func (n *names) match(dir, name string) bool {
	if n.exact[name] || n.dirs[dir] && n.exact[dir+"/"+name] {
		return true
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 && n.endings[name[i+1:]] {
		return true
	}
	return name != "" && matchAny(n.patterns[name[0]], dir, name) || matchAny(n.patterns[0], dir, name)
}

func matchAny(patterns []pattern, dir, name string) bool {
	for i := range patterns {
		p := &patterns[i]
		if p.dir != "" && p.dir != dir || len(name) < len(p.head)+len(p.tail) {
			continue
		}
		rest, headed := strings.CutPrefix(name, p.head)
		rest, tailed := strings.CutSuffix(rest, p.tail)
		if headed && tailed && strings.Contains(rest, p.middle) {
			return true
		}
	}
	return false
}

func wordSet(words []string) map[string]bool {
	all := map[string]bool{}
	for _, w := range words {
		all[w] = true
	}
	return all
}

var (
	keys     = newNames(keyFiles)
	logins   = newNames(loginFiles, environmentFiles)
	hiding   = wordSet(secretWords)
	data     = wordSet(dataEndings)
	examples = wordSet(exampleWords)
	sources  = wordSet(sourceEndings)
)

// File reports whether the file name in the directory dir is named like a file with credentials, in either case.
func File(dir, name string) bool {
	dir, name = strings.ToLower(dir[strings.LastIndexByte(dir, '/')+1:]), strings.ToLower(name)
	for again := true; again; {
		again = false
		for _, end := range backupEndings {
			if rest, ok := strings.CutSuffix(name, end); ok && rest != "" {
				name, again = rest, true
			}
		}
	}
	ending := name[strings.LastIndexByte(name, '.')+1:]
	if ending == "pub" {
		return false
	}
	if keys.match(dir, name) {
		return !sources[ending]
	}
	for p := range strings.FieldsFuncSeq(name, separates) {
		if examples[p] {
			return false
		}
	}
	if logins.match(dir, name) {
		return !sources[ending] || logins.exact[name]
	}
	if !strings.Contains(name, ".") {
		return dir == "secrets" && name != "readme" && name != "makefile" && name != "dockerfile"
	}
	return dir != "templates" && data[ending] && hidden(dir, ending, strings.FieldsFunc(name, separates))
}

// separates reports whether r separates the words of a file's name.
func separates(r rune) bool { return r == '.' || r == '_' || r == '-' }

// hidden reports whether a file of data is secret by a word of its name or by its directory.
func hidden(dir, ending string, parts []string) bool {
	if len(parts) < 2 {
		return false
	}
	for _, p := range parts[:len(parts)-1] {
		if hiding[p] {
			return true
		}
	}
	return dir == "secrets" && ending != "json"
}
