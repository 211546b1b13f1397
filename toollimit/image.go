package toollimit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// An Image is a picture in a message: its Data, or an address in place of it. The result of a tool has some beside its
// text if it has a method Images() []Image. [Truncate] leaves pictures alone; a window shows the words of String in
// place of one that it evicts.
type Image struct {
	Name   string `json:"name"`             // what a person calls it: a path, or the address
	Type   string `json:"type,omitempty"`   // MIME type, as in "image/png"; empty: unknown
	Width  int    `json:"width,omitempty"`  // in pixels; 0: unknown
	Height int    `json:"height,omitempty"` // in pixels; 0: unknown
	Data   []byte `json:"data,omitempty"`   // encoded; nil: the service fetches URL
	URL    string `json:"url,omitempty"`    // with https; empty: it is in Data
	Note   string `json:"note,omitempty"`   // what was changed, for the model: "reduced from 6000×4000"
	Tokens int    `json:"tokens,omitempty"` // that the model counts for it; 0: not counted yet
}

// imageTokens is the size of a picture that nobody has counted: about that of 1,024×768 pixels at most vendors.
const imageTokens = 1_000

// Size returns Tokens, or 1,000 if the picture was not counted.
func (im *Image) Size() int { return cmp.Or(im.Tokens, imageTokens) }

// String describes the picture in words: "diagram.png, PNG, 800×600 pixels, reduced from 6000×4000".
func (im *Image) String() string {
	parts := []string{line.Single(line.Truncate(im.Name, maxImageName))}
	if _, format, ok := strings.Cut(im.Type, "/"); ok {
		parts = append(parts, strings.ToUpper(format))
	}
	if im.Width > 0 {
		parts = append(parts, fmt.Sprintf("%d×%d pixels", im.Width, im.Height))
	}
	if im.Note != "" {
		parts = append(parts, im.Note)
	}
	return strings.Join(parts, ", ")
}

// maxImageName bounds the name of a picture in a description, in bytes.
const maxImageName = 200
