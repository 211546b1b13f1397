// Package tools is what a model may call: a typed function with a schema.
package tools
