// Package secret knows which files hold credentials, by their names, and which credentials a text holds, by their
// forms. Both are tables: a new form is a new row.
//
// Start with [Mask], which replaces the credentials in a text, and [File], which judges a name.
//
// # How a text is read
//
//	scan    finds the literals that every credential contains: a prefix such as ghp_, a word such as password
//	match   looks around each literal, on its line and within a bounded reach, so that the time is linear
//	judge   drops placeholders, templates and words of a language; what no vendor marks must look random
//
// Only a private key and a name with its value on the next line span lines. All else can be judged line by line.
package secret
