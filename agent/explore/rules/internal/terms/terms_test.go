package terms

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFromGerman(t *testing.T) {
	for text, want := range map[string]string{
		"eine eigene Konfiguration verwenden":          "custom config",
		"wie kann ich eine eigene Konfiguration laden": "custom config load",
		"wie werden Fehlermeldungen formatiert":        "error message format",
		"wo ist die Konfigurationsdatei":               "config file",
		"wie funktioniert sampling":                    "sampling",
		"Wie viele Ereignisse erlaubt der Limiter":     "event allow Limiter",   // a noun in -nis
		"wo wird die reservierte Farbe abgeschaltet":   "reserve color disable", // participles, one of a separable verb
		"ohne die Zeile abzuschneiden":                 "line truncate",         // an infinitive of a separable verb
		"der gekürzten Zeile":                          "truncate line",
		"die Zugriffsliste der Antwort":                "access list response", // a compound
		"wie werden Assoziationen erzeugt":             "association create",   // words from Latin, as English has them
		"die Granularität der Metriken":                "granularity metric",
		"wann wird die Sequenz alloziert":              "sequence alloc",
		"wird die E-Mail-Kommunikation quantisiert":    "E-Mail-communication quantis",
	} {
		if got := FromGerman(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestIsGerman(t *testing.T) {
	for text, want := range map[string]bool{
		"wie kann ich das laden": true, "Wo ist main?": true, "where is the die cast": false, "how do I log in": false,
		"Was geschieht mit dem Rest?": true, "which license, MIT or GPL?": false, "does a van der Waals term need it?": false,
		"what was man doing in an IST timezone": true, // a word of both languages: its translation keeps the others
	} {
		if got := IsGerman(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestTermsAreReached: no term is longer than what is looked up, and none says nothing at the same time.
func TestTermsAreReached(t *testing.T) {
	for term := range chinese() {
		if utf8.RuneCountInString(term) > longestTerm || chineseStops[term] {
			t.Errorf("%s is never found", term)
		}
	}
	for term := range german() {
		if germanStops[term] {
			t.Errorf("%s is never found", term)
		}
	}
}

// TestGroups: a word alone is the same as nothing, and one that is no word of code finds nothing.
func TestGroups(t *testing.T) {
	for _, group := range Groups() {
		for i, w := range group {
			if len(group) < 2 || slices.Contains(group[:i], w) || strings.ToLower(w) != w {
				t.Errorf("%v: %s", group, w)
			}
		}
	}
}

func TestFromChinese(t *testing.T) {
	for text, want := range map[string]string{
		"发布一个 crate": "publish crate", "安装": "install", "上传文件": "upload file", "流式响应": "stream response",
		"过期的键": "expire key", "区块链怎么同步": "区块链 sync", // a block and a chain, were each its word
		"购物车": "购物车", "install": "install",
	} {
		if got := FromChinese(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	var words []string
	for _, term := range Chinese("请问缓存怎么清理？") {
		words = append(words, term.English...)
	}
	if got := strings.Join(words, " "); got != "cache clean cleanup" {
		t.Errorf("%q", got)
	}
}
