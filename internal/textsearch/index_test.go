package textsearch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestStem holds stems to the examples of Porter's paper, and irregular forms to their base.
func TestStem(t *testing.T) {
	for list, want := range map[string]string{
		"caresses ponies caress cats":                       "caress poni caress cat",
		"feed agreed plastered bled motoring sing":          "feed agre plaster bleed motor sing",
		"conflated troubled sized hopping tanned falling":   "conflat troubl size hop tan fall",
		"hissing fizzed failing filing happy sky":           "hiss fizz fail file happi sky",
		"relational conditional rational valenci digitizer": "relat condit ration valenc digit",
		"radicalli vietnamization operator feudalism":       "radic vietnam oper feudal",
		"decisiveness hopefulness callousness formaliti":    "decis hope callous formal",
		"triplicate formative electrical goodness":          "triplic form electr good",
		"revival allowance inference airliner adjustable":   "reviv allow infer airlin adjust",
		"adoption communism activate effective bowdlerize":  "adopt commun activ effect bowdler",
		"probate rate cease controll roll":                  "probat rate ceas control roll",
		"went taught children took swam":                    "go teach child take swim",
		"go naïve x1 日本 a":                                  "go naïve x1 日本 a",
	} {
		var got []string
		for _, w := range strings.Fields(list) {
			got = append(got, theLexicon().stem(w))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", list, s, want)
		}
	}
}

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"The dogs' owners DIDN'T run!": "dog owner run",
		"我养了两只橘猫，叫年糕":                  "养 两只 只橘 橘猫 叫年 年糕 两 只 橘 猫 叫 年 糕",
		"用Go写的API，2026年上线":             "用 go 写 api 2026 年上 上线 年 上 线",
		"":                             "",
		"the of, and!":                 "",
		"naïve Ångström ＦＵＬＬ １２":       "naïve ångström ｆｕｌｌ １２",
	} {
		if got := strings.Join(Terms(text), " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestCalendar(t *testing.T) {
	wednesday := time.Date(2025, 6, 11, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"on 8 May, 2023":             "2023-05-08",
		"May 8th and March 3":        "2024-05-08 2025-05-08 2024-03-03 2025-03-03",
		"on the 3rd of April 2025":   "2025-04-03",
		"in May 2023, or 2021":       "2023-05-01..2023-05-31 2021-01-01..2021-12-31",
		"I may march there":          "",
		"2023-05-08T10:00":           "2023-05-08",
		"yesterday and today":        "2025-06-10 2025-06-11",
		"two weeks ago":              "2025-05-25..2025-05-31",
		"a couple of days ago":       "2025-06-08..2025-06-10",
		"last month, next year":      "2025-05-01..2025-05-31 2026-01-01..2026-12-31",
		"last Friday, next Monday":   "2025-06-06 2025-06-16",
		"this weekend":               "2025-06-13..2025-06-15",
		"2023年5月8日":                  "2023-05-08",
		"在4月27号这天":                   "2024-04-27 2025-04-27",
		"五月三号":                       "2024-05-03 2025-05-03",
		"十二月二十一日和2024年":              "2024-12-21 2025-12-21 2024-01-01..2024-12-31",
		"昨天，前年":                      "2025-06-10 2023-01-01..2023-12-31",
		"三天前和两个月前":                   "2025-06-07..2025-06-09 2025-04-01..2025-04-30",
		"上周五和下周末":                    "2025-06-06 2025-06-20..2025-06-22",
		"13月45号, 99 ago, 0 days ago": "",
	} {
		c := calendar{years: [2]int{2024, 2025}, on: dayOf(wednesday)}
		var got []string
		for _, d := range c.find(text, Words(text)) {
			first, last := time.Unix(int64(d.first)*86400, 0).UTC().Format(time.DateOnly), time.Unix(int64(d.last)*86400, 0).UTC().Format(time.DateOnly)
			if first != last {
				first += ".." + last
			}
			got = append(got, first)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", text, s, want)
		}
	}
}

// talk is a conversation of which each turn is "speaker: text"; an empty line begins a session a month later.
func talk(lines string) *Index {
	var x Index
	at := time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC)
	session := 1
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		speaker, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			session++
			at = at.AddDate(0, 1, 0)
			continue
		}
		x.Add(Turn{ID: fmt.Sprint(i + 1), Session: fmt.Sprint(session), Speaker: speaker, Text: text, At: at})
	}
	return &x
}

// TestIndexFinds holds one cue each: what is asked is found first though another turn has the same words.
func TestIndexFinds(t *testing.T) {
	x := talk(`Ann: Hello Bo, how was the trip?
		Bo: The trip was long but the mountains were great.
		Ann: Which hotel did you take?
		Bo: A small one beside the station.
		Ann: I adopted a puppy yesterday.
		Bo: Congratulations! Trips with animals are fun.

		Bo: I start at the bakery on Monday.
		Ann: Great. I quit the bakery course.
		Bo: My sister painted three portraits.
		Ann: Portraits are hard to paint.
		Bo: We went to Lyon by train, it took two hours.
		Ann: Going by train takes ages.`)
	for question, want := range map[string]string{
		"What hotel did Bo stay in?":               "4",  // the answer says none of the words, the question before it does
		"Which pet does Ann have?":                 "5",  // a puppy is a pet
		"Does Ann go to the bakery?":               "9",  // who is named
		"When does Bo start at the bakery?":        "8",  // it says when
		"How many portraits did Bo's sister make?": "10", // it says how many
		"In which city were they by train?":        "12", // it has a name
		"What was adopted in January 2025?":        "5",  // the date
		"What did Ann adopt on 9 January?":         "5",  // the day before the session
	} {
		hits := x.Search(question, time.Time{}, 3)
		if len(hits) == 0 || hits[0].Turn.ID != want {
			t.Errorf("%s: %+v, want turn %s", question, hits, want)
		}
	}
	if hits := x.Search("what happened yesterday?", time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC), 20); len(hits) == 0 || hits[0].Turn.ID != "5" {
		t.Errorf("told from the day of asking: %+v", hits)
	}
	if len(x.Search("trip", time.Time{}, 0)) > 0 || len((&Index{}).Search("trip", time.Time{}, 5)) > 0 || len(x.Search("", time.Time{}, 5)) > 0 {
		t.Error("found something in nothing")
	}
}

