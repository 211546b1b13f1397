// Package attach holds the pictures that a person adds to the next message of a chat.
//
// Start with [Tray].
package attach

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/picture"
)

// most is how many pictures a message may have.
const most = 8

// A Tray holds pictures until they are taken. The zero value is empty. One goroutine owns it.
type Tray struct{ images []toollimit.Image }

// Take empties the tray and returns what was in it.
func (t *Tray) Take() []toollimit.Image {
	images := t.images
	t.images = nil
	return images
}

// Put adds pictures that were taken and not used.
func (t *Tray) Put(images []toollimit.Image) { t.images = slices.Concat(images, t.images) }

// Command does what a person asks of the tray, for the model called model: a path or an address adds a picture, "none"
// empties it, and nothing lists it. It returns what to say. An error is a [*cli.Exit].
func (t *Tray) Command(asked, model string, vision providers.Vision) (string, error) {
	switch asked = unquoted(asked); {
	case asked == "" && len(t.images) == 0:
		return "no picture is attached; /image PATH adds one to your next message\n", nil
	case asked == "none":
		t.images = nil
		return "no picture is attached\n", nil
	case asked == "":
		return t.list(vision), nil
	}
	im, err := open(asked)
	if err != nil {
		if problem := (*tools.Problem)(nil); errors.As(err, &problem) {
			return "", cli.Usage(problem.Try, "%s", problem.Message)
		}
		return "", err
	}
	if err := t.Attach(im, model, vision); err != nil {
		return "", err
	}
	return t.list(vision), nil
}

// Attach adds a picture for the model called model. An error is a [*cli.Exit].
func (t *Tray) Attach(im toollimit.Image, model string, vision providers.Vision) error {
	switch {
	case !vision.Sees():
		return cli.Usage("foray models names those that do", "%s is not known to take pictures", model)
	case im.Data == nil && !vision.Fetch:
		return cli.Usage("download it, and /image FILE", "%s takes pictures as files, not by address", model)
	case len(t.images) >= most:
		return cli.Usage("/image none", "%d pictures are attached already, the most a message may have", most)
	}
	t.images = append(t.images, im)
	return nil
}

func (t *Tray) list(vision providers.Vision) string {
	var b strings.Builder
	for i := range t.images {
		im := &t.images[i]
		fmt.Fprintf(&b, "%s, about %s: goes with your next message\n", line.Printable(im.String()),
			line.Count(vision.Tokens(*im), "token"))
	}
	return b.String()
}

func open(at string) (toollimit.Image, error) {
	if strings.HasPrefix(at, "https://") || strings.HasPrefix(at, "http://") {
		return picture.At(at)
	}
	im, err := picture.Open(at)
	im.Name = filepath.Base(filepath.FromSlash(im.Name))
	return im, err
}

// unquoted returns a path as a terminal or a shell writes it: a file that is dragged onto a terminal arrives in quotes,
// or with a backslash before each blank. A leading ~ is the person's home.
func unquoted(path string) string {
	path = strings.TrimSpace(path)
	if n := len(path); n > 1 && (path[0] == '\'' || path[0] == '"') && path[n-1] == path[0] {
		path = path[1 : n-1]
	} else if filepath.Separator == '/' {
		path = strings.ReplaceAll(path, `\ `, " ")
	}
	if rest, home := strings.CutPrefix(path, "~/"); home {
		if dir, err := os.UserHomeDir(); err == nil {
			return filepath.Join(dir, rest)
		}
	}
	return path
}
