package summary_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// TestOpenAndAnswered says what a summary by rules shows of a dialogue, whether it is made at once or message by message.
// A line "user: " or "assistant: " is a message.
func TestOpenAndAnswered(t *testing.T) {
	for _, c := range []struct {
		name, said string
		want       map[string][]string
	}{
		{"answered and open", `
user: Where are requests retried?
assistant: Sure! Do in retry.go retries them three times. Let me know if you need more.
user: And who tests that?`, map[string][]string{
			"Main topics": {"Where are requests retried? — answered: Do in retry.go retries them three times."},
			"Open points": {"And who tests that?"}}},
		{"answered later", `
user: Which port does it use?
assistant: I couldn't find a port in the configuration.
user: Fix the typo in README.md
assistant: Done, README.md says "receive" now.
user: Which port does it use?
assistant: It uses port 8080, which config.yaml sets.`, map[string][]string{
			"Main topics": {`Fix the typo in README.md — answered: Done, README.md says "receive" now.`,
				"Which port does it use? — answered: It uses port 8080, which config.yaml sets."},
			"Technical details": {"README.md"}}},
		{"not done", `
user: Deploy it to staging
assistant: I'm sorry, I don't have access to the staging servers.`, map[string][]string{
			"Open points": {"Deploy it to staging — not done: I'm sorry, I don't have access to the staging servers."}}},
		{"nothing found", `
user: Where is Banana defined?
assistant: Nothing relevant was found. None of 44 searched files contains "banana".
user: Our cat sat on the keyboard.
assistant: This is no question about the code. Ask where something is.
user: 请记住，我不吃香菜
assistant: Nothing relevant was found.`, map[string][]string{
			"Main topics": {"Our cat sat on the keyboard"},
			"Preferences": {"我不吃香菜。"},
			"Open points": {"Where is Banana defined? — not done: Nothing relevant was found."}}},
		{"other scripts", "\nuser: " + strings.Repeat("Экспорт идёт ночью, и Мария читает его отчёт. ", 20) + `
assistant: Nothing relevant was found.
user: การส่งออกทำงานตอนกลางคืนและมาเรียอ่านรายงาน
assistant: Nothing relevant was found.
user: Где его настройки?`, map[string][]string{
			"Main topics": {"Экспорт идёт ночью, и Мария читает его отчёт",
				"การส่งออกทำงานตอนกลางคืนและมาเรียอ่านรายงาน"},
			"Open points": {"Где его настройки?"}}},
		{"asked back", `
user: Rename the helper
assistant: Could you tell me which helper you mean?`, map[string][]string{
			"Open points": {"Rename the helper — waits for the user: Could you tell me which helper you mean?"}}},
		{"asked back, and answered", `
user: Rename the helper
assistant: Could you tell me which helper you mean?
user: the one in util.go
assistant: It is now called clip.`, map[string][]string{
			"Main topics": {"Rename the helper — answered: It is now called clip."}, "Technical details": {"util.go"}}},
		{"courtesies and tags", `
user: Hello! <ide_opened_file>The user opened config/core/self.py</ide_opened_file>
assistant: Hello! How can I help you today?
user: ok, thanks`, map[string][]string{}},
		{"plain words are no details", `
user: Please make self and core and tests pass in user_store.go with Flask 2.3.1
assistant: The tests of core pass now: self was nil.`, map[string][]string{
			"Main topics": {"Please make self and core and tests pass in user_store.go with Flask 2.3.1 — answered: " +
				"The tests of core pass now: self was nil."},
			"Technical details": {"Flask 2.3.1", "user_store.go"}}},
		{"what binds", `
user: I prefer tabs. We decided to use SQLite. Don't touch the public API. You must not add dependencies.
assistant: Understood, I will keep to that.`, map[string][]string{
			"Decisions":   {"We decided to use SQLite.", "Don't touch the public API.", "You must not add dependencies."},
			"Preferences": {"I prefer tabs."}}},
		{"what holds no longer", `
user: hello, I'm Ada. The deadline is Friday. We deploy on Tuesdays.
assistant: Noted, Ada.
user: The deadline moved to Monday. We deploy on Thursdays now.
assistant: Noted.`, map[string][]string{
			"Decisions":   {"The deadline moved to Monday."},
			"Preferences": {"The user's name is Ada.", "We deploy on Thursdays now."}}},
		{"corrected by name", `
user: We will ship the fix on 14 May.
assistant: Noted.
user: We changed our mind about the date: the fix ships on 21 May, not on 14 May.
assistant: Noted.`, map[string][]string{
			"Main topics": {"We changed our mind about the date: the fix ships on 21 May, not on 14 May"},
			"Decisions":   {"We changed our mind about the date: the fix ships on 21 May, not on 14 May."}}},
		{"left to do", `
user: Add a flag --dry-run to sync. We still need to document it.
assistant: The flag is there.`, map[string][]string{
			"Main topics": {"Add a flag --dry-run to sync — answered: The flag is there."},
			"Open points": {"We still need to document it."}}},
		{"中文", `
user: 请求在哪里重试？
assistant: 好的，在 retry.go 里重试三次。
user: 我们决定用SQLite。帮我写迁移脚本
assistant: 抱歉，我无法访问数据库。`, map[string][]string{
			"Main topics": {"请求在哪里重试？ — answered: 在 retry.go 里重试三次。"},
			"Decisions":   {"我们决定用SQLite。"},
			"Open points": {"帮我写迁移脚本 — not done: 抱歉，我无法访问数据库。"},
		}},
		{"the mark of who answers", `
user: Where is main defined?
assistant: heuristic explorer: rules, no language model

main is defined in main.go, line 2: func main() {} [main.go:2]

RELEVANT_FILES:
- main.go
user: who calls it?
assistant: heuristic explorer: rules, no language model

No place in 2 files contains the words of the question together.

RELEVANT_FILES:`, map[string][]string{
			"Main topics": {"Where is main defined? — answered: main is defined in main.go, line 2: func main() {} [main.go:2]"},
			"Open points": {"who calls it? — not done: No place in 2 files contains the words of the question together."}}},
		{"a list as answer", `
user: Which databases fit?
assistant: ## Overview
Here are the candidates:
- **SQLite** needs no server.
- **PostgreSQL** scales.`, map[string][]string{
			"Main topics": {"Which databases fit? — answered: Here are the candidates: SQLite needs no server."}}},
	} {
		for _, step := range []int{1, 100} {
			if diff := cmp.Diff(c.want, summarized(t, c.said, step)); diff != "" {
				t.Errorf("%s, by %d: %s", c.name, step, diff)
			}
		}
	}
}

