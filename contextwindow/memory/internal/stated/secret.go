package stated

import (
	"unicode"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/secret"
)

// handedOver matches a credential that a sentence names in words: "the password for the test box is …".
var handedOver = lazyregexp.New(`(?i)(?:\b(?:api.?key|key|password|passphrase|passcode|pin|token|secret|credentials?|` +
	`passwort|kennwort|schlüssel)\b[^.,;!?]{0,40}?(?:\bis\b|\blautet\b|\bist\b|\bare\b|[:=])|` +
	`(?:密码|口令|密钥|令牌)[^。，]{0,12}?[是为：:])\s*["'` + "`" + `]?([^\s"'` + "`" + `]{6,})`)

// IsSecret reports whether a text holds a credential: in a form that is known, or because it says so and what follows
// has letters and digits.
func IsSecret(text string) bool {
	if secret.In([]byte(text)) {
		return true
	}
	for _, found := range handedOver.FindAllStringSubmatch(text, -1) {
		letter, digit := false, false
		for _, r := range found[1] {
			letter, digit = letter || unicode.IsLetter(r), digit || unicode.IsDigit(r)
		}
		if letter && digit {
			return true
		}
	}
	return false
}
