// Package codebase is the tools that read a source tree, confined to its root: list, find, search, read, outline, report.
package codebase
