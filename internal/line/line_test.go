package line_test

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/line"
)

func Example() {
	fmt.Println(line.Truncate(line.Flat("a text\n\tof several lines"), 12))
	fmt.Println(line.Count(1, "file"), line.Count(12345, "token"), line.Number(-1234))
	fmt.Println(line.Percent(.5625), line.Percent(.99999), line.Decimals(2.50, 2), line.Seconds(.054), line.Seconds(61.4))
	fmt.Println(line.Dollars(.00421), line.Cost(1.234, 2, 2), line.Cost(0, 2, 3), line.Cost(0, 0, 3))
	fmt.Println(line.Bytes(812), line.Bytes(4_199), line.Bytes(9_960), line.Bytes(13_400_000))
	// Output:
	// a text of s…
	// 1 file 12,345 tokens -1,234
	// 56.2 % 99.9 % 2.5 54 ms 61 s
	// $0.0042 $1.23 $0 (1 of 3 unknown) –
	// 812 B 4.2 kB 10 kB 13 MB
}

func TestTruncateKeepsWholeRunes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "max")
		short := line.Truncate(text, most)
		if n := utf8.RuneCountInString(short); n > most || n < min(most, utf8.RuneCountInString(text)) {
			t.Fatalf("%d runes of %d allowed", n, most)
		}
		if utf8.ValidString(text) && !utf8.ValidString(short) {
			t.Fatalf("%q is not UTF-8", short)
		}
		if again := line.Truncate(short, most); again != short {
			t.Fatalf("truncating %q again gave %q", short, again)
		}
	})
}
