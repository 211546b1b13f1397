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
	"github.com/charmbracelet/x/ansi"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
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
		for of, x := range map[string]*terminal{
			"explore": watchForPicture(t, dark), "approval": askForPicture(t, dark), "threads": pickForPicture(t, dark),
		} {
			x.draws(filepath.Join(dir, strings.Replace(name, "chat", of, 1)), dark)
		}
	}
}

// askForPicture shows a call that waits for a yes, with what it would change.
func askForPicture(t *testing.T, dark bool) *terminal {
	type change struct {
		Path      string `json:"path"`
		OldString string `json:"old_string"`
		NewString string `json:"new_string"`
	}
	edit := tools.New("edit_file", "Edit.", func(context.Context, change) (string, error) { return "edited", nil })
	edit.Effects = true
	call := scripted.Calls(scripted.Call{Name: "edit_file", Args: change{
		Path:      "agent/store/lock.go",
		OldString: "func (s *Store) LockThread(ctx context.Context, id string) error {\n\treturn s.lockOf(id).wait(ctx, forever)\n}",
		NewString: "func (s *Store) LockThread(ctx context.Context, id string) error {\n\treturn s.lockOf(id).wait(ctx, s.Wait)\n}",
	}})
	call.Text = "The wait has no bound; the one of the store should hold."
	x := open(t, 96, 16, scripted.New(call, scripted.Text("Done.")), func(c *agent.Config, _ *Host, s *Screen) {
		c.Tools = []tools.Tool{edit}
		c.Approve = func(ctx context.Context, c transcript.ToolCall) (agent.Decision, error) { return s.Ask(ctx, c) }
	})
	if !dark {
		x.brightens()
	}
	x.types("let LockThread wait as long as the store says\r")
	x.sees("y: yes · n: no")
	return x
}

// pickForPicture shows the list of threads, searched for a word.
func pickForPicture(t *testing.T, dark bool) *terminal {
	x := open(t, 96, 9, echo(), func(_ *agent.Config, h *Host, _ *Screen) {
		h.Threads = func(context.Context) ([]Choice, error) {
			return []Choice{
				{ID: "locks", Title: "how is a thread locked?", Detail: "today, 12 messages"},
				{ID: "wait", Title: "let LockThread wait as long as the store says", Detail: "today, 4 messages"},
				{ID: "plan", Title: "the plan for the release of the lock", Detail: "yesterday, 31 messages"},
				{ID: "errors", Title: "which errors are retried?", Detail: "Monday, 8 messages"},
			}, nil
		}
	})
	if !dark {
		x.brightens()
	}
	x.types("/threads\r")
	x.sees("Threads (4 of 4)")
	x.types("lock")
	x.sees("Threads (3 of 4)")
	return x
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
	ink := "#d8d8d8"
	if !dark {
		ink = "#24262b"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="ui-monospace, `+
		`'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`+"\n",
		float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", papers[ink])
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
			if first != nil && first.Style.Attrs&uv.AttrReverse != 0 {
				fill := inkOf(first, ink)
				fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", margin+float64(at)*cellWidth,
					margin+float64(y)*cellHeight, float64(end-at)*cellWidth, cellHeight, fill)
			}
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
	fill := inkOf(c, ink)
	weight := ""
	if c.Style.Attrs&uv.AttrBold != 0 {
		weight = ` font-weight="bold"`
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		fill = papers[ink] // on the rectangle that svg has drawn
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s"%s textLength="%.1f">%s</text>`+"\n", margin+float64(at)*cellWidth,
		margin+float64(y+1)*cellHeight-4, fill, weight, float64(columns)*cellWidth, html.EscapeString(text))
}

// inkOf is the colour of a cell's text.
func inkOf(c *uv.Cell, ink string) string {
	if c.Style.Fg != nil {
		return hex(c.Style.Fg)
	}
	return ink
}

// papers are the colours of the background, by that of text.
var papers = map[string]string{"#d8d8d8": "#16181d", "#24262b": "#ffffff"}

// shades are the first colours that a terminal chooses, from red to cyan, as they can be read on either background.
var shades = map[ansi.BasicColor]string{
	ansi.Red: "#d3423e", ansi.Green: "#2f9e44", ansi.Yellow: "#b88a00", ansi.Blue: "#2f6fde", ansi.Magenta: "#b54fc0",
	ansi.Cyan: "#1696ad",
}

func hex(c color.Color) string {
	if basic, ok := c.(ansi.BasicColor); ok && shades[basic] != "" {
		return shades[basic]
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
