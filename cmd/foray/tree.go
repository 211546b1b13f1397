package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
	"github.com/spf13/cobra"
)

// openFiles is openTree for a command that only reads files. It refuses a clone that has none of them checked out,
// since "nothing relevant" would say that it looked.
func openFiles(ctx context.Context, f *repoFlags) (*guide.Tree, error) {
	entries, err := os.ReadDir(f.repo)
	if f.rev == "" && err == nil && len(entries) == 1 && entries[0].Name() == ".git" {
		empty := &cli.Exit{Code: cli.ExitNothing, Err: errors.New(line.Printable(f.repo) + " has no files except .git"),
			Hint: "--rev HEAD"}
		if t, err := guide.Open(ctx, f.repo, ""); err == nil {
			if t.Revision == "" { // nor a commit
				empty.Hint = "--repo DIR"
			}
			_ = t.Close() // it only read
		}
		return nil, empty
	}
	return openTree(ctx, f)
}

// openTree opens a directory as it is, or at a revision. A bare repository is opened at HEAD by default.
func openTree(ctx context.Context, f *repoFlags) (*guide.Tree, error) {
	if err := checkRoot(f.repo); err != nil {
		return nil, err
	}
	t, err := guide.Open(ctx, f.repo, f.rev)
	switch problem := (*tools.Problem)(nil); {
	case err == nil:
		t.Symbols, t.AllowSecret = openSymbols(), f.allowed()
		return t, nil
	case f.rev == "" && !errors.As(err, &problem) && ctx.Err() == nil:
		return nil, cli.Usage("ls -ld "+cli.Quote(f.repo), "%v", err)
	}
	return nil, treeError(err, f.repo)
}

// treeError words an error of opening a repository at a revision.
func treeError(err error, dir string) error {
	problem := (*tools.Problem)(nil)
	if !errors.As(err, &problem) {
		return cli.Refused(err)
	}
	switch problem.Code {
	case "unknown_revision", "bad_revision":
		near, _, _ := strings.Cut(problem.Try, ",")
		if strings.Contains(near, " ") {
			near = "HEAD"
		}
		return cli.Usage("--rev "+near, "%s", problem.Message)
	case "no_commit":
		return &cli.Exit{Code: cli.ExitNothing, Err: errors.New(problem.Message), Hint: "commit something first, or --repo DIR"}
	case "not_a_repository":
		return cli.Usage("--repo "+cli.Quote(dir)+", without --rev", "%q is not in a git repository", dir)
	}
	return cli.Refused(err)
}

// remedy says what makes a tree whole, or "" if it is.
func remedy(t *guide.Tree) string {
	if lack := t.Partial(); lack != nil {
		return lack.Try
	}
	return ""
}

// checkRoot says why a directory cannot be explored.
func checkRoot(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return cli.Usage("--repo .", "--repo is empty")
	case errors.Is(err, fs.ErrNotExist):
		return cli.Usage(nearDir(dir), "no directory %q", dir)
	case errors.Is(err, fs.ErrPermission):
		return cli.Usage("ls -ld "+cli.Quote(dir), "no permission to read %q", dir)
	case err != nil:
		return cli.Usage("--repo .", "%q cannot be opened", dir)
	case !info.IsDir():
		return cli.Usage("--repo "+cli.Quote(filepath.Dir(dir)), "%q is a file, not a directory", dir)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil:
		return cli.Usage("ls -ld "+cli.Quote(dir), "no permission to read %q", dir)
	case len(entries) == 0:
		return &cli.Exit{Code: cli.ExitNothing,
			Err: errors.New(line.Printable(dir) + " is an empty directory"), Hint: "--repo DIR"}
	}
	return nil
}

// below reports whether a file that exists is below a directory.
func below(dir, file string) bool {
	dir, dirErr := filepath.EvalSymlinks(dir)
	file, fileErr := filepath.EvalSymlinks(file)
	if dirErr != nil || fileErr != nil {
		return false
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// nearDir suggests a sibling with a similar name for a directory that does not exist.
func nearDir(dir string) string {
	parent := filepath.Dir(filepath.Clean(dir))
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "--repo ."
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	base := filepath.Base(dir)
	if near := cli.Nearest(base, names); near != "" && strings.EqualFold(near[:1], base[:1]) {
		return "--repo " + cli.Quote(filepath.Join(parent, near))
	}
	return "--repo ."
}

// cacheVariable names the directory that caches the definitions found in files; cacheOff disables the cache.
const (
	cacheVariable = "FORAY_CACHE"
	cacheOff      = "off"
)

// openSymbols opens the cache of definitions, in memory if it has no directory.
func openSymbols() *symbols.Cache {
	dir := os.Getenv(cacheVariable)
	switch dir {
	case cacheOff:
		dir = ""
	case "":
		dir, _ = symbols.UserDir() // "" if the system has none
	}
	return symbols.OpenCache(dir)
}

// heapBound is the size of the heap near which garbage is collected sooner than after doubling, in bytes. What an
// exploration keeps is bounded too, at about 300 MB for 100,000 files.
const heapBound = 448 << 20

// boundHeap makes the garbage collector respect heapBound, unless GOMEMLIMIT is set.
func boundHeap() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(heapBound)
	}
}

