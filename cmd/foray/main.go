// Command foray explores source trees: it answers a question about the code in a directory, with rules alone or with a
// language model.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:]))
}
