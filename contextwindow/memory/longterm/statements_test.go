package longterm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// TestStatements says what is remembered of a message, in which words.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		message string
		want    []string
	}{
		{"I always want short answers. We deploy on Tuesdays.", []string{
			"user_preference I always want short answers.", "fact We deploy on Tuesdays."}},
		{"hello, I'm Ada", []string{"fact The user's name is Ada."}},
		{"Hi! My name is Ada Lovelace and I work at Acme.", []string{
			"fact The user's name is Ada Lovelace.", "fact I work at Acme."}},
		{"I'm Dutch", nil},
		{"I'm stuck", nil},
		{"By the way, I prefer tabs, can you reformat main.go?", []string{"user_preference I prefer tabs."}},
		{"请记住，我不吃香菜。", []string{"user_preference 我不吃香菜。"}},
		{"请记住，我对花生过敏", []string{"fact 我对花生过敏。"}},
		{"请记住：周五下午办公室没有人。", []string{"fact 周五下午办公室没有人。"}},
		{"你好，我叫林小雨，是一名前端工程师。", []string{"fact 用户叫林小雨。", "fact 我是一名前端工程师。"}},
		{"Hallo, ich heiße Jonas und arbeite als Koch.", []string{
			"fact Der Name des Nutzers ist Jonas.", "fact Ich arbeite als Koch."}},
		{"Bitte antworte immer auf Deutsch.", []string{"user_preference Bitte antworte immer auf Deutsch."}},
		{"Wir haben uns für Svelte entschieden, legst du das Grundgerüst an?", []string{
			"project_context Wir haben uns für Svelte entschieden."}},
		{"The deadline is Friday. No wait, it's Monday.", []string{"project_context The deadline is Monday."}},
		{"截止日期是周五。不对，截止日期是周一。", []string{"project_context 截止日期是周一。"}},
		{"截止日期是周五。不，截止日期是周一。", []string{"project_context 截止日期是周一。"}},
		{"我们周二部署。不对，我们周五部署。", []string{"fact 我们周五部署。"}},
		{"I prefer tabs. No, spaces.", []string{"user_preference I prefer spaces."}},
		{"I prefer tabs. Sorry, I meant spaces.", []string{"user_preference I prefer spaces."}},
		{"We deploy on Tuesdays. Sorry, on Fridays.", []string{"fact We deploy on Fridays."}},
		{"We deploy on Tuesdays. Correction: we deploy on Fridays.", []string{"fact We deploy on Fridays."}},
		{"We deploy staging on Tuesdays. No, we deploy the website on Fridays.", []string{
			"fact We deploy staging on Tuesdays.", "fact We deploy the website on Fridays."}},
		{"I want short answers. I want long answers.", []string{"user_preference I want long answers."}},
		{"Always answer in German. Always answer in English.", []string{"user_preference Always answer in English."}},
		{"Always answer in German. Always write comments in English.", []string{
			"user_preference Always answer in German.", "user_preference Always write comments in English."}},
		{"Das Staging läuft jetzt auf Port 7443, nicht mehr auf 8443.", []string{
			"project_context Das Staging läuft jetzt auf Port 7443, nicht mehr auf 8443."}},
		{"The function returns 3 instead of 4. I get exit code 3 from the build, not 0.", nil},
		{"The deadline is Friday. No thanks.", []string{"project_context The deadline is Friday."}},
		{"I don't want any emojis in the docs.", []string{"user_preference I don't want any emojis in the docs."}},
		{"I'd like replies in Spanish.", []string{"user_preference I'd like replies in Spanish."}},
		{"Ich möchte Antworten auf Deutsch.", []string{"user_preference Ich möchte Antworten auf Deutsch."}},
		{"I want answers to these questions. Ich möchte Kaffee kaufen.", nil},
		{"My boss prefers long emails.", []string{"fact My boss prefers long emails."}},
		{"Tom prefers tabs.", nil},
		{"Tom said: I prefer tabs.", nil},
		{"He told me \"I live in Rome and I love it here\" yesterday.", nil},
		{"> I live in Rome.\n\nIs that what I said?", nil},
		{"Fix the grammar: I lives in Rome. I works at a bank.", nil},
		{"把下面这句话翻译成英文：我喜欢在周末爬山。", nil},
		{"2026-11-23 10:00:00 INFO we use port 8080 on Tuesdays", nil},
		{"If I lived in Rome, I would prefer scooters, and we would use Vespas.", nil},
		{"如果我住在上海，我喜欢坐地铁", nil},
		{"Maybe we use Redis.", nil},
		{"My API key is sk-proj-4f9aK2mQ8xTz7LbW1cVn5RjD3hYp6GsE0uXo, we use OpenAI.", []string{"project_context We use OpenAI."}},
		{"I like it", nil},
		{"I prefer `gofmt` over \"any style guide that I know\".", []string{
			"user_preference I prefer `gofmt` over \"any style guide that I know\"."}},
		{"I prefer tabs. I prefer tabs.", []string{"user_preference I prefer tabs."}},
		{strings.Repeat("I like tea with milk.\n", 9) + "I like rain.\n" + strings.Repeat("I like old films.\n", 9), []string{
			"user_preference I like tea with milk."}},
	} {
		e, _ := extraction(t, longterm.ExtractorConfig{})
		kept, err := e.Extract(t.Context(), longterm.Exchange{Question: c.message, At: monday})
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.want, contents(kept)); diff != "" {
			t.Errorf("%.60q: %s", c.message, diff)
		}
	}
}

