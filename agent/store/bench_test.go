package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/transcript"
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

// BenchmarkRemember saves memories from 50 goroutines, each on the disk before it is acknowledged: alone, and while 50
// threads are written.
func BenchmarkRemember(b *testing.B) {
	const clients = 50
	for _, threads := range []int{0, clients} {
		b.Run(fmt.Sprint("threads=", threads), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "f.db"), nil)
			l, err := longterm.Open(b.Context(), &longterm.Options{Store: s.Memories()})
			must(b, err)
			ctx, cancel := context.WithCancel(b.Context())
			var talking, remembering sync.WaitGroup
			text := say(strings.Repeat("12345678 ", 2000))
			for i := range threads {
				id := fmt.Sprint("t", i)
				must(b, s.CreateThread(ctx, threadOf(id)))
				talking.Go(func() {
					for n := int64(0); ctx.Err() == nil; n++ {
						if _, err := appendTo(ctx, s, id, n, text); err != nil && ctx.Err() == nil {
							b.Error(err)
						}
					}
				})
			}
			var next, longest atomic.Int64
			b.ResetTimer()
			for i := range clients {
				remembering.Go(func() {
					for next.Add(1) <= int64(b.N) {
						began := time.Now()
						m := longterm.Memory{User: fmt.Sprint("c", i), Category: longterm.Fact, Content: "likes tea and trains"}
						if _, err := l.Save(b.Context(), m, began); err != nil {
							b.Error(err)
						}
						for took := int64(time.Since(began)); ; {
							if was := longest.Load(); took <= was || longest.CompareAndSwap(was, took) {
								break
							}
						}
					}
				})
			}
			remembering.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "memories/s")
			b.ReportMetric(time.Duration(longest.Load()).Seconds(), "longest-s")
			cancel()
			talking.Wait()
		})
	}
}

// sources returns texts of a size that are made of this repository's source files.
func sources(b *testing.B, n, size int) []string {
	b.Helper()
	names, err := filepath.Glob("../../*/*.go")
	must(b, err)
	more, err := filepath.Glob("../../*/*/*.go")
	must(b, err)
	var all strings.Builder
	for _, name := range append(names, more...) {
		data, err := os.ReadFile(name)
		must(b, err)
		all.Write(data)
	}
	whole := all.String()
	texts := make([]string, n)
	for i := range texts {
		at := i * 7919 % (len(whole) - size)
		texts[i] = whole[at : at+size]
	}
	return texts
}

// stepOf returns the records of a step of a run that reads a text: it enters the window, and is the value of the call.
func stepOf(b *testing.B, n int, text string) []session.Record {
	b.Helper()
	value, err := json.Marshal(map[string]string{"text": text})
	must(b, err)
	call := transcript.ToolCall{ID: fmt.Sprint("c", n), Name: "read_file", Args: json.RawMessage(`{"path": "a.go"}`)}
	unit := contextwindow.Unit{Step: n, Messages: []transcript.Message{
		{Role: transcript.Assistant, Text: "I read the file.", Calls: []transcript.ToolCall{call}},
		{Role: transcript.Tool, CallID: call.ID, Name: "read_file", Text: text},
	}}
	step := session.Step{Number: n, Calls: []session.StepCall{{Name: "read_file", Args: call.Args, Result: text}}}
	return []session.Record{
		{Time: start, Entries: []contextwindow.Entry{{Unit: &unit}}},
		{Time: start, Step: &session.Stepped{Step: step, Tools: []session.ToolRecord{{Call: call, Made: call, Value: value}}}},
	}
}

// BenchmarkStep adds a step to a session, on the disk before the next, beside BenchmarkAppend: a short one, and ones that
// read 200 KB, which other steps have read before or not.
func BenchmarkStep(b *testing.B) {
	texts := sources(b, 1000, 200_000)
	for name, text := range map[string]func(i int) string{
		"500 bytes":      func(i int) string { return texts[0][i%1000 : i%1000+500] },
		"200 KB, stored": func(i int) string { return texts[0] },
		"200 KB, new":    func(i int) string { return fmt.Sprint(i, texts[i%len(texts)]) },
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "f.db"), nil)
			must(b, s.Sessions().AppendRecords(b.Context(), "s", 0, runOf("why", 0, "")[:2]...))
			n, took := 2, []time.Duration(nil)
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				records := stepOf(b, i, text(i))
				b.StartTimer()
				began := time.Now()
				must(b, s.Sessions().AppendRecords(b.Context(), "s", n, records...))
				took = append(took, time.Since(began))
				n += len(records)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
		})
	}
}

// BenchmarkReadSession reads the records of a session of 2,000 steps that read 200 KB each, 400 MB in all: from 100
// different files, and each a different one.
func BenchmarkReadSession(b *testing.B) {
	for _, files := range []int{100, 2000} {
		b.Run(fmt.Sprint("files=", files), func(b *testing.B) {
			texts := sources(b, files, 200_000)
			path := filepath.Join(b.TempDir(), "f.db")
			s := open(b, path, nil)
			records := runOf("why", 0, "")[:2]
			for i := range 2000 {
				records = append(records, stepOf(b, i, texts[i%files])...)
			}
			must(b, s.Sessions().AppendRecords(b.Context(), "s", 0, records...))
			info, err := s.Sessions().Info(b.Context(), "s")
			must(b, err)
			for b.Loop() {
				bytes := 0
				for r, err := range s.Sessions().Records(b.Context(), "s") {
					must(b, err)
					if r.Step != nil {
						bytes += len(r.Step.Step.Calls[0].Result)
					}
				}
				if bytes != 400_000_000 {
					b.Fatal(bytes)
				}
			}
			b.ReportMetric(float64(info.Bytes)/1e6, "MB-stored")
		})
	}
}
