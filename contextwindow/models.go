package contextwindow

import "strings"

// A ModelSize is one row of the table of context windows.
type ModelSize struct {
	Name      string // a whole name, or the start of names
	Exact     bool   // Name is a whole name
	Window    int    // tokens
	MaxOutput int    // tokens, where it is below 8,192; 0 otherwise
	Source    string // who says so
}

// Who says how large a window is. The project's requirements list families and their fallbacks; where a vendor's
// documentation says otherwise, the vendor's row holds.
const (
	required  = "requirements"
	openAI    = "vendor: platform.openai.com/docs/models"
	anthropic = "vendor: docs.anthropic.com/en/docs/about-claude/models"
	deepSeek  = "vendor: api-docs.deepseek.com"
	meta      = "vendor: model cards at github.com/meta-llama"
	mistralAI = "vendor: docs.mistral.ai/getting-started/models"
	microsoft = "vendor: model cards at huggingface.co/microsoft"
)

const (
	// fallbackWindow is the window of a name that no row knows, in tokens (requirements).
	fallbackWindow = 32_000
	// fallbackSource is what WindowSize gives as the source of a name that no row knows.
	fallbackSource = "fallback: no row knows this name"
)

// modelSizes is searched for an exact name, then for the longest prefix that ends at a border of the name. The rows
// marked with a vendor differ from the requirements, or name what the requirements' families would get wrong.
var modelSizes = []ModelSize{
	{"gemini-3", false, 1_000_000, 0, required},
	{"gemini-3.", false, 1_000_000, 0, required},
	{"gemini-2.5", false, 1_000_000, 0, required},
	{"gemini-2", false, 1_000_000, 0, required},
	{"gemini-2.", false, 1_000_000, 0, required},
	{"gemini-1.5-pro", false, 1_000_000, 0, required},
	{"gemini-1.5-flash", false, 1_000_000, 0, required},
	{"gemini-1.0", false, 32_000, 0, required},
	{"gemini", false, 1_000_000, 0, required},

	{"gpt-5.4-mini", false, 400_000, 0, required},
	{"gpt-5.4-nano", false, 400_000, 0, required},
	{"gpt-5", false, 1_000_000, 0, required},
	{"gpt-5.", false, 1_000_000, 0, required},
	{"gpt-5", true, 400_000, 0, openAI},
	{"gpt-5-2025", false, 400_000, 0, openAI},
	{"gpt-5-mini", false, 400_000, 0, openAI},
	{"gpt-5-nano", false, 400_000, 0, openAI},
	{"gpt-5-pro", false, 400_000, 0, openAI},
	{"gpt-5-codex", false, 400_000, 0, openAI},
	{"gpt-5-chat", false, 128_000, 0, openAI},
	{"gpt-5.1", false, 400_000, 0, openAI},
	{"gpt-5.2", false, 400_000, 0, openAI},
	{"gpt-4.1", false, 1_047_576, 0, openAI},
	{"gpt-4.5", false, 128_000, 0, openAI},
	{"gpt-4o", false, 128_000, 0, required},
	{"chatgpt-4o", false, 128_000, 0, openAI},
	{"gpt-4-turbo", false, 128_000, 4_096, required},
	{"gpt-4-1106", false, 128_000, 4_096, openAI},
	{"gpt-4-0125", false, 128_000, 4_096, openAI},
	{"gpt-4-32k", false, 32_768, 0, openAI},
	{"gpt-4", false, 8_192, 0, required},
	{"gpt-3.5-turbo-16k", false, 16_384, 4_096, required},
	{"gpt-3.5-turbo", false, 16_385, 4_096, openAI},
	{"gpt-3.5-turbo-0301", false, 4_096, 4_096, openAI},
	{"gpt-3.5-turbo-0613", false, 4_096, 4_096, openAI},
	{"gpt-3.5-turbo-instruct", false, 4_096, 4_096, openAI},
	{"gpt-3.5", false, 4_096, 4_096, required},
	{"gpt-oss", false, 131_072, 0, openAI},
	{"o1", false, 200_000, 0, required},
	{"o1-mini", false, 128_000, 0, openAI},
	{"o1-preview", false, 128_000, 0, openAI},
	{"o3", false, 200_000, 0, required},
	{"o4", false, 200_000, 0, required},

	{"claude-opus-4-6", false, 1_000_000, 0, required},
	{"claude-opus-4.6", false, 1_000_000, 0, required},
	{"claude-sonnet-4-6", false, 1_000_000, 0, required},
	{"claude-sonnet-4.6", false, 1_000_000, 0, required},
	{"claude-sonnet-4", false, 200_000, 0, required},
	{"claude-3-5", false, 200_000, 0, required},
	{"claude-3.5", false, 200_000, 0, required},
	{"claude-3", false, 200_000, 4_096, required},
	{"claude-3-7", false, 200_000, 0, anthropic},
	{"claude-2.0", false, 100_000, 4_096, anthropic},
	{"claude-instant", false, 100_000, 4_096, anthropic},
	{"claude", false, 200_000, 0, required},

	{"deepseek", false, 64_000, 0, required},
	{"deepseek-chat", true, 128_000, 0, deepSeek},
	{"deepseek-reasoner", true, 128_000, 0, deepSeek},

	{"llama-4", false, 1_000_000, 0, meta},
	{"llama-3.1", false, 128_000, 0, required},
	{"llama-3.2", false, 128_000, 0, required},
	{"llama-3.3", false, 128_000, 0, required},
	{"llama3.1", false, 128_000, 0, required},
	{"llama3.2", false, 128_000, 0, required},
	{"llama3.3", false, 128_000, 0, required},
	{"llama3-2", false, 128_000, 0, required},
	{"llama3-3", false, 128_000, 0, required},
	{"llama-3", false, 8_192, 0, required},
	{"llama3", false, 8_192, 0, required},
	{"codellama", false, 16_384, 0, meta},
	{"llama", false, 4_096, 0, required},

	{"mistral", false, 32_000, 0, required},
	{"mistral-nemo", false, 128_000, 0, mistralAI},
	{"open-mistral-nemo", false, 128_000, 0, mistralAI},
	{"mistral-large", false, 128_000, 0, mistralAI},
	{"qwen", false, 128_000, 0, required},
	{"phi", false, 128_000, 0, required},
	{"phi-4", false, 16_384, 0, microsoft},
	{"phi4", false, 16_384, 0, microsoft},
	{"phi-4-mini", false, 128_000, 0, microsoft},
	{"phi4-mini", false, 128_000, 0, microsoft},

	{"mock", false, 32_000, 0, required},
}

