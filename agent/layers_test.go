package agent_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/forayhq/foray"

// floors says which packages of the house each package may import. "..." stands for all below a folder. A package that
// is not here stands on no floor.
var floors = map[string][]string{
	"internal/browsertest":                        {},
	"internal/aimock":                             {},
	"internal/httpserve":                          {},
	"internal/identifier":                         {},
	"internal/jsonlines":                          {},
	"internal/lazyregexp":                         {},
	"internal/line":                               {},
	"internal/sessionfile":                        {"contextwindow", "contextwindow/transcript", "internal/jsonlines", "internal/line", "internal/sqliteread", "toollimit"},
	"internal/traceline":                          {"agent", "contextwindow", "contextwindow/transcript", "providers"},
	"internal/strict":                             {"internal/line"},
	"internal/sqliteread":                         {},
	"internal/documents":                          {"internal/textsearch", "internal/lazyregexp", "internal/line"},
	"internal/filelock":                           {},
	"internal/queue":                              {},
	"internal/secret":                             {},
	"internal/ostest":                             {},
	"internal/attacktable":                        {"internal/line", "internal/ostest"},
	"internal/testfile":                           {},
	"internal/textsearch":                         {},
	"internal/toolcall":                           {"internal/line"},
	"toollimit":                                   {"internal/line", "toollimit/internal/grep", "toollimit/internal/jsontext", "toollimit/internal/terminal", "toollimit/internal/tokens", "internal/identifier"},
	"toollimit/internal/grep":                     {"internal/line"},
	"toollimit/internal/jsontext":                 {"internal/line"},
	"toollimit/internal/terminal":                 {},
	"toollimit/internal/tokens":                   {},
	"contextwindow/internal/repeat":               {},
	"contextwindow/internal/shell":                {},
	"contextwindow/transcript":                    {"toollimit", "internal/line"},
	"contextwindow":                               {"contextwindow/internal/names", "contextwindow/internal/prefix", "contextwindow/internal/repeat", "contextwindow/internal/said", "contextwindow/internal/shell", "contextwindow/transcript", "toollimit", "internal/line", "internal/identifier"},
	"contextwindow/internal/names":                {"toollimit", "internal/identifier"},
	"contextwindow/internal/prefix":               {"contextwindow/transcript"},
	"contextwindow/internal/said":                 {"toollimit", "internal/lazyregexp"},
	"contextwindow/contextbuilder":                {"contextwindow", "contextwindow/transcript", "contextwindow/contextbuilder/internal/cache", "toollimit", "internal/textsearch", "internal/line"},
	"contextwindow/contextbuilder/internal/cache": {},
	"contextwindow/contextbuilder/blocks":         {"contextwindow/contextbuilder", "internal/line"},
	"providers":                                   {"contextwindow", "contextwindow/transcript", "toollimit", "internal/line"},
	"providers/internal/wire":                     {"contextwindow/transcript", "providers", "internal/lazyregexp", "internal/line", "toollimit"},
	"providers/internal/models":                   {"providers"},
	"providers/internal/keep":                     {},
	"providers/textcalls":                         {"contextwindow/transcript", "providers", "providers/internal/keep", "providers/internal/wire", "internal/toolcall", "internal/line"},
	"providers/catalog":                           {"providers/internal/keep", "providers/internal/wire", "providers", "providers/internal/models", "providers/textcalls", "providers/anthropic", "providers/ollama", "providers/openai", "providers/gemini", "providers/generativeai", "contextwindow", "contextwindow/transcript", "toollimit", "internal/line"},
	"providers/openai":                            {"providers/internal/wire", "providers", "providers/internal/models", "contextwindow", "contextwindow/transcript", "toollimit", "internal/line"},
	"providers/anthropic":                         {"internal/line", "providers/internal/wire", "providers", "providers/internal/models", "contextwindow/transcript", "toollimit"},
	"providers/ollama":                            {"providers/internal/wire", "providers", "providers/internal/models", "contextwindow/transcript", "toollimit", "internal/line"},
	"providers/internal/geminiwire":               {"providers/internal/wire", "providers", "providers/internal/models", "contextwindow", "contextwindow/transcript"},
	"providers/internal/geminitest":               {"providers", "providers/providertest"},
	"providers/gemini":                            {"providers/internal/wire", "providers", "providers/internal/geminiwire", "contextwindow", "contextwindow/transcript", "toollimit", "internal/line"},
	"providers/generativeai":                      {"providers/internal/wire", "providers", "providers/internal/geminiwire", "contextwindow", "contextwindow/transcript", "toollimit"},
	"providers/scripted":                          {"providers/internal/wire", "providers", "providers/internal/models", "contextwindow", "contextwindow/transcript", "toollimit"},
	"providers/replay":                            {"providers", "providers/internal/models", "contextwindow", "contextwindow/transcript", "toollimit", "internal/line"},
	"providers/providertest/strict":               {"contextwindow/transcript", "providers"},
	"internal/rulemodel":                          {"contextwindow/transcript", "providers", "internal/line"},
	"providers/providertest":                      {"providers", "contextwindow", "contextwindow/transcript", "toollimit"},
	"tools":                                       {"toollimit", "internal/line", "internal/toolcall"},
	"tools/picture":                               {"tools", "toollimit", "internal/line"},
	"tools/tree":                                  {"internal/secret", "tools", "tools/symbols", "internal/line"},
	"tools/search":                                {"tools", "tools/tree", "internal/line"},
	"tools/report":                                {"internal/line"},
	"tools/codebase":                              {"internal/testfile", "internal/documents", "tools", "tools/picture", "tools/tree", "tools/search", "tools/report", "tools/symbols", "toollimit", "internal/line"},
	"tools/symbols":                               {"toollimit", "internal/line", "internal/lazyregexp"},
	"tools/gitrepo":                               {"tools", "tools/tree", "tools/codebase", "toollimit", "internal/line"},
	"tools/locate":                                {"internal/testfile", "tools", "tools/tree", "tools/codebase", "tools/symbols", "toollimit", "internal/line", "internal/textsearch", "internal/lazyregexp"},
	"tools/reread":                                {"tools", "contextwindow", "contextwindow/memory/working", "toollimit"},
	"tools/mcp":                                   {"internal/line", "internal/process", "internal/textsearch", "toollimit", "tools", "tools/picture"},
	"tools/mcp/internal/conformance":              {},
	"tools/mcp/server":                            {"contextwindow/memory/working", "internal/line", "toollimit", "tools", "tools/recall"},
	"tools/recall":                                {"tools", "tools/reread", "contextwindow", "contextwindow/memory/...", "toollimit", "internal/line", "internal/textsearch"},
	"agent":                                       {"agent/session", "toollimit", "internal/line", "internal/toolcall", "contextwindow", "contextwindow/transcript", "contextwindow/memory/working", "providers", "tools", "tools/reread"},
	"agent/session":                               {"internal/line", "contextwindow", "contextwindow/transcript", "providers", "tools"},
	"internal/sessionwalk":                        {"agent", "agent/session", "contextwindow", "contextwindow/transcript", "providers", "toollimit", "tools"},
	"agent/session/sessiontest":                   {"internal/sessionwalk", "agent", "agent/session", "contextwindow", "contextwindow/transcript", "providers", "toollimit", "tools"},
	"agent/session/shard":                         {"agent/session"},
	"agent/chat":                                  {"agent", "tools", "tools/recall", "providers", "contextwindow", "contextwindow/transcript", "contextwindow/memory/...", "contextwindow/contextbuilder", "contextwindow/contextbuilder/blocks", "toollimit", "internal/line", "internal/queue"},
	"agent/chat/httpapi":                          {"agent/chat", "agent", "providers", "contextwindow", "contextwindow/transcript", "contextwindow/memory/...", "contextwindow/contextbuilder", "toollimit", "tools", "tools/picture", "internal/httpserve", "internal/line", "internal/strict"},
	"agent/trace":                                 {"internal/traceline", "agent", "agent/session", "contextwindow", "contextwindow/transcript", "providers", "internal/line"},
	"agent/otel":                                  {"agent", "contextwindow", "contextwindow/transcript", "providers", "tools", "internal/line", "internal/secret"},
	"agent/store":                                 {"agent/store/internal/packed", "agent/chat", "agent/session", "providers", "internal/secret", "contextwindow", "contextwindow/transcript", "contextwindow/memory/...", "contextwindow/contextbuilder", "internal/textsearch", "internal/line", "internal/filelock", "internal/queue"},
	"agent/store/internal/packed":                 {"agent/session", "contextwindow", "internal/secret"},
	"evals":                                       {"internal/jsonlines", "internal/line"},
	"evals/canaries":                              {"..."},
	"evals/answers":                               {"..."},
	"evals/compaction":                            {"..."},
	"evals/internal/words":                        {},
	"evals/internal/reliability":                  {},
	"evals/internal/cases":                        {"evals"},
	"evals/internal/cited":                        {"tools/report"},
	"evals/internal/planted":                      {"contextwindow/transcript"},
	"internal/process":                            {"internal/lazyregexp"},
	"evals/compaction/internal/plot":              {"evals/internal/words", "internal/line"},
	"evals/internal/policy":                       {"..."},
	"evals/internal/recording":                    {"..."},
	"evals/internal/valid":                        {"contextwindow/transcript"},
	"evals/fuzz":                                  {"..."},
	"evals/live":                                  {"..."},
	"evals/localize":                              {"..."},
	"evals/recall":                                {"..."},
	"evals/tokens":                                {"..."},
	"evals/check":                                 {"..."},
	"evals/dispatch":                              {},
	"evals/task":                                  {"..."},
	"evals/sets":                                  {"..."},
	"evals/trial":                                 {"..."},
	"evals/subject":                               {"..."},
	"evals/internal/stats":                        {},
	"evals/compare":                               {"..."},
	"evals/page":                                  {"..."},
	"evals/internal/turns":                        {"..."},
	"evals/internal/turns/turnstest":              {"..."},
	"evals/inspectlog":                            {"..."},
	"evals/atif":                                  {"..."},
	"cmd/foray":                                   {"..."},
	"cmd/foray/internal/cli":                      {"internal/line", "tools", "cmd/foray/internal/ui"},
	"cmd/foray/internal/attach":                   {"cmd/foray/internal/cli", "internal/line", "providers", "toollimit", "tools", "tools/picture"},
	"cmd/foray/internal/config":                   {"cmd/foray/internal/cli", "cmd/foray/internal/ui", "internal/line"},
	"cmd/foray/internal/harness":                  {"..."},
	"cmd/foray/internal/inspect":                  {"..."},
	"cmd/foray/internal/answerpage":               {"internal/lazyregexp", "internal/line", "tools/codebase", "tools/report"},
	"cmd/foray/internal/sessions":                 {"..."},
	"cmd/foray/internal/servers":                  {"agent", "cmd/foray/internal/cli", "contextwindow/transcript", "tools", "tools/mcp"},
	"cmd/foray/internal/telemetry":                {"agent", "agent/otel", "internal/line", "cmd/foray/internal/cli"},
	"cmd/foray/internal/ui":                       {"..."},
	"cmd/foray/internal/tui":                      {"agent", "agent/chat", "cmd/foray/internal/ui", "contextwindow", "contextwindow/transcript", "internal/lazyregexp", "internal/line", "providers", "toollimit", "tools", "tools/report"},
	"cmd/foray/internal/said":                     {"..."},
	"cmd/foray/internal/suites":                   {"..."},
	"examples/code":                               {"..."},
	"examples/consulting":                         {"..."},
	"examples/embed":                              {"..."},

	"contextwindow/memory":                 {},
	"contextwindow/memory/internal/speech": {"contextwindow/internal/said", "internal/line"},
	"contextwindow/memory/working":         {"contextwindow", "contextwindow/transcript"},
	"contextwindow/memory/task":            {"contextwindow/memory/internal/speech", "toollimit", "internal/line"},
	"contextwindow/memory/summary":         {"contextwindow/internal/said", "contextwindow/memory", "contextwindow/memory/internal/speech", "contextwindow/memory/internal/stated", "contextwindow/transcript", "toollimit", "internal/identifier", "internal/textsearch", "internal/lazyregexp"},
	"contextwindow/memory/internal/stated": {"contextwindow/internal/said", "contextwindow/memory/internal/speech", "internal/secret", "internal/textsearch", "internal/lazyregexp"},
	"contextwindow/memory/longterm":        {"contextwindow/memory", "contextwindow/memory/internal/speech", "contextwindow/memory/internal/stated", "internal/textsearch", "internal/lazyregexp"},

	"agent/explore/internal/asked":            {"internal/lazyregexp"},
	"agent/explore":                           {"internal/testfile", "agent", "agent/explore/internal/asked", "agent/explore/rules", "agent/session", "contextwindow", "contextwindow/transcript", "contextwindow/memory/working", "toollimit", "internal/rulemodel", "providers", "providers/catalog", "internal/line", "internal/textsearch", "tools", "tools/codebase", "tools/gitrepo", "tools/locate", "tools/recall", "tools/report", "tools/search", "tools/symbols", "tools/tree", "internal/lazyregexp"},
	"agent/explore/rules/internal/intent":     {"internal/lazyregexp"},
	"agent/explore/rules/internal/trust":      {"tools/report"},
	"agent/explore/rules/internal/exact":      {"agent/explore/rules/internal/entries", "internal/documents", "agent/explore/rules/internal/intent", "internal/line", "internal/rulemodel", "internal/textsearch", "tools/codebase", "tools/report", "tools/search", "tools/symbols", "agent/explore/rules/internal/lookup", "internal/lazyregexp", "internal/testfile"},
	"agent/explore/rules/internal/overview":   {"internal/documents", "internal/textsearch", "internal/lazyregexp"},
	"agent/explore/rules/internal/pages":      {"internal/documents", "internal/line", "internal/rulemodel", "tools/codebase", "tools/report", "agent/explore/rules/internal/lookup", "internal/lazyregexp"},
	"agent/explore/rules/internal/passages":   {"agent/explore/rules/internal/comments", "agent/explore/rules/internal/lookup", "internal/documents", "internal/lazyregexp", "internal/rulemodel", "internal/testfile", "internal/textsearch", "tools/codebase", "tools/report", "tools/search", "tools/symbols"},
	"agent/explore/rules":                     {"internal/testfile", "agent/explore/internal/asked", "agent/explore/rules/internal/comments", "agent/explore/rules/internal/files", "agent/explore/rules/internal/exact", "agent/explore/rules/internal/intent", "agent/explore/rules/internal/listing", "agent/explore/rules/internal/overview", "agent/explore/rules/internal/pages", "agent/explore/rules/internal/passages", "agent/explore/rules/internal/testtitles", "agent/explore/rules/internal/trust", "agent/explore/rules/internal/units", "contextwindow", "contextwindow/contextbuilder", "internal/documents", "internal/textsearch", "contextwindow/transcript", "internal/rulemodel", "providers", "toollimit", "internal/line", "tools", "tools/codebase", "tools/gitrepo", "tools/locate", "tools/report", "tools/search", "tools/symbols", "agent/explore/rules/internal/lookup", "agent/explore/rules/internal/terms", "internal/lazyregexp"},
	"agent/explore/rules/internal/entries":    {"internal/lazyregexp", "internal/line", "tools/symbols"},
	"agent/explore/rules/internal/listing":    {"agent/explore/rules/internal/entries", "agent/explore/rules/internal/exact", "agent/explore/rules/internal/lookup", "agent/explore/rules/internal/units", "internal/lazyregexp", "internal/line", "internal/rulemodel", "internal/textsearch", "tools/codebase", "tools/report", "tools/symbols"},
	"agent/explore/rules/internal/lookup":     {"internal/line", "internal/rulemodel", "tools/report"},
	"agent/explore/rules/internal/comments":   {"internal/lazyregexp"},
	"agent/explore/rules/internal/files":      {"agent/explore/rules/internal/comments", "agent/explore/rules/internal/lookup", "agent/explore/rules/internal/overview", "internal/documents", "internal/lazyregexp", "internal/line", "internal/testfile", "internal/rulemodel", "tools/codebase", "tools/report", "tools/search"},
	"agent/explore/rules/internal/terms":      {"internal/lazyregexp", "internal/textsearch"},
	"agent/explore/rules/internal/units":      {"tools/codebase", "tools/search"},
	"agent/explore/rules/internal/testtitles": {"agent/explore/rules/internal/lookup", "agent/explore/rules/internal/units", "internal/documents", "internal/lazyregexp", "internal/line", "internal/rulemodel", "internal/textsearch", "tools/codebase", "tools/report"},
	"pipelines":         {"agent", "contextwindow", "contextwindow/transcript", "internal/line", "tools", "tools/report"},
	"pipelines/insight": {"internal/testfile", "internal/secret", "agent", "agent/explore", "contextwindow", "contextwindow/memory/working", "contextwindow/transcript", "internal/rulemodel", "pipelines", "providers", "toollimit", "internal/line", "tools", "tools/codebase", "tools/report", "tools/search", "internal/lazyregexp"},
}

