package insight

import (
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/secret"
)

var (
	markOf       = lazyregexp.New(`\[redacted:[a-z-]+\]`)
	settingsFile = lazyregexp.New(`\.(ya?ml|toml|ini|properties|conf)$`)
	openLogin    = lazyregexp.New(`://[^/\s:@]*:\[redacted:[a-z-]+\]@([^/\s"'` + "`" + `?:]+)`)
	// excuse matches what says that a credential is not secret: its name, a comment beside it, or its value's neighbour.
	excuse = lazyregexp.New(`(?i)(^|[^a-z])(examples?|samples?|dummy|fakes?|mock(ed)?|placeholders?|` +
		`publicly|public|emulator|` +
		`obscured?|encrypted|encoded|hashed|snake.?oil|self.?signed|devstore\w*|minioadmin|` +
		`test(ing|s|ed)?|demo|not.?(a.?)?secret|` +
		`your|invalid|bogus|allowlist|pragma|gitleaks|tutorial|known|deprecated|expired|revoked|localhost|127\.0\.0\.1|` +
		`e\.g\.|eg|doc(s|umented|umentation)?|client_?id)([^a-z]|$)|` +
		`(Encrypted|Obscured|Public|Test|Mock|Fake|Dummy|Example|Demo)([A-Z_\W]|$)|devstoreaccount`)
	// localHost matches a host of one name, as in a composition of containers, and one of a network without routes.
	localHost = lazyregexp.New(`^[\w-]+$|^(127|10|192\.168)\.|^0\.0\.0\.0|^\[|[$%{<]|` +
		`(^|\.)(example|test|local|localhost|invalid)\b`)
	oauthSecret = lazyregexp.New(`(?i)client_?secret|consumer_?secret|app_?secret|` +
		`(client|publishable|site|browser|analytics|` +
		`bugsnag|sentry|segment|algolia|posthog|write)_?(api)?_?key`)
	publicServices = lazyregexp.New(`(?i)sentry|bugsnag|algolia|posthog|segment|mixpanel|amplitude|` +
		`rollbar|recaptcha|hcaptcha|mapbox|firebase`)
)

// Some kinds of masks, as the table of credentials names them. Browsers and apps carry publicKinds openly.
var (
	ownKinds    = strings.Fields("password secret-key") // of the application itself, not of a service that it uses
	publicKinds = strings.Fields("google-key firebase-key mapbox-token jwt")
)

// leastData is how many masked values on the lines around a hit mark them as data, not settings.
const leastData = 4

// leaked judges a masked line by what was masked and by the lines around it.
func leaked(h *hit, s scope) string {
	formed, byName := secret.Marks(h.text)
	kinds := append(formed, byName...)
	around := s.file[max(0, s.at-4):min(len(s.file), s.at+4)]
	near := markOf.ReplaceAllString(join(around), "")
	marked := 0
	for _, l := range s.file[max(0, s.at-12):min(len(s.file), s.at+13)] {
		if markOf.MatchString(l) && !strings.Contains(l, keyMark) {
			marked++
		}
	}
	named := len(formed) == 0
	comment := strings.HasPrefix(strings.TrimSpace(h.text), "//") || strings.HasPrefix(strings.TrimSpace(h.text), "#") ||
		strings.HasPrefix(strings.TrimSpace(h.text), "*")
	quoted := lexicons[path.Ext(h.path)].line != "" && s.at < len(s.file) && beginsQuoted(h.path, s.file[:s.at+1])[s.at]
	login := openLogin.FindStringSubmatch(h.text)
	switch {
	case slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(publicKinds, k) }):
		return "keys of this kind are often public"
	case publicServices.MatchString(near):
		return "the service expects this key in public code"
	case excuse.MatchString(h.path) || excuse.MatchString(near):
		return "a word beside it says that it is not a real secret"
	case marked >= leastData:
		return "it is one of several, as in a table of samples"
	case comment, quoted && named:
		return "it is in a comment or a text"
	case !named:
		return ""
	case login != nil && localHost.MatchString(login[1]):
		return "it is for a local or unnamed host"
	case login != nil:
		return ""
	case oauthSecret.MatchString(h.text):
		return "an application that users install cannot keep it secret"
	case !slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(ownKinds, k) }):
		return "programs that users install carry such keys openly"
	case settingsFile.MatchString(h.path):
		return "it is in a settings file, which may be a template"
	}
	return ""
}
