package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/compaction"
)

// canDraw checks, before anything is played, whether pictures can be drawn and where they go.
func (f *compactionFlags) canDraw() error {
	if f.plot == "" {
		if f.plotted != "" {
			return usage("--plot DIR", "--plot-trajectory draws nothing without --plot")
		}
		return nil
	}
	names := strings.Split(strings.ReplaceAll(f.policy, " ", ""), ",")
	if seed := string(contextwindow.Seed); !slices.Contains(names, "all") && !slices.Contains(names, seed) {
		return usage("--policy "+f.policy+","+seed, "--plot draws costs relative to the policy %s, which is not played", seed)
	}
	if info, err := os.Stat(f.plot); err == nil && !info.IsDir() {
		return usage("--plot pictures", "--plot %q is a file, not a directory", f.plot)
	}
	return nil
}

// draw writes the pictures of a report. Each file appears whole or not at all.
func (f *compactionFlags) draw(ctx context.Context, c *compaction.Collection, cfg compaction.Config, r *compaction.Report) error {
	pictures := r.Pictures()
	line, err := compaction.Follow(ctx, c, cfg, f.plotted)
	if err != nil {
		return &exit{code: exitPartial, err: fmt.Errorf("drawing windows: %w", err)}
	}
	if line == nil && f.plotted != "" {
		return usage("--budget 8000", "the run %q counts at none of the budgets: it is smaller, or its prompt is too large", f.plotted)
	}
	if line != nil {
		pictures = append(pictures, line.Picture())
	}
	if len(pictures) == 0 {
		return &exit{code: exitPartial, err: errors.New("there is nothing to draw: no run counts at the budgets"), hint: "--budget 8000"}
	}
	if err := os.MkdirAll(f.plot, 0o777); err != nil {
		return &exit{code: exitPartial, err: fmt.Errorf("writing pictures: %w", err), hint: "--plot DIR in a directory that can be written"}
	}
	for _, p := range pictures {
		if err := replace(filepath.Join(f.plot, p.Name), string(p.SVG), 0o666); err != nil {
			return &exit{code: exitPartial, err: fmt.Errorf("writing pictures: %w", err), hint: "--plot DIR in a directory that can be written"}
		}
	}
	return nil
}
