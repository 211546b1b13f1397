package models

import "github.com/forayhq/foray/providers"

// usd returns prices in US dollars for a million tokens of input, cached input and output.
func usd(input, cached, output float64) providers.Rates {
	return providers.Rates{Input: input, Cached: cached, Output: output}
}

// cacheWrite is what Anthropic charges for a token that its cache keeps for five minutes, as a factor of the price of
// input: docs.anthropic.com/en/docs/build-with-claude/prompt-caching.
const cacheWrite = 1.25

// Sources of window sizes. A vendor's documentation overrides the size of the family.
const (
	byFamily  = "size of the family"
	openAI    = "vendor: platform.openai.com/docs/models"
	anthropic = "vendor: docs.anthropic.com/en/docs/about-claude/models"
	deepSeek  = "vendor: api-docs.deepseek.com"
	meta      = "vendor: model cards at github.com/meta-llama"
	mistralAI = "vendor: docs.mistral.ai/getting-started/models"
	microsoft = "vendor: model cards at huggingface.co/microsoft"
)

// A family groups the models on one vendor's price list.
type family struct {
	list   string  // the vendor's provider name; empty without a price list
	write  float64 // price of a token written to its cache, as a factor of that of input; 0: as input
	models []Model
}

// PriceDate is when the prices of the table were read.
const PriceDate = "2026-07-24"

