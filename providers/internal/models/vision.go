package models

import (
	"regexp"

	"github.com/forayhq/foray/providers"
)

// How families count pictures, from the vendors' pages: docs.claude.com/en/docs/build-with-claude/vision,
// platform.openai.com/docs/guides/images-vision, ai.google.dev/gemini-api/docs/tokens,
// docs.mistral.ai/capabilities/vision, docs.x.ai/docs/guides/image-understanding, and the model cards of open models.
var (
	claude     = providers.Vision{Tile: 28, Each: 1.05, Most: 1_524} // width × height ÷ 750, up to 1,600
	claude47   = providers.Vision{Tile: 28, Each: 1.05, Most: 4_556} // up to 4,784
	gpt4o      = providers.Vision{Base: 85, Tile: 512, Each: 170, Side: 2_048, Short: 768}
	gpt4oMini  = providers.Vision{Base: 2_833, Tile: 512, Each: 5_667, Side: 2_048, Short: 768}
	gpt5       = providers.Vision{Base: 70, Tile: 512, Each: 140, Side: 2_048, Short: 768}
	o1         = providers.Vision{Base: 75, Tile: 512, Each: 150, Side: 2_048, Short: 768}
	gptMini    = providers.Vision{Tile: 32, Each: 1.62, Most: 1_536}
	gptNano    = providers.Vision{Tile: 32, Each: 2.46, Most: 1_536}
	o4Mini     = providers.Vision{Tile: 32, Each: 1.72, Most: 1_536}
	gpt54      = providers.Vision{Tile: 32, Each: 1, Most: 2_500}
	gemini2    = providers.Vision{Tile: 768, Each: 258, Crop: true}
	gemini3    = providers.Vision{Base: 1_120}
	gemma      = providers.Vision{Base: 256}
	pixtral    = providers.Vision{Tile: 16, Each: 1.02, Side: 1_024}
	mistral    = providers.Vision{Tile: 28, Each: 1.02, Side: 1_540}
	llama4     = providers.Vision{Base: 144, Tile: 336, Each: 144, Most: 16}
	llamaTiles = providers.Vision{Tile: 560, Each: 1_601, Most: 4}
	grok       = providers.Vision{Base: 256, Tile: 448, Each: 256, Most: 6}
	blind      = providers.Vision{}
)

// visions says which models see pictures, by the longest name that starts theirs.
var visions = []struct {
	name   string
	vision providers.Vision
}{
	{"claude", claude}, {"claude-2", blind}, {"claude-2.", blind}, {"claude-instant", blind},
	{"claude-opus-4-7", claude47}, {"claude-opus-4.7", claude47}, {"claude-opus-4-8", claude47},
	{"gpt-4o", gpt4o}, {"chatgpt-4o", gpt4o}, {"gpt-4.1", gpt4o}, {"gpt-4.5", gpt4o}, {"gpt-4-turbo", gpt4o},
	{"gpt-4o-mini", gpt4oMini}, {"gpt-4.1-mini", gptMini}, {"gpt-4.1-nano", gptNano},
	{"gpt-5", gpt5}, {"gpt-5.", gpt5}, {"gpt-5-mini", gptMini}, {"gpt-5-nano", gptNano}, {"gpt-5.1-codex-mini", gptMini},
	{"gpt-5.4", gpt54}, {"gpt-5.5", gpt54}, {"o1", o1}, {"o1-mini", blind}, {"o1-preview", blind}, {"o3", o1},
	{"o3-mini", blind}, {"o4-mini", o4Mini},
	{"gemini", gemini3}, {"gemini-1.0", blind}, {"gemini-1.5", gemini2}, {"gemini-2", gemini2}, {"gemini-2.", gemini2},
	{"gemma-3", gemma}, {"gemma3", gemma}, {"gemma-3-1b", blind}, {"gemma3:1b", blind},
	{"pixtral", pixtral}, {"mistral-small-3.", mistral}, {"mistral-small3.", mistral}, {"mistral-medium", mistral},
	{"llama-4", llama4}, {"llama4", llama4}, {"llama-3.2-11b-vision", llamaTiles}, {"llama-3.2-90b-vision", llamaTiles},
	{"llama3.2-vision", llamaTiles}, {"grok-4", grok}, {"grok-2-vision", grok},
	{"llava", providers.GeneralVision}, {"bakllava", providers.GeneralVision}, {"moondream", providers.GeneralVision},
	{"minicpm-v", providers.GeneralVision}, {"glm-4.5v", providers.GeneralVision}, {"glm-4.6v", providers.GeneralVision},
}

// saysVision matches names of open models that say what they are.
var saysVision = regexp.MustCompile(`[-_.0-9](?:vl|vision)(?:[-_.:0-9]|$)`)

// Vision returns how a model sees pictures, by its name. The zero value: it is not known to see any.
func Vision(model string) providers.Vision {
	name, best := baseName(model), ""
	found := providers.Vision{}
	for _, row := range visions {
		if len(row.name) > len(best) && startsName(row.name, name) {
			best, found = row.name, row.vision
		}
	}
	if best == "" && saysVision.MatchString(name) {
		return providers.GeneralVision
	}
	return found
}
