package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxDifferences is how many differences an error names.
const maxDifferences = 5

// missing returns the error for a request that is not recorded: how it differs from the most similar one.
func (m *Model) missing(asked fingerprint) error {
	var nearest *recorded
	var least []string
	for _, l := range m.lines {
		if ds := differences(l.Request, asked); nearest == nil || len(ds) < len(least) {
			nearest, least = l, ds
		}
	}
	text := strings.Join(least[:min(len(least), maxDifferences)], "; ")
	if more := len(least) - maxDifferences; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Errorf("this request is not recorded; from the nearest one, line %d of the recording, it differs in: %s",
		nearest.number, text)
}

// differences names the fields in which a request differs from a recorded one. Each message and tool counts separately.
func differences(was, is fingerprint) (ds []string) {
	for _, f := range []struct{ name, was, is string }{
		{"system prompt", was.System, is.System},
		{"schema", was.Schema, is.Schema},
		{"sampling", was.Sampling, is.Sampling},
	} {
		if f.was != f.is {
			ds = append(ds, f.name)
		}
	}
	for _, f := range []struct {
		name    string
		was, is any
	}{
		{"schema name", was.SchemaName, is.SchemaName},
		{"tool choice", was.Choice, is.Choice},
		{"max output", was.MaxOutput, is.MaxOutput},
	} {
		if f.was != f.is {
			ds = append(ds, fmt.Sprintf("%s (recorded %#v, asked %#v)", f.name, f.was, f.is))
		}
	}
	ds = append(ds, toolDifferences(was.Tools, is.Tools)...)
	return append(ds, messageDifferences(was.Messages, is.Messages)...)
}

func toolDifferences(was, is []tool) (ds []string) {
	known := make(map[string]string, len(was))
	for _, t := range was {
		known[t.Name] = t.Hash
	}
	for _, t := range is {
		switch h, ok := known[t.Name]; {
		case !ok:
			ds = append(ds, "tool "+t.Name+" (not recorded)")
		case h != t.Hash:
			ds = append(ds, "tool "+t.Name)
		}
		delete(known, t.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		ds = append(ds, "tool "+name+" (not asked)")
	}
	return ds
}

func messageDifferences(was, is []message) (ds []string) {
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(was):
			ds = append(ds, fmt.Sprintf("message %d of %d (%s, not recorded)", i+1, len(is), is[i].Role))
		case i >= len(is):
			ds = append(ds, fmt.Sprintf("message %d of %d (%s, not asked)", i+1, len(was), was[i].Role))
		case was[i] != is[i]:
			ds = append(
				ds, fmt.Sprintf("message %d of %d (%s): %s", i+1, len(is), is[i].Role, strings.Join(fields(was[i], is[i]), ", ")),
			)
		}
	}
	return ds
}

// fields names the fields in which two messages differ.
func fields(was, is message) (names []string) {
	for _, f := range []struct{ name, was, is string }{
		{"role", string(was.Role), string(is.Role)},
		{"text", was.Text, is.Text},
		{"calls", was.Calls, is.Calls},
		{"call answered", was.Result, is.Result},
		{"provider data", was.ProviderData, is.ProviderData},
		{"pictures", was.Images, is.Images},
	} {
		if f.was != f.is {
			names = append(names, f.name)
		}
	}
	return names
}
