package gitrepo

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

const someHash = "0123456789abcdef0123456789abcdef01234567"

// FuzzReadListing: whatever git printed, a listing is a tree in which every entry is found by its name, in order.
func FuzzReadListing(f *testing.F) {
	for _, seed := range []string{
		"", "100644 blob " + someHash + "\ta.go\x00", "040000 tree " + someHash + "\ta\x00100755 blob " + someHash + "\ta/b\x00",
		"120000 blob " + someHash + "\ta\tb\nc\x00160000 commit " + someHash + "\tm\x00", "100644 blob x\ta\x00", "100644 blob " + someHash + "\t../a\x00",
		"040000 tree " + someHash + "\ta\x00100644 blob " + someHash + "\ta.b\x00100644 blob " + someHash + "\ta/b\x00100644 blob " + someHash + "\ta.b\x00",
		"100644 blob " + someHash + "       5\ta.go\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, out string) {
		l, err := readListing(strings.NewReader(out), 40)
		if err != nil {
			return
		}
		rows := strings.Count(out, "\x00")
		if got := len(l.entries) - 1 + l.refused; got < rows || len(l.hashes) != len(l.entries)*20 {
			t.Fatalf("%d rows gave %d entries and %d refused", rows, len(l.entries)-1, l.refused)
		}
		seen := 1
		for i := range l.entries {
			e := &l.entries[i]
			if !e.isDir() {
				continue
			}
			last := ""
			for n, k := range l.kids[e.kids] {
				name := l.entries[k].name
				if got, ok := l.find(int32(i), name); !ok || got != k || n > 0 && name <= last || name == ".." || name == "." || strings.Contains(name, "/") {
					t.Fatalf("entry %q of %q is not found, or out of order", name, e.name)
				}
				last = name
				seen++
			}
		}
		if seen > len(l.entries) {
			t.Fatalf("%d entries are in directories, %d are listed", seen, len(l.entries))
		}
	})
}

// FuzzParseHeader: a header that is read is one that git writes.
func FuzzParseHeader(f *testing.F) {
	for _, seed := range []string{someHash + " blob 12", "HEAD missing", "ab ambiguous", someHash + " blob -1", someHash + " blob", " blob 1", someHash + " blob 99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		h, err := parseHeader(line)
		if err != nil {
			return
		}
		if back := fmt.Sprintf("%s %s %d", h.name, h.kind, h.size); h.size < 0 || h.size > maxObject || !isHash(h.name) || len(back) > len(line) {
			t.Errorf("%q was read as %q", line, back)
		}
	})
}

// FuzzReadLog: commits that are written are read as they were, and no output makes readLog run on or fail silently.
func FuzzReadLog(f *testing.F) {
	f.Add("subject", "body\n\nmore", "a.go", "b\nc", uint8(3))
	f.Add("", "", "\n", someHash, uint8(0))
	f.Add("a\x01", strings.Repeat("b", 70_000), "M", "R100", uint8(1))
	f.Fuzz(func(t *testing.T, subject, body, one, two string, n uint8) {
		for _, s := range []string{subject, body, one, two} {
			if strings.Contains(s, "\x00") || !utf8.ValidString(s) {
				return
			}
		}
		if one == "" || two == "" {
			return
		}
		var out strings.Builder
		for i := range int(n % 4) {
			fmt.Fprintf(&out, "%s\x00%s %s\x00%d\x00Ann\x00%s\x00%s\x00", someHash, someHash, someHash, i, subject, body)
			if i%2 == 1 {
				fmt.Fprintf(&out, "\nM\x00%s\x00R086\x00%s\x00%s\x00", one, one, two)
			}
		}
		i := 0
		err := readLog(strings.NewReader(out.String()), 1, func(c Commit) bool {
			if c.Hash != someHash || len(c.Parents) != 2 || c.Time.Unix() != int64(i) || c.Author != "Ann" || c.Subject != subject || c.Body != strings.TrimSpace(body) {
				t.Errorf("commit %d: %+v", i, c)
			}
			if want := i % 2; len(c.Files) != want || c.More != want || want == 1 && c.Files[0] != one {
				t.Errorf("commit %d: files %q and %d more", i, c.Files, c.More)
			}
			i++
			return true
		})
		if err != nil || i != int(n%4) {
			t.Errorf("%d of %d commits, %v", i, n%4, err)
		}
		cut := out.String()[:out.Len()*2/3]
		if err := readLog(strings.NewReader(cut), 1, func(Commit) bool { return true }); err == nil && strings.Count(cut, "\x00")%6 != 0 && n%4 == 1 {
			t.Errorf("a log that is cut off was read: %q", cut)
		}
	})
}

// FuzzReadBlame: lines are attributed once each, in order, or there is an error.
func FuzzReadBlame(f *testing.F) {
	group := func(line, count int) string {
		return fmt.Sprintf("%s 1 %d %d\nauthor A\nauthor-time 1\ncommitter-time 2\nsummary s\nfilename \"a\\303\\251\\n\"\n", someHash, line, count)
	}
	f.Add(group(1, 2) + someHash + " 9 3 1\nfilename b\n")
	f.Add(group(3, 1) + group(1, 2))
	f.Add(someHash + " 1 1 1\nsummary x\n")
	f.Add(someHash + " 1 0 1\nfilename a\n")
	f.Fuzz(func(t *testing.T, out string) {
		all, err := readBlame(strings.NewReader(out))
		if err != nil {
			return
		}
		for i, o := range all {
			if o.line < 1 || o.count < 1 || !isHash(o.hash) || i > 0 && all[i-1].line > o.line {
				t.Errorf("origin %d: %+v", i, o)
			}
		}
		if got := strings.Count("\n"+out, "\nfilename"); len(all) > got {
			t.Errorf("%d origins of %d groups", len(all), got)
		}
	})
}

// FuzzSections: no line of a patch is lost or changes its place, whatever it holds, and covering changes no line's count.
func FuzzSections(f *testing.F) {
	f.Add("diff --git a/a b/a\nindex "+someHash+".."+someHash+" 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@ key\n one\n-two\n+three\n", "one\ntwo\n")
	f.Add("diff --git \"a/\\303\\251\" \"b/\\303\\251\"\nold mode 100644\nnew mode 100755\n", "")
	f.Add("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "x")
	f.Add("diff --git \n@@ -0,0 +99999999999999999999 @@\n+\n", "")
	f.Fuzz(func(t *testing.T, patch, text string) {
		lines := bytes.Split([]byte(text), []byte("\n"))
		from := strings.Index("\n"+patch, "\n"+sectionStart)
		n := 0
		for _, s := range sections(patch) {
			before := len(s.lines)
			s.redactHunks(lines, lines)
			if len(s.lines) != before || !strings.HasPrefix(s.lines[0], sectionStart) {
				t.Errorf("a section of %d lines has %d", before, len(s.lines))
			}
			n += before
		}
		want := 0
		if from >= 0 {
			for range strings.Lines(patch[from:]) {
				want++
			}
		}
		if n != want {
			t.Errorf("%d lines, want %d", n, want)
		}
	})
}

func TestReadChangesRefusesWhatGitDoesNotPrint(t *testing.T) {
	for _, out := range []string{":100644 100644 a b\x00a\x00", ":1 2 3 4 M\x00", "1\t2\x00", "x\t2\ta\x00", "1\t2\t\x00old\x00", "1\t2"} {
		err := readChanges(strings.NewReader(out), func(fileChange) {}, func(int, int, int, bool) {})
		if err == nil || err == io.EOF {
			t.Errorf("%q was read: %v", out, err)
		}
	}
}