// ModelSizes returns the table of context windows, in the order of families.
func ModelSizes() []ModelSize { return append([]ModelSize(nil), modelSizes...) }

// WindowSize returns the context window of a model in tokens, and who says so. The name may carry a provider's path
// ("openai/gpt-4o", "models/gemini-2.5-pro"). A name that no row knows has 32,000 tokens, and known is false.
func WindowSize(model string) (tokens int, source string, known bool) {
	size, known := lookupModel(model)
	return size.Window, size.Source, known
}

func lookupModel(model string) (ModelSize, bool) {
	name := baseName(model)
	best := ModelSize{Window: fallbackWindow, Source: fallbackSource}
	for _, row := range modelSizes {
		if row.Exact && row.Name == name {
			return row, true
		}
		if !row.Exact && len(row.Name) > len(best.Name) && namesStart(row.Name, name) {
			best = row
		}
	}
	return best, best.Name != ""
}

// baseName is a model's name without a provider's path.
func baseName(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	name = name[strings.LastIndexByte(name, '/')+1:]
	if strings.HasPrefix(name, "meta-llama") {
		name = strings.TrimPrefix(name, "meta-")
	}
	return name
}

// namesStart reports whether prefix is the start of name up to a border. A letter never follows a prefix, nor a digit
// or a minor version one that ends in a digit: "gpt-4" starts "gpt-4-0613", and neither "gpt-4o" nor "gpt-4.1".
func namesStart(prefix, name string) bool {
	if !strings.HasPrefix(name, prefix) {
		return false
	}
	rest := name[len(prefix):]
	last := prefix[len(prefix)-1]
	if rest == "" || last == '.' {
		return true
	}
	if rest[0] >= 'a' && rest[0] <= 'z' {
		return false
	}
	if !isDigit(last) {
		return true
	}
	minor := rest[0] == '.' && len(rest) > 1 && isDigit(rest[1])
	return !isDigit(rest[0]) && !minor
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
