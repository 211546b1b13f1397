package canaries

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/evals/internal/planted"
)

//go:embed items/*.txt
var itemFiles embed.FS

// commonPools is the file of the pools that all languages share.
const commonPools = "common"

// languages are the files of sentences.
var languages = []string{"en", "zh", "de"}

// Languages returns the languages that people speak in sessions.
func Languages() []string { return slices.Clone(languages) }

// Speakers of a template.
const (
	anySpeaker = "any"
	assistant  = "assistant"
	user       = "user"
)

// A template is a sentence with slots. Of a pair, old is the sentence that text supersedes.
type template struct {
	kind, wording, speaker string
	split                  string
	old, text              string
}

// A phrasebook has what people say in a language.
type phrasebook struct {
	language   string
	templates  []template
	pools      map[string][]string
	date       string // how a day is written
	unitForm   string // how prefix and noun of a subject are joined
	prompt     string // opens a session
	talk, lead []string
	ask        string // asks for the word in a gap
	list       string // introduces a list of sentences
}

// phrasebookOf reads the sentences of a language.
func phrasebookOf(language string) (*phrasebook, error) {
	b := &phrasebook{language: language, pools: make(map[string][]string)}
	for _, name := range []string{commonPools, language} {
		data, err := itemFiles.ReadFile("items/" + name + ".txt")
		if err != nil {
			return nil, fmt.Errorf("reading the sentences in %q: %w", language, err)
		}
		for n, line := range strings.Split(string(data), "\n") {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			if err := b.add(line); err != nil {
				return nil, fmt.Errorf("items/%s.txt:%d: %w", name, n+1, err)
			}
		}
	}
	return b, nil
}

// add reads one line.
func (b *phrasebook) add(line string) error {
	what, rest, _ := strings.Cut(line, " | ")
	if name, ok := strings.CutPrefix(what, "pool "); ok {
		b.pools[name] = strings.Split(rest, " | ")
		return nil
	}
	switch what {
	case "date":
		b.date = rest
	case "unit":
		b.unitForm = rest
	case "ask":
		b.ask = rest
	case "list":
		b.list = rest
	case "prompt":
		b.prompt = rest
	case "talk":
		b.talk = append(b.talk, rest)
	case "lead":
		b.lead = append(b.lead, rest)
	default:
		fields := strings.SplitN(rest, " | ", 3)
		if len(fields) != 3 {
			return fmt.Errorf("not a sentence: %q", line)
		}
		t := template{split: fields[0], speaker: fields[1], text: fields[2]}
		t.kind, t.wording, _ = strings.Cut(what, "/")
		if old, text, pair := strings.Cut(t.text, " || "); pair {
			t.old, t.text = old, text
		}
		b.templates = append(b.templates, t)
	}
	return nil
}

// slot finds what a template marks: a subject, a value, or words that must stay.
var slot = regexp.MustCompile(`\{(=?)([a-z]+)\}|\[([^\]]+)\]`)

// say fills a template with a subject and a value.
func say(text, unit, value string) planted.Statement {
	s := planted.Statement{Value: value, Words: []string{value}}
	s.Text = slot.ReplaceAllStringFunc(text, func(found string) string {
		parts := slot.FindStringSubmatch(found)
		switch {
		case parts[3] != "":
			s.Words = append(s.Words, strings.Fields(parts[3])...)
			return parts[3]
		case parts[1] != "":
			return value
		}
		for _, word := range strings.Fields(strings.ReplaceAll(unit, "的", " ")) {
			if word != "the" {
				s.Words = append(s.Words, word)
			}
		}
		return unit
	})
	if first := s.Text[0]; first >= 'a' && first <= 'z' && strings.HasPrefix(s.Text, unit) {
		s.Text = strings.ToUpper(s.Text[:1]) + s.Text[1:]
	}
	return s
}

