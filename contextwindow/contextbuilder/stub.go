package contextbuilder

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A stub stands for the result of a tool in an earlier turn that working memory holds whole (requirements: offload). It is
// small valid JSON.
type stub struct {
	Offloaded  bool   `json:"offloaded"` // true
	ID         string `json:"id"`
	Kind       string `json:"kind"` // "json" or "text"
	Characters int    `json:"characters"`
	Lines      int    `json:"lines"`
	Outline    string `json:"outline,omitempty"` // keys with the lengths of arrays; headings and definitions
	Head       string `json:"head"`
	Tail       string `json:"tail"`
	More       string `json:"more"` // the tool that reads it
}

// How much of a text its stub shows, in characters: together what is left of a long result.
const (
	stubHead    = shortResult * 3 / 5
	stubTail    = shortResult - stubHead
	stubOutline = 120
)

// offload stores the result of a call and returns its stub; "" without a store, for a result that must stay as it is (an
// error, or what the reading tool gave), and where the stub would not be smaller.
func (p *plan) offload(m transcript.Message) string {
	if p.q.Store == nil || m.Failed || m.Name == toollimit.ReadTool || m.Kind == toollimit.Error || m.Kind == toollimit.Receipt {
		return ""
	}
	text := strings.ToValidUTF8(m.Text, "\uFFFD")
	s := stub{Offloaded: true, Kind: "text", Characters: toollimit.Runes(text), Lines: strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1,
		Head: clip(ends(text, longText, ""), stubHead), Tail: lastRunes(text, stubTail), More: toollimit.ReadTool}
	if outline, ok := outlineJSON(m.Text); ok {
		s.Kind, s.Outline = "json", clip(outline, stubOutline)
	} else {
		s.Outline = clip(outlineText(text), stubOutline)
	}
	if s.ID = p.keep(m.Text); s.ID == "" {
		return ""
	}
	short, err := json.Marshal(s)
	if err != nil || len(short) >= len(m.Text) {
		return ""
	}
	return string(short)
}

// lastRunes is the end of a text on one line.
func lastRunes(text string, n int) string {
	tail := text[max(0, len(text)-4*n):]
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(tail, "")), " "))
	return string(runes[max(0, len(runes)-n):])
}

// outlineJSON is the keys of an object, or the length of an array, at the top of a JSON text, with the lengths of arrays.
func outlineJSON(text string) (string, bool) {
	if len(text) > longBlock || !json.Valid([]byte(text)) {
		return "", false
	}
	switch text = strings.TrimSpace(text); text[0] {
	case '[':
		return "array" + lengthOf(json.RawMessage(text)), true
	case '{':
	default:
		return "", false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &fields) != nil {
		return "", false
	}
	var keys []string
	for key, value := range fields {
		keys = append(keys, key+lengthOf(value))
	}
	slices.Sort(keys)
	return strings.Join(keys, ", "), true
}

// lengthOf is "[n]" for an array, and nothing for another value.
func lengthOf(value json.RawMessage) string {
	var items []json.RawMessage
	if value = bytes.TrimSpace(value); len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &items) != nil {
		return ""
	}
	return "[" + strconv.Itoa(len(items)) + "]"
}

// heading finds lines that name what follows: headings of Markdown, and definitions in common languages.
var heading = regexp.MustCompile(`(?m)^(?:\s*\d+[:|\t]\s?)?(#{1,4} .+|(?:export |public |async |pub )*(?:func|class|def|type|interface|struct|fn|function) .+)$`)

// headings is how many lines an outline has at most.
const headings = 6

func outlineText(text string) string {
	var found []string
	for _, m := range heading.FindAllStringSubmatch(ends(text, longText, ""), headings) {
		found = append(found, clip(m[1], stubOutline/3))
	}
	return strings.Join(found, "; ")
}