// standardOnly are the packages that import nothing but the standard library and the floors below them.
var standardOnly = []string{"toollimit", "contextwindow/transcript", "contextwindow/internal/names", "contextwindow/internal/prefix", "contextwindow", "contextwindow/internal/said", "contextwindow/contextbuilder", "contextwindow/contextbuilder/internal/cache", "contextwindow/contextbuilder/blocks", "contextwindow/memory", "contextwindow/memory/internal/speech",
	"contextwindow/memory/longterm", "contextwindow/memory/summary", "contextwindow/memory/task", "contextwindow/memory/working"}

// quarantined are the libraries of others and the packages that may import them.
var quarantined = map[string][]string{
	"github.com/sashabaranov/go-openai":        {"providers/openai"},
	"google.golang.org/genai":                  {"providers/gemini"},
	"github.com/google/generative-ai-go":       {"providers/generativeai"},
	"google.golang.org/api":                    {"providers/generativeai"},
	"google.golang.org/grpc":                   {"providers/generativeai"},
	"google.golang.org/protobuf":               {"providers/generativeai", "providers/internal/geminitest"},
	"cloud.google.com/go":                      {"providers/generativeai", "providers/internal/geminitest"},
	"github.com/invopop/jsonschema":            {"tools"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"tools", "providers/textcalls", "evals/check"},
	"github.com/BurntSushi/toml":               {"cmd/foray/internal/config", "evals/task"},
	"github.com/sourcegraph/conc":              {"agent", "cmd/foray", "evals", "tools/codebase", "tools/tree"},
	"github.com/bmatcuk/doublestar/v4":         {"tools/search"},
	"github.com/modelcontextprotocol/go-sdk":   {"tools/mcp", "tools/mcp/server"},
	"github.com/hashicorp/golang-lru/v2":       {"tools/tree", "tools/symbols"},
	"github.com/tiktoken-go/tokenizer":         {"evals/tokens"},
	"go.opentelemetry.io/otel":                 {"agent/otel", "cmd/foray/internal/telemetry"},
	"github.com/go-logr/logr":                  {"cmd/foray/internal/telemetry"},
	"github.com/spf13/cobra":                   {"cmd/foray", "cmd/foray/internal/cli", "cmd/foray/internal/config", "cmd/foray/internal/harness", "cmd/foray/internal/servers", "cmd/foray/internal/suites", "cmd/foray/internal/telemetry"},
	"charm.land":                               {"cmd/foray/internal/tui"},
	"github.com/alecthomas/chroma/v2":          {"cmd/foray/internal/answerpage"},
	"github.com/yuin/goldmark":                 {"cmd/foray/internal/answerpage", "cmd/foray/internal/tui"},
	"github.com/charmbracelet/x":               {"cmd/foray/internal/tui"},
	"golang.org/x/image":                       {"tools/picture"},
	"golang.org/x/tools":                       {"evals/sets"},
	"golang.org/x/time":                        {"providers"},
	"golang.org/x/sys":                         {"cmd/foray/internal/tui", "cmd/foray/internal/ui", "tools/tree"},
	"modernc.org/sqlite":                       {"agent/store", "internal/sqliteread"},
	"github.com/klauspost/compress":            {"agent/store", "evals/inspectlog"},
}

