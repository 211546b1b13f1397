package contextwindow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// argumentRunes are the lengths, in runes, to which long strings inside of arguments are shortened, tried in turn.
var argumentRunes = []int{800, 400, 200, 80, 24, 8}

// shortenArguments shortens the long strings inside of a call's arguments until they take at most so many tokens, and
// marks them with the id of the whole. Keys, numbers and the shape stay, so that the arguments still follow their schema.
// What is too large for other reasons leaves the id alone.
func shortenArguments(args string, maxTokens int, id string) string {
	short := args
	for _, n := range argumentRunes {
		if toollimit.Tokens(short) <= maxTokens {
			return short
		}
		short = shortenStrings(args, n, id)
	}
	if toollimit.Tokens(short) <= maxTokens {
		return short
	}
	return `{"_cut":"` + id + `"}`
}

// shortenStrings keeps head and tail of each string value of a JSON text that is longer than n runes.
func shortenStrings(text string, n int, id string) string {
	var b strings.Builder
	for len(text) > 0 {
		start := strings.IndexByte(text, '"')
		if start < 0 {
			break
		}
		end := start + stringEnd(text[start:])
		b.WriteString(text[:start])
		literal := text[start:end]
		text = text[end:]
		if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), ":") {
			literal = shortenLiteral(literal, n, id)
		}
		b.WriteString(literal)
	}
	b.WriteString(text)
	return b.String()
}

// stringEnd returns the length of the JSON string literal that text begins with, all of it if it does not end.
func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func shortenLiteral(literal string, n int, id string) string {
	var value string
	if len(literal) <= n || json.Unmarshal([]byte(literal), &value) != nil {
		return literal
	}
	r := []rune(value)
	if len(r) <= n {
		return literal
	}
	head, tail := n*2/3, n/3
	value = fmt.Sprintf("%s…[%d characters cut, %s]…%s", string(r[:head]), len(r)-head-tail, id, string(r[len(r)-tail:]))
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil || b.Len()-1 >= len(literal) {
		return literal
	}
	return strings.TrimSuffix(b.String(), "\n")
}
