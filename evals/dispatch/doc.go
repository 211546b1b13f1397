// Package dispatch has other programs run trials, on other machines: what foray eval run --on NAME and the program
// foray-NAME say to each other.
//
// Start with [Start], the side of foray, and [Serve], that of the program.
//
// foray starts the program, writes a [Job] a line to its standard input, and reads a reply a line from its standard
// output, in any order. A job is a command line of foray, which the program has a machine run on which every path means
// the same, with the folder of results among them. The program replies when it ended: with an error, if it did not
// exit with code 0. When its input ends, the program cancels what runs, and exits.
package dispatch
