package toollimit

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/line"
)

// The exact counts are those of cl100k_base.
func TestTokensIsNearATokenizer(t *testing.T) {
	for _, c := range []struct {
		name, text string
		exact      int
	}{
		{"nothing", "", 0},
		{"one letter", "a", 1},
		{"prose", "The window is a fold over its entries, so resuming a run means reading them again.", 19},
		{"code", "func (w *Window) Append(head Message, results ...Message) (Unit, error) {\n\treturn w.add(head)\n}\n", 26},
		{"chinese", "好的，谢谢你的推荐，我会去看一看。", 20},
		{"hash", "3f786850e387550fdab836ed7e6dc881de23001b", 20},
		{"long rule", strings.Repeat("-", 16), 1},
	} {
		got := Tokens(c.text)
		if c.exact == 0 && got != 0 || got < c.exact*8/10 || got > c.exact*13/10+2 {
			t.Errorf("%s: estimated %d tokens, a tokenizer counts %d", c.name, got, c.exact)
		}
	}
}

// Chinese was undercounted more than twice by counting characters over four.
func TestTokensDoesNotUndercountChinese(t *testing.T) {
	text := "第一次压缩之前，窗口会计算每条消息的长度；如果超过预算，就把最旧的一轮折叠起来。"
	if n, runes := Tokens(text), utf8.RuneCountInString(text); n < runes || n > runes*3/2 {
		t.Errorf("%d tokens for %d characters; cl100k_base counts 45", n, runes)
	}
}

func drawAny(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.String(), rapid.StringMatching(`[a-zA-Z0-9+/=_. \n-]{0,60}`), rapid.StringMatching(`[一-龥ぁ-ゟ가-힣а-яà-ÿ ]{0,20}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	).Draw(t, label)
}

func TestTokensProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkTokens(t, drawAny(t, "a"), drawAny(t, "b")) })
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "\x00", "\r\n", "漢字かな한글", "👩‍👩‍👧", "\xed\xa0\xbd", "\xff", "deadBEEF01", "a\nb", "────"} {
		f.Add(s, s)
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) { checkTokens(t, a, b) })
}

func checkTokens(t interface{ Errorf(string, ...any) }, a, b string) {
	na, nb, both := Tokens(a), Tokens(b), Tokens(a+b)
	if (a == "") != (na == 0) || na < 0 {
		t.Errorf("%q: %d tokens", a, na)
	}
	if both < na {
		t.Errorf("%q has %d tokens, but %d with %q behind it", a, na, both, b)
	}
	if both > na+nb+2 {
		t.Errorf("%q + %q: %d + %d tokens apart, but %d together", a, b, na, nb, both)
	}
	if n := line.Runes(a); n != utf8.RuneCountInString(a) {
		t.Errorf("%q: %d runes, want %d", a, n, utf8.RuneCountInString(a))
	}
	if one, lines := cost(a+"\n"+b), cost(a+"\n")+cost(b); one != lines {
		t.Errorf("lines of %q and %q cost %d apart, %d together", a, b, lines, one)
	}
	sum := 0
	for _, l := range linesOf(a) {
		sum += cost(l.of(a))
	}
	if sum != cost(a) {
		t.Errorf("%q: lines cost %d, the whole %d", a, sum, cost(a))
	}
}

func TestTokensAllocatesNothing(t *testing.T) {
	s := strings.Repeat("func main() { 漢字 }\n", 100)
	sum := 0
	if n := testing.AllocsPerRun(10, func() { sum += Tokens(s) + line.Runes(s) }); n != 0 || sum == 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTokens(b *testing.B) {
	source, err := os.ReadFile("search.go")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, text string }{
		{"code", strings.Repeat(string(source), 10)},
		{"prose", strings.Repeat("The window is a fold over its entries, so resuming a run means reading them again.\n", 1000)},
		{"chinese", strings.Repeat("第一次压缩之前，窗口会计算每条消息的长度。\n", 1000)},
		{"one line", strings.Repeat("deadbeef", 10000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Tokens(c.text)
			}
		})
	}
}
