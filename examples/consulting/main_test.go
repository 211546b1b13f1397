package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/providers/scripted"
)

// toldAt are the blocks of each turn: by need, by stage, and of surroundings with the first message only.
var toldAt = []struct{ with, without []string }{
	{
		[]string{contextbuilder.TypeUserMemory, "conversation_stats", "device_context"},
		[]string{"assessment_result", "relevant_knowledge", "similar_experiences", "active_agents_history"},
	},
	{
		[]string{contextbuilder.TypeUserMemory, "collected_info"},
		[]string{"assessment_result", "relevant_knowledge", "device_context"},
	},
	{
		[]string{"relevant_knowledge", "assessment_result", "active_agents_history"},
		[]string{"device_context"},
	},
	{
		[]string{"similar_experiences", "assessment_result", "collected_info", contextbuilder.TypeUserMemory},
		[]string{"relevant_knowledge", "device_context"},
	},
}

func TestAllBlocksAtTheirTimes(t *testing.T) {
	var lines []scripted.Line
	for _, turn := range turns {
		lines = append(lines, scripted.Text(turn.answer))
	}
	model := scripted.New(lines...)
	var out strings.Builder
	if err := run(t.Context(), &out, model); err != nil {
		t.Fatal(err)
	}
	var told [][]string
	for line := range strings.Lines(out.String()) {
		if _, blocks, ok := strings.Cut(strings.TrimSpace(line), "; blocks: "); ok {
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
