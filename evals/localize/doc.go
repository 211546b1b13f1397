// Package localize measures how well the code is found that an issue or a question is about.
package localize
