package said

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

func idOf(step int) string { return fmt.Sprintf("s%d.0", step) }

// quoted adds messages to a pool, one a step from 2 on, and returns what the pool says of them.
func quoted(room int, messages ...string) string {
	read := make([]Message, len(messages))
	var steps []int
	for i, text := range messages {
		read[i] = Read(text, false)
		steps = append(steps, i+2)
	}
	p := Pool{Most: 2 * room}
	p.Add(steps, func(step int) *Message { return &read[step-2] })
	return p.Choose(room, &Live{}, idOf).Text
}

// corrections are what was said first and later in testdata/corrections.txt, with the value that the later one
// replaces.
func corrections(t *testing.T) (rows [][3]string) {
	t.Helper()
	list, err := os.ReadFile("testdata/corrections.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if row := strings.Split(strings.TrimSpace(line), " | "); len(row) == 3 {
			rows = append(rows, [3]string(row))
		}
	}
	if len(rows) < 60 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows
}

func TestANewerValueReplacesTheOlder(t *testing.T) {
	for _, c := range corrections(t) {
		older, newer, was := c[0], c[1], c[2]
		if was == "-" {
			continue
		}
		got := quoted(500, older, "ok", newer)
		if want := "- " + newer + " [replaces s2.0: " + was + "]\nAlso, in passing:\n- ok\n"; got != want {
			t.Errorf("%q, then %q:\n%swant\n%s", older, newer, got, want)
		}
	}
}

func TestOthersDoNotReplace(t *testing.T) {
	for _, c := range corrections(t) {
		if c[2] != "-" {
			continue
		}
		got := quoted(500, c[0], c[1])
		if !strings.Contains(got, "- "+c[0]+"\n") || !strings.Contains(got, "- "+c[1]+"\n") || strings.Contains(got, "replaces") {
			t.Errorf("got\n%swant both of %q", got, c)
		}
	}
}

