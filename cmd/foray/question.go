package main

import (
	"errors"
	"io"
	"strings"
)

// maxQuestion is the longest question, in bytes: more than an issue with its stack traces, less than a file pasted by
// mistake.
const maxQuestion = 100_000

// readQuestion is the question that the arguments are, or standard input is when the only argument is -.
func readQuestion(in io.Reader, args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		raw, err := io.ReadAll(io.LimitReader(in, maxQuestion+1))
		if err != nil {
			return "", &exit{code: exitUsage, err: errors.New("standard input cannot be read"), hint: "echo 'a question' | foray explore -"}
		}
		if text = string(raw); strings.TrimSpace(text) == "" {
			return "", usage("echo 'a question' | foray explore -", "there is no question on standard input")
		}
	}
	if len(text) > maxQuestion {
		return "", usage("ask in a few sentences, and name the files that matter", "the question is longer than %s bytes", count(maxQuestion))
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")), nil
}
