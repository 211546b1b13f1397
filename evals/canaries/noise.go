package canaries

import (
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/evals/internal/planted"
	"github.com/forayhq/foray/toollimit"
)

//go:embed noise/*.txt.gz
var noiseFiles embed.FS

// maxNoise bounds how much text of a file is used, in bytes.
const maxNoise = 64 << 20

// A noiseText is the text that sessions consist of besides the planted sentences.
type noiseText struct {
	name      string // of the file, or "foray"
	text      string
	lines     []string
	sentences []string // lines of prose, for answers
	names     []string // identifiers, for questions
}

// LoadNoise reads noise from the first 64 MiB of a file of text, compressed if its name ends in .gz. Without a file, or
// without LoadNoise, it is a megabyte that foray brings: its documentation, its source, and logs of its tests, builds
// and commits.
func (cfg *Config) LoadNoise(file string) (err error) {
	cfg.noise, err = readNoise(file)
	return err
}

func readNoise(file string) (*noiseText, error) {
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("reading noise: %w", err)
		}
		defer f.Close()
		text, err := inflate(file, f)
		if err != nil {
			return nil, fmt.Errorf("reading noise: %s: %w", file, err)
		}
		return newNoise(filepath.Base(file), text)
	}
	var all strings.Builder
	for _, part := range []string{"prose", "code", "logs"} {
		name := "noise/" + part + ".txt.gz"
		f, err := noiseFiles.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading noise: %w", err)
		}
		text, err := inflate(name, f)
		if err != nil {
			return nil, fmt.Errorf("reading noise: %s: %w", name, err)
		}
		all.WriteString(text + "\n")
	}
	return newNoise("foray", all.String())
}

// inflate reads at most maxNoise bytes, decompressed if the name ends in .gz.
func inflate(name string, r io.Reader) (string, error) {
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return "", err
		}
		r = z
	}
	text, err := io.ReadAll(io.LimitReader(r, maxNoise))
	return string(text), err
}

// Bounds of the lines and sentences of noise, in bytes.
const (
	longestLine      = 1_000
	shortestSentence = 40
	longestSentence  = 300
	longestParagraph = 4_000
	leastLines       = 200 // of a whole noise, or passages would repeat at once
)

func newNoise(name, text string) (*noiseText, error) {
	n := &noiseText{name: name, text: strings.ToValidUTF8(text, "�")}
	for line := range strings.Lines(n.text) {
		line = strings.TrimRight(line, " \t\r\n")
		if len(line) > longestLine {
			line = strings.ToValidUTF8(line[:longestLine], "")
		}
		n.lines = append(n.lines, line)
		if name := nameIn(line); name != "" && len(n.names) < len(n.lines)/8 {
			n.names = append(n.names, name)
		}
	}
	n.sentences = sentencesOf(n.lines)
	if len(n.lines) < leastLines || len(n.sentences) == 0 || len(n.names) == 0 {
		return nil, errors.New("reading noise: too little text: it takes 200 lines, with sentences and identifiers")
	}
	return n, nil
}

// sentencesOf returns the sentences in the prose of lines, each once. Prose may be wrapped, and commented out.
func sentencesOf(lines []string) (sentences []string) {
	seen := make(map[string]bool)
	paragraph := ""
	for _, line := range append(lines, "") {
		line, _ = strings.CutPrefix(strings.TrimSpace(line), "//")
		line = strings.TrimSpace(line)
		if paragraph += " " + line; line != "" && len(paragraph) < longestParagraph {
			continue
		}
		for part := range strings.SplitAfterSeq(paragraph, ". ") {
			if part = strings.TrimSpace(part); isSentence(part) && !seen[part] {
				seen[part] = true
				sentences = append(sentences, part)
			}
		}
		paragraph = ""
	}
	return sentences
}

// isSentence reports whether a text is prose that begins and ends like a sentence.
func isSentence(line string) bool {
	if len(line) < shortestSentence || len(line) > longestSentence {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(line)
	if line[0] < 'A' || line[0] > 'Z' || !strings.ContainsRune(".!?。", last) || strings.Count(line, " ") < 6 {
		return false
	}
	return !strings.ContainsAny(line, "{}|=\t")
}

// nameIn returns the first word of a line that can only be an identifier, or "".
func nameIn(line string) string {
	for _, word := range strings.FieldsFunc(line, func(c rune) bool { return !planted.IsWord(c) }) {
		if len(word) > 5 && len(word) < 30 && (word[0] < '0' || word[0] > '9') {
			lower := strings.ToLower(word[1:])
			if strings.Contains(word[1:len(word)-1], "_") || lower != word[1:] && strings.ToUpper(word) != word {
				return word
			}
		}
	}
	return ""
}

// has reports whether a text occurs in the noise.
func (n *noiseText) has(text string) bool { return strings.Contains(n.text, text) }

// A feed hands out the passages and sentences of a noise in random order, all of them before one comes again.
type feed struct {
	*noiseText
	r       *rand.Rand
	next    []int // lines at which passages begin
	further []int // sentences
}

// passageLines is the distance between the beginnings of passages.
const passageLines = 40

// passage returns lines of about so many tokens.
func (f *feed) passage(tokens int) []string {
	if len(f.next) == 0 {
		offset := f.r.IntN(passageLines)
		for at := offset; at < len(f.lines); at += passageLines {
			f.next = append(f.next, at)
		}
		f.r.Shuffle(len(f.next), func(i, j int) { f.next[i], f.next[j] = f.next[j], f.next[i] })
	}
	at := f.next[0]
	f.next = f.next[1:]
	var lines []string
	for size := 0; size < tokens; at++ {
		line := f.lines[at%len(f.lines)]
		lines = append(lines, line)
		size += toollimit.Tokens(line) + 1
	}
	return lines
}

// sentence returns a sentence of prose.
func (f *feed) sentence() string {
	if len(f.further) == 0 {
		f.further = f.r.Perm(len(f.sentences))
	}
	at := f.further[0]
	f.further = f.further[1:]
	return f.sentences[at]
}

// name returns an identifier.
func (f *feed) name() string { return f.names[f.r.IntN(len(f.names))] }
