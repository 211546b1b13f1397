// Package generativeai asks models of Gemini 2.x and older over github.com/google/generative-ai-go.
package generativeai
