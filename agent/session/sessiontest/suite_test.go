package sessiontest_test

import (
	"testing"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/session/sessiontest"
)

func TestInMemory(t *testing.T) {
	sessiontest.Run(t, func(*testing.T) session.Store { return &session.InMemory{} })
}
