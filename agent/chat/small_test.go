package chat_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// In a window of 8,192 tokens, schemas that take two thirds of the budget leave room for a conversation. Where they leave
// none, the error says so.
func TestSmallWindowWithManyTools(t *testing.T) {
	for window, fits := range map[int]bool{8_192: true, 4_096: false} {
		model := scripted.Options{Info: providers.Info{Window: window}}.New(scripted.Repeat(0, scripted.Text("Noted.")))
		c := with(model)
		c.Agent.System = strings.Repeat("You answer briefly. ", 40)
		for i := range 18 {
			name := fmt.Sprintf("tool_%d", i)
			c.Agent.Tools = append(c.Agent.Tools, tools.New(name, strings.Repeat("It looks something up. ", 28),
				func(context.Context, struct{}) (string, error) { return "", nil }))
		}
		h, thread := open(t, c)
		for n := range 12 {
			turn, err := h.Do(t.Context(), thread, fmt.Sprintf("Remember that part %d is %d.", n, n*n))
			switch {
			case fits && err != nil:
				t.Fatalf("window %d, turn %d: %v", window, n+1, err)
			case fits && turn.Text != "Noted.":
				t.Errorf("window %d, turn %d is answered by %q", window, n+1, turn.Text)
			case !fits && (!errors.Is(err, contextbuilder.ErrSystemTooLong) || !strings.Contains(err.Error(), "fewer tools")):
				t.Fatalf("window %d: %v", window, err)
			}
		}
	}
}
