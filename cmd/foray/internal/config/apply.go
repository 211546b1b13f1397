package config

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
)

// modelVariable chooses a model, too.
const modelVariable = "FORAY_MODEL"

// variables are those of the environment that come before a setting, by the provider of the model.
var variables = map[string]map[string]string{
	"base-url": {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"},
	"window":   {"ollama": "OLLAMA_CONTEXT_LENGTH"},
}

// A layers is the files of settings of a command, the first before the second, and where its model comes from.
type layers struct {
	files  []*file
	model  *file  // the file that chooses the model; nil: another place, or none does
	from   string // that place: a flag, "$FORAY_MODEL" or the path of the file; "" for none
	broken error  // why the project's file is left out: a repository of others must not keep foray from running
}

// load reads the files for a directory. given is the flag of the command line that chooses a model, "" for none.
func load(dir, given string) (*layers, error) {
	project, broken := read(projectPath(dir), false)
	user, err := read(userPath(), true)
	if err != nil {
		return nil, err
	}
	l := &layers{broken: broken}
	for _, f := range []*file{project, user} {
		if f != nil {
			l.files = append(l.files, f)
		}
	}
	switch {
	case given != "":
		l.from = given
		return l, nil
	case strings.TrimSpace(os.Getenv(modelVariable)) != "":
		l.from = "$" + modelVariable
		return l, nil
	}
	for _, f := range l.files {
		ok, err := f.isTrusted()
		if err != nil {
			return nil, err
		}
		if f.values["model"] != nil && ok {
			l.model, l.from = f, f.path
			return l, nil
		}
	}
	return l, nil
}

// A value is a setting that a file sets.
type value struct {
	name  string
	texts []string
	file  *file
	why   string // it does not count; "" if it does
}

// values returns what the files set, in the order of [settings] and of precedence.
func (l *layers) values() ([]value, error) {
	var all []value
	for _, s := range settings {
		set := false
		for _, f := range l.files {
			texts := f.values[s.name]
			if texts == nil {
				continue
			}
			v := value{name: s.name, texts: texts, file: f}
			ok, err := f.isTrusted()
			switch {
			case err != nil:
				return nil, err
			case !ok && !s.safe:
				v.why = "needs your approval: foray config trust"
			case s.name == "model" && l.model != f:
				v.why = "the model is that of " + cmp.Or(l.from, "no file")
			case s.need == itsModel && l.model != f:
				v.why = "belongs to the model of this file, and the model is " + cmp.Or("that of "+l.from, "none")
			case s.need == aModel && l.from == "":
				v.why = "without a model"
			case set:
				v.why = "another file sets it"
			default:
				v.why = l.before(s.name)
			}
			set = set || v.why == ""
			all = append(all, v)
		}
	}
	return all, nil
}

// Model returns the model that the environment or a file chooses for a directory, and which of them; "" for none.
func Model(dir string) (name, from string) {
	l, err := load(dir, "")
	switch {
	case err != nil:
		return "", ""
	case l.model != nil:
		return strings.Join(l.model.values["model"], ", "), l.from
	}
	return strings.TrimSpace(os.Getenv(modelVariable)), l.from
}

// before names the variable of the environment that comes before a setting, "" for none.
func (l *layers) before(setting string) string {
	if l.model == nil || len(l.model.values["model"]) != 1 {
		return ""
	}
	provider, _, _ := strings.Cut(l.model.values["model"][0], "/")
	if name := variables[setting][provider]; name != "" && os.Getenv(name) != "" {
		return "$" + name + " is set"
	}
	return ""
}

// fromFile marks flags that a file has set.
const fromFile = "foray_config"

// Apply sets the flags of a command that neither the command line nor the environment sets, from the files of settings.
// It says what the file of a project wants and does not get. Other commands than those that take settings are left
// alone, and no file is read for them.
func Apply(cmd *cobra.Command) error {
	if cmd.Parent() == nil || cmd.Parent().HasParent() || !slices.Contains(commands, cmd.Name()) {
		return nil
	}
	flags := cmd.Flags()
	dir, _ := flags.GetString("repo")
	given := ""
	for _, name := range []string{"model", "replay"} {
		if text, _ := flags.GetString(name); text != "" {
			given = "--" + name
		}
	}
	l, err := load(dir, given)
	if err != nil {
		return err
	}
	all, err := l.values()
	if err != nil {
		return err
	}
	var waiting []string
	for _, v := range all {
		flag := flags.Lookup(v.name)
		switch {
		case flag == nil || flag.Changed:
			continue
		case v.why != "":
			if ok, _ := v.file.isTrusted(); !ok {
				waiting = append(waiting, v.name)
			}
			continue
		}
		if err := set(flags, flag, v); err != nil {
			return err
		}
	}
	if len(waiting) > 0 {
		cli.Notice(cmd, "%s also sets %s, which needs your approval: read it, then run foray config trust --repo %s",
			projectPath(dir), strings.Join(waiting, ", "), cmp.Or(dir, "."))
	}
	if l.broken != nil {
		cli.Notice(cmd, "%v; it is left out", l.broken)
	}
	return nil
}

// set gives a flag the value of a file.
func set(flags *pflag.FlagSet, flag *pflag.Flag, v value) error {
	if _, list := flag.Value.(pflag.SliceValue); !list && len(v.texts) != 1 {
		return broken(v.file.path, fmt.Errorf("%s takes one value, not a list", v.name))
	}
	for _, text := range v.texts {
		if err := flags.Set(v.name, text); err != nil {
			return broken(v.file.path, fmt.Errorf("%s: %q does not fit", v.name, text))
		}
	}
	return flags.SetAnnotation(v.name, fromFile, []string{v.file.path})
}

// Undo takes back what files have set, for a run that continues with the flags that it began with.
func Undo(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[fromFile] == nil {
			return
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			_ = list.Replace(nil) // an empty list always fits
		} else {
			_ = flag.Value.Set(flag.DefValue) // the default always fits
		}
		flag.Changed = false
		delete(flag.Annotations, fromFile)
	})
}