func TestRoles(t *testing.T) {
	x := talk(`user: Do you know a good book about birds?
		assistant: I recommend The Peregrine, a classic book about birds.
		user: I recommend The Goshawk, a classic book about birds.
		user: 我推荐你看《活着》这本书。
		assistant: 我推荐你看《围城》这本书。`)
	for question, want := range map[string]string{
		"Which classic book did you recommend?":                      "2",
		"Which classic book did I recommend to you?":                 "3",
		"Do you remember which classic book about birds I recommend": "3",
		"你推荐过什么书给我？":                                                 "5",
		"你还记得我推荐的书吗":                                                 "4",
	} {
		if hits := x.Search(question, time.Time{}, 1); len(hits) == 0 || hits[0].Turn.ID != want {
			t.Errorf("%s: %+v, want turn %s", question, hits, want)
		}
	}
}

// TestFlow says how much neighbours count in talk that goes on, the same talk in no order, and in bursts.
func TestFlow(t *testing.T) {
	var order, mixed, bursts Index
	r := rand.New(rand.NewPCG(1, 2))
	var all []Turn
	for topic := range 60 {
		for n := range 4 {
			all = append(all, Turn{
				Session: fmt.Sprint(topic / 12), Speaker: []string{"Ann", "Bo"}[n%2],
				Text: fmt.Sprintf("subject%d detail%d remark%d subject%d", topic, r.IntN(900), r.IntN(900), topic),
			})
		}
	}
	order.Add(all...)
	for _, turn := range all {
		for _, word := range strings.Fields(turn.Text) {
			part := turn
			part.Text = word
			bursts.Add(part)
		}
	}
	for session := range slices.Chunk(all, 48) {
		r.Shuffle(len(session), func(i, j int) { session[i], session[j] = session[j], session[i] })
	}
	for i := range all {
		all[i].Speaker = []string{"Ann", "Bo"}[r.IntN(2)]
	}
	mixed.Add(all...)
	goesOn, answers := order.flow.strength()
	if goesOn < .9 || answers < .9 {
		t.Errorf("talk that goes on: %.2f, answers %.2f", goesOn, answers)
	}
	if n, q := mixed.flow.strength(); n > goesOn/2 || q > .3 {
		t.Errorf("talk in no order: %.2f, answers %.2f", n, q)
	}
	if n, q := bursts.flow.strength(); n < .9 || q > .1 {
		t.Errorf("talk in bursts: %.2f, answers %.2f", n, q)
	}
}

// TestIndexIsTotal searches anything in anything: no more than asked for, best first, none twice, the same again.
func TestIndexIsTotal(t *testing.T) {
	piece := rapid.SampledFrom([]string{"dog", "Ann", "when", "May", "2025", "31", "ago", "last", "week", "?", "我", "上周", "十月", "的", "\xff", " ", "\"", "user", "《书》", "32月"})
	text := rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(r, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(r, "by"))
	})
	rapid.Check(t, func(r *rapid.T) {
		var x Index
		for i := range rapid.IntRange(0, 12).Draw(r, "turns") {
			turn := Turn{ID: fmt.Sprint(i), Session: fmt.Sprint(i / 5), Speaker: text.Draw(r, "speaker"), Text: text.Draw(r, "text")}
			if rapid.Bool().Draw(r, "dated") {
				turn.At = time.Date(2025, 5, i+1, 0, 0, 0, 0, time.UTC)
			}
			x.Add(turn)
		}
		limit := rapid.IntRange(-1, 15).Draw(r, "limit")
		question := text.Draw(r, "question")
		hits := x.Search(question, time.Time{}, limit)
		if len(hits) > max(limit, 0) {
			r.Fatalf("%d hits, asked for %d", len(hits), limit)
		}
		seen := map[string]bool{}
		for i, h := range hits {
			if seen[h.Turn.ID] || !(h.Score > 0) || i > 0 && h.Score > hits[i-1].Score {
				r.Fatalf("%+v", hits)
			}
			seen[h.Turn.ID] = true
		}
		if diff := cmp.Diff(hits, x.Search(question, time.Time{}, limit)); diff != "" {
			r.Fatal(diff)
		}
	})
}

// BenchmarkIndex takes and searches a conversation of 10,000 turns.
func BenchmarkIndex(b *testing.B) {
	var turns []Turn
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 10_000 {
		var text strings.Builder
		for range 25 {
			fmt.Fprintf(&text, "word%d ", int(r.ExpFloat64()*400))
		}
		turns = append(turns, Turn{Session: fmt.Sprint(i / 30), Speaker: []string{"Ann", "Bo"}[i%2], Text: text.String(), At: time.Unix(1.7e9, 0)})
	}
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			var x Index
			x.Add(turns...)
		}
	})
	b.Run("search", func(b *testing.B) {
		var x Index
		x.Add(turns...)
		for b.Loop() {
			if hits := x.Search("What did Ann say about word17, word230 and word999?", time.Time{}, 25); len(hits) != 25 {
				b.Fatal(len(hits))
			}
		}
	})
}
