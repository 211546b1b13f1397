// Package listing answers questions for a list that the source spells out: the methods, fields, parameters or values
// of a name, what a type extends, and lists that a project keeps, such as its error codes, the variables of the
// environment that it reads, or the packages that it needs.
//
// Start with [Ask]. A list is looked for in up to three ways, in order, and the first that finds it answers: see
// [Search].
package listing
