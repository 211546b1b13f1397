// Package gemini asks models in the Gemini dialect (models/…:streamGenerateContent of v1beta), which Google's service
// and a few proxies speak.
package gemini
