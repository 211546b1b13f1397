package textsearch

import (
	"fmt"
	"math/rand/v2"
	"runtime"
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

// long returns a text of n sentences without a word of any question.
func long(n int) string { return strings.Repeat("Nothing here concerns anybody at any place. ", n) }

// chat is a chat with an assistant whose replies are long.
func chat(user, assistant string) *Index {
	var x Index
	for i, text := range []string{
		"Can you help me plan the move to Lisbon?", long(30) + "Book the van for 14 June. " + long(30),
		"My landlord is called Duarte, does he need a deposit?", long(30) + "Most ask for two months. " + long(30),
		"Always answer with a checklist when I ask about packing.", long(60),
		"I prefer trains over planes, how do I get to Porto?", long(20) + "Take the Alfa Pendular. " + long(40),
		"What about packing the piano?", long(10) + "A piano needs packing blankets, packing tape and packing foam. " + long(10),
	} {
		x.Add(Turn{ID: fmt.Sprint(i + 1), Session: "1", Speaker: []string{user, assistant}[i%2], Text: text})
	}
	return &x
}

// ids are the turns of exchanges: those of one joined by +, the one that was found with a mark.
func ids(found []Exchange) (ids string) {
	for _, e := range found {
		for i, h := range e.Hits {
			ids += h.Turn.ID
			if i == e.Best {
				ids += "!"
			}
			ids += "+"
		}
		ids = strings.TrimSuffix(ids, "+") + " "
	}
	return strings.TrimSpace(ids)
}

// TestExchanges holds what a question to a chat with an assistant finds, whatever the two are called.
func TestExchanges(t *testing.T) {
	for _, names := range [][2]string{{"user", "assistant"}, {"assistant's friend", "Bo"}, {"Ann", "user 2"}} {
		x := chat(names[0], names[1])
		for question, want := range map[string]string{
			"What is my landlord called?":                "3!+4",
			"When did you suggest to book the van?":      "1!+2",
			"How should I go about packing?":             "5!+6",
			"How would I best get to Porto?":             "7!+8",
			"Can you list what we mentioned of a piano?": "9!+10",
		} {
			found := x.Exchanges(question, time.Time{}, 1)
			if got := ids(found); got != want {
				t.Errorf("%s: %s: %s, want %s", names, question, got, want)
			}
		}
		all := x.Exchanges("packing piano Porto landlord van", time.Time{}, 10)
		if len(all) != 5 {
			t.Errorf("%s: %s", names, ids(all))
		}
		for _, e := range all {
			if len(e.Hits) != 2 || len(e.Hits[1].Passage) > 1500 || !strings.Contains(e.Hits[1].Turn.Text, e.Hits[1].Passage) {
				t.Errorf("%s: %+v", names, e)
			}
		}
		if p := x.Exchanges("When did you suggest to book the van?", time.Time{}, 1)[0].Hits[1].Passage; !strings.Contains(p, "14 June") {
			t.Errorf("%s: passage %q", names, p)
		}
		if p := x.Exchanges("Who said to take the Alfa Pendular?", time.Time{}, 1)[0].Hits[1].Passage; !strings.Contains(p, "Alfa Pendular") {
			t.Errorf("%s: passage %q", names, p)
		}
	}
}

// TestScripts holds that turns are found in languages without spaces.
func TestScripts(t *testing.T) {
	for question, talk := range map[string][3]string{
		"แมวของฉันชื่ออะไร":      {"ฉันทำงานที่ธนาคารในกรุงเทพ", "แมวของฉันชื่อมะลิ", "วันนี้อากาศร้อนมาก"},
		"我的猫叫什么名字？":              {"我在上海的一家银行上班。", "我的猫叫茉莉。", "今天天气很热。"},
		"猫の名前は何ですか":              {"私は東京の銀行で働いています。", "私の猫の名前はモモです。", "今日はとても暑いですね。"},
		"고양이 이름이 뭐예요?":           {"저는 서울에 있는 은행에서 일해요.", "우리 고양이 이름은 모모예요.", "오늘은 정말 더워요."},
		"ແມວຂອງຂ້ອຍຊື່ຫຍັງ":      {"ຂ້ອຍເຮັດວຽກຢູ່ທະນາຄານ", "ແມວຂອງຂ້ອຍຊື່ມະລິ", "ມື້ນີ້ອາກາດຮ້ອນຫຼາຍ"},
		"Wie heißt meine Katze?": {"Ich arbeite bei einer Bank.", "Meine Katze heißt Momo.", "Heute ist es heiß."},
	} {
		for _, speakers := range [][2]string{{"user", "assistant"}, {"A", "B"}, {"A", "A"}, {"user", "user"}, {"", ""}} {
			var x Index
			for i, text := range talk {
				x.Add(Turn{ID: fmt.Sprint(i), Session: "1", Speaker: speakers[0], Text: text}, Turn{Session: "1", Speaker: speakers[1], Text: ""})
			}
			if found := x.Search(question, time.Time{}, 1); len(found) == 0 || found[0].Turn.ID != "1" {
				t.Errorf("%s %s: %+v", question, speakers, found)
			}
		}
	}
}

// TestHugeTurns holds that turns of a megabyte are found by what one sentence says, and shown by that passage.
func TestHugeTurns(t *testing.T) {
	for name, filler := range map[string]string{
		"sentences": "Nothing here concerns anybody at any place. ", "no spaces": "x", "Thai": "ก", "Chinese": "的我", "lines": "a=1\n",
		"damaged": "\xff", "blank": " ", "quotes": `"`,
	} {
		var x Index
		huge := strings.Repeat(filler, 500_000/len(filler))
		x.Add(Turn{ID: "0", Speaker: "user", Text: "hello"}, Turn{ID: "1", Speaker: "user", Text: huge + "\nThe boiler is serviced by Ingrid.\n" + huge},
			Turn{ID: "2", Speaker: "user"}, Turn{ID: "3", Speaker: "user", Text: "hello again"})
		hits := x.Search("Who services the boiler?", time.Time{}, 2)
		if len(hits) == 0 || hits[0].Turn.ID != "1" || !strings.Contains(hits[0].Passage, "Ingrid") || len(hits[0].Passage) > 40_000 {
			t.Errorf("%s: %d hits", name, len(hits))
			for _, h := range hits {
				t.Errorf("%s: %d bytes of %d", h.Turn.ID, len(h.Passage), len(h.Turn.Text))
			}
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
	speaker := rapid.OneOf(text, rapid.SampledFrom([]string{"user", "assistant"}))
	rapid.Check(t, func(r *rapid.T) {
		var x Index
		for i := range rapid.IntRange(0, 12).Draw(r, "turns") {
			turn := Turn{ID: fmt.Sprint(i), Session: fmt.Sprint(i / 5), Speaker: speaker.Draw(r, "speaker"), Text: text.Draw(r, "text")}
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
		shown := map[string]bool{}
		exchanges := x.Exchanges(question, time.Time{}, limit)
		for _, e := range exchanges {
			for _, h := range e.Hits {
				if shown[h.Turn.ID] || !strings.Contains(h.Turn.Text, h.Passage) {
					r.Fatalf("%+v", exchanges)
				}
				shown[h.Turn.ID] = true
			}
		}
		if len(exchanges) > max(limit, 0) || limit > 0 && len(hits) > 0 && len(exchanges) == 0 {
			r.Fatalf("%d exchanges, %d hits, asked for %d", len(exchanges), len(hits), limit)
		}
	})
}

// BenchmarkIndex takes and searches a conversation of 100,000 turns, with frequent and rare words as in talk. It reports
// the memory that the index keeps besides the texts.
func BenchmarkIndex(b *testing.B) {
	const turns = 100_000
	var all []Turn
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.1, 20, 40_000)
	for i := range turns {
		var text strings.Builder
		for range 25 {
			fmt.Fprintf(&text, "word%d ", zipf.Uint64())
		}
		all = append(all, Turn{ID: fmt.Sprint(i), Session: fmt.Sprint(i / 30), Speaker: []string{"Ann", "Bo"}[i%2], Text: text.String(), At: time.Unix(1.7e9, 0)})
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			before := heap()
			var x Index
			x.Add(all...)
			b.ReportMetric(float64(int64(heap()-before))/1e6, "MB")
			runtime.KeepAlive(&x)
		}
	})
	for name, question := range map[string]string{
		"frequent": "What did Ann say about word17, word230 and word999?",
		"rare":     "Which is better, word3017 or word9230?",
	} {
		b.Run("search/"+name, func(b *testing.B) {
			var x Index
			x.Add(all...)
			for b.Loop() {
				if hits := x.Exchanges(question, time.Time{}, 25); len(hits) != 25 {
					b.Fatal(len(hits))
				}
			}
		})
	}
}
