package contextbuilder

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A stub replaces the result of a tool in an earlier turn that the store holds whole. It is small, valid JSON.
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

// Characters of a text in its stub: head and tail together are what remains of any long result.
const (
	stubHead    = shortResult * 3 / 5
	stubTail    = shortResult - stubHead
	stubOutline = 120
)

// offload stores the result of a call and returns its stub. It returns "" without a store, for an error or for output
// of the reading tool, which must stay as they are, and if the stub would not be smaller.
func (s *shortener) offload(m transcript.Message) string {
	if s.store == nil || m.Failed || m.Name == toollimit.ReadTool || m.Kind == toollimit.Error ||
		m.Kind == toollimit.Receipt {
		return ""
	}
	text := strings.ToValidUTF8(m.Text, "\uFFFD")
	st := stub{
		Offloaded: true, Kind: "text", More: toollimit.ReadTool,
		Characters: line.Runes(text), Lines: strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1,
		Head: oneLine(bounded(text), stubHead), Tail: lastRunes(text, stubTail),
	}
	if outline, ok := outlineJSON(m.Text); ok {
		st.Kind, st.Outline = "json", oneLine(outline, stubOutline)
	} else {
		st.Outline = oneLine(outlineText(text), stubOutline)
	}
	if st.ID = s.keep(m.Text); st.ID == "" {
		return ""
	}
	short, err := json.Marshal(st)
	if err != nil || len(short) >= len(m.Text) {
		return ""
	}
	return string(short)
}

// lastRunes returns the end of a text on one line.
func lastRunes(text string, n int) string {
	tail := text[max(0, len(text)-4*n):]
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(tail, "")), " "))
	return string(runes[max(0, len(runes)-n):])
}

// outlineJSON returns the keys of a JSON object, with the lengths of arrays, or the length of a JSON array.
func outlineJSON(text string) (string, bool) {
	if len(text) > longBlock || !json.Valid([]byte(text)) {
		return "", false
	}
	switch text = strings.TrimSpace(text); text[0] {
	case '[':
		return "array" + arrayLength(json.RawMessage(text)), true
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
		keys = append(keys, key+arrayLength(value))
	}
	slices.Sort(keys)
	return strings.Join(keys, ", "), true
}

// arrayLength returns "[n]" for an array and "" for any other value.
func arrayLength(value json.RawMessage) string {
	var items []json.RawMessage
	if value = bytes.TrimSpace(value); len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &items) != nil {
		return ""
	}
	return "[" + strconv.Itoa(len(items)) + "]"
}

// heading matches headings of Markdown, and definitions in common languages.
var heading = regexp.MustCompile(`(?m)^(?:\s*\d+[:|\t]\s?)?(#{1,4} .+|` +
	`(?:export |public |async |pub )*(?:func|class|def|type|interface|struct|fn|function) .+)$`)

const maxHeadings = 6 // in an outline

func outlineText(text string) string {
	var found []string
	for _, m := range heading.FindAllStringSubmatch(bounded(text), maxHeadings) {
		found = append(found, oneLine(m[1], stubOutline/3))
	}
	return strings.Join(found, "; ")
}
