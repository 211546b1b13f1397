package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of flags in help, and the annotation that puts a flag into one.
const (
	ModelGroup   = "Model"
	RunGroup     = "Run"
	ContextGroup = "Context"
	OutputGroup  = "Output"
	OtherGroup   = "Flags"
	GroupKey     = "foray_group"
)

// FlagGroups are the groups of flags in the order of help.
var FlagGroups = []string{ModelGroup, RunGroup, ContextGroup, OutputGroup, OtherGroup}

// InGroup puts flags into a group of help.
func InGroup(cmd *cobra.Command, group string, names ...string) {
	for _, name := range names {
		Must(cmd.Flags().SetAnnotation(name, GroupKey, []string{group}))
	}
}

// The values of --format, by command.
var (
	MarkdownOrJSON = []string{"md", "json"}
	TextOrJSON     = []string{"text", "json"}
)

// FormatFlag defines --format, whose default is the first of forms.
func FormatFlag(cmd *cobra.Command, to *string, forms []string) {
	ChoiceFlag(cmd, to, "format", forms[0], forms, "print as `FORM`: "+Either(forms))
}

// OutputFlag defines --output.
func OutputFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVarP(to, "output", "o", "", "write to `FILE` atomically (default: standard output)")
}

// A checked value is parsed and checked when the command line is read.
type checked[T any] struct {
	to    *T
	parse func(string) (T, error) // fails with a BadValue
}

// Set parses a value.
func (c checked[T]) Set(text string) error {
	v, err := c.parse(strings.TrimSpace(text))
	if err == nil {
		*c.to = v
	}
	return err
}

// String returns the value as help shows the default, "" for zero.
func (c checked[T]) String() string {
	if c.to == nil {
		return ""
	}
	if text := writeList(*c.to); text != "0" && text != "0s" {
		return text
	}
	return ""
}

// writeList writes a value, and a list with commas: "1,3,5".
func writeList(v any) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]") }

// Type returns the type of the value. Help quotes the default of a string.
func (c checked[T]) Type() string { return fmt.Sprintf("%T", *c.to) }

// A BadValue says what a flag takes, and a value to try.
type BadValue struct{ Takes, Try string }

// Error completes "--flag takes …".
func (e BadValue) Error() string { return "takes " + e.Takes }

// ChoiceFlag defines a flag whose value is one of a few words.
func ChoiceFlag(cmd *cobra.Command, to *string, name, deflt string, words []string, usage string) {
	*to = deflt
	cmd.Flags().Var(checked[string]{to, func(text string) (string, error) {
		if text == deflt {
			return text, nil
		}
		return oneOf(text, words)
	}}, name, usage)
	Complete(cmd, name, words)
}

// oneOf returns text if it is one of words.
func oneOf(text string, words []string) (string, error) {
	if slices.Contains(words, text) {
		return text, nil
	}
	return "", BadValue{Either(words), Suggest(text, words)}
}

// ChoicesFlag defines a flag that takes several of a few words, separated by commas or in several flags.
func ChoicesFlag(cmd *cobra.Command, to *[]string, name string, words []string, usage string) {
	cmd.Flags().Var(checked[[]string]{to, func(text string) ([]string, error) {
		all := *to
		for part := range strings.SplitSeq(text, ",") {
			word, err := oneOf(strings.TrimSpace(part), words)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(all, word) {
				all = append(all, word)
			}
		}
		return slices.Sorted(slices.Values(all)), nil
	}}, name, usage)
	Complete(cmd, name, words)
}

// NumberFlag defines a flag that takes a whole number of at least min.
func NumberFlag(cmd *cobra.Command, to *int, name string, deflt, min int, usage string) {
	*to = deflt
	cmd.Flags().Var(checked[int]{to,
		func(text string) (int, error) { return wholeNumber(text, deflt, min, math.MaxInt32) }}, name, usage)
}

// TokensFlag defines a flag that takes a number of tokens, at least min. Zero is the default.
func TokensFlag(cmd *cobra.Command, to *int, name string, min int, usage string) {
	const usual = 16_000 // to suggest
	cmd.Flags().Var(checked[int]{to, func(text string) (int, error) {
		return wholeNumber(text, usual, min, math.MaxInt32)
	}}, name, usage)
}

