package codebase

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// briefs are the short forms of the tools that a small window has room for.
var briefs = map[string]tools.Brief{
	"search": brief("Search file contents.", `"pattern":{"type":"string","description":"regular expression"},`+
		`"path":{"type":"string","description":"file or directory"}`, "pattern"),
	"read_file": brief("Read lines of a file.",
		`"path":{"type":"string"},"start_line":{"type":"integer"},"end_line":{"type":"integer"}`, "path"),
	"find_symbol": brief("Show the definition of a function, class, method or type.", `"name":{"type":"string"}`, "name"),
	"list_dir":    brief("List a directory.", `"path":{"type":"string"}`, ""),
	"answer": brief("Give the answer.",
		`"text":{"type":"string","description":"2 to 5 sentences, each with its lines, as [path:12-30]"}`, "text"),
}

func brief(description, properties, required string) tools.Brief {
	schema := `{"type":"object","properties":{` + properties + `}`
	if required != "" {
		schema += `,"required":["` + required + `"]`
	}
	return tools.Brief{Description: description, Schema: json.RawMessage(schema + "}")}
}

type answerArgs struct {
	Text string `json:"text" doc:"the answer; each sentence ends in the lines that show it, as [path:12-30]"`
}

// An Answer is the result of answer: an answer in text, for a model whose window has no room for the schema of report.
// Its citations are not checked yet.
type Answer string

func (t *toolbox) answer(_ context.Context, in answerArgs) (Answer, error) {
	if strings.TrimSpace(in.Text) == "" {
		return "", tools.Problemf("bad_arguments", "the answer in 2 to 5 sentences", "text is blank")
	}
	return Answer(in.Text), nil
}

// Text says that the answer was taken.
func (Answer) Text() (toollimit.Kind, string) { return toollimit.Receipt, "status: accepted\n" }
