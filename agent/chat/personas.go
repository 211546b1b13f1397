package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// A Persona is an agent that the threads of a [Chat] can use beside the one of its [Config]: that agent under another
// name, with instructions and tools of its own. [Chat.As] chooses one.
type Persona struct {
	ID          string   `json:"id"`          // as of a thread, see [CheckThreadID]
	Description string   `json:"description"` // for people
	System      string   `json:"system"`      // follows the system prompt of Config.Agent, at most 64 KiB
	Tools       []string `json:"tools"`       // names of the tools of Config.Agent that it may call; nil: all
}

// Limits of the personas of a chat.
const (
	maxPersonas = 100
	maxSystem   = 64 << 10 // bytes
)

// A speaker is an agent that answers in threads.
type speaker struct {
	*agent.Agent
	name   string
	system string
	fixed  int // tokens of the schemas of its tools
	vision providers.Vision
	owns   func(*transcript.ProviderData) bool // of its model
	as     string                              // for messages: "" for the agent of the Config
}

func newSpeaker(c agent.Config) (*speaker, error) {
	a, err := agent.New(c)
	if err != nil {
		return nil, err
	}
	return &speaker{Agent: a, name: c.Name, system: c.System, fixed: a.ToolTokens(),
		vision: c.Model.Info().Vision, owns: c.Model.Info().Compacted}, nil
}

// speakers returns the agents of the settings by id, with the base among them.
func (s Settings) speakers(base *speaker, c agent.Config) (map[string]*speaker, error) {
	if len(s.Agents) > maxPersonas {
		return nil, fmt.Errorf("agents: %d, must be at most %d", len(s.Agents), maxPersonas)
	}
	all := map[string]*speaker{base.name: base}
	for _, p := range s.Agents {
		if err := p.check(c.Tools); err != nil {
			return nil, fmt.Errorf("agent %s: %w", label(p.ID), err)
		}
		if all[p.ID] != nil {
			return nil, fmt.Errorf("agent %s: another agent has this id", p.ID)
		}
		own := c
		own.Name, own.System = p.ID, strings.TrimSpace(strings.TrimSpace(c.System)+"\n\n"+p.System)
		if p.Tools != nil {
			own.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t tools.Tool) bool {
				return !slices.Contains(p.Tools, t.Name)
			})
		}
		a, err := newSpeaker(own)
		if err != nil {
			return nil, fmt.Errorf("agent %s: %w", p.ID, err)
		}
		a.as, all[p.ID] = p.ID, a
	}
	if s.Agent != "" && all[s.Agent] == nil {
		return nil, unknownAgent(s.Agent, all)
	}
	return all, nil
}

func (p Persona) check(ts []tools.Tool) error {
	if CheckThreadID(p.ID) != nil {
		return errors.New("an id is 1 to 64 letters, digits, _, - and ., and starts with a letter or digit")
	}
	for _, name := range p.Tools {
		if !slices.ContainsFunc(ts, func(t tools.Tool) bool { return t.Name == name }) {
			var names []string
			for _, t := range ts {
				names = append(names, t.Name)
			}
			return fmt.Errorf("no tool %.70q; tools: %q", name, names)
		}
	}
	return errors.Join(checkText("system", p.System, maxSystem), checkText("description", p.Description, maxTitle))
}

func unknownAgent(id string, all map[string]*speaker) error {
	var ids []string
	for known := range all {
		ids = append(ids, known)
	}
	slices.Sort(ids)
	return fmt.Errorf("%w: no agent %.70q; agents: %s", ErrInvalid, id, strings.Join(ids, ", "))
}

// speaker returns the agent that answers: the chosen one, that of the thread if it still exists, or the default.
func (s *setup) speaker(chosen, ofThread string) (*speaker, error) {
	if chosen != "" {
		if a := s.speakers[chosen]; a != nil {
			return a, nil
		}
		return nil, unknownAgent(chosen, s.speakers)
	}
	return cmp.Or(s.speakers[ofThread], s.speakers[s.Agent], s.base), nil
}

// As returns c with another agent answering: one of [Settings].Agents, or that of the [Config] by its name. A thread
// stays with the agent that was chosen for it last. With "", the agent of the thread answers, or the default. An
// unknown id fails at its first use with [ErrInvalid]. The returned chat shares everything with c; close only one of
// them.
func (c *Chat) As(agent string) *Chat {
	as := *c
	as.as = agent
	return &as
}

// WithImages returns c with pictures beside each message that it sends, at most eight. A model that sees none reads
// what they are. The returned chat shares everything with c; close only one of them.
func WithImages(c *Chat, images ...toollimit.Image) *Chat {
	with := *c
	with.images = images
	return &with
}

// named is a store whose answers say which agent gave them.
type named struct {
	Store
	base string // the agent of answers that do not say so
}

// Recent names the agent of each answer.
func (n named) Recent(ctx context.Context, thread string, before int64, limit int) ([]contextbuilder.Message, error) {
	ms, err := n.Store.Recent(ctx, thread, before, limit)
	ms = slices.Clone(ms)
	for i := range ms {
		if ms[i].Role == transcript.Assistant {
			ms[i].Name = cmp.Or(ms[i].Name, n.base)
		}
	}
	return ms, err
}
