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
	"search": {"Search file contents.", json.RawMessage(`{"type":"object","properties":{` +
		`"pattern":{"type":"string","description":"regular expression"},` +
		`"path":{"type":"string","description":"file or directory"}},"required":["pattern"]}`)},
	"read_file": {"Read lines of a file.", json.RawMessage(`{"type":"object","properties":{` +
		`"path":{"type":"string"},"start_line":{"type":"integer"},"end_line":{"type":"integer"}},"required":["path"]}`)},
	"find_symbol": {"Show the definition of a function, class, method or type.", json.RawMessage(
		`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
	"list_dir": {"List a directory.", json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string"}}}`)},
	"answer": {"Give the answer.", json.RawMessage(`{"type":"object","properties":{` +
		`"text":{"type":"string","description":"2 to 5 sentences, each with its lines, as [path:12-30]"}},"required":["text"]}`)},
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