// TestPreferenceChanges: the other of two values takes the place of the first, also if the rest says nothing.
func TestPreferenceChanges(t *testing.T) {
	for _, c := range [][3]string{
		{"I prefer tabs.", "I prefer spaces now.", "I prefer spaces now."},
		{"I want short answers.", "I want long answers.", "I want long answers."},
		{"I prefer tabs.", "I prefer long answers.", "I prefer tabs.|user_preference I prefer long answers."},
	} {
		e, l := extraction(t, longterm.ExtractorConfig{})
		for i, message := range c[:2] {
			at := monday.Add(time.Duration(i) * time.Hour)
			if _, err := e.Extract(t.Context(), longterm.Exchange{Question: message, At: at}); err != nil {
				t.Fatal(err)
			}
		}
		if kept := strings.Join(contents(l.List("", "", false)), "|"); kept != "user_preference "+c[2] {
			t.Errorf("%s %s: %s", c[0], c[1], kept)
		}
	}
}

// TestCorrectionOfAPart: what a correction does not speak of holds, and a statement said under another category is no
// second memory.
func TestCorrectionOfAPart(t *testing.T) {
	for name, test := range map[string]struct{ before, now, want string }{
		"name": {"The nightly export goes to the bucket acme-backups-eu, and Priya reviews it.",
			"The bucket moved: the export goes to acme-backups-us now, not to acme-backups-eu.",
			"The nightly export goes to the bucket acme-backups-us, and Priya reviews it."},
		"date": {"The fix ships on 14 May, and Jonas announces it to the customers.", "The fix ships on 21 May, not on 14 May.",
			"The fix ships on 21 May, and Jonas announces it to the customers."},
		"turned": {"Our launch is on May 14, and Jonas has to approve it.", "The launch is on 21 May, not on 14 May.",
			"Our launch is on May 21, and Jonas has to approve it."},
		"moved": {"The demo for Brightwater Dental is on Wednesday afternoon.", "Heads up, we moved the Brightwater demo to Friday.",
			"We moved the Brightwater demo to Friday."},
		"part of a number": {"The build takes 2 hours, and Mehmet watches it.", "The build takes 1.5 hours now, not 2 hours.",
			"The build takes 1.5 hours, and Mehmet watches it."},
		"time of day": {"The standup is at 11, and Lena hosts it.", "The standup is at 10:30 now, not at 11.",
			"The standup is at 10:30, and Lena hosts it."},
		"amount": {"Invoices over $3,000 need a signature, and Iker gives it.", "Invoices over $1,500 need a signature, not $3,000.",
			"Invoices over $1,500 need a signature, and Iker gives it."},
		"two corrections": {"The launch is on 14 May and goes to host-a, and Jonas has to approve it.",
			"The launch is on 21 May, not on 14 May. The launch goes to host-b, not to host-a.",
			"The launch is on 21 May and goes to host-b, and Jonas has to approve it."},
		"slides pushed": {"The Brightwater demo is presented by Lena on Wednesday.", "We pushed the slides for the Brightwater demo to the wiki on Monday.",
			"The Brightwater demo is presented by Lena on Wednesday."},
		"moved beside another fact": {"The demo for Brightwater Dental is on Wednesday, and Lena presents it.", "We moved the Brightwater demo to Friday.",
			"We moved the Brightwater demo to Friday. Lena presents it."},
		"one clause": {"Jonas has to approve the launch on May 14.", "Small change: the launch is on 21 May, not on 14 May.",
			"Jonas has to approve the launch on May 21."},
		"pronoun": {"The orders are in MySQL, it runs on host-a.", "The orders are in Postgres now, not in MySQL.",
			"The orders are in Postgres now, not in MySQL."},
		"other thing moved": {"The demo for Brightwater Dental is on Wednesday.", "We moved the release to Friday.",
			"The demo for Brightwater Dental is on Wednesday.|project_context We moved the release to Friday."},
		"two values": {"The export goes to acme-eu, and Priya reviews it.", "From acme-x it goes to acme-us, not to acme-eu.",
			"From acme-x it goes to acme-us, not to acme-eu. Priya reviews it."},
		"no more": {"The fix ships on 14 May.", "The fix ships on 21 May, not on 14 May.", "The fix ships on 21 May, not on 14 May."},
	} {
		e, l := extraction(t, longterm.ExtractorConfig{})
		at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
		before := longterm.Memory{Category: longterm.ProjectContext, Content: test.before, Importance: 7}
		if _, err := l.Save(t.Context(), before, at); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Extract(t.Context(), longterm.Exchange{Question: test.now, At: at.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if kept := contents(l.List("", "", false)); strings.Join(kept, "|") != "project_context "+test.want {
			t.Errorf("%s: %q", name, kept)
		}
	}
}
