package gemini_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminitest"
)

var update = flag.Bool("update", false, "write what the tests got into testdata")

// TestTraffic plays recorded traffic: what the service answers, the deltas that this becomes, and the contents of the
// next request, in which the answer goes back with a result for each of its calls.
func TestTraffic(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			deltas, next := play(t, string(archive.Files[0].Data))
			got := []txtar.File{archive.Files[0], {Name: "deltas", Data: []byte(deltas)}, {Name: "next", Data: []byte(next)}}
			if *update {
				archive.Files = got
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for i, f := range got {
				if i >= len(archive.Files) || f.Name != archive.Files[i].Name {
					t.Fatalf("there is no section %s", f.Name)
				}
				if diff := cmp.Diff(string(archive.Files[i].Data), string(f.Data)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
			}
		})
	}
}

// play asks once for the answer, and again with the answer in the conversation.
func play(t *testing.T, answer string) (deltas, next string) {
	var bodies [][]byte
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		bodies = append(bodies, raw)
		if len(bodies) == 1 {
			geminitest.Stream(strings.ReplaceAll(answer, "\n", "\r\n"))(w, r)
			return
		}
		geminitest.Stream(hello+bye)(w, r)
	})
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Which files are there?"}}}
	var b strings.Builder
	response := &providers.Response{Message: transcript.Message{Role: transcript.Assistant}}
	for d, err := range m.Stream(t.Context(), req) {
		fmt.Fprintln(&b, shown(d, err))
		response.Message.Text += d.Text
		response.Add(d)
	}
	if response.Finish == "" || response.Message.Text == "" && len(response.Message.Calls) == 0 && response.Message.ProviderData == nil {
		return b.String(), "nothing to send back\n"
	}
	req.Messages = append(req.Messages, response.Message)
	for _, c := range response.Message.Calls {
		req.Messages = append(req.Messages, transcript.Message{Role: transcript.Tool, CallID: c.ID, Name: c.Name, Text: "result of " + c.ID})
	}
	if len(response.Message.Calls) == 0 {
		req.Messages = append(req.Messages, transcript.Message{Role: transcript.User, Text: "And now?"})
	}
	if _, err := providers.Ask(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	var body struct{ Contents json.RawMessage }
	if err := json.Unmarshal(bodies[1], &body); err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, body.Contents, "", " "); err != nil {
		t.Fatal(err)
	}
	return b.String(), indented.String() + "\n"
}

// shown returns a pair of a stream on one line.
func shown(d providers.Delta, err error) string {
	switch {
	case err != nil:
		return "error " + err.Error()
	case d.Call != nil:
		return fmt.Sprintf("call %s %s %s", d.Call.ID, d.Call.Name, d.Call.Args)
	case d.ProviderData != nil:
		return fmt.Sprintf("opaque %s %s %d %s", d.ProviderData.Dialect, d.ProviderData.Model, d.ProviderData.Tokens, d.ProviderData.Data)
	case d.Usage != nil:
		u := d.Usage
		return fmt.Sprintf("usage {Input:%d Cached:%d Output:%d Reasoning:%d}", u.Input, u.Cached, u.Output, u.Reasoning)
	case d.Finish != "":
		return "finish " + string(d.Finish)
	case d.Reasoning != "":
		return fmt.Sprintf("reasoning %q", d.Reasoning)
	}
	return fmt.Sprintf("text %q", d.Text)
}
