package symbols

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	f := os.Getenv("F")
	s, _ := os.ReadFile(f)
	if os.Getenv("M") != "" {
		os.Stdout.Write(Mask(f, s))
		return
	}
	for _, x := range Of(f, s) {
		fmt.Println(x.Start, x.End, x.Kind, x.Name, "|", x.Signature)
	}
	_ = bytes.Count
}
