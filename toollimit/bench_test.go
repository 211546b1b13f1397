package toollimit_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/toollimit"
)

// samples returns a text of about n bytes of each kind.
func samples(n int) map[toollimit.Kind]string {
	source, err := os.ReadFile("search.go")
	if err != nil {
		panic(err)
	}
	repeat := func(line func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(line(i))
		}
		return b.String()[:n]
	}
	lines := strings.Split(string(source), "\n")
	return map[toollimit.Kind]string{
		toollimit.Text:    repeat(func(i int) string { return lines[i%len(lines)] + "\n" }),
		toollimit.File:    repeat(func(i int) string { return fmt.Sprintf("%4d│ %s\n", i+1, lines[i%len(lines)]) }),
		toollimit.Output:  repeat(func(i int) string { return fmt.Sprintf("step %d of many: ok, nothing to report here\n", i) }),
		toollimit.Error:   repeat(func(i int) string { return fmt.Sprintf("goroutine %d [running]: main.step(0x%x)\n", i, i*4096) }),
		toollimit.Receipt: repeat(func(i int) string { return fmt.Sprintf("citation %d: agent/run.go:%d stands\n", i, i*3) }),
		toollimit.Diff:    repeat(func(i int) string { return "+" + lines[i%len(lines)] + "\n" }),
		toollimit.Listing: repeat(func(i int) string { return fmt.Sprintf("src/pkg%d/sub%d/file%d.go\n", i/100, i/10%10, i) }),
		toollimit.Search: repeat(func(i int) string {
			if i%12 == 0 {
				return fmt.Sprintf("src/pkg%d/file.go (11 hits)\n", i/12)
			}
			return fmt.Sprintf("L%d [Window.Fit] if err := w.Fit(); err != nil {\n", i)
		}),
		toollimit.JSON:   "[" + repeatJSON(n) + "]",
		toollimit.Binary: repeat(func(i int) string { return fmt.Sprintf("\x7fELF\x00%d\x00\xff", i) }),
		toollimit.Batch: repeat(func(i int) string {
			if i%80 == 0 {
				return fmt.Sprintf("== src/file%d.go\n", i/80)
			}
			return fmt.Sprintf("%4d│ %s\n", i%80, lines[i%len(lines)])
		}),
	}
}

func repeatJSON(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"file%d.go","tags":["a","b"],"text":"some words about it"}`, i, i)
	}
	return b.String()
}

// BenchmarkTruncate truncates a text of each kind to a tenth or less, without and with a word for what is visible elsewhere.
func BenchmarkTruncate(b *testing.B) {
	for _, c := range []struct {
		name          string
		bytes, tokens int
	}{{"64KB", 64 << 10, 1000}, {"5MB", 5 << 20, 4000}} {
		texts := samples(c.bytes)
		for _, k := range slices.Sorted(maps.Keys(texts)) {
			q := toollimit.Quota{MaxTokens: c.tokens, Pointer: "s3.1"}
			b.Run(c.name+"/"+cmp.Or(string(k), "text"), func(b *testing.B) { benchTruncate(b, k, texts[k], q) })
			q.Seen = seenHalf
			b.Run(c.name+"/"+cmp.Or(string(k), "text")+"/seen", func(b *testing.B) { benchTruncate(b, k, texts[k], q) })
		}
	}
}

// BenchmarkTruncateOneLine cuts a result of 5 MB without a newline.
func BenchmarkTruncateOneLine(b *testing.B) {
	for name, text := range map[string]string{
		"code": strings.Repeat("var a_1=b.c(d);", 5<<20/15), "base64": strings.Repeat("QUJDRkdISktMTU5P", 5<<20/16),
		"chinese": strings.Repeat("漢字かな交じり文", 5<<20/24), "json": "[" + repeatJSON(5<<20) + "]",
	} {
		for _, k := range []toollimit.Kind{toollimit.Text, toollimit.File, toollimit.Search, toollimit.Listing, toollimit.Diff, toollimit.JSON, toollimit.Batch} {
			b.Run(name+"/"+cmp.Or(string(k), "text"), func(b *testing.B) {
				benchTruncate(b, k, text, toollimit.Quota{MaxTokens: 800, Pointer: "s3.1", Seen: seenHalf})
			})
		}
	}
}

func benchTruncate(b *testing.B, k toollimit.Kind, text string, q toollimit.Quota) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		toollimit.Truncate(k, text, q)
	}
}
