package ui

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// Messages are the same in whatever pieces the keys arrive.
func TestKeyboard(t *testing.T) {
	const keys = "one\r" +
		"tw\x7fwo\x1b[A\x1bOB \x1b[200~a\r\nb\r\x1b[31mc\td\x1b[201~\x7fé世\x7f.\r" +
		"a word\x17line\\\rand \x15more\r" +
		"\x1b[200~\r\nx\r\n\x1b[201~\r" +
		"\x15\x7f\x01\n\x04 never\r"
	want := []string{"one", "two a\nb\n\x1b[31mc\té.", "a line\nmore", "\nx\n", ""}
	for size := 1; size <= len(keys); size++ {
		var echo strings.Builder
		k := &Keyboard{echo: &echo}
		var got []string
		var failed error
		for at := 0; at < len(keys) && failed == nil; at += size {
			k.Press(keys[at:min(at+size, len(keys))])
			for text, complete, err := k.Next(); complete || err != nil; text, complete, err = k.Next() {
				if failed = err; err != nil {
					break
				}
				got = append(got, text)
			}
		}
		if strings.Join(got, "|") != strings.Join(want, "|") || !errors.Is(failed, io.EOF) {
			t.Fatalf("in pieces of %d: %q, %v", size, got, failed)
		}
		if strings.ContainsAny(echo.String(), "\x1b\r") {
			t.Fatalf("in pieces of %d: %q is shown", size, echo.String())
		}
	}
}

// A message may not grow for ever, and what was typed before Ctrl-C is gone.
func TestKeyboardLimits(t *testing.T) {
	k := &Keyboard{echo: io.Discard}
	k.Press("gone \x1b[200~and this")
	if _, complete, err := k.Next(); complete || err != nil {
		t.Fatal(complete, err)
	}
	k.Discard()
	k.Press("kept\r")
	if text, complete, err := k.Next(); text != "kept" || !complete || err != nil {
		t.Fatal(text, complete, err)
	}
	k.Press("\x1b[200~" + strings.Repeat("long\r", MaxLine/5+2))
	if _, complete, err := k.Next(); complete || !errors.Is(err, ErrLineTooLong) {
		t.Fatal(complete, err)
	}
}
