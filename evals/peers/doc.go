// Peers compares this repository's agent with other libraries on one long run: a prompt with a goal and a rule, 200
// tool calls with results of 4 KB, and a budget of 24,000 tokens. It prints Markdown tables.
//
//	go run .                    # everything: builds a program for each library (a gigabyte of modules the first time)
//	go run . -only foray,eino   # some set-ups
//	go run . -runs 0            # only what is the same every time, without CPU times
//
// Each library's program is a folder here, whose comment says how the library is set up and which page or example that
// follows. Package scenario is what they play. A library that does not build is a row with the error.
package main
