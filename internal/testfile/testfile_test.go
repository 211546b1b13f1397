package testfile

import "testing"

func TestIs(t *testing.T) {
	for _, p := range []string{
		"a_test.go", "pkg/testdata/x.go", "tests/test_a.py", "conftest.py", "src/app.test.ts", "lib/x.spec.js", "spec/a.rb",
		"src/tests.rs",
		"__tests__/a.js", "http/src/jvmTest/kotlin/http3/CallTest.kt", "src/it/java/ParserTest.java", "core/CallTests.swift",
		"Parser.Tests/LexerTests.cs", "integration-tests/run.sh", "t/unit/app.py", "src/androidTest/A.kt", "a/fixtures/b.json",
		"tests/Handler/CurlTest.php", "test.py", "regress/keys.sh", "features/build.feature",
		"internal/cloud/tfe_client_mock.go", "store/mock_store.go", "src/api.mock.ts",
	} {
		if !Is(p) {
			t.Errorf("%s is a test", p)
		}
	}
	for _, p := range []string{
		"a.go", "contest.py", "latest.go", "testing/testing.go", "lib/protest/x.js", "httptest/server.go",
		"Unit.java", "TypeSpec.java", "src/Attest.kt", "src/inspect.rs", "it/a.go", "manifest/x.go", "", "/", "a/b/",
		"src/main/kotlin/Test", "mockwebserver/MockWebServer.kt", "lib/mock.py",
	} {
		if Is(p) {
			t.Errorf("%s is no test", p)
		}
	}
}

func TestFolder(t *testing.T) {
	for p, want := range map[string]string{
		"a/tests/unit/test_x.py": "a/tests", "tests/x.py": "tests", "x_test.go": "", "a/b/c.go": "", "/test/x": "/test",
		"src/jvmTest/kotlin/A.kt": "src/jvmTest",
	} {
		if got := Folder(p); got != want {
			t.Errorf("Folder(%q) = %q, want %q", p, got, want)
		}
	}
}
