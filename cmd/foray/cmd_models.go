package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/toollimit"
)

func newModels() *cobra.Command {
	var format string
	f := &modelFlags{}
	cmd := &cobra.Command{
		Use:   "models [NAME...]",
		Short: "Print context windows, budgets and prices by model",
		Long: `Print the context window, the budget of each profile and the price of each
model. With NAME, print the row for that name. A name that ends in * is a
prefix. Windows and budgets are in tokens.

RATIO is how many tokens the model counts per estimated token, where measured.
PRICE is in dollars per million tokens of input, cached input and output.
PICTURE is how many tokens the model counts for one of 1,024×768 pixels. A
FILE of --prices looks like this:

  {"date": "2026-11-01", "usd_per_million_tokens": [
    {"provider": "azure", "model": "mine",
     "input": 2, "cached": 0.5, "output": 8}]}`,
		Example: `  foray models
  foray models gpt-4o my-finetune
  foray models --format json claude-sonnet-4-6`,
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.readPrices(); err != nil {
				return err
			}
			rows := f.table()
			if len(args) > 0 {
				rows = f.resolve(args)
			}
			return cli.PrintAs(cmd, format, rows, func(w io.Writer) error {
				if err := writeModels(w, rows); err != nil {
					return err
				}
				_, err := fmt.Fprintln(w, "\n"+f.priceNote())
				return err
			})
		},
	}
	f.definePrices(cmd)
	cli.FormatFlag(cmd, &format, cli.TextOrJSON)
	return cmd
}

// priceNote says where the prices come from, and from which day.
func (f *modelFlags) priceNote() string {
	if f.prices == "" {
		return "Prices are the vendors' list prices of " + catalog.PriceDate + ". To use others: --prices FILE"
	}
	return fmt.Sprintf("Prices are the vendors' list prices of %s, and %d of %s (%s).", catalog.PriceDate,
		len(f.list.Prices), line.Printable(f.prices), f.list.Date)
}

// A modelRow is one line of the output. Sizes are in tokens.
type modelRow struct {
	Name       string         `json:"name"`
	Prefix     bool           `json:"prefix,omitempty"` // the name is a prefix
	Window     int            `json:"window"`
	Budgets    map[string]int `json:"budgets"`            // by profile
	Autonomous map[string]int `json:"budgets_autonomous"` // by profile, of unattended runs
	Ratio      float64        `json:"ratio"`              // tokens per estimated token, at first
	Measured   bool           `json:"ratio_measured"`
	Price      *modelRate     `json:"price,omitempty"`   // nil if unknown
	Picture    int            `json:"picture,omitempty"` // tokens of one of 1,024×768 pixels; 0: it takes none
	Source     string         `json:"source"`
	Fallback   bool           `json:"fallback,omitempty"` // the name is not in the table
}

// table returns all rows. It looks up a prefix by a name that starts with it.
func (f *modelFlags) table() []modelRow {
	var rows []modelRow
	for _, size := range catalog.Sizes() {
		name := size.Name
		if !size.Exact {
			name += "-x"
		}
		row := f.resolveOne(name)
		row.Name, row.Prefix = size.Name, !size.Exact
		row.Price = f.rateOf(catalog.Provider(size.Name), size.Name)
		rows = append(rows, row)
	}
	return rows
}

func (f *modelFlags) resolve(names []string) []modelRow {
	rows := make([]modelRow, len(names))
	for i, name := range names {
		rows[i] = f.resolveOne(name)
	}
	return rows
}

func (f *modelFlags) resolveOne(name string) modelRow {
	row := modelRow{Name: name, Budgets: map[string]int{}, Autonomous: map[string]int{}}
	for _, p := range contextwindow.Profiles() {
		b := catalog.BudgetFor(name, p)
		row.Window, row.Source, row.Fallback = b.Window, b.Source, b.Fallback
		row.Ratio, row.Measured = cmp.Or(b.Ratio, 1), b.Ratio > 0
		row.Budgets[string(p)], row.Autonomous[string(p)] = b.Limit, b.Autonomous().Limit
	}
	provider, model, named := strings.Cut(name, "/")
	if _, known := endpointOf(provider); !known || !named {
		provider, model = catalog.Provider(name), name
	}
	row.Price = f.rateOf(provider, model)
	if vision := catalog.VisionOf(model); vision.Sees() {
		row.Picture = vision.Tokens(toollimit.Image{Width: 1024, Height: 768})
	}
	return row
}

// budgetColumns are the budgets in the text form. Profiles with the same budgets share a column.
var budgetColumns = []struct {
	title      string
	profile    contextwindow.Profile
	autonomous bool
}{
	{"lean,cheap,ladder", contextwindow.Lean, false},
	{"autonomous", contextwindow.Lean, true},
	{"wide", contextwindow.Wide, false},
	{"full,off", contextwindow.Full, false},
}

func writeModels(w io.Writer, rows []modelRow) error {
	head := []string{"NAME", "WINDOW"}
	for _, c := range budgetColumns {
		head = append(head, c.title)
	}
	out := [][]string{append(head, "RATIO", "PRICE", "PICTURE", "SOURCE")}
	for _, r := range rows {
		name := r.Name
		if r.Prefix {
			name += "*"
		}
		row := []string{name, line.Number(r.Window)}
		for _, c := range budgetColumns {
			budgets := r.Budgets
			if c.autonomous {
				budgets = r.Autonomous
			}
			row = append(row, line.Number(budgets[string(c.profile)]))
		}
		out = append(out, append(row, ratioText(r.Ratio, r.Measured), r.Price.String(), pictureText(r.Picture), r.Source))
	}
	return ui.Table(w, "", out)
}

// pictureText returns how many tokens a picture has; "none" for a model that takes none.
func pictureText(tokens int) string {
	if tokens == 0 {
		return "none"
	}
	return line.Number(tokens)
}

// completeModels offers the names of the table.
func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, size := range catalog.Sizes() {
		names = append(names, size.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// A modelRate is a price in dollars per million tokens.
type modelRate struct {
	List   string  `json:"list"` // whose price list
	Date   string  `json:"date"` // when it was valid
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
}

// rateOf returns the price of a model, nil if none is known.
func (f *modelFlags) rateOf(provider, model string) *modelRate {
	p, ok := f.list.Price(provider, model)
	if !ok {
		return nil
	}
	date := catalog.PriceDate
	if table, _ := catalog.PriceOf(provider, model); table != p {
		date = f.list.Date
	}
	return &modelRate{p.Provider, date, p.Input, p.Cached, p.Output}
}

// String writes the prices of input, cached input and output.
func (r *modelRate) String() string {
	switch {
	case r == nil:
		return "unknown"
	case *r == modelRate{List: r.List, Date: r.Date}:
		return "none"
	}
	text := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return text(r.Input) + " / " + text(r.Cached) + " / " + text(r.Output)
}

// ratioText writes how many tokens a model counts per estimated token.
func ratioText(ratio float64, measured bool) string {
	if !measured {
		return "not measured"
	}
	return strconv.FormatFloat(ratio, 'f', 2, 64)
}
