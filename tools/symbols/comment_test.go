package symbols

import (
	"strings"
	"testing"
)

// The documentation of a definition is its first line, however long the comment is, and none if that is out of reach.
func TestLongComments(t *testing.T) {
	for lines, want := range map[int]string{3: "Keeps the till.", 400: "Keeps the till.", 2 * maxComment: ""} {
		src := "/// Keeps the till.\n" + strings.Repeat("/// let till = Till::new();\n", lines) + "pub struct Till;\n"
		if all := Of("till.rs", []byte(src)); len(all) != 1 || all[0].Doc != want {
			t.Errorf("%d lines: %+v, want %q", lines, all, want)
		}
	}
}

// An annotation of several lines, and a remark after the documentation, do not hide it.
func TestDocumentationAboveAnnotations(t *testing.T) {
	src := `class A {
  /**
   * Sets the mode.
   */
  @Deprecated
  @InlineMe(
      replacement = "x(1)",
      imports = "y")
  public A mode() { return this; }

  /** Sets the depth. */
  // Do not use (it).
  @Deprecated
  public A depth() { return this; }

  @Override
  public A other() { return this; }
}`
	docs := map[string]string{}
	for _, s := range Of("A.java", []byte(src)) {
		docs[s.Name] = s.Doc
	}
	if docs["A.mode"] != "Sets the mode." || docs["A.depth"] != "Sets the depth." || docs["A.other"] != "" {
		t.Errorf("%q", docs)
	}
}
