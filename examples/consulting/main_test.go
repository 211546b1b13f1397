package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/providers/offline"
)

// toldAt are the blocks of each turn: by need, by stage, and of surroundings with the first message only.
var toldAt = []struct{ with, without []string }{
	{
		[]string{contextbuilder.TypeUserMemory, contextbuilder.TypeConversationStats, contextbuilder.TypeDeviceContext},
		[]string{contextbuilder.TypeAssessmentResult, contextbuilder.TypeRelevantKnowledge, contextbuilder.TypeSimilarExperiences, contextbuilder.TypeActiveAgentsHistory},
	},
	{
		[]string{contextbuilder.TypeUserMemory, contextbuilder.TypeCollectedInfo},
		[]string{contextbuilder.TypeAssessmentResult, contextbuilder.TypeRelevantKnowledge, contextbuilder.TypeDeviceContext},
	},
	{
		[]string{contextbuilder.TypeRelevantKnowledge, contextbuilder.TypeAssessmentResult, contextbuilder.TypeActiveAgentsHistory},
		[]string{contextbuilder.TypeDeviceContext},
	},
	{
		[]string{contextbuilder.TypeSimilarExperiences, contextbuilder.TypeAssessmentResult, contextbuilder.TypeCollectedInfo, contextbuilder.TypeUserMemory},
		[]string{contextbuilder.TypeRelevantKnowledge, contextbuilder.TypeDeviceContext},
	},
}

func TestAllBlocksAtTheirTimes(t *testing.T) {
	var lines []offline.Line
	for _, turn := range turns {
		lines = append(lines, offline.Text(turn.answer))
	}
	model := offline.Script(lines...)
	var out strings.Builder
	if err := run(t.Context(), &out, model); err != nil {
		t.Fatal(err)
	}
	var told [][]string
	for line := range strings.Lines(out.String()) {
		if _, blocks, ok := strings.Cut(strings.TrimSpace(line), "; told: "); ok {
			told = append(told, strings.Split(blocks, ", "))
		}
	}
	if len(told) != len(toldAt) {
		t.Fatalf("%d turns, want %d:\n%s", len(told), len(toldAt), out.String())
	}
	for i, want := range toldAt {
		messages := model.Requests()[i].Messages
		asked := messages[len(messages)-1].Text
		for _, block := range want.with {
			if !slices.Contains(told[i], block) || !strings.Contains(asked, "<"+block) {
				t.Errorf("turn %d was not told %s, but %v:\n%s", i+1, block, told[i], asked)
			}
		}
		for _, block := range want.without {
			if slices.Contains(told[i], block) || strings.Contains(asked, "<"+block) {
				t.Errorf("turn %d was told %s", i+1, block)
			}
		}
	}
}
