package toolcall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/internal/toolcall"
)

// The schemas of tools as they are offered.
const (
	searchSchema = `{"type":"object","additionalProperties":false,"properties":{"pattern":{"type":"string"},
		"patterns":{"type":"array","items":{"type":"string"}},"literal":{"type":"boolean"},"path":{"type":"string"},
		"case":{"type":"string","enum":["sensitive","insensitive","smart"]},"word":{"type":"boolean"},
		"include":{"type":"array","items":{"type":"string"}},"exclude":{"type":"array","items":{"type":"string"}},
		"mode":{"type":"string","enum":["content","files","count"]},"before":{"type":"integer","minimum":0},
		"after":{"type":"integer","minimum":0},"context":{"type":"integer","minimum":0},
		"limit":{"type":"integer","minimum":1},"offset":{"type":"integer","minimum":0}}}`
	readSchema = `{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"},
		"paths":{"type":"array","items":{"type":"string"}},"start_line":{"type":"integer","minimum":1},
		"end_line":{"type":"integer","minimum":1},"limit":{"type":"integer","minimum":1},
		"symbol":{"type":"string"},"around":{"type":"integer","minimum":1}}}`
	findSchema = `{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string"},
		"kind":{"type":"string"},"path":{"type":"string"},"include_body":{"type":"boolean"},
		"limit":{"type":"integer","minimum":1}},"required":["name"]}`
	listSchema = `{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"},
		"depth":{"type":"integer","minimum":1},"include_ignored":{"type":"boolean"}}}`
	globSchema = `{"type":"object","additionalProperties":false,"properties":{"pattern":{"type":"string"},
		"path":{"type":"string"}},"required":["pattern"]}`
	reportSchema = `{"type":"object","properties":{"found":{"type":"boolean"},"summary":{"type":"array","items":
		{"type":"object","properties":{"text":{"type":"string"},"citations":{"type":"array","items":{"type":"string"}}},
		"required":["text"]}},"places":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},
		"start":{"type":"integer"},"end":{"type":"integer"}},"required":["path","start","end"]}}},
		"required":["found","summary"]}`
)

