package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	durable "github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/config"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// sessionFlags say in which session a run is kept.
type sessionFlags struct {
	databaseFlag
	session string
	none    bool
}

func (f *sessionFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "",
		"begin the session `NAME`, or ask in the one of that name; without a QUESTION, resume it "+
			"(default: a new session with a language model, none without)")
	flags.BoolVar(&f.none, "no-session", false, "keep nothing: an interrupted run cannot be resumed")
	f.databaseFlag.define(cmd)
	cli.InGroup(cmd, cli.RunGroup, "session", "no-session", "db")
}

// A keptRun is the session of a run.
type keptRun struct {
	id     string
	db     databaseFlag
	store  *store.Store
	begun  *durable.State // nil: it is new
	kept   *guide.Kept    // of its last run; nil: it is new, or another program wrote it
	resume bool
}

// A rebuild is what an exploration keeps in its session to be made again: its flags, but never a key.
type rebuild struct {
	Flags   map[string][]string `json:"flags"`
	Missing []string            `json:"missing,omitempty"` // flags with a credential, which are not kept
}

// openSession opens the session that the flags and the arguments mean; nil: none. It completes the flags from those of
// its last run.
func (f *exploreFlags) openSession(cmd *cobra.Command, question string) (*keptRun, error) {
	named := cmd.Flags().Changed("session")
	spec := f.spec()
	none := f.none || f.replay != "" || !named && (spec == "" || isRules(spec))
	switch {
	case f.none && named:
		return nil, cli.Usage("--session NAME", "--session and --no-session exclude each other")
	case named && f.replay != "":
		return nil, cli.Usage("--replay "+cli.Quote(f.replay), "--session and --replay exclude each other")
	case named && (strings.TrimSpace(f.session) == "" || strings.HasPrefix(f.session, "-")):
		return nil, cli.Usage("--session login", "--session needs a name, not %q", f.session)
	case none && cmd.Flags().Changed("db"):
		return nil, cli.Usage("--session NAME", "--db needs a session, and this run keeps none")
	case none:
		return nil, nil
	}
	s, err := f.databaseFlag.open(cmd)
	if err == nil {
		prune(cmd, s)
	}
	if err != nil && !named && f.path == "" {
		cli.Notice(cmd, "warning: the run is not kept: %v", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	k := &keptRun{id: f.session, store: s, db: f.databaseFlag}
	if !named {
		k.id, err = newSessionID(cmd.Context(), time.Now(), s.Sessions().Info)
	} else {
		err = k.load(cmd, question == "")
	}
	if err != nil {
		return nil, errors.Join(storeError(err), s.Close())
	}
	return k, nil
}

// keptSessions bounds what is kept of sessions that nobody removes.
var keptSessions = store.Limits{Age: 90 * 24 * time.Hour, Bytes: 4 << 30}

// prune removes sessions beyond these bounds, and says so. An error can wait: the next run tries again.
func prune(cmd *cobra.Command, s *store.Store) {
	if removed, freed, _ := s.Sessions().Prune(cmd.Context(), keptSessions); len(removed) > 0 {
		cli.Notice(cmd, "removed %s that nobody used for 90 days, or that were beyond 4 GiB (%s)",
			line.Count(len(removed), "session"), line.Bytes(freed))
	}
}

// load reads the session, if it exists, and completes the flags of the command from its last run.
func (k *keptRun) load(cmd *cobra.Command, mayResume bool) error {
	state, err := durable.Load(cmd.Context(), k.store.Sessions(), k.id)
	if errors.Is(err, durable.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	last := state.Last()
	k.begun, k.resume = state, k.resume || mayResume && !last.Finished()
	if !k.resume && !last.Finished() {
		unlock, err := k.store.Sessions().LockSession(cmd.Context(), k.id)
		if err != nil { // it runs in another process, which the error names
			return err
		}
		unlock()
		return cli.Usage(k.command("resume"), "the last question of session %q has no answer yet", k.id)
	}
	k.kept, err = guide.KeptIn(&last.Run)
	if err != nil && k.resume {
		return cli.Usage("resume it with that program, or look into it: "+k.command("show"),
			"session %q is a run of %q: %v", k.id, last.Agent, err)
	}
	var set rebuild
	if k.kept != nil {
		if err := json.Unmarshal(k.kept.Program, &set); err != nil {
			return cli.Usage(k.command("show"), "session %q was started by another program, not by foray", k.id)
		}
	}
	config.Undo(cmd) // the session began with the settings of then
	return set.apply(cmd, k.id)
}

// apply sets the flags that the command line does not.
func (r *rebuild) apply(cmd *cobra.Command, id string) error {
	flags := cmd.Flags()
	for _, name := range r.Missing {
		if !flags.Changed(name) {
			return cli.Usage("--"+name+" URL", "session %q does not keep its --%s, which holds a credential", id, name)
		}
	}
	for name, values := range r.Flags {
		if flags.Lookup(name) == nil || flags.Changed(name) {
			continue
		}
		for _, v := range values {
			if err := flags.Set(name, v); err != nil {
				return cli.Usage("--"+name, "session %q: --%s %s: %v", id, name, v, err)
			}
		}
	}
	if dir, err := flags.GetString("repo"); err == nil && len(r.Flags["repo"]) > 0 && dir == r.Flags["repo"][0] {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return cli.Usage("--repo DIR, where the code is now", "session %q is about %q, which no longer exists", id, dir)
		}
	}
	return nil
}

// unkept are the flags that belong to one process.
var unkept = []string{
	"output", "trace", "otel", "otel-content", "record", "replay", "session", "no-session", "db", "quiet", "verbose",
	"help", "inspect", "plain",
	"mcp", "mcp-allow", // start programs: a session that was imported must not
}

// session returns the session of the run, with what makes the run again; nil: it is not kept.
func (k *keptRun) session(cmd *cobra.Command, c *choice) (*agent.Session, error) {
	if k == nil {
		return nil, nil
	}
	flags := cmd.Flags()
	dir, err := flags.GetString("repo")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	set := rebuild{Flags: map[string][]string{"repo": {dir}}}
	flags.Visit(func(flag *pflag.Flag) {
		if slices.Contains(unkept, flag.Name) || flag.Name == "repo" {
			return
		}
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if slices.ContainsFunc(values, holdsCredential) {
			set.Missing = append(set.Missing, flag.Name)
			return
		}
		set.Flags[flag.Name] = values
	})
	if spec, _ := flags.GetString("model"); !c.rules && (spec == "" || spec == localModel) {
		set.Flags["model"] = []string{c.name()}
	}
	setup, err := json.Marshal(set)
	return &agent.Session{Store: k.store.Sessions(), ID: k.id, Setup: setup}, err
}

// holdsCredential reports whether a value is an address with a user, a password or parameters.
func holdsCredential(value string) bool {
	u, err := url.Parse(value)
	return strings.Contains(value, "://") && (err != nil || u.User != nil || u.RawQuery != "")
}

// carry puts what earlier processes spent and did on the meter and the steps of the run.
func (k *keptRun) carry(x *exploration) {
	if k == nil || !k.resume {
		return
	}
	last := k.begun.Last()
	bill := providers.Bill{
		Provider: last.Provider, Model: last.Model, Answers: len(last.Steps), Usage: last.Usage().Add(k.kept.Asked),
	}
	for i := range last.Steps {
		x.steps = append(x.steps, last.Steps[i].Step)
	}
	if k.kept.Asked != (providers.Usage{}) {
		bill.Answers++
	}
	if price, known := x.flags.list.Price(last.Provider, last.Model); known {
		bill.Cost = price.Cost(bill.Usage)
	} else {
		bill.Unpriced = bill.Answers
	}
	if x.choice.meter != nil && bill.Answers > 0 {
		x.choice.meter.Carry(bill)
	}
}

// resumable returns the command that continues a run that ended so, or "".
func (k *keptRun) resumable(ctx context.Context, r *agent.Result) string {
	if k == nil || !r.Stop.Resumable() {
		return ""
	}
	if _, err := durable.Load(context.WithoutCancel(ctx), k.store.Sessions(), k.id); err != nil {
		return "" // it ended before its first request
	}
	return k.command("resume")
}

// command returns the command that does something with the session.
func (k *keptRun) command(verb string) string {
	return k.db.command("foray sessions " + verb + " " + cli.Quote(k.id))
}

// drop removes a new session that nobody named, of a run whose first request failed.
func (k *keptRun) drop(ctx context.Context, named bool) {
	if k != nil && k.begun == nil && !named {
		_ = k.store.Sessions().Remove(ctx, k.id) // it may not have begun
	}
}

// close closes the store of the session.
func (k *keptRun) close() error {
	if k == nil {
		return nil
	}
	return k.store.Close()
}

// The parts of the word in the id of a session.
const consonants, vowels = "bdfgklmnprstvz", "aeiou"

// newSessionID returns an id that people can say and type, and that info does not know: the day, and a word of three
// syllables, or of more if that one is taken. There are 343,000 words of three: with a hundred sessions a day, two of
// a day share one every other month.
func newSessionID(
	ctx context.Context, now time.Time, info func(context.Context, string) (store.SessionInfo, error),
) (string, error) {
	id := now.Format("0102-")
	for syllables := 1; ; syllables++ {
		id += string(consonants[rand.IntN(len(consonants))]) + string(vowels[rand.IntN(len(vowels))])
		if syllables < 3 {
			continue
		}
		switch _, err := info(ctx, id); {
		case errors.Is(err, durable.ErrUnknown):
			return id, nil
		case err != nil:
			return "", err
		}
	}
}

// explain adds a hint to an error of a run of a session that has none.
func (k *keptRun) explain(err error) error {
	var ended *cli.Exit
	if k == nil || !errors.As(err, &ended) || ended.Err == nil || ended.Hint != "" {
		return err
	}
	for _, h := range storeHints {
		if errors.Is(err, h.err) {
			ended.Hint = h.hint
			return err
		}
	}
	if k.resume {
		ended.Hint = fmt.Sprintf("check --repo and --model: %s says what it began with", k.command("show"))
	}
	return err
}
