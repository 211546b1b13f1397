// Package gitrepo reads a repository through the git program: the tree at a revision as a file system, its commits, and
// the tools git_log, git_show and git_blame.
//
// Open takes a worktree, a directory below one, a bare repository, or a directory whose .git is a file, as that of a
// worktree or of a submodule. The repository may be shallow, a partial clone, without a commit, or damaged: what cannot be
// had is a *tools.Problem in one sentence, the rest works.
//
// # A tree
//
// Tree lists a revision once and keeps the list in memory, in about 70 bytes an entry and its name. Contents come from a
// few long-lived processes (git cat-file), started when they are needed and ended by Close. Nothing is checked out: a bare
// repository is enough.
//
//	file                  mode, size, and as its time that of the commit
//	executable file       mode 0555
//	link                  fs.ModeSymlink; followed within the tree as os.Root does, never out of it
//	submodule             an empty directory: its files are in another repository
//	name not UTF-8        listed, cannot be opened (fs.ErrInvalid), as with os.DirFS
//	"..", "a/b", twice    names that no directory can have are left out and counted by Refused
//	missing object        listed with size 0, cannot be read (ErrMissing)
//
// # How git is run
//
// A repository is data of others, and its configuration can name programs. So git is run without a shell, without the
// user's and the system's configuration, with an environment of its own, and with every setting that could run a program
// or reach the network overridden (see guard): hooks, file system monitor, external diffs, text conversion, signatures,
// pagers, editors, prompts, helpers, lazy fetches. A revision that begins with "-" is refused. Replacements
// (refs/replace) do not count: an object is what its name says. Of what git prints to its error output nothing is shown.
package gitrepo
