package ui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/forayhq/foray/internal/line"
)

// A Keyboard makes messages of what a person types and pastes at a terminal. The terminal's own lines are not enough
// for that: it cuts them at 4,095 bytes, and takes a line break that was pasted for the Enter key. Package
// golang.org/x/term has the first of these limits too, and ends a line within a paste if something was typed before it.
//
// The terminal still turns Ctrl-C into a signal, and still makes line breaks of what the program writes. One goroutine
// uses a Keyboard.
type Keyboard struct {
	echo    io.Writer
	restore func()

	rest    []byte // read, and not processed yet
	text    []byte // of the message so far
	pasting bool
	ended   bool
}

// What a terminal with bracketed paste writes around a paste, and what turns that on and off.
const (
	pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"
	pasteOn, pasteOff    = "\x1b[?2004h", "\x1b[?2004l"
)

// NewKeyboard returns the keyboard of the terminal in, and the pieces of what is typed there for [Keyboard.Press]. What
// is typed shows on echo. The keyboard is nil if in is not a terminal, or one that can do no more than lines.
func NewKeyboard(in io.Reader, echo io.Writer) (*Keyboard, <-chan Input) {
	f, ok := in.(*os.File)
	if kind := os.Getenv("TERM"); !ok || kind == "" || kind == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil, nil
	}
	restore, err := byKeys(int(f.Fd()))
	if err != nil {
		return nil, nil
	}
	fmt.Fprint(echo, pasteOn)
	k := &Keyboard{echo: echo}
	k.restore = func() {
		fmt.Fprint(echo, pasteOff)
		restore()
	}
	return k, readPieces(f)
}

// readPieces reads until the input ends. Nothing waits for its goroutine, as for that of [ReadLines].
func readPieces(in io.Reader) <-chan Input {
	pieces := make(chan Input)
	go func() {
		defer close(pieces)
		for buffer := make([]byte, 4096); ; {
			n, err := in.Read(buffer)
			if n > 0 {
				pieces <- Input{Text: string(buffer[:n])}
			}
			if err != nil {
				return // a terminal that is gone
			}
		}
	}()
	return pieces
}

// Close makes the terminal what it was. It may be called twice.
func (k *Keyboard) Close() {
	if k != nil && k.restore != nil {
		k.restore()
		k.restore = nil
	}
}

// Press takes a piece of the input.
func (k *Keyboard) Press(piece string) { k.rest = append(k.rest, piece...) }

// Discard drops the message that is being typed.
func (k *Keyboard) Discard() {
	if k != nil {
		k.rest, k.text, k.pasting = nil, nil, false
	}
}

// Next returns the next message that the person has completed, or false if none is complete. The error is [io.EOF]
// after Ctrl-D, and [ErrLineTooLong] after more than [MaxLine]. A nil Keyboard completes none.
func (k *Keyboard) Next() (text string, complete bool, err error) {
	if k == nil {
		return "", false, nil
	}
	for !complete {
		var more bool
		if k.pasting {
			more = k.paste()
		} else {
			more, complete = k.key()
		}
		switch {
		case k.ended:
			return "", false, io.EOF
		case len(k.text) > MaxLine:
			return "", false, ErrLineTooLong
		case !more && !complete:
			return "", false, nil
		}
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(string(k.text))
	k.text = nil
	return strings.ToValidUTF8(text, "\uFFFD"), true, nil
}

// paste takes what of a paste has come, and reports whether more can be processed.
func (k *Keyboard) paste() (more bool) {
	content, after, over := bytes.Cut(k.rest, []byte(pasteEnd))
	if !over { // its end may have come in part
		n := max(len(content)-len(pasteEnd)+1, 0)
		for n > 0 && (content[n-1] == '\r' || !utf8.RuneStart(content[n])) {
			n--
		}
		content, after = content[:n], content[n:]
	}
	k.add(string(content))
	k.rest, k.pasting = after, !over
	return over
}

// add adds to the message, and shows it.
func (k *Keyboard) add(s string) {
	k.text = append(k.text, s...)
	fmt.Fprint(k.echo, line.Printable(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)))
}

// key takes the next key. It reports whether there was one, and whether it completes the message.
func (k *Keyboard) key() (more, complete bool) {
	r, size := utf8.DecodeRune(k.rest)
	switch {
	case size == 0, !utf8.FullRune(k.rest):
		return false, false
	case r == '\x1b':
		return k.sequence(), false
	}
	k.rest = k.rest[size:]
	switch r {
	case '\r', '\n':
		return true, k.enter()
	case '\x7f', '\b':
		k.erase(1)
	case '\x15': // Ctrl-U
		k.erase(utf8.RuneCount(k.lastLine()))
	case '\x17': // Ctrl-W
		before := bytes.TrimRight(k.lastLine(), " \t")
		k.erase(utf8.RuneCount(k.lastLine()[bytes.LastIndexAny(before, " \t")+1:]))
	case '\x04':
		k.ended = len(k.text) == 0
	default:
		if r >= ' ' || r == '\t' {
			k.add(string(r))
		}
	}
	return true, false
}

// enter ends a line, and reports whether that completes the message: a line that ends with \ continues.
func (k *Keyboard) enter() bool {
	fmt.Fprintln(k.echo)
	if head, continues := bytes.CutSuffix(k.text, []byte(`\`)); continues {
		k.text = append(head, '\n')
		return false
	}
	return true
}

// sequence skips an arrow or another key of several bytes, or begins a paste. It reports whether all of it has come.
func (k *Keyboard) sequence() bool {
	switch s := k.rest; {
	case len(s) < 2:
		return false
	case bytes.HasPrefix(s, []byte(pasteBegin)):
		k.rest, k.pasting = s[len(pasteBegin):], true
		return true
	case s[1] == 'O' && len(s) < 3:
		return false
	case s[1] == 'O':
		k.rest = s[3:]
		return true
	case s[1] != '[':
		k.rest = s[1:] // the key Esc, or Alt
		return true
	}
	for i, b := range k.rest[2:] {
		if b < ' ' || b >= '@' {
			k.rest = k.rest[2+i+1:]
			return true
		}
	}
	return false
}

// lastLine is the part of the message that is on the line of the cursor.
func (k *Keyboard) lastLine() []byte { return k.text[bytes.LastIndexAny(k.text, "\r\n")+1:] }

// erase removes the last n characters. What cannot be taken back on the screen is shown again on a new line.
func (k *Keyboard) erase(n int) {
	for range n {
		r, size := utf8.DecodeLastRune(k.text)
		k.text = k.text[:len(k.text)-size]
		switch {
		case size == 0:
			return
		case r < ' ':
			fmt.Fprint(k.echo, "\n"+line.Printable(string(k.lastLine())))
		default:
			fmt.Fprint(k.echo, strings.Repeat("\b \b", width(r)))
		}
	}
}
