// Package locate ranks the files and the functions of a source tree for a question or an issue, without a language model.
package locate
