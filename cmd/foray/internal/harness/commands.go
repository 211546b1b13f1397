package harness

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/providers"
)

// Models defines the flags of models on a command, without the name of one, and returns what opens the models that the
// command line then names.
type Models func(cmd *cobra.Command) Opener

// An Opener opens the model PROVIDER/NAME with the layers that every command puts around one. Window limits its tokens;
// 0 means what the server runs, else the model's own. Retries, and the wait for a server, go to say.
type Opener func(ctx context.Context, name string, window int, say func(string)) (providers.Model, error)

// Commands returns the commands, to be added to foray eval.
func Commands(m Models) []*cobra.Command {
	return []*cobra.Command{
		newRun(m), newTrial(m), newList(), newShow(), newReport(), newCompare(), newGate(), newExport(),
	}
}
