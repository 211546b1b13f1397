package providers

import (
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/forayhq/foray/internal/ostest"
)

// TestRealTextsAreNotStopped streams real texts, in pieces of about a token, and finds no repetition in them.
//
// Excluded are the few files that do repeat themselves: three or more equal copies in a row, byte for byte, of 185 tokens together. Most are
// tables of one byte ("0x20, 0x20, …") and licences that a generator wrote several times. From within the stream nothing tells them from a
// model in a loop. The test compares the copies itself, prints each such file, and bounds their share.
func TestRealTextsAreNotStopped(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and all in one goroutine")
	}
	if testing.Short() {
		t.Skip("streams thousands of files")
	}
	const sample, most = 2_200, 8_000 // files, bytes of a file
	roots := []string{build.Default.GOROOT}
	if cache, err := exec.Command("go", "env", "GOMODCACHE").Output(); err == nil {
		roots = append(roots, strings.TrimSpace(string(cache)))
	}
	files := make(map[string][]string)
	for _, root := range roots {
		filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(name)
			if err == nil && !d.IsDir() && slices.Contains([]string{".go", ".md", ".json"}, ext) {
				files[ext] = append(files[ext], name)
			}
			return nil
		})
	}
	streamed, size, repeating := 0, 0, 0
	for _, names := range files {
		step := max(len(names)*len(files)/sample, 1)
		for i := 0; i < len(names); i += step {
			raw, err := os.ReadFile(names[i])
			if err != nil || len(raw) == 0 {
				continue
			}
			text := string(raw[:min(len(raw), most)])
			streamed, size = streamed+1, size+len(text)
			at, c := stream(text)
			switch {
			case c.copies == 0:
			case strings.HasSuffix(text[:at], strings.Repeat(c.text, leastCopies)):
				repeating++
				t.Logf("repeats itself: %s: %d bytes of %.80q", names[i], c.copies, c.text)
			default:
				t.Errorf("%s, after %d bytes: taken for a repetition: %q", names[i], at, text[at-c.copies:at])
			}
		}
	}
	t.Logf("%d texts of %d bytes: %d repeat themselves", streamed, size, repeating)
	if streamed < 2_000 || repeating*100 > streamed {
		t.Errorf("%d texts, %d of them repeat themselves", streamed, repeating)
	}
}

// stream adds a text in pieces until a cycle is found, and returns how much it added.
func stream(text string) (int, cycle) {
	var r repetition
	for at := 0; at < len(text); {
		n := 1
		for inWord := func(b byte) bool { return b >= 0x80 || unicode.IsLetter(rune(b)) }; at+n < len(text) && n < 8 &&
			(inWord(text[at+n]) || text[at+n] == text[at+n-1]); {
			n++
		}
		if c := r.add(text[at : at+n]); c.copies > 0 {
			return at + n, c
		}
		at += n
	}
	return len(text), cycle{}
}

// TestHonestRepetitionIsNotStopped has texts that repeat much and are not loops.
func TestHonestRepetitionIsNotStopped(t *testing.T) {
	var list, table, rows, code, counted, verses strings.Builder
	for i := range 120 {
		name := []string{"alpha", "beta", "gamma", "delta", "eps", "zeta", "eta"}[i%7]
		list.WriteString("- the file " + name + string(rune('a'+i%26)) + ".go is part of it\n")
		table.WriteString("| " + name + " | yes | " + string(rune('a'+i*7%26)) + " |\n|---|---|---|\n")
		rows.WriteString(`{"id": ` + string(rune('0'+i*i%10)) + `, "name": "` + name + `", "enabled": true},` + "\n")
		code.WriteString("\tif err := " + name + string(rune('A'+i%26)) + "(); err != nil {\n\t\treturn err\n\t}\n")
		counted.WriteString(strings.Repeat(" ", i%13) + "\n" + strings.Repeat("1234567890", 1+i*i%11))
		if i < 8 {
			verses.WriteString(strings.Repeat(name+" walks along the "+string(rune('a'+i))+" road\n", 2) + "And the rain, the rain, the rain falls down on the town.\nOh, the rain falls down.\n\n")
		}
	}
	for name, text := range map[string]string{
		"list": list.String(), "table": table.String(), "rows": rows.String(), "code": code.String(), "digits": counted.String(), "verses": verses.String(),
		"dashes":   strings.Repeat("-", 200) + "\n" + strings.Repeat("=", 120) + "\n",
		"art":      strings.Repeat(strings.Repeat(" ", 60)+"/\\"+strings.Repeat("_", 40)+"\n", 3) + strings.Repeat(".", 300),
		"base64":   "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" + strings.Repeat("A", 300) + "DUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"counting": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n25\n26\n27\n28\n29\n30\n31\n32\n33\n34\n35\n36\n37\n38\n39\n40\n41\n42\n43\n44\n45\n46\n47\n48\n49\n50\n51\n52\n53\n54\n55\n56\n57\n58\n59\n60\n61\n62\n63\n64\n65\n66\n67\n68\n69\n70\n71\n72\n73\n74\n75\n76\n77\n78\n79\n80\n81\n82\n83\n84\n85\n86\n87\n88\n89\n90\n",
		"twice":    strings.Repeat("func add(a, b int) int {\n\treturn a + b\n}\n\nfunc sub(a, b int) int {\n\treturn a - b\n}\n\nfunc mul(a, b int) int {\n\treturn a * b\n}\n\nfunc div(a, b int) int {\n\treturn a / b\n}\n\n", 2),
	} {
		if at, c := stream(text); c.copies > 0 {
			t.Errorf("%s: stopped after %d of %d bytes for %q", name, at, len(text), c.text)
		}
	}
}
