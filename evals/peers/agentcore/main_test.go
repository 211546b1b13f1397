package main

import (
	"testing"

	"github.com/forayhq/foray/evals/peers/internal/scenariotest"
)

func TestShort(t *testing.T) { scenariotest.Short(t, play, "commit") }
