// Package listing answers questions for a list that the source spells out: the methods, fields, parameters or values
// of a name, what a type extends, and lists that a project keeps, such as its error codes, the variables of the
// environment that it reads, or the packages that it needs.
//
// Start with [Ask]. Each group of things is looked for in one or two ways, of which the first that finds something
// answers: see [Search].
package listing
