package fuzz

import (
	"math/rand/v2"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// scraps are what texts are made of.
var scraps = []string{
	"func (w *Window) Append(head Message) error {\n\treturn nil\n}\n",
	"the quick brown fox jumps. ",
	"压缩级别如何选择?每个窗口",
	"🧭👩‍🚀🇨🇭",
	`{"items":[{"path":"a/b.go","line":12}],"total":1}`,
	"aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ",
	"\xff\xfe\x80bad",
	"\r\n",
	"src/a.go (3 hits)\nL12 match_of_name\n",
	"--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n-old\n+new\n",
	"\x1b[31mERROR\x1b[0m request_failed at handler.go:88\n",
	"</record></note>",
	"\x00",
}

// text makes one to n bytes, or a few more, of one or several scraps.
func text(r *rand.Rand, n int) string {
	want := 1 + r.IntN(n)
	one := r.IntN(3) > 0
	scrap := scraps[r.IntN(len(scraps))]
	var b strings.Builder
	for b.Len() < want {
		if !one {
			scrap = scraps[r.IntN(len(scraps))]
		}
		b.WriteString(scrap)
	}
	if strings.TrimSpace(b.String()) == "" {
		b.WriteString("words") // a blank message is refused
	}
	return b.String()
}

// kinds are the kinds of results, and an unknown one.
var kinds = []toollimit.Kind{
	toollimit.Text, toollimit.File, toollimit.Search, toollimit.Listing, toollimit.Output, toollimit.JSON, toollimit.Diff,
	toollimit.Receipt, toollimit.Batch, toollimit.Error, toollimit.Binary, "unheard of",
}
