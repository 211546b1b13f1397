package wire

import (
	"encoding/base64"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// Pictures returns the text of a message and the pictures beside it that the model sees. The text describes all others:
// those at an address, if the service fetches none, or all.
func Pictures(m *transcript.Message, v providers.Vision) (text string, shown []toollimit.Image) {
	if len(m.Images) == 0 {
		return m.Text, nil
	}
	described := transcript.Message{Text: m.Text}
	for _, im := range m.Images {
		if v.Sees() && (im.Data != nil || v.Fetch && im.URL != "") {
			shown = append(shown, im)
		} else {
			described.Images = append(described.Images, im)
		}
	}
	return described.Described(), shown
}

// Address returns where a picture is: its own address, or its bytes as one (RFC 2397).
func Address(im *toollimit.Image) string {
	if im.Data == nil {
		return im.URL
	}
	return "data:" + im.Type + ";base64," + base64.StdEncoding.EncodeToString(im.Data)
}

// ResultPictures opens the message of pictures that results brought, on a wire whose results are text alone.
const ResultPictures = "Pictures of the results above:"
