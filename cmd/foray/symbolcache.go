package main

import (
	"os"

	"github.com/forayhq/foray/tools/symbols"
)

// cacheVariable names the directory in which definitions are kept that were found in files; cacheOff keeps none.
const (
	cacheVariable = "FORAY_CACHE"
	cacheOff      = "off"
)

// openSymbols opens the cache of definitions. Without a directory it is in memory: a cache is a saving, not a need.
func openSymbols() *symbols.Cache {
	dir := os.Getenv(cacheVariable)
	switch dir {
	case cacheOff:
		dir = ""
	case "":
		dir, _ = symbols.UserDir() // "" where the system knows none
	}
	return symbols.OpenCache(dir, nil)
}
