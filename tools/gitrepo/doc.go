// Package gitrepo reads a repository through the git program: the tree at a revision as a file system, its
// commits, and the tools git_log, git_show and git_blame.
//
// Start with [Open], which takes a worktree or a directory below one, a bare repository, or a linked
// worktree or submodule, whose .git is a file. The repository may be shallow, a partial clone, empty, or
// damaged: a missing part yields a *tools.Problem, and the rest works. [Tools] makes the tools, [Repo.Tree]
// the file system, [Repo.Log] the commits.
//
// # A tree
//
// [Repo.Tree] lists a revision once and keeps the list in memory, in about 70 bytes per entry plus its name. Contents
// come from a few long-lived processes (git cat-file) that start on demand and end with [Tree.Close].
// Nothing is checked out, so a bare repository is enough.
//
//	file                  mode, size, and the time of the commit
//	executable file       mode 0555
//	link                  fs.ModeSymlink; followed within the tree like os.Root, never out of it
//	submodule             an empty directory: its files are in another repository
//	name not UTF-8        listed, cannot be opened (fs.ErrInvalid), like os.DirFS
//	"..", "a/b", twice    impossible names are left out and counted by [Tree.Refused]
//	missing object        listed with size 0, cannot be read ([tree.ErrAbsent])
//	endless tree          listed up to 600,000 entries, 64 MiB of names and 20 s ([Tree.Partial])
//
// # How git is run
//
// A repository is untrusted data, and its configuration can name programs. So git runs without a shell,
// without the configuration of the user and the system, in an environment of its own, and with every
// setting overridden that could run a program or reach the network: hooks, file system monitor, external
// diffs, text conversion, signatures, pagers, editors, prompts, helpers, lazy fetches. A revision that
// begins with "-" is rejected. Replacements (refs/replace) are ignored. The error output of git is never
// shown.
package gitrepo