// embedFlag defines --embed: a model that helps with what it gets.
func embedFlag(cmd *cobra.Command, to *string, helps string) {
	cmd.Flags().StringVar(to, "embed", "",
		"let the embedding `MODEL`, PROVIDER/NAME or URL#NAME, "+helps)
}

// ranksFiles is how an embedding model helps where files are ranked.
const ranksFiles = "rank the best files too; it gets the question and their code"

// openEmbedder opens the model of --embed; nil without one.
func openEmbedder(spec string) (*catalog.Embedder, error) {
	if spec == "" {
		return nil, nil
	}
	if strings.Contains(spec, "://") && !strings.Contains(spec, "#") { // vectors are kept under the name of their model
		return nil, cli.Usage("--embed "+spec+"#NAME", "--embed URL needs the name of the model after it")
	}
	name, o := atURL(spec)
	target, err := catalog.Resolve(name, o)
	if err != nil {
		return nil, cli.Usage("--embed ollama/nomic-embed-text", "--embed: %w", err)
	}
	embedder, err := target.Embedder()
	if err != nil {
		return nil, cli.Usage("--embed ollama/nomic-embed-text", "--embed %s: %w", cli.Quote(spec), err)
	}
	return embedder, nil
}

// atURL returns the name and the options of a model that is given as PROVIDER/NAME or URL#NAME.
func atURL(spec string) (name string, o *catalog.Options) {
	url, model, _ := strings.Cut(spec, "#")
	if !strings.Contains(url, "://") {
		return spec, &catalog.Options{}
	}
	return "llamacpp/" + cmp.Or(model, "default"), &catalog.Options{BaseURL: url}
}

// similarity opens the embedding model of --embed; nil without one. After a failure, a warning is printed once and
// words decide.
func similarity(spec string, say func(string)) (locate.Similarity, error) {
	embedder, err := openEmbedder(spec)
	if embedder == nil {
		return nil, err
	}
	var once sync.Once
	return func(ctx context.Context, query string, passages []string) ([]float64, error) {
		values, err := embedder.Similar(ctx, query, passages)
		if err != nil && ctx.Err() == nil {
			once.Do(func() { say(fmt.Sprintf("warning: words alone rank the files: %v", err)) })
		}
		return values, err
	}, nil
}

// repoFlags define what a command reads.
type repoFlags struct {
	repo, rev   string
	allowSecret []string // patterns of files
	allSecrets  bool
}

// define defines --repo, --allow-secret and --allow-secrets, and --rev unless the command reads only the files as they
// are.
func (f *repoFlags) define(cmd *cobra.Command, rev bool) {
	flags := cmd.Flags()
	flags.StringVar(&f.repo, "repo", ".", "explore `DIR`")
	names := []string{"repo", "allow-secret", "allow-secrets"}
	if rev {
		flags.StringVar(&f.rev, "rev", "",
			"explore the commit `REV` (default: the files as they are; HEAD in a bare repository)")
		names = append(names, "rev")
	}
	flags.StringArrayVar(&f.allowSecret, "allow-secret", nil,
		"show files that match `PATTERN` as they are, credentials included: a name such as *.tfvars or a path such as "+
			"keys/** (repeatable; with a model, its provider gets them)")
	flags.BoolVar(&f.allSecrets, "allow-secrets", false, "show every file as it is, like --allow-secret '**'")
	cli.InGroup(cmd, cli.RunGroup, names...)
	cli.Must(cmd.MarkFlagDirname("repo"))
}

// allowed returns the files whose secrets are shown.
func (f *repoFlags) allowed() tree.Allowed {
	if f.allSecrets {
		return tree.Allowed{"**"}
	}
	return f.allowSecret
}