// valueKind returns the kind of a template's value.
func (t *template) valueKind() string {
	for _, parts := range slot.FindAllStringSubmatch(t.text, -1) {
		if parts[1] != "" {
			return parts[2]
		}
	}
	return ""
}

// A deck deals the subjects and values of one session, each once.
type deck struct {
	*phrasebook
	r        *rand.Rand
	split    string
	subjects []string
	dealt    map[string]bool
	noise    *noiseText
}

func newDeck(b *phrasebook, r *rand.Rand, split string, noise *noiseText) *deck {
	d := &deck{phrasebook: b, r: r, split: split, dealt: make(map[string]bool), noise: noise}
	nouns := b.pools["noun"]
	switch half := len(nouns) / 2; split {
	case "dev":
		nouns = nouns[:half]
	case "test":
		nouns = nouns[half:]
	case "all":
	}
	for _, prefix := range b.pools["prefix"] {
		for _, noun := range nouns {
			d.subjects = append(d.subjects, strings.NewReplacer("{prefix}", prefix, "{noun}", noun).Replace(b.unitForm))
		}
	}
	r.Shuffle(len(d.subjects), func(i, j int) { d.subjects[i], d.subjects[j] = d.subjects[j], d.subjects[i] })
	return d
}

// unit deals a subject.
func (d *deck) unit() string {
	u := d.subjects[0]
	d.subjects = d.subjects[1:]
	return u
}

// Draws before a value that the noise has is good enough, and before none is found to be left.
const (
	mostNew  = 150
	maxDraws = 200
)

// deal deals a value that the session has not seen, and its noise neither if there are such; "" if none is left.
func (d *deck) deal(kind string) string {
	for n := range maxDraws {
		v := d.draw(kind)
		if pooled := len(d.pools[kind]) > 0; d.dealt[v] || !pooled && n < mostNew && d.noise.has(v) {
			continue
		}
		d.dealt[v] = true
		return v
	}
	return ""
}

// draw makes a value of a kind.
func (d *deck) draw(kind string) string {
	switch kind {
	case "number":
		return strconv.Itoa(d.r.IntN(8_800) + 1_150)
	case "time":
		return fmt.Sprintf("%02d:%02d", d.r.IntN(24), d.r.IntN(60))
	case "version":
		return fmt.Sprintf("%d.%d.%d", d.r.IntN(12)+1, d.r.IntN(40), d.r.IntN(30))
	case "code":
		return fmt.Sprintf("%c%c-%d", 'A'+rune(d.r.IntN(26)), 'A'+rune(d.r.IntN(26)), d.r.IntN(9_000)+1_000)
	case "path":
		return "/" + d.pick("folder") + "/" + d.pick("folder") + "/" + d.pick("file")
	case "host":
		return fmt.Sprintf("%s-%02d.lab", d.pick("host"), d.r.IntN(60))
	case "ident":
		a, b := d.pick("stem"), d.pick("stem")
		if d.r.IntN(2) == 0 {
			return a + "_" + b + "_v" + strconv.Itoa(d.r.IntN(9)+1)
		}
		return a + strings.ToUpper(b[:1]) + b[1:] + strconv.Itoa(d.r.IntN(90)+10)
	case "date":
		day := strings.Replace(d.date, "{day}", strconv.Itoa(d.r.IntN(28)+1), 1)
		return strings.Replace(day, "{month}", d.pick("month"), 1)
	}
	return d.pick(kind)
}

// pick returns one of a pool.
func (d *deck) pick(pool string) string {
	words := d.pools[pool]
	return words[d.r.IntN(len(words))]
}

// templatesOf returns the templates of a kind that a speaker can say.
func (d *deck) templatesOf(kind, speaker string) []template {
	return slices.DeleteFunc(slices.Clone(d.templates), func(t template) bool {
		return t.kind != kind || d.split != "all" && t.split != d.split ||
			t.speaker != anySpeaker && t.speaker != speaker
	})
}
