package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/servers"
	"github.com/forayhq/foray/cmd/foray/internal/telemetry"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// talkFlags are the flags of chat and serve.
type talkFlags struct {
	modelFlags
	databaseFlag
	repoFlags
	telemetry.Flags
	mcp      servers.Flags
	ask      servers.Approve // decides about calls that may change something; nil: they are refused
	maxSteps int
	wait     time.Duration
	context  contextFlags
	agents   agentFlags

	embed, fast string
	noNew       bool // no memories are made
}

// agentFlags say who can answer.
type agentFlags struct{ file, agent string }

func (f *agentFlags) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "agents", "",
		"let the agents in `FILE` answer: JSON, a list of {id, description, system, tools}")
	cmd.Flags().StringVar(&f.agent, "agent", "", "let the agent `ID` of --agents answer (default: the chat's own)")
	cli.InGroup(cmd, cli.RunGroup, "agents", "agent")
}

const agentsHint = `--agents FILE with [{"id": "reviewer", "system": "You review code."}]`

// maxAgents is the size of the file of --agents, in bytes.
const maxAgents = 8 << 20

// apply gives a chat the agents of the file.
func (f *agentFlags) apply(s *chat.Settings, rules bool) error {
	if f.file == "" && f.agent == "" {
		return nil
	}
	if rules {
		return cli.Usage("--model PROVIDER/NAME", "--agents and --agent need a model: rules follow no instructions")
	}
	s.Agent = f.agent
	if f.file == "" {
		return nil
	}
	in, err := os.Open(f.file)
	if err != nil {
		return cli.Usage(agentsHint, "--agents: %v", err)
	}
	defer in.Close()
	d := json.NewDecoder(io.LimitReader(in, maxAgents))
	d.DisallowUnknownFields()
	err = d.Decode(&s.Agents)
	if err == nil && d.More() {
		err = errors.New("unexpected data after the list")
	}
	if err != nil {
		return cli.Usage(agentsHint, "--agents: %s is not a list of agents: %v", f.file, err)
	}
	return nil
}

// contextFlags say how much of a conversation a request includes.
type contextFlags struct {
	tokens, turns  int
	share, message float64
	sections       string
}

func (f *contextFlags) define(cmd *cobra.Command) {
	part := func(to *float64, name string, deflt, least, most float64, usage string) {
		cli.DecimalFlag(cmd, to, name, deflt, func(n float64) bool { return n >= least && n <= most },
			cli.BadValue{Takes: fmt.Sprintf("a number from %v to %v", least, most), Try: fmt.Sprint(deflt)},
			fmt.Sprintf("%s, from %v to %v", usage, least, most))
	}
	cli.RangeFlag(cmd, &f.tokens, "context-tokens", 48_000, 500, 10_000_000,
		"include at most `N` tokens of the conversation in a request")
	part(&f.share, "context-share", .6, .05, .95, "limit them to the share `S` of the budget of a request")
	cli.RangeFlag(cmd, &f.turns, "context-turns", 20, 1, 10_000,
		"include at most the last `N` turns and a summary of older ones")
	part(&f.message, "message-share", .45, .01, 1, "truncate a message to the share `S` of these tokens")
	cmd.Flags().StringVar(&f.sections, "section-shares", "",
		"divide these tokens by `LIST`, as in recent=0.5,input=0.1; shares add up to 1 (default: "+
			strings.ReplaceAll(defaultSections(), ",", ", ")+")")
	cli.InGroup(cmd, cli.ContextGroup,
		"context-tokens", "context-share", "context-turns", "message-share", "section-shares")
}

// defaultSections writes the default shares as --section-shares takes them.
func defaultSections() string {
	var all []string
	for _, row := range contextbuilder.DefaultShares() {
		all = append(all, fmt.Sprintf("%s=%v", row.Section, row.Share))
	}
	return strings.Join(all, ",")
}

// apply sets the limits of a chat.
func (f *contextFlags) apply(s *chat.Settings) error {
	s.Total, s.ContextShare, s.Turns, s.MessageShare = f.tokens, f.share, f.turns, f.message
	for part := range strings.SplitSeq(f.sections, ",") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		share, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return cli.Usage("--section-shares "+defaultSections(),
				"--section-shares takes SECTION=SHARE, separated by commas, not %q", part)
		}
		s.Shares[contextbuilder.Section(name)] = share
	}
	return nil
}

// apply sets what the flags say of the chat's settings.
func (f *talkFlags) apply(t *talk) error {
	s := t.Settings()
	if err := errors.Join(f.context.apply(&s), f.agents.apply(&s, t.choice.rules)); err != nil {
		return err
	}
	err := t.Configure(s)
	if err == nil {
		return nil
	}
	why := strings.ReplaceAll(strings.TrimPrefix(err.Error(), chat.ErrInvalid.Error()+": "), "section_", "--section-")
	if strings.Contains(why, "--section-") {
		return cli.Usage("--section-shares "+defaultSections(), "%s", why)
	}
	if strings.HasPrefix(why, "no agent") {
		return cli.Usage("--agent "+chatAgent, "--agent: %s", why)
	}
	return cli.Usage(agentsHint, "--agents: %s", why)
}

func (f *talkFlags) define(cmd *cobra.Command) {
	f.modelFlags.define(cmd)
	f.databaseFlag.define(cmd)
	f.repoFlags.define(cmd, false)
	f.context.define(cmd)
	f.agents.define(cmd)
	embedFlag(cmd, &f.embed, comparesMemories)
	cmd.Flags().StringVar(&f.fast, "fast", "",
		"let `MODEL`, PROVIDER/NAME or URL#NAME, write summaries (default: --model, or rules if it is small) "+
			"and extract memories (default: rules)")
	cmd.Flags().BoolVar(&f.noNew, "no-new-memories", false,
		"make no memories of what is said; those that exist stay in use")
	cli.InGroup(cmd, cli.ContextGroup, "embed", "fast", "no-new-memories")
	cli.NumberFlag(cmd, &f.maxSteps, "max-steps", defaultSteps, 1, "ask the model at most `N` times for an answer")
	cli.DurationFlag(cmd, &f.wait, "thread-wait", threadWait,
		"wait at most `DURATION` for another process that writes to the thread")
	cli.InGroup(cmd, cli.RunGroup, "db", "max-steps", "thread-wait")
	f.Flags.Define(cmd)
	f.mcp.Define(cmd)
}