// TestArgs reads the calls that the models of other agents make: each agent names its arguments otherwise.
func TestArgs(t *testing.T) {
	for _, c := range []struct{ schema, args, want, notes string }{
		{readSchema, `{"file_path":"a.go","offset":10,"limit":20}`, `{"limit":20,"path":"a.go","start_line":10}`,
			"file_path was read as path; offset was read as start_line"},
		{readSchema, `{"filePath":"a.go","offset":0}`, `{"path":"a.go"}`,
			"filePath was read as path; offset was read as start_line; start_line was left out"},
		{readSchema, `{"target_file":"a.go","start_line_one_indexed":1,"end_line_one_indexed_inclusive":9,
			"should_read_entire_file":false,"explanation":"why"}`, `{"end_line":9,"path":"a.go","start_line":1}`,
			"end_line_one_indexed_inclusive was read as end_line; start_line_one_indexed was read as start_line; " +
				"target_file was read as path"},
		{readSchema, `{"path":"a.go","view_range":[3,40]}`, `{"end_line":40,"path":"a.go","start_line":3}`,
			"view_range was read as lines 3-40"},
		{readSchema, `{"path":"a.go","view_range":[3,-1]}`, `{"path":"a.go","start_line":3}`,
			"view_range was read as lines from 3"},
		{readSchema, `{"path":"a.go","lines":"12-40"}`, `{"end_line":40,"path":"a.go","start_line":12}`,
			"lines was read as lines 12-40"},
		{readSchema, `{"path":"a.go","start_line":"12-40"}`, `{"end_line":40,"path":"a.go","start_line":12}`,
			"start_line was read as lines 12-40"},
		{readSchema, `{"path":"a.go","start":"12","end":"40"}`, `{"end_line":40,"path":"a.go","start_line":12}`,
			"end was read as end_line; start was read as start_line"},
		{readSchema, `{"path":"[a.go:12-40]"}`, `{"end_line":40,"path":"a.go","start_line":12}`,
			"path was read as a file and lines 12-40"},
		{readSchema, `{"path":"a.go:12"}`, `{"around":12,"path":"a.go"}`, "path was read as a file and line 12"},
		{readSchema, `{"path":["a.go","b.go"]}`, `{"paths":["a.go","b.go"]}`, "path was read as paths"},
		{readSchema, `{"path":["a.go"]}`, `{"path":"a.go"}`, ""},
		{readSchema, `{"paths":"a.go"}`, `{"paths":["a.go"]}`, ""},
		{readSchema, `{"path":"a.go","start_line":"5","end_line":null}`, `{"path":"a.go","start_line":5}`, ""},
		{readSchema, `{"path":"a.go","start_line":1,"end_line":-1}`, `{"path":"a.go","start_line":1}`,
			"end_line was left out"},
		{searchSchema, `{"pattern":"x","path":"src","include":"*.go"}`, `{"include":["*.go"],"path":"src","pattern":"x"}`, ""},
		{searchSchema, `{"pattern":"x","glob":"*.go","output_mode":"files_with_matches","-i":true,"-n":true,"head_limit":5}`,
			`{"case":"insensitive","include":["*.go"],"limit":5,"mode":"files","pattern":"x"}`,
			"-i was read as case; glob was read as include; head_limit was read as limit; output_mode was read as mode"},
		{searchSchema, `{"pattern":"x","-A":2,"-B":"3","-C":1}`, `{"after":2,"before":3,"context":1,"pattern":"x"}`,
			"-A was read as after; -B was read as before; -C was read as context"},
		{searchSchema, `{"query":"x","case_sensitive":false,"include_pattern":"*.py"}`,
			`{"case":"insensitive","include":["*.py"],"pattern":"x"}`,
			"case_sensitive was read as case; include_pattern was read as include; query was read as pattern"},
		{searchSchema, `{"query":"x","isRegexp":false,"includePattern":"**/*.ts"}`,
			`{"include":["**/*.ts"],"literal":true,"pattern":"x"}`,
			"includePattern was read as include; isRegexp was read as literal; query was read as pattern"},
		{searchSchema, `{"regex":"x","file_pattern":"*.go"}`, `{"include":["*.go"],"pattern":"x"}`,
			"file_pattern was read as include; regex was read as pattern"},
		{searchSchema, `{"search_term":"x","dir_path":"src"}`, `{"path":"src","pattern":"x"}`,
			"dir_path was read as path; search_term was read as pattern"},
		{searchSchema, `{"pattern":["a","b"]}`, `{"patterns":["a","b"]}`, "pattern was read as patterns"},
		{searchSchema, `{"patterns":"[\"a\",\"b\"]"}`, `{"patterns":["a","b"]}`, ""},
		{searchSchema, `{"arguments":{"pattern":"x"}}`, `{"pattern":"x"}`, ""},
		{searchSchema, `{"pattern":"x","case":"Smart","literal":"true"}`, `{"case":"smart","literal":true,"pattern":"x"}`, ""},
		{searchSchema, `{"pattern":42}`, `{"pattern":"42"}`, ""},
		{findSchema, `{"symbol_name":"Fit"}`, `{"name":"Fit"}`, "symbol_name was read as name"},
		{findSchema, `{"query":"Fit","relative_path":"a.go"}`, `{"name":"Fit","path":"a.go"}`,
			"query was read as name; relative_path was read as path"},
		{findSchema, `{"name_path":"A/Fit","include_body":"True"}`, `{"include_body":true,"name":"A/Fit"}`,
			"name_path was read as name"},
		{listSchema, `{"relative_workspace_path":"src","recursive":true}`, `{"depth":6,"path":"src"}`,
			"recursive was read as depth; relative_workspace_path was read as path"},
		{listSchema, `{"dirPath":"src"}`, `{"path":"src"}`, "dirPath was read as path"},
		{globSchema, `{"glob":"**/*.go"}`, `{"pattern":"**/*.go"}`, "glob was read as pattern"},
		{reportSchema, `{"found":"true","summary":"It returns 1.","places":{"path":"a.go","start":"3","end":"4"}}`,
			`{"found":true,"places":[{"end":4,"path":"a.go","start":3}],"summary":[{"text":"It returns 1."}]}`, ""},
		{reportSchema, `{"found":true,"summary":"[{\"text\":\"x\"}]"}`, `{"found":true,"summary":[{"text":"x"}]}`, ""},

		// What is right, and what nothing means, stays as it is.
		{searchSchema, `{"pattern": "file_path",  "offset":0}`, "", ""},
		{searchSchema, `{"pattern":"x","query":"y"}`, "", ""},
		{searchSchema, `{"pattern":"x","frobnicate":1}`, "", ""},
		{searchSchema, `{"pattern":"x","limit":"many"}`, "", ""},
		{readSchema, `{"path":"a.go","filename":"b.go"}`, "", ""},
		{readSchema, `{"path":"a.go","lines":"all"}`, "", ""},
		{readSchema, `"a.go"`, "", ""},
		{readSchema, `[1,2]`, "", ""},
		{readSchema, `{"path":`, "", ""},
		{readSchema, ``, "", ""},
		{`{"type":"object"}`, `{"file_path":"x"}`, "", ""},
	} {
		if c.want == "" {
			c.want = c.args
		}
		got, notes := toolcall.Args(json.RawMessage(c.schema), json.RawMessage(c.args))
		if string(got) != c.want || strings.Join(notes, "; ") != c.notes {
			t.Errorf("%s:\n%s", c.args, cmp.Diff(c.want+"\n"+c.notes, string(got)+"\n"+strings.Join(notes, "; ")))
		}
	}
}

