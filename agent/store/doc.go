// Package store keeps threads, memories, bodies of working memory and logs of windows in one SQLite file.
package store
