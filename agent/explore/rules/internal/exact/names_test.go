package exact

import "testing"

func TestSideOf(t *testing.T) {
	for path, want := range map[string]side{
		"t/lru.t": tests, "internal/testutil/builder.go": tests, "lib/test-helpers/wait.js": tests, "src/tests/a.rs": tests,
		"src/jvmTest/kotlin/A.kt": tests, "api_test/a.py": tests, "spec/a_spec.rb": tests, "Tests/A.cs": tests,
		"contest/a.py": source, "src/_pytest/runner.py": source, "httptest/server.go": source, "latest/a.ts": source,
		"docs/use.md": documents, "contrib/plot.py": examples, "third_party/zlib/a.c": vendored, "fmt/bundled/a.h": vendored,
		"src/util.go": source, "src/testing.go": source,
	} {
		if got := sideOf(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}
