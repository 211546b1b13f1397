package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
)

func newToolsList() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print each tool with its parameters",
		Long:  "list prints each tool with its description and its parameters. A parameter with a * is required.",
		Example: `  foray tools list
  foray tools list --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("format", format, textOrJSON); err != nil {
				return err
			}
			set, err := toolSet(anyTree(), codebase.Options{})
			if err != nil {
				return err
			}
			return listTools(cmd.OutOrStdout(), set.All(), format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "print as `FORM`: text or json")
	complete(cmd, "format", words(textOrJSON))
	return cmd
}

// A listedTool is a tool in the JSON form of the list.
type listedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

func listTools(w io.Writer, all []tools.Tool, format string) error {
	if format == "json" {
		listed := make([]listedTool, len(all))
		for i, t := range all {
			listed[i] = listedTool{t.Name, t.Description, t.Schema}
		}
		return writeJSON(w, listed)
	}
	for i, t := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := listTool(w, t); err != nil {
			return err
		}
	}
	return nil
}

func listTool(w io.Writer, t tools.Tool) error {
	fmt.Fprintf(w, "%s\n  %s\n", t.Name, t.Description)
	parameters, err := parametersOf(t.Schema)
	if err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range parameters {
		fmt.Fprintf(table, "    %s\t%s\t%s\n", p.name, p.kind(), p.Description)
	}
	return table.Flush()
}

// A parameter is one property of a tool's schema.
type parameter struct {
	name        string
	Type        string
	Description string
	Enum        []string
	Items       *parameter
}

// parametersOf reads the properties of an object's schema in their order. A required one has a * behind its name.
func parametersOf(schema json.RawMessage) ([]parameter, error) {
	var object struct {
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(schema, &object); err != nil || len(object.Properties) == 0 {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(object.Properties))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	var all []parameter
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		p := parameter{name: fmt.Sprint(name)}
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		if slices.Contains(object.Required, p.name) {
			p.name += "*"
		}
		all = append(all, p)
	}
	return all, nil
}

// kind is a parameter's type in a word: string, a|b, [string].
func (p parameter) kind() string {
	switch {
	case len(p.Enum) > 0:
		return strings.Join(p.Enum, "|")
	case p.Items != nil:
		return "[" + p.Items.kind() + "]"
	}
	return p.Type
}
