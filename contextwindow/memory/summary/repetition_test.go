package summary_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// TestWhatIsSaidOnceOutlivesRepetition: errors pasted one by one, for a long time, take the place of nothing else.
func TestWhatIsSaidOnceOutlivesRepetition(t *testing.T) {
	log := &threadLog{}
	once := []string{"Never write to /srv/a.", "We decided to keep the queue in Redis.", "The limit must not exceed 3."}
	for _, text := range once {
		log.say("t", transcript.User, text)
		log.say("t", transcript.Assistant, "Noted.")
	}
	s := summaries(t, summary.Config{Log: log.After})
	for n := range 60 {
		log.say("t", transcript.User, fmt.Sprintf("Worker w%d must be restarted, code %d\ncannot open /srv/d/%d.csv", n%7, n*31, n))
		log.say("t", transcript.Assistant, fmt.Sprintf("Restart it with make worker-%d.", n))
		if n%10 < 9 {
			continue
		}
		got, err := s.Force(t.Context(), "t")
		if err != nil || !got.Extractive {
			t.Fatal(err, got.Extractive)
		}
		for _, text := range once {
			if !strings.Contains(got.Text, "- "+text+"\n") {
				t.Fatalf("after %d messages, %q is lost:\n%s", n, text, got.Text)
			}
		}
	}
	log.say("t", transcript.User, "Correction: the limit must not exceed 5.")
	got, err := s.Force(t.Context(), "t")
	if err != nil || strings.Contains(got.Text, "exceed 3") || strings.Count(got.Text, "- The limit must not exceed 5.\n") != 1 {
		t.Errorf("%v, the correction beside what it corrects:\n%s", err, got.Text)
	}
}