func TestName(t *testing.T) {
	small := []string{"answer", "find_symbol", "list_dir", "read_file", "search"}
	for name, want := range map[string]string{
		"search": "search", "grep": "search", "Grep": "search", "grep_search": "search", "searchFiles": "search",
		"Read": "read_file", "readFile": "read_file", "functions.read_file": "read_file", "view": "read_file",
		"mcp__files__read_file": "read_file", "default_api:cat": "read_file", "read_file_tool": "read_file",
		"LS": "list_dir", "list_directory": "list_dir", "go_to_definition": "find_symbol", "final_answer": "answer",
		"bash": "", "run_shell_command": "", "write_file": "", "delete_file": "", "glob": "", "": "", "__": "", "web_search": "",
	} {
		if got := toolcall.Name(name, small); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := toolcall.Name("grep", []string{"read_file"}); got != "" {
		t.Errorf("a tool that is not offered: %q", got)
	}
}

// FuzzArgs checks the invariants: valid JSON stays valid, reading again changes nothing, and a field that the schema
// knows is never given a value that was not in the call under this or another name.
func FuzzArgs(f *testing.F) {
	f.Add(`{"file_path":"a.go","offset":"10-20","paths":["x"]}`)
	f.Add(`{"path":"a.go:1-2","lines":[1,2],"-i":true}`)
	f.Add(`[{"args":{"path":["a"]}}]`)
	f.Add(`"{\"path\":\"a\"}"`)
	f.Fuzz(func(t *testing.T, args string) {
		for _, schema := range []string{searchSchema, readSchema, findSchema, listSchema, reportSchema} {
			read, notes := toolcall.Args(json.RawMessage(schema), json.RawMessage(args))
			if json.Valid([]byte(args)) && !json.Valid(read) || !json.Valid([]byte(args)) && string(read) != args {
				t.Fatalf("%q became %q", args, read)
			}
			if again, more := toolcall.Args(json.RawMessage(schema), read); string(again) != string(read) || len(more) > 0 {
				t.Fatalf("%q became %s, then %s (%q, %q)", args, read, again, notes, more)
			}
		}
	})
}
