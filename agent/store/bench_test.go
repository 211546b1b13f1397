package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/sessionwalk"
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

// BenchmarkStep adds a step to a session, on the disk before the next, beside BenchmarkAppend: ones as long as the
// median, the 90th and the 99th percentile of 3,920 recorded steps of eight agents, and ones that read 200 KB, which
// other steps have read before or not.
func BenchmarkStep(b *testing.B) {
	texts := sources(b, 1000, 200_000)
	for name, text := range map[string]func(i int) string{
		"1.2 KB, median": func(i int) string { return texts[0][i%1000 : i%1000+1200] },
		"7 KB, 90th":     func(i int) string { return texts[i%len(texts)][i%1000 : i%1000+7000] },
		"21 KB, 99th":    func(i int) string { return texts[i%len(texts)][i%1000 : i%1000+21_000] },
		"200 KB, stored": func(i int) string { return texts[0] },
		"200 KB, new":    func(i int) string { return fmt.Sprint(i, texts[i%len(texts)]) },
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "f.db"), nil)
			must(b, s.Sessions().AppendRecords(b.Context(), "s", 0, runOf("why", 0, "")[:2]...))
			n, took := 2, []time.Duration(nil)
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				records := sessionwalk.LongStep(i+1, text(i))
				b.StartTimer()
				began := time.Now()
				must(b, s.Sessions().AppendRecords(b.Context(), "s", n, records...))
				took = append(took, time.Since(began))
				n += len(records)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
			b.ReportMetric(float64(took[len(took)/10].Microseconds())/1000, "tenth-ms") // on a machine that others use
		})
	}
}

// BenchmarkSession reads and opens a session of 2,000 steps that read 200 KB each, 400 MB in all: from 100 different
// files, and each a different one. Read yields all records whole; open is what a run needs to continue: the records
// without the long texts, and the window.
func BenchmarkSession(b *testing.B) {
	for _, files := range []int{100, 2000} {
		texts := sources(b, files, 200_000)
		s := open(b, filepath.Join(b.TempDir(), "f.db"), nil)
		w := contextwindow.New(contextwindow.Budget{Limit: 24_000}, nil)
		_, err := w.Append(transcript.Message{Role: transcript.User, Text: "why", Origin: transcript.Prompt})
		must(b, err)
		records, saved := runOf("why", 0, "")[:1], 0
		for i := range 2000 {
			step := sessionwalk.LongStep(i+1, texts[i%files])
			unit := step[0].Entries[0].Unit
			_, err := w.Append(unit.Messages[0], unit.Messages[1:]...)
			must(b, err)
			if w.Usage().Share() > .8 { // the texts of a compaction do not matter here
				must(b, w.ResetToPrompt())
			}
			step[0].Entries = w.Entries(saved)
			saved += len(step[0].Entries)
			records = append(records, step...)
		}
		must(b, s.Sessions().AppendRecords(b.Context(), "s", 0, records...))
		info, err := s.Sessions().Info(b.Context(), "s")
		must(b, err)
		b.Run(fmt.Sprint("read/files=", files), func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range s.Sessions().Records(b.Context(), "s") {
					must(b, err)
					n++
				}
				if n != len(records) {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(info.Bytes)/1e6, "MB-stored")
		})
		b.Run(fmt.Sprint("open/files=", files), func(b *testing.B) {
			var state *session.State
			var opened *contextwindow.Window
			before := liveHeap()
			fastest := time.Hour
			for b.Loop() {
				began := time.Now()
				state, err = session.Open(b.Context(), s.Sessions(), "s")
				must(b, err)
				opened, err = contextwindow.Load(state.Entries, w.Budget(), nil)
				must(b, err)
				fastest = min(fastest, time.Since(began))
			}
			b.ReportMetric(float64(fastest.Milliseconds()), "fastest-ms")
			b.ReportMetric((liveHeap()-before)/1e6, "MB-held")
			if diff := len(w.View()) - len(opened.View()); diff != 0 || state.Records != len(records) {
				b.Fatal(diff, state.Records)
			}
		})
	}
}

// liveHeap returns the bytes in use after a collection.
func liveHeap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkRun measures what a worker carries: runs of 60 steps with parallel calls and compactions, of a model that
// answers at once. Whole makes each run in one process; apart opens the session for each step, as the workers of
// package agent/temporal do.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name  string
		steps int
	}{{"whole", 0}, {"apart", 1}} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "f.db"), nil)
			steps, bytes := 0, int64(0)
			for i := 0; b.Loop(); i++ {
				a, err := sessionwalk.New(&sessionwalk.Walker{Pages: 120}, sessionwalk.Tools(func(string) error { return nil }, nil))
				must(b, err)
				id := fmt.Sprint("s", i)
				task := agent.Task{Prompt: "Read all pages.", Session: &agent.Session{Store: s.Sessions(), ID: id, Steps: c.steps}}
				result, err := a.Do(b.Context(), task)
				for task.Prompt = ""; err == nil && result.Stop == agent.Paused; {
					result, err = a.Do(b.Context(), task)
				}
				must(b, err)
				steps += result.Steps
				info, err := s.Sessions().Info(b.Context(), id)
				must(b, err)
				bytes += info.Bytes
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
			b.ReportMetric(float64(bytes)/float64(steps), "bytes/step")
		})
	}
}