// families is the table of models. A column that a row leaves out comes from the longest row above or below that has it
// and whose name starts the model's name: "gpt-5.4-pro" has its own price and the window of "gpt-5.".
//
// Ratios of Claude models are measured on the token counts of recorded sessions (`foray eval tokens`). Those of OpenAI
// are 1 because the estimate is fitted to OpenAI's published vocabularies.
//
// Prices are the list prices of standard processing on PriceDate. They come from model_prices_and_context_window.json
// of the LiteLLM project, which collects the vendors' lists (platform.openai.com/docs/pricing,
// ai.google.dev/gemini-api/docs/pricing, docs.anthropic.com, api-docs.deepseek.com). Cache writes, batches, priority
// processing and the vendors' own tools cost extra and are left out. Without a price for cached input, cached input
// costs as much as other input.
var families = []family{
	{list: "gemini", models: []Model{
		{Name: "gemini-3.", Window: 1_000_000, Source: byFamily},
		{Name: "gemini-3.5-flash", Rates: usd(1.5, 0.15, 9)},
		{Name: "gemini-3.5-flash-lite", Rates: usd(0.3, 0.03, 2.5)},
		{Name: "gemini-3.1-pro", Rates: usd(2, 0.2, 12), Above: 200_000, Long: usd(4, 0.4, 18)},
		{Name: "gemini-3.1-flash-lite", Rates: usd(0.25, 0.025, 1.5)},
		{Name: "gemini-3", Window: 1_000_000, Source: byFamily},
		{Name: "gemini-3-pro", Rates: usd(2, 0.2, 12), Above: 200_000, Long: usd(4, 0.4, 18)},
		{Name: "gemini-3-flash", Rates: usd(0.5, 0.05, 3)},
		{Name: "gemini-2.5", Window: 1_000_000, Source: byFamily},
		{Name: "gemini-2.5-pro", Rates: usd(1.25, 0.125, 10), Above: 200_000, Long: usd(2.5, 0.25, 15)},
		{Name: "gemini-2.5-flash", Rates: usd(0.3, 0.03, 2.5)},
		{Name: "gemini-2.5-flash-lite", Rates: usd(0.1, 0.01, 0.4)},
		{Name: "gemini-2", Window: 1_000_000, Source: byFamily},
		{Name: "gemini-2.", Window: 1_000_000, Source: byFamily},
		{Name: "gemini-2.0-flash", Rates: usd(0.1, 0.025, 0.4)},
		{Name: "gemini-2.0-flash-lite", Rates: usd(0.075, 0.01875, 0.3)},
		{Name: "gemini-1.5-pro", Window: 1_000_000, Source: byFamily},
		{Name: "gemini-1.5-flash", Window: 1_000_000, Source: byFamily},
		{Name: "gemini-1.0", Window: 32_000, Source: byFamily},
		{Name: "gemini", Window: 1_000_000, Source: byFamily},
	}},
	{list: "openai", models: []Model{
		{Name: "gpt", Ratio: 1},
		{Name: "gpt-5.4-mini", Window: 400_000, Source: byFamily, Rates: usd(0.75, 0.075, 4.5)},
		{Name: "gpt-5.4-nano", Window: 400_000, Source: byFamily, Rates: usd(0.2, 0.02, 1.25)},
		{Name: "gpt-5", Window: 1_000_000, Source: byFamily},
		{Name: "gpt-5.", Window: 1_000_000, Source: byFamily},
		{Name: "gpt-5.5", Rates: usd(5, 0.5, 30), Above: 272_000, Long: usd(10, 1, 45)},
		{Name: "gpt-5.5-pro", Rates: usd(30, 3, 180), Above: 272_000, Long: usd(60, 6, 270)},
		{Name: "gpt-5.4", Rates: usd(2.5, 0.25, 15), Above: 272_000, Long: usd(5, 0.5, 22.5)},
		{Name: "gpt-5.4-pro", Rates: usd(30, 3, 180), Above: 272_000, Long: usd(60, 6, 270)},
		{Name: "gpt-5.3-codex", Rates: usd(1.75, 0.175, 14)},
		{Name: "gpt-5.3-chat", Rates: usd(1.75, 0.175, 14)},
		{Name: "gpt-5", Exact: true, Window: 400_000, Source: openAI, Rates: usd(1.25, 0.125, 10)},
		{Name: "gpt-5-2025", Window: 400_000, Source: openAI},
		{Name: "gpt-5-mini", Window: 400_000, Source: openAI, Rates: usd(0.25, 0.025, 2)},
		{Name: "gpt-5-nano", Window: 400_000, Source: openAI, Rates: usd(0.05, 0.005, 0.4)},
		{Name: "gpt-5-pro", Window: 400_000, Source: openAI, Rates: usd(15, 15, 120)},
		{Name: "gpt-5-codex", Window: 400_000, Source: openAI, Rates: usd(1.25, 0.125, 10)},
		{Name: "gpt-5-chat", Window: 128_000, Source: openAI, Rates: usd(1.25, 0.125, 10)},
		{Name: "gpt-5.1", Window: 400_000, Source: openAI, Rates: usd(1.25, 0.125, 10)},
		{Name: "gpt-5.1-chat", Rates: usd(1.25, 0.125, 10)},
		{Name: "gpt-5.1-codex", Rates: usd(1.25, 0.125, 10)},
		{Name: "gpt-5.1-codex-max", Rates: usd(1.25, 0.125, 10)},
		{Name: "gpt-5.1-codex-mini", Rates: usd(0.25, 0.025, 2)},
		{Name: "gpt-5.2", Window: 400_000, Source: openAI, Rates: usd(1.75, 0.175, 14)},
		{Name: "gpt-5.2-chat", Rates: usd(1.75, 0.175, 14)},
		{Name: "gpt-5.2-codex", Rates: usd(1.75, 0.175, 14)},
		{Name: "gpt-5.2-pro", Rates: usd(21, 21, 168)},
		{Name: "gpt-4.1", Window: 1_047_576, Source: openAI, Rates: usd(2, 0.5, 8)},
		{Name: "gpt-4.1-mini", Rates: usd(0.4, 0.1, 1.6)},
		{Name: "gpt-4.1-nano", Rates: usd(0.1, 0.025, 0.4)},
		{Name: "gpt-4.5", Window: 128_000, Source: openAI},
		{Name: "gpt-4o", Window: 128_000, Source: byFamily, Rates: usd(2.5, 1.25, 10)},
		{Name: "gpt-4o-2024-05-13", Rates: usd(5, 5, 15)},
		{Name: "gpt-4o-mini", Rates: usd(0.15, 0.075, 0.6)},
		{Name: "chatgpt-4o", Window: 128_000, Source: openAI},
		{Name: "gpt-4-turbo", Window: 128_000, MaxOutput: 4_096, Source: byFamily, Rates: usd(10, 10, 30)},
		{Name: "gpt-4-1106", Window: 128_000, MaxOutput: 4_096, Source: openAI, Rates: usd(10, 10, 30)},
		{Name: "gpt-4-0125", Window: 128_000, MaxOutput: 4_096, Source: openAI, Rates: usd(10, 10, 30)},
		{Name: "gpt-4-32k", Window: 32_768, Source: openAI},
		{Name: "gpt-4", Window: 8_192, Source: byFamily, Rates: usd(30, 30, 60)},
		{Name: "gpt-3.5-turbo-16k", Window: 16_384, MaxOutput: 4_096, Source: byFamily},
		{Name: "gpt-3.5-turbo", Window: 16_385, MaxOutput: 4_096, Source: openAI, Rates: usd(0.5, 0.5, 1.5)},
		{Name: "gpt-3.5-turbo-1106", Rates: usd(1, 1, 2)},
		{Name: "gpt-3.5-turbo-0301", Window: 4_096, MaxOutput: 4_096, Source: openAI},
		{Name: "gpt-3.5-turbo-0613", Window: 4_096, MaxOutput: 4_096, Source: openAI},
		{Name: "gpt-3.5-turbo-instruct", Window: 4_096, MaxOutput: 4_096, Source: openAI},
		{Name: "gpt-3.5", Window: 4_096, MaxOutput: 4_096, Source: byFamily},
		{Name: "gpt-oss", Window: 131_072, Source: openAI},
		{Name: "o1", Window: 200_000, Source: byFamily, Ratio: 1, Rates: usd(15, 7.5, 60)},
		{Name: "o1-pro", Rates: usd(150, 150, 600)},
		{Name: "o1-mini", Window: 128_000, Source: openAI},
		{Name: "o1-preview", Window: 128_000, Source: openAI},
		{Name: "o3", Window: 200_000, Source: byFamily, Ratio: 1, Rates: usd(2, 0.5, 8)},
		{Name: "o3-mini", Rates: usd(1.1, 0.55, 4.4)},
		{Name: "o3-pro", Rates: usd(20, 20, 80)},
		{Name: "o4", Window: 200_000, Source: byFamily, Ratio: 1},
		{Name: "o4-mini", Rates: usd(1.1, 0.275, 4.4)},
	}},
	{list: "anthropic", write: cacheWrite, models: []Model{
		{Name: "claude-opus-4-6", Window: 1_000_000, Source: byFamily, Rates: usd(5, 0.5, 25)},
		{Name: "claude-opus-4.6", Window: 1_000_000, Source: byFamily},
		{Name: "claude-sonnet-4-6", Window: 1_000_000, Source: byFamily, Rates: usd(3, 0.3, 15)},
		{Name: "claude-sonnet-4.6", Window: 1_000_000, Source: byFamily},
		{Name: "claude-sonnet-4", Window: 200_000, Source: byFamily, Ratio: 1.33,
			Rates: usd(3, 0.3, 15), Above: 200_000, Long: usd(6, 0.6, 22.5)},
		{Name: "claude-sonnet-4-5", Ratio: 1.20, Rates: usd(3, 0.3, 15), Above: 200_000, Long: usd(6, 0.6, 22.5)},
		{Name: "claude-sonnet-4.5", Ratio: 1.20},
		{Name: "claude-3-5", Window: 200_000, Source: byFamily},
		{Name: "claude-3.5", Window: 200_000, Source: byFamily},
		{Name: "claude-3", Window: 200_000, MaxOutput: 4_096, Source: byFamily},
		{Name: "claude-3-opus", Rates: usd(15, 1.5, 75)},
		{Name: "claude-3-haiku", Rates: usd(0.25, 0.03, 1.25)},
		{Name: "claude-3-7", Window: 200_000, Source: anthropic},
		{Name: "claude-3-7-sonnet", Rates: usd(3, 0.3, 15)},
		{Name: "claude-2.0", Window: 100_000, MaxOutput: 4_096, Source: anthropic},
		{Name: "claude-instant", Window: 100_000, MaxOutput: 4_096, Source: anthropic},
		{Name: "claude", Window: 200_000, Source: byFamily},
		{Name: "claude-opus-4-8", Rates: usd(5, 0.5, 25)},
		{Name: "claude-opus-4-7", Ratio: 1.66, Rates: usd(5, 0.5, 25)},
		{Name: "claude-opus-4-5", Rates: usd(5, 0.5, 25)},
		{Name: "claude-opus-4-1", Rates: usd(15, 1.5, 75)},
		{Name: "claude-opus-4", Ratio: 1.28, Rates: usd(15, 1.5, 75)},
		{Name: "claude-haiku-4-5", Rates: usd(1, 0.1, 5)},
		{Name: "claude-opus-4.7", Ratio: 1.66},
		{Name: "claude-haiku-4", Ratio: 1.11},
	}},
	{list: "deepseek", models: []Model{
		{Name: "deepseek", Window: 64_000, Source: byFamily},
		{Name: "deepseek-v4-flash", Rates: usd(0.14, 0.0028, 0.28)},
		{Name: "deepseek-v4-pro", Rates: usd(0.435, 0.00363, 0.87)},
		{Name: "deepseek-chat", Exact: true, Window: 128_000, Source: deepSeek, Rates: usd(0.28, 0.028, 0.42)},
		{Name: "deepseek-reasoner", Exact: true, Window: 128_000, Source: deepSeek, Rates: usd(0.28, 0.028, 0.42)},
	}},
	{models: []Model{
		{Name: "llama-4", Window: 1_000_000, Source: meta},
		{Name: "llama-3.1", Window: 128_000, Source: byFamily},
		{Name: "llama-3.2", Window: 128_000, Source: byFamily},
		{Name: "llama-3.3", Window: 128_000, Source: byFamily},
		{Name: "llama3.1", Window: 128_000, Source: byFamily},
		{Name: "llama3.2", Window: 128_000, Source: byFamily},
		{Name: "llama3.3", Window: 128_000, Source: byFamily},
		{Name: "llama3-2", Window: 128_000, Source: byFamily},
		{Name: "llama3-3", Window: 128_000, Source: byFamily},
		{Name: "llama-3", Window: 8_192, Source: byFamily},
		{Name: "llama3", Window: 8_192, Source: byFamily},
		{Name: "codellama", Window: 16_384, Source: meta},
		{Name: "llama", Window: 4_096, Source: byFamily},
		{Name: "mistral", Window: 32_000, Source: byFamily},
		{Name: "mistral-nemo", Window: 128_000, Source: mistralAI},
		{Name: "open-mistral-nemo", Window: 128_000, Source: mistralAI},
		{Name: "mistral-large", Window: 128_000, Source: mistralAI},
		{Name: "qwen", Window: 128_000, Source: byFamily},
		{Name: "phi", Window: 128_000, Source: byFamily},
		{Name: "phi-4", Window: 16_384, Source: microsoft},
		{Name: "phi4", Window: 16_384, Source: microsoft},
		{Name: "phi-4-mini", Window: 128_000, Source: microsoft},
		{Name: "phi4-mini", Window: 128_000, Source: microsoft},
		{Name: "mock", Window: 32_000, Source: byFamily},
	}},
}
