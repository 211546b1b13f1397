package tools

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// Render writes the result of a tool as text of a kind. A [toollimit.Texter] renders itself; a string is Text; bytes
// are Text, or Binary with their number if they are not UTF-8; an error is Error, nil is empty, and anything else is
// its JSON. A value that cannot be encoded, or panics meanwhile, gives a text of kind Error.
func Render(v any) (kind toollimit.Kind, text string) {
	defer func() {
		if r := recover(); r != nil {
			kind, text = toollimit.Error, fmt.Sprintf("rendering the result of type %T: panic: %v", v, r)
		}
	}()
	switch v := v.(type) {
	case nil:
		return toollimit.Text, ""
	case toollimit.Texter:
		return v.Text()
	case string:
		return toollimit.Text, v
	case json.RawMessage:
		if !json.Valid(v) {
			return toollimit.Text, string(v)
		}
		return toollimit.JSON, string(v)
	case []byte:
		if !utf8.Valid(v) {
			return toollimit.Binary, fmt.Sprintf("%d bytes that are not text", len(v))
		}
		return toollimit.Text, string(v)
	case error:
		return toollimit.Error, v.Error()
	}
	return RenderJSON(v)
}

// Images returns the pictures of a tool's result: those of its method Images() []toollimit.Image, or none if it has no
// such method, or the method panics.
func Images(v any) (images []toollimit.Image) {
	defer func() {
		if recover() != nil {
			images = nil
		}
	}()
	if shows, ok := v.(interface{ Images() []toollimit.Image }); ok {
		return shows.Images()
	}
	return nil
}

// RenderJSON writes v as JSON without a newline at the end, or why that failed as a text of kind Error.
func RenderJSON(v any) (toollimit.Kind, string) {
	raw, err := line.JSON(v)
	if err != nil {
		return toollimit.Error, fmt.Sprintf("rendering the result of type %T: %v", v, err)
	}
	return toollimit.JSON, string(raw)
}
