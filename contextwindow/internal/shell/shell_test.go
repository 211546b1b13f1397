package shell

import "testing"

func TestActionOf(t *testing.T) {
	for command, want := range map[string]Action{
		"":                                  Other,
		"cat a.go":                          Read,
		"cd /src && sed -n '1,80p' a.go":    Read,
		"/usr/bin/head -50 a.go":            Read,
		"cat a.go | head -n 40":             Read,
		"cat a.go 2>/dev/null":              Read,
		"nl -ba a.go | sed -n '10,20p'":     Read,
		`bash -lc "sed -n '1,20p' a.go"`:    Read,
		"cat a.go; cat b.go":                Read,
		"cat a.go | grep func":              Search,
		"grep -rn 'a | b; c' src | head":    Search,
		"ls -la; cat a.go":                  Search,
		"find . -name '*.go' 2>&1 | sort":   Search,
		"git grep -n needle":                Search,
		"LC_ALL=C timeout 20 rg -n needle":  Search,
		"sed -i s/a/b/ a.go":                Other,
		"cat > a.go <<EOF\ntext\nEOF":       Other,
		"cat a.go > b.go":                   Other,
		"find . -name '*.tmp' -delete":      Other,
		"cd /src && go test ./... | grep x": Other,
		"cat a.go && make":                  Other,
		"echo done":                         Other,
		"'unterminated | ; &&":              Other,
		`bash -c`:                           Other,
		"\\":                                Other,
	} {
		if got := ActionOf(command); got != want {
			t.Errorf("%q: %d, want %d", command, got, want)
		}
	}
}

func FuzzActionOf(f *testing.F) {
	f.Add("cat a | grep 'b' > c; \\")
	f.Fuzz(func(_ *testing.T, command string) { ActionOf(command) })
}
