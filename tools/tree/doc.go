// Package tree reads a source tree under one policy: which files count, which are secret, and which parts
// of a file the tools may show.
//
// Start with [Open], over a directory ([OpenRoot]), a git tree, or any other file system.
//
// # Which files count
//
// The policy is ripgrep's, with these details and differences.
//
//   - .gitignore and .ignore files apply below their directory, with negation, exactly as in git. .ignore
//     is stronger. Files outside the root, .git/info/exclude and a user's own excludes have no effect, so
//     that the same tree gives the same result everywhere.
//   - Names with a leading dot are hidden unless an ignore file re-includes them, a glob asks for them, or
//     the walk starts below them.
//   - The built-in list is weakest: node_modules, bower_components, jspm_packages, __pycache__,
//     __pypackages__, *.egg-info, .DS_Store; vendor with a modules.txt; venv or env with a pyvenv.cfg.
//     Other names of output directories (build, dist, target, out) are also names of source directories,
//     and left to .gitignore.
//   - The directories of version control are never entered.
//   - A link to a file inside the root can be read, but is not searched: its target is. Links to
//     directories and out of the root are not followed.
//
// A walk visits names in byte order, a directory before its entries.
//
// # How files are read
//
//	CRLF                lines end at CRLF as at LF
//	UTF-16 with a mark  decoded
//	UTF-8 with a mark   the mark is dropped
//	invalid UTF-8       kept as bytes
//	binary (NUL byte)   not read: skipped.binary
//	> Options.MaxFile   not read: skipped.too_large (10 MiB by default)
//	secret by its name  not read: skipped.secret; its name is listed
//	credential in it    shown as [redacted:type]
//	device, FIFO        never opened: skipped.unreadable
//
// # What stays in memory
//
// From the first sweep on, contents and directory listings are cached, the most recently used up to 256
// MiB. A file is read again when its size, times or inode differ, or its hash in a git tree, and always
// while it was modified less than two seconds ago. Of a tree that does not fit, a part stays in the cache
// from sweep to sweep.
//
// # Progress
//
// A walk counts the files it visits on the [tools.Progress] of the call. It knows the total from the last
// complete walk.
package tree
