package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// BenchmarkAppend adds one message of 500 bytes to a thread, each on the disk before the next.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ name, path string }{{"disk", filepath.Join(b.TempDir(), "f.db")}, {"memory", ""}} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, c.path, nil)
			must(b, s.CreateThread(b.Context(), threadOf("t")))
			m, n := say(strings.Repeat("12345678 ", 55)), int64(0)
			for b.Loop() {
				_, err := appendTo(b.Context(), s, "t", n, m)
				must(b, err)
				n++
			}
		})
	}
}

// BenchmarkRecent reads the newest messages of a thread of 10,000.
func BenchmarkRecent(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "f.db"), nil)
	must(b, s.CreateThread(b.Context(), threadOf("t")))
	ms := make([]chat.Message, 10_000)
	for i := range ms {
		ms[i] = say(strings.Repeat("12345678 ", 55))
	}
	_, err := appendTo(b.Context(), s, "t", 0, ms...)
	must(b, err)
	for _, n := range []int{20, 200, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				found, err := s.Recent(b.Context(), "t", 0, n)
				if err != nil || len(found) != n {
					b.Fatal(len(found), err)
				}
			}
		})
	}
}

// memoriesOf returns n memories of 8 to 20 words each; the words are as unevenly frequent as those of a language.
func memoriesOf(n int) []longterm.Memory {
	random := rand.New(rand.NewPCG(5, 6))
	words := rand.NewZipf(random, 1.1, 5, 30_000)
	many := make([]longterm.Memory, n)
	for i := range many {
		var text []string
		for range 8 + random.IntN(12) {
			text = append(text, word(words.Uint64()))
		}
		many[i] = remembered(fmt.Sprint("m", i), strings.Join(text, " "))
	}
	return many
}

func word(n uint64) string { return fmt.Sprintf("%cord%d", 'a'+rune(n%26), n) }

// BenchmarkMemories puts 100,000 memories, searches them for rare and common words, and reads
// them all.
func BenchmarkMemories(b *testing.B) {
	const n = 100_000
	s := open(b, filepath.Join(b.TempDir(), "f.db"), nil)
	many := memoriesOf(n)
	b.Run("put", func(b *testing.B) {
		for b.Loop() {
			must(b, s.Memories().Put(b.Context(), many...))
		}
	})
	for _, c := range []struct {
		name  string
		words []uint64
	}{{"rare", []uint64{20_000, 5_000}}, {"mixed", []uint64{5_000, 300, 40}}, {"common", []uint64{5_000, 40, 1}}, {"only common", []uint64{40, 1}}} {
		var text []string
		for _, w := range c.words {
			text = append(text, word(w))
		}
		b.Run("search/"+c.name, func(b *testing.B) {
			for b.Loop() {
				_, err := s.Memories().Search(b.Context(), longterm.Query{Text: strings.Join(text, " ")})
				must(b, err)
			}
		})
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			found := 0
			for _, err := range s.Memories().All(context.Background()) {
				must(b, err)
				found++
			}
			if found != n {
				b.Fatal(found)
			}
		}
	})
}