// TestWordsThatWereDetails: what an older version listed as details leaves the summary, and sentences stay.
func TestWordsThatWereDetails(t *testing.T) {
	log := &threadLog{}
	log.talk("t", 1)
	asked := false
	s := summaries(t, summary.Config{Log: log.After, Ask: func(context.Context, string, string) (string, error) {
		if asked {
			return "", errors.New("no model")
		}
		asked = true
		return strings.Replace(written("parsers"), "Technical details\n- none",
			"Technical details\n- self\n- core\n- cmd/main.go\n- CI runs on every push", 1), nil
	}})
	for range 2 {
		got, err := s.Force(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		if got.Extractive && !strings.Contains(got.Text, "Technical details\n- cmd/main.go\n- CI runs on every push\nOpen") {
			t.Error(got.Text)
		}
		log.talk("t", 1)
	}
}

// summarized returns the items of a summary of a dialogue that is updated every so many messages.
func summarized(t *testing.T, said string, step int) map[string][]string {
	t.Helper()
	log := &threadLog{}
	s := summaries(t, summary.Config{Log: log.After})
	var got summary.Thread
	messages := strings.Split(strings.ReplaceAll(strings.ReplaceAll(said, "\nuser: ", "\x00u"), "\nassistant: ", "\x00a"), "\x00")[1:]
	for i, m := range messages {
		role := transcript.User
		if m[0] == 'a' {
			role = transcript.Assistant
		}
		log.say("t", role, m[1:])
		if (i+1)%step != 0 && i+1 < len(messages) {
			continue
		}
		var err error
		if got, err = s.Force(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
	}
	items := make(map[string][]string)
	heading := ""
	for line := range strings.Lines(got.Text) {
		line = strings.TrimSpace(line)
		if item, found := strings.CutPrefix(line, "- "); !found {
			heading = line
		} else if item != "none" {
			items[heading] = append(items[heading], item)
		}
	}
	return items
}