// RangeFlag defines a flag that takes a whole number from min to max.
func RangeFlag(cmd *cobra.Command, to *int, name string, deflt, min, max int, usage string) {
	*to = deflt
	cmd.Flags().Var(checked[int]{to, func(text string) (int, error) { return wholeNumber(text, deflt, min, max) }}, name,
		usage)
}

func wholeNumber(text string, deflt, min, max int) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && n >= min && n <= max {
		return n, nil
	}
	takes := fmt.Sprintf("a whole number of at least %d", min)
	if max != math.MaxInt32 {
		takes = fmt.Sprintf("a whole number from %d to %d", min, max)
	}
	if deflt < min {
		deflt = min
	}
	return 0, BadValue{takes, strconv.Itoa(deflt)}
}

// NumbersFlag defines a flag that takes whole numbers of at least min, separated by commas.
func NumbersFlag(cmd *cobra.Command, to *[]int, name string, deflt []int, min int, usage string) {
	*to = deflt
	typed := []int{}
	cmd.Flags().Var(checked[[]int]{to, func(text string) ([]int, error) {
		for part := range strings.SplitSeq(text, ",") {
			n, err := wholeNumber(strings.TrimSpace(part), min, min, math.MaxInt32)
			if err != nil {
				return nil, BadValue{fmt.Sprintf("whole numbers of at least %d, separated by commas", min), writeList(deflt)}
			}
			typed = append(typed, n)
		}
		return typed, nil
	}}, name, usage)
}

// DecimalFlag defines a flag that takes a number that ok accepts.
func DecimalFlag(cmd *cobra.Command, to *float64, name string, deflt float64, ok func(float64) bool, bad BadValue,
	usage string) {
	*to = deflt
	cmd.Flags().Var(checked[float64]{to, func(text string) (float64, error) {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !ok(f) {
			return 0, bad
		}
		return f, nil
	}}, name, usage)
}

// TimeoutFlag defines --timeout.
func TimeoutFlag(cmd *cobra.Command, to *time.Duration, deflt time.Duration, usage string) {
	DurationFlag(cmd, to, "timeout", deflt, usage)
}

// DurationFlag defines a flag that takes a duration above zero.
func DurationFlag(cmd *cobra.Command, to *time.Duration, name string, deflt time.Duration, usage string) {
	*to = deflt
	try := "90s"
	if deflt > 0 {
		try = deflt.String()
	}
	cmd.Flags().Var(checked[time.Duration]{to, func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return 0, BadValue{"a duration above zero, such as 90s or 5m", try}
		}
		return d, nil
	}}, name, usage)
}

// Complete makes the shell complete the value of a flag with words.
func Complete(cmd *cobra.Command, flag string, words []string) {
	Must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

// FlagError words the errors of the flag parser as usage errors with a hint.
func FlagError(cmd *cobra.Command, err error) error {
	all := cmd.CommandPath() + " --help"
	var (
		invalid *pflag.InvalidValueError
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &invalid):
		bad, flag := BadValue{}, "--"+invalid.GetFlag().Name
		if !errors.As(err, &bad) {
			bad = BadValue{Takes: wanted(invalid.GetFlag().Value.Type())}
		}
		hint := all
		if bad.Try != "" {
			hint = flag + " " + bad.Try
		}
		return Usage(hint, "%s takes %s, not %q", flag, bad.Takes, invalid.GetValue())
	case errors.As(err, &missing):
		return Usage(all, "--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return Usage(all, "unknown flag: -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return Usage(unknownFlagHint(cmd, unknown.GetSpecifiedName()), "unknown flag: --%s", unknown.GetSpecifiedName())
	}
	return &Exit{Code: ExitUsage, Err: err, Hint: all}
}

// wanted says what a flag of a type of pflag takes.
func wanted(kind string) string {
	switch kind {
	case "bool":
		return "true or false"
	case "uint64":
		return "a whole number of at least 0"
	}
	return "another value"
}

// unknownFlagHint suggests a flag of the command, else a command, whose name is similar.
func unknownFlagHint(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	all := cmd.CommandPath() + " --help"
	if near := Nearest(name, names); near != "" {
		return "--" + near + "; all flags: " + all
	}
	if near := Nearest(name, CommandNames(cmd.Root())); near != "" {
		return "foray " + near
	}
	return all
}
