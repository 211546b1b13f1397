package testtitles

import "testing"

// TestAsks checks that questions for tests are recognised as people ask them, and questions about test runners and the
// like are not.
func TestAsks(t *testing.T) {
	for question, want := range map[string]bool{
		"which tests cover a door that is knocked at?":      true,
		"Which test checks that a cookie is not cached?":    true,
		"what tests exist for redirects?":                   true,
		"what tests make sure that nobody is locked out?":   true,
		"which tests are there for the lock?":               true,
		"is there a test for robots.txt being ignored?":     true,
		"are there any unit tests for a full disk?":         true,
		"do we have tests for retries?":                     true,
		"where is the pagination tested?":                   true,
		"is a leaked connection tested?":                    true,
		"where are the tests for the parser?":               true,
		"show me the tests of the parser":                   true,
		"does anything check that secrets are not printed?": true,
		"welche Tests prüfen das?":                          true,
		"哪些测试覆盖重试？":                                         true,
		"which test runner is used?":                        false,
		"where is the spec parser?":                         false,
		"where does the test runner start?":                 false,
		"what test framework do they use?":                  false,
		"what are test fixtures used for?":                  false,
		"how do I run the tests?":                           false,
		"what happens if a test fails?":                     false,
		"":                                                  false,
	} {
		if got := Asks(question); got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

func TestTitleOf(t *testing.T) {
	for head, want := range map[string]string{
		"  it('stays shut', async () => {":                         "“stays shut”",
		"func TestLockIsKept(t *testing.T) {":                      "`TestLockIsKept`",
		"    def test_retry(self):":                                "`test_retry`",
		"  test \"a plugin is rejected\" do":                       "“a plugin is rejected”",
		"TEST(Punctuation, Literals) {":                            "`TEST(Punctuation, Literals)`",
		"    public void opensAfterTwoFailures() throws Exception": "`opensAfterTwoFailures`",
		"  fun `is cached once`() {":                               "`is cached once`",
	} {
		if got := titleOf(head); got != want {
			t.Errorf("%s: %s, want %s", head, got, want)
		}
	}
}
