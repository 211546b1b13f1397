package tui

import (
	"context"
	"fmt"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// TestPictures draws the pictures of the documentation, with "make pictures". Otherwise it holds that they can be drawn.
func TestPictures(t *testing.T) {
	dir := os.Getenv("FORAY_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	for _, dark := range []bool{true, false} {
		m := scripted.New(
			scripted.Calls(
				scripted.Call{Name: "search", Args: map[string]string{"pattern": "LockThread", "path": "agent"}},
				scripted.Call{Name: "read_file", Args: map[string]any{"path": "agent/store/lock.go", "start_line": 65, "end_line": 81}}),
			scripted.Text(strings.Replace(sample, ", 世界, é", "", 1)+"\nA second process waits for `Config.Wait`, five seconds by default [agent/chat/chat.go:58]."))
		x := open(t, 96, 30, m, func(c *agent.Config, _ *Host, _ *Screen) {
			c.Tools = []tools.Tool{named("search", 1), named("read_file", 1)}
		})
		if !dark {
			x.brightens()
		}
		x.types("how is a thread locked?\r")
		x.sees("five seconds")
		x.rests()
		x.types("and when is it free again?")
		x.sees("free again?")
		name := map[bool]string{true: "chat-dark.svg", false: "chat-light.svg"}[dark]
		x.draws(filepath.Join(dir, name), dark)
		watchForPicture(t, dark).draws(filepath.Join(dir, strings.Replace(name, "chat", "explore", 1)), dark)
	}
}

// watchForPicture shows a run whose answer is streaming.
func watchForPicture(t *testing.T, dark bool) *terminal {
	first := scripted.Calls(
		scripted.Call{Name: "search", Args: map[string]string{"pattern": "LockThread", "path": "agent"}},
		scripted.Call{Name: "read_file", Args: map[string]any{"path": "agent/store/lock.go", "start_line": 65, "end_line": 81}})
	first.Text = "I look for the lock of a **thread**, and at who waits for it."
	answer, _, _ := strings.Cut(sample, ", 世界")
	second := scripted.Text(answer + ", and waits for it")
	second.Hang = true
	x := watch(t, 96, 20, scripted.New(first, second), []tools.Tool{named("search", 20), named("read_file", 90)}, nil)
	x.sees("and waits for it")
	if !dark {
		x.brightens()
	}
	x.types("name the tests, too\r")
	x.sees("name the tests, too (sent to the run)")
	return x.terminal
}

// brightens says, as the terminal, that its background is white, until the theme suits it: the emulator's own answer may
// come after this one.
func (x *terminal) brightens() {
	x.until("the light theme", func(string) bool {
		x.types("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
		return strings.Contains(x.written(), "\x1b[34;1m> ")
	})
}

// draws writes a picture of the screen.
func (x *terminal) draws(path string, dark bool) {
	x.t.Helper()
	picture := x.svg(dark)
	if !strings.Contains(picture, "LockThread") {
		x.t.Errorf("%s does not show the answer", path)
	}
	if err := os.WriteFile(path, []byte(picture), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

// named is a tool of a name that returns lines of code, so many times.
func named(name string, times int) tools.Tool {
	type places struct {
		Pattern   string `json:"pattern,omitempty"`
		Path      string `json:"path,omitempty"`
		StartLine int    `json:"start_line,omitempty"`
		EndLine   int    `json:"end_line,omitempty"`
	}
	return tools.New(name, "Read.", func(context.Context, places) (string, error) {
		return strings.Repeat("65: func (s *Store) LockThread(ctx context.Context, id string) error {\n66: \tlock := s.lockOf(id)\n", times), nil
	})
}

// The size of a cell of the picture, in pixels.
const (
	cellWidth, cellHeight = 8.4, 18.0
	margin                = 12.0
)

// svg draws the screen.
func (x *terminal) svg(dark bool) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	width, height := x.screen.Width(), x.screen.Height()
	ink, paper := "#d8d8d8", "#16181d"
	if !dark {
		ink, paper = "#24262b", "#ffffff"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="ui-monospace, `+
		`'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`+"\n",
		float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	for y := range height {
		for at := 0; at < width; {
			first := x.screen.CellAt(at, y)
			text, end := "", at
			for end < width {
				c := x.screen.CellAt(end, y)
				if c == nil || first == nil || !c.Style.Equal(&first.Style) {
					break
				}
				text += c.Content
				end += max(c.Width, 1)
			}
			end = max(end, at+1)
			x.words(&b, first, text, at, y, ink)
			at = end
		}
	}
	return b.String() + "</svg>\n"
}

// words draws a text, but not the gaps in it, whose width depends on the reader's font.
func (x *terminal) words(b *strings.Builder, c *uv.Cell, text string, at, y int, ink string) {
	for text != "" {
		part, rest, _ := strings.Cut(text, "  ")
		blank := len(part) - len(strings.TrimLeft(part, " "))
		if word := strings.Trim(part, " "); word != "" {
			x.span(b, c, word, at+blank, y, columns(word), ink)
		}
		if at += columns(part) + 2; rest == "" {
			return
		}
		text = rest
	}
}

func (x *terminal) span(b *strings.Builder, c *uv.Cell, text string, at, y, columns int, ink string) {
	fill := ink
	if c.Style.Fg != nil {
		fill = hex(c.Style.Fg)
	}
	weight := ""
	if c.Style.Attrs&uv.AttrBold != 0 {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s"%s textLength="%.1f">%s</text>`+"\n", margin+float64(at)*cellWidth,
		margin+float64(y+1)*cellHeight-4, fill, weight, float64(columns)*cellWidth, html.EscapeString(text))
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
