// Package providers is the contract between the runtime and a language model.
package providers
