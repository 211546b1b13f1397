package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// pin pins a message, by default the last that the model wrote.
func (s *session) pin(ctx context.Context, w io.Writer, text string) error {
	seq, err := numberOf(text)
	if err != nil {
		return err
	}
	if seq == 0 {
		said, err := s.said(ctx)
		if err != nil {
			return err
		}
		for _, m := range said {
			if m.Role == contextwindow.Assistant {
				seq = m.Seq
			}
		}
	}
	if err := s.Pin(ctx, s.thread, seq); err != nil {
		return err
	}
	return s.showPins(ctx, w)
}

func (s *session) unpin(ctx context.Context, w io.Writer, text string) error {
	seq, err := numberOf(text)
	if err != nil {
		return err
	}
	var seqs []int64
	if seq != 0 {
		seqs = []int64{seq}
	}
	if err := s.Unpin(ctx, s.thread, seqs...); err != nil {
		return err
	}
	return s.showPins(ctx, w)
}

func numberOf(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, usage("/history", "%q is no number of a message", text)
	}
	return n, nil
}

func (s *session) showPins(ctx context.Context, w io.Writer) error {
	pins, err := s.Pins(ctx, s.thread)
	if len(pins) == 0 && err == nil {
		fmt.Fprintln(w, "nothing is pinned")
	}
	for _, m := range pins {
		fmt.Fprintf(w, "pinned %d %s: %s\n", m.Seq, m.Role, fit(line(m.Text), historyColumns))
	}
	return err
}

// How much of a thread /history looks at and shows: messages, and columns of each.
const (
	historyRead    = 400
	historyShown   = 20
	historyColumns = 100
)

func (s *session) history(ctx context.Context, w io.Writer, _ string) error {
	said, err := s.said(ctx)
	for _, m := range said[max(0, len(said)-historyShown):] {
		fmt.Fprintf(w, "%4d %s: %s\n", m.Seq, m.Role, fit(line(m.Text), historyColumns))
	}
	return err
}

// said is what the user and the model have said of late, without calls and results.
func (s *session) said(ctx context.Context) ([]contextbuilder.Message, error) {
	recent, err := s.store.Recent(ctx, s.thread, 0, historyRead)
	return slices.DeleteFunc(recent, func(m contextbuilder.Message) bool {
		return m.Role == contextwindow.Tool || strings.TrimSpace(m.Text) == ""
	}), err
}