func TestArrowsPointDown(t *testing.T) {
	root := ".."
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if d.IsDir() && name != root {
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir // a module of its own
			}
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		checkFile(t, root, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < len(floors) {
		t.Errorf("found %d files for %d packages: is this the module's root?", files, len(floors))
	}
}

func checkFile(t *testing.T, root, name string) {
	rel, err := filepath.Rel(root, filepath.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	pkg := filepath.ToSlash(rel)
	allowed, known := floors[pkg]
	if !known {
		t.Errorf("%s: package %s stands on no floor", name, pkg)
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		checkImport(t, name, pkg, imported, allowed)
	}
}

func checkImport(t *testing.T, name, pkg, imported string, allowed []string) {
	if house, ok := strings.CutPrefix(imported, module+"/"); ok {
		if !slices.ContainsFunc(allowed, func(a string) bool {
			root, below := strings.CutSuffix(a, "...")
			return a == house || below && strings.HasPrefix(house, root)
		}) {
			t.Errorf("%s: %s may not import %s", name, pkg, house)
		}
		return
	}
	if !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return
	}
	if slices.Contains(standardOnly, pkg) {
		t.Errorf("%s: %s imports %s, but only the standard library is allowed there", name, pkg, imported)
	}
	for library, homes := range quarantined {
		if (imported == library || strings.HasPrefix(imported, library+"/")) && !slices.Contains(homes, pkg) {
			t.Errorf("%s: %s imports %s, which is kept to %v", name, pkg, imported, homes)
		}
	}
}
