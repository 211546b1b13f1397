package agent_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers/offline"
)

func TestBreakingOffCancelsTheClosingRequest(t *testing.T) {
	for _, limits := range []agent.Limits{{Steps: 1}, {Steps: 1, Time: time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			a, _ := start(t, agent.Config{Limits: limits}, offline.Line{Text: "closing", Hang: true})
			began := time.Now()
			for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
				if _, ok := e.(agent.Text); ok {
					break
				}
			}
			if d := time.Since(began); d > 0 {
				t.Errorf("breaking off took %v", d)
			}
		})
	}
}
