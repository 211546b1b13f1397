package subject

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// An Env is what subjects need from outside. The zero value opens no models.
type Env struct {
	// Model opens the model PROVIDER/NAME; window limits its tokens, 0: its own.
	Model func(ctx context.Context, name string, window int) (providers.Model, error)
	// Dir is where the words of a command and the files of a recording are looked up; "": the working directory.
	Dir string
}

// A kind makes subjects of a spec. Args is what follows the colon.
type kind struct {
	name  string
	usage string // with its arguments
	open  func(ctx context.Context, args string, env Env) (do, error)
}

// do is [trial.Subject].Do.
type do func(ctx context.Context, in trial.Input) (*check.Outcome, error)

// kinds returns the kinds of subjects.
func kinds() []kind {
	return []kind{
		{"rules", "rules", openRules},
		{"insight", "insight", openInsight},
		{"model", "model:PROVIDER/NAME[@WINDOW][+PROFILE]", openModel},
		{"policy", "policy:NAME[@BUDGET]", openPolicy},
		{"recording", "recording:FILE[#SUBJECT]", openRecording},
		{"exec", "exec:COMMAND ARGS", openExec},
	}
}

// Usage returns the forms of specs.
func Usage() []string {
	var forms []string
	for _, k := range kinds() {
		forms = append(forms, k.usage)
	}
	return forms
}

// Split splits a list of specs at commas. A comma belongs to the command of an exec unless a kind of subject follows.
func Split(list string) []string {
	var specs []string
	for part := range strings.SplitSeq(list, ",") {
		last := len(specs) - 1
		if _, _, known := find(part); !known && last >= 0 && strings.HasPrefix(specs[last], "exec:") {
			specs[last] += "," + part
			continue
		}
		specs = append(specs, strings.TrimSpace(part))
	}
	return specs
}

// find returns the kind of a spec and its arguments.
func find(spec string) (k kind, args string, known bool) {
	name, args, _ := strings.Cut(strings.TrimSpace(spec), ":")
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return k.name == name })
	if i < 0 {
		return k, "", false
	}
	return all[i], strings.TrimSpace(args), true
}

// Open opens a subject by its spec, which becomes its name. What can be known to fail does so here: an unknown kind,
// model or policy, a missing file or program.
func Open(ctx context.Context, spec string, env Env) (trial.Subject, error) {
	k, args, known := find(spec)
	if !known {
		name, _, _ := strings.Cut(spec, ":")
		text := fmt.Sprintf("unknown subject %q; a subject is one of %s", spec, strings.Join(Usage(), ", "))
		if strings.Contains(name, "/") {
			text = fmt.Sprintf("unknown subject %q; for a model, write model:%s", spec, spec)
		} else if near := line.Closest(name, names(), 1); line.Distance(near[0], name) < 3 {
			text += fmt.Sprintf("; did you mean %s?", near[0])
		}
		return trial.Subject{}, fmt.Errorf("%s", text)
	}
	takes := strings.Contains(k.usage, ":")
	if takes == (args == "") || !takes && strings.Contains(spec, ":") {
		return trial.Subject{}, fmt.Errorf("subject %q: write it as %s", spec, k.usage)
	}
	do, err := k.open(ctx, args, env)
	if err != nil {
		return trial.Subject{}, fmt.Errorf("subject %s: %w", spec, err)
	}
	return trial.Subject{Name: strings.TrimSpace(spec), Do: do}, nil
}

func names() []string {
	var all []string
	for _, k := range kinds() {
		all = append(all, k.name)
	}
	return all
}

// cutSize cuts a number of tokens off the end of a spec: "lean@8000". It returns 0 without one.
func cutSize(spec string, least int) (name string, tokens int, err error) {
	at := strings.LastIndexByte(spec, '@')
	if at < 0 {
		return spec, 0, nil
	}
	tokens, err = strconv.Atoi(spec[at+1:])
	if err != nil || tokens < least {
		return "", 0, fmt.Errorf("%q must be a number of tokens, at least %d", spec[at+1:], least)
	}
	return spec[:at], tokens, nil
}

// profileOf returns the profile with a name.
func profileOf(name string) (contextwindow.Profile, error) {
	p := contextwindow.Profile(name)
	if all := contextwindow.Profiles(); !slices.Contains(all, p) {
		return "", fmt.Errorf("unknown profile %q; available: %v", name, all)
	}
	return p, nil
}
