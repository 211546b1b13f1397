// Package entries reads what a definition lists: the fields and methods of a type, the values of an enumeration, a
// table or a list, the parameters of a function, and what a type extends.
//
// Start with [Of]. A definition is read as text: its entries are what is between the commas, or on the lines, right
// below its first bracket or at its least indentation. Package symbols knows no fields, no values and no parameters.
package entries