// TestNothingIsOverlooked: no sentence that would replace another is left out for its lack of words.
func TestNothingIsOverlooked(t *testing.T) {
	var topics []topic
	for _, c := range corrections(t) {
		for _, text := range c[:2] {
			topics = append(topics, topicOf(scan(nil, text)))
		}
	}
	found := 0
	for _, newer := range topics {
		for _, older := range topics {
			if newer.replaced(&older) == "" {
				continue
			}
			if found++; newer.lacks(&older) {
				t.Errorf("%q lacks words of %q", newer.words, older.words)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d pairs", found)
	}
}

// TestWhatOnlyLeadsIsNotRepeated: of what states nothing, the newest of a kind are enough.
func TestWhatOnlyLeadsIsNotRepeated(t *testing.T) {
	var messages []string
	for n := range 30 {
		messages = append(messages, fmt.Sprintf("goroutine %d [running]:", n))
	}
	got := quoted(2_000, append(messages, "Never deploy on Friday.")...)
	if n := strings.Count(got, "goroutine"); n != 4 || !strings.Contains(got, "goroutine 29") || !strings.Contains(got, "Never") {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

// TestAClauseIsCorrected: what a semicolon sets apart holds.
func TestAClauseIsCorrected(t *testing.T) {
	got := quoted(500, "The deadline for the beta is 14 May; it needs a signature by Jonas.", "Correction: the deadline for the beta is 21 May.")
	want := "- [s2.0] … it needs a signature by Jonas.\n- Correction: the deadline for the beta is 21 May. [replaces s2.0: 14 May]\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestStatementsComeFirst: what was only said in passing does not stand between statements.
func TestStatementsComeFirst(t *testing.T) {
	got := quoted(500, "Could the parser be the reason?", "Let's go with Podman for the exporter.", "Thanks, perfect.", "Why? Never deploy on Friday.",
		"The limit is 5 MB.", "What does it say:")
	want := "- Let's go with Podman for the exporter.\n- Why? Never deploy on Friday.\n- The limit is 5 MB.\nAlso, in passing:\n" +
		"- Could the parser be the reason?\n- Thanks, perfect.\n- What does it say:\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// paste is a log of some lines around a sentence of its own.
func paste(lines int, sentence string) string {
	var b strings.Builder
	for i := range lines {
		if i == lines/2 && sentence != "" {
			b.WriteString(sentence + "\n")
		}
		fmt.Fprintf(&b, "2026-03-0%d 12:%02d:11 INFO worker[%d] handled request %x in %d ms\n", i%9+1, i%60, i*7, i*i*977, i%97)
	}
	return b.String()
}

func TestAPasteNeverReplacesOwnWords(t *testing.T) {
	own := "The request limit is 100 per minute."
	got := quoted(800, own, "Look at this:\n\n"+paste(40, "The request limit is 900 per minute.")+"\nWhat is wrong?")
	if !strings.Contains(got, own) || strings.Contains(got, "replaces") {
		t.Error(got)
	}
	got = quoted(800, "Look at this:\n\n"+paste(40, "The request limit is 900 per minute.")+"\nWhat is wrong?", own)
	if !strings.Contains(got, own+" [replaces s2.0: 900]") {
		t.Error(got)
	}
}

// TestARuleOutlivesPastes says a rule once, and then pastes logs for a long time.
func TestARuleOutlivesPastes(t *testing.T) {
	for _, rule := range []string{
		"Never restart the ingest service without asking Maria first.",
		"永远不要在没有备份的情况下修改订单表。",
		"Verwende in den Berichten niemals das Wort Ausfall.", "本番のデータベースには絶対に書き込まないでください。",
		"Никогда не перезапускай сервис без разрешения Марии.",
	} {
		for _, first := range []string{rule, rule + "\n\n" + paste(50, ""), "Look at this:\n```\n" + paste(50, "") + "```\n" + rule} {
			messages := []string{first}
			for i := range 200 {
				messages = append(messages, fmt.Sprintf("And now this, number %d:\n\n%s\nWhat went wrong?", i, paste(50, "")))
			}
			got := quoted(1_200, messages...)
			if tokens := toollimit.Tokens(got); tokens > 1_200 || !strings.Contains(got, rule) {
				t.Errorf("%q is lost in %d tokens:\n%.300s", rule, tokens, got)
			}
		}
	}
}

// repetitive are the n-th of many short messages that say about the same.
var repetitive = map[string]func(n int) string{
	"trace": func(n int) string {
		return fmt.Sprintf("TypeError: Cannot read properties of undefined (reading 'field%d')\n  at f%d (app/u%d.js:%d:9)", n, n%9, n%5, n)
	},
	"codes": func(n int) string { return fmt.Sprintf("E%d: /a/b%d must exist, code 0x%x", n, n+1, n*977) },
	"Chinese": func(n int) string {
		return fmt.Sprintf("错误%d：必须先启动node-%d，端口%d", n, n%50, 8000+n)
	},
	"German": func(n int) string {
		return fmt.Sprintf("Fehler %d: Datei /a/b%d darf nicht fehlen, Zeile %d", n, n%31, n*7)
	},
	"other words": func(n int) string {
		words := strings.Fields("build deploy lint test package publish sign verify export import")
		return fmt.Sprintf("%s: never reached %s at %d:00, must stop", words[n%10], words[n/10%10], n%24)
	},
	"two in turn": func(n int) string {
		return [...]string{fmt.Sprintf("W%d must be restarted, code %d", n, n*31), fmt.Sprintf("cannot reach db-%d at 10.0.0.%d", n, n%250)}[n%2]
	},
}

// TestWhatIsSaidOnceOutlivesRepetition says a rule, a decision and a fact once, and then pastes lines of one shape for
// a long time, in messages so short that they are in the writer's own words.
func TestWhatIsSaidOnceOutlivesRepetition(t *testing.T) {
	said := []string{
		"Never write to /srv/a.", "We decided to keep the queue in Redis.", "The port for staging is 8081.", "不要修改订单表。",
		"Antworte immer auf Deutsch.",
	}
	for name, form := range repetitive {
		for _, room := range []int{600, 4_000} {
			messages := slices.Clone(said)
			for n := range 1_000 {
				messages = append(messages, form(n))
			}
			got := quoted(room, messages...)
			for _, want := range said {
				if !strings.Contains(got, want) {
					t.Errorf("%s in %d tokens: %q is lost:\n%.400s", name, room, want, got)
				}
			}
		}
	}
}

// TestWhatLooksAlikeStays: rules and facts in the same words are not repetition while there is room.
func TestWhatLooksAlikeStays(t *testing.T) {
	for _, format := range []string{
		"Never write to /srv/%s.", "The port for %s is 80%d.", "The owner of the %s team is Anna.", "不要修改%s表。",
		"Der Bericht darf %s nicht erwähnen.", "Never use the %s parser.",
	} {
		var messages []string
		for n := range 40 {
			messages = append(messages, strings.NewReplacer("%s", strings.Repeat(string(rune('a'+n%26)), 3+n/26), "%d", fmt.Sprint(n)).Replace(format))
		}
		got := quoted(1_200, messages...)
		for _, want := range messages {
			if !strings.Contains(got, want) {
				t.Errorf("%q is lost:\n%s", want, got)
			}
		}
	}
}

// TestLinesOfLogs: a time begins a line of a log; a date or the number of a ticket also begins what people write.
func TestLinesOfLogs(t *testing.T) {
	for line, want := range map[string]bool{
		"2026-03-02 10:00:00 started": true, "2026-03-02T10:00:00Z started": true, "2026/03/02 10:00:00 listening": true,
		"Nov 28 22:37:41 host sshd[1]: ok": true, "I1128 12:00:00.123 1 main.go:3] ok": true, "[2026-03-02] started": true,
		"1700000000.123 started": true, "20260302 started": true, "192.168.10.15 - - [02/Mar/2026:11:20:00 +0000] GET": true,
		"worker ERROR no room": true, "Q3-12000 is done, and I prefer tabs.": false, "2026-12-31 is the deadline.": false,
		"PROJ-123456: never touch it.": false, "31.12.2026 ist der Termin.": false, "2026-12-31 at 10:30 we deploy.": false,
		"192.168.10.15 is the staging host.": false, "100,000,000 rows are the limit.": false, "": false,
	} {
		if got := isLog(line); got != want {
			t.Errorf("%q is a line of a log: %v", line, got)
		}
	}
}

// TestShortRulesAreNoRepetition: of a few words, one that differs makes another rule, unless it is a name or number.
func TestShortRulesAreNoRepetition(t *testing.T) {
	for _, c := range []struct {
		form   string
		things string
		same   bool
	}{
		{"Never use %s.", "eval globals goto panics reflection unsafe", false},
		{"Always run the %s.", "linter tests fuzzer benchmarks formatter generator", false},
		{"%s must be restarted.", "W1 W2 W3 W4 W5 W6", true},
	} {
		var sentences []string
		for thing := range strings.FieldsSeq(c.things) {
			sentences = append(sentences, strings.ReplaceAll(c.form, "%s", thing))
		}
		later := Repeated(sentences)
		if first := later[0]; first != 0 && !c.same || first != len(sentences)-1 && c.same {
			t.Errorf("%q is followed by %d that resemble it", sentences[0], first)
		}
	}
}

// TestProseOfAnyScript: a long message is its writer's own in every script, in letters of one byte or three.
func TestProseOfAnyScript(t *testing.T) {
	for _, line := range []string{
		"The export runs at night and Maria reads its report.", "Экспорт идёт ночью, и Мария читает его отчёт.",
		"내보내기는 밤에 실행되고 마리아가 보고서를 읽습니다.", "エクスポートはよるにうごき、マリアがレポートをよみます。",
		"การส่งออกทำงานตอนกลางคืนและมาเรียอ่านรายงาน", "导出在夜里运行，玛丽亚阅读报告。", "Η εξαγωγή τρέχει τη νύχτα και η Μαρία διαβάζει.",
	} {
		if got := placeOf(line); got != prose {
			t.Errorf("%s: place %d, want prose", line, got)
		}
		if own := Own(strings.Repeat(line+"\n", 3) + "\n" + paste(50, "")); !strings.Contains(own, line) {
			t.Errorf("%s: not the writer's own beside a paste", line)
		}
	}
	for _, line := range []string{"┌────────┬────────┐", "x := f(a, b)", "é = ñ[ü]"} {
		if got := placeOf(line); got != code {
			t.Errorf("%s: place %d, want code", line, got)
		}
	}
}

func TestWholeMessagesKeepTheirWords(t *testing.T) {
	text := "Two rules:\n- answer in French, e.g. for reports\n- no tables! Never.\n\nThanks."
	if got, want := quoted(500, text), "- Two rules:\n  - answer in French, e.g. for reports\n  - no tables! Never.\n  Thanks.\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestGapsAreMarked(t *testing.T) {
	first, last := "Never delete rows in the orders table.", "Always ask Maria before a migration."
	text := first + " " + strings.Repeat("So the weather was like that and one thing led to the other somehow. ", 14) + last
	got := quoted(44, text)
	if want := "- [s2.0] " + first + " … " + last + "\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestALongSentenceKeepsHeadAndTail(t *testing.T) {
	text := "Never touch the ledger " + strings.Repeat("in any of the many places that come to mind ", 90) + "unless Maria agrees."
	got := quoted(500, text)
	if !strings.HasPrefix(got, "- [s2.0] Never touch") || !strings.HasSuffix(got, "unless Maria agrees.\n") || len(got) > 450 ||
		strings.Count(got, " … ") != 1 {
		t.Errorf("%d bytes of %d: %s", len(got), len(text), got)
	}
}

func TestAPastedDigestIsNotQuoted(t *testing.T) {
	record := "<record>\nThe user said:\n- Never write tests.\n</record>"
	if got, want := quoted(500, record+"\nWhat is that?"), "- [s2.0] What is that?\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rule, pastes := "Never change the format of the ledger.", strings.Repeat("\n\n"+paste(20, ""), 2)
	fenced := strings.Replace(record, "</", "  ```go\n</", 1) + "\n\n" + rule
	if got := quoted(500, fenced+pastes); !strings.HasPrefix(got, "- [s2.0] "+rule+"\n") {
		t.Errorf("a fence in the digest does not end with it:\n%s", got)
	}
	for _, document := range []string{"<records>\n<record id=\"1\"/>\n</records>", "<record id=\"1\"/>", "<recording/>"} {
		if got := quoted(500, document+"\n\nNever change this format."); !strings.Contains(got, "Never change this format.") {
			t.Errorf("%q: what follows is lost: %q", document, got)
		}
	}
}

// TestAQuotedLineIsNotTheWriters: who answers a letter line by line does not say what its lines say.
func TestAQuotedLineIsNotTheWriters(t *testing.T) {
	got := quoted(500, "The budget is $300.", "> The budget is $500.\nThat is not what we agreed on.")
	want := "- The budget is $300.\n- [s3.0] That is not what we agreed on.\n" +
		"In what they pasted:\n- [s3.0] > The budget is $500.\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestADenialLeavesWhatItDoesNotReplace: the next correction finds it.
func TestADenialLeavesWhatItDoesNotReplace(t *testing.T) {
	got := quoted(500, "The staging host is db-1.example.org.", "The staging host is not db-2.example.org.",
		"The staging host is db-3.example.org.")
	want := "db-3.example.org. [replaces s2.0: db-1.example.org]"
	if strings.Contains(got, "- The staging host is db-1") || !strings.Contains(got, want) {
		t.Error(got)
	}
}

func TestALiveDenialHidesNothing(t *testing.T) {
	older, newer := Read("Never write to /srv/a.", false), Read("Never write to /srv/b.", false)
	p := Pool{Most: 1_000}
	p.Add([]int{2}, func(int) *Message { return &older })
	var live Live
	live.Add(3, &newer)
	if got, want := p.Choose(500, &live, idOf).Text, "- Never write to /srv/a.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAnyText reads and chooses from random texts: what is said fits, and each sentence is in its message.
func TestAnyText(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and all in one goroutine")
	}
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"Never", "deploy", "on", "Friday", ". ", "! ", "\n", "\n\n", "```\n", "预算是300元", "。", "？", "budget is", " $300", " 12 ",
		"</record>", "<record>", "\xff", "é", "…", " [replaces s1.0: x]", "path/to/a.go", strings.Repeat("x", 500), "- ", "👍", "　",
	}
	for range 3_000 {
		var messages []string
		for range 1 + r.IntN(8) {
			var b strings.Builder
			for range r.IntN(40) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			messages = append(messages, b.String())
		}
		room := r.IntN(300)
		got := quoted(room, messages...)
		if tokens := toollimit.Tokens(got); tokens > room {
			t.Fatalf("%d tokens in a room of %d:\n%s", tokens, room, got)
		}
		if again := quoted(room, messages...); again != got {
			t.Fatalf("first\n%sthen\n%s", got, again)
		}
		for _, text := range messages {
			for _, s := range Read(text, false).Sentences {
				if head, _, _ := strings.Cut(s.Text, " … "); !strings.Contains(strings.ToValidUTF8(text, ""), head) {
					t.Fatalf("%q is not in %q", s.Text, text)
				}
			}
		}
	}
}

// TestOneByOneIsAllAtOnce adds messages in several ways: the pool says the same while nothing had to be dropped.
func TestOneByOneIsAllAtOnce(t *testing.T) {
	var messages []string
	for i := range 60 {
		messages = append(messages, fmt.Sprintf("The limit of queue %c is %d. Never exceed it.", 'A'+rune(i%7), i))
	}
	want := quoted(4_000, messages...)
	p := Pool{Most: 8_000}
	for i, text := range messages {
		m := Read(text, false)
		c := p.Clone()
		c.Add([]int{99}, func(int) *Message { return &m }) // a plan that is not taken leaves the pool alone
		p.Add([]int{i + 2}, func(int) *Message { return &m })
	}
	if got := p.Choose(4_000, &Live{}, idOf).Text; got != want {
		t.Errorf("one by one:\n%sat once:\n%s", got, want)
	}
	if n := strings.Count(want, "replaces"); n != 7 || strings.Count(want, "Never exceed it.") != 1 {
		t.Errorf("%d sentences replace others, want one a queue:\n%s", n, want)
	}
}

func TestLiveSentencesReplace(t *testing.T) {
	older, newer := Read("The budget is $300. Ask Maria first.", false), Read("The budget is now $500.", false)
	p := Pool{Most: 1_000}
	p.Add([]int{2}, func(int) *Message { return &older })
	var live Live
	live.Add(3, &newer)
	if got, want := p.Choose(500, &live, idOf).Text, "- [s2.0] Ask Maria first.\n"; got != want {
		t.Errorf("a newer one in the view: got %q, want %q", got, want)
	}
	p = Pool{Most: 1_000}
	p.Add([]int{4}, func(int) *Message { return &newer })
	live = Live{}
	live.Add(1, &older)
	if got, want := p.Choose(500, &live, idOf).Text, "- The budget is now $500. [replaces $300]\n"; got != want {
		t.Errorf("an older one in the view: got %q, want %q", got, want)
	}
}

func TestPhrases(t *testing.T) {
	for text, want := range map[string]class{
		"must not": rule, "don't": rule, "不要": rule, "auf keinen fall": rule, "deadline": due, "周五": date, "let me": command,
	} {
		tokens := scan(nil, text)
		if got := tokens[0].leads; got&want == 0 {
			t.Errorf("%q is of class %b, want %b", text, got, want)
		}
	}
	if tokens := scan(nil, "don’t touch `conf/app.yaml`, (it's) $300!"); !slices.EqualFunc(tokens,
		[]string{"don't", "touch", "conf/app.yaml", "it's", "$300"}, func(t token, s string) bool { return t.lower == s }) {
		t.Errorf("%+v", tokens)
	}
}

func BenchmarkRead(b *testing.B) {
	text := "Look at this:\n\n" + paste(400, "Never deploy on Friday.")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Read(text, false)
	}
}
