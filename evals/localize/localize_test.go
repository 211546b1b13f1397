package localize

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/tools/locate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fixture is a folder of one repository, own/shop, bare, and the hashes of its two commits.
type fixture struct {
	dir           string
	first, second string
}

func newFixture(t testing.TB) fixture {
	t.Helper()
	work, f := t.TempDir(), fixture{dir: t.TempDir()}
	git(t, work, "init", "-q", "-b", "main")
	write(t, work, "shop/cart.py", "class Cart:\n    def add_item(self, item):\n        self.items.append(item)\n\n    def total(self):\n        return sum(i.price for i in self.items)\n")
	write(t, work, "shop/mail.py", "def send_mail(address):\n    connect(address)\n")
	write(t, work, "tests/test_cart.py", "def test_total():\n    assert Cart().total() == 0\n")
	f.first = commitAll(t, work, "Count the price of a cart")
	write(t, work, "shop/coupon.py", "class Coupon:\n    def __init__(self, share):\n        self.share = share\n")
	f.second = commitAll(t, work, "Coupons lower the total")
	to := filepath.Join(f.dir, "own+shop")
	if err := os.MkdirAll(to, 0o777); err != nil {
		t.Fatal(err)
	}
	git(t, work, "clone", "-q", "--bare", work, filepath.Join(to, "repo"))
	return f
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func commitAll(t testing.TB, dir, message string) string {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", message)
	return git(t, dir, "rev-parse", "HEAD")
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (f fixture) instances() []*Instance {
	return []*Instance{
		{ID: "a", Repo: "other/name", Mirror: "own/shop", Commit: f.first, Text: "Total of a cart is wrong\n`Cart.total` adds the price twice",
			Files: []string{"shop/cart.py"}, Functions: []string{"shop/cart.py:Cart.total"}, Sets: []string{"lite"}},
		{ID: "b", Repo: "own/shop", Commit: f.second, Text: "A coupon of more than 1 is taken", Files: []string{"shop/coupon.py"}, Functions: []string{"shop/coupon.py:Coupon"}},
		{ID: "c", Repo: "own/shop", Commit: strings.Repeat("ab", 20), Text: "x", Files: []string{"y"}},
		{ID: "d", Repo: "own/none", Commit: f.first, Text: "x", Files: []string{"y"}},
	}
}

// A missing object costs the instances that need it, which the table names, and no other.
func TestAttackMissingObject(t *testing.T) {
	attacktable.Watch(t, "evals/localize", "the row of one case")
	f := newFixture(t)
	repo := filepath.Join(f.dir, "own+shop", "repo")
	packs, err := filepath.Glob(filepath.Join(repo, "objects/pack/*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pack := range packs { // a local clone may have packs or loose objects
		data, err := os.ReadFile(pack)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []string{pack, strings.TrimSuffix(pack, ".pack") + ".idx"} {
			if err := os.Remove(of); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("git", "unpack-objects", "-q")
		cmd.Dir, cmd.Stdin = repo, strings.NewReader(string(data))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	blob := git(t, repo, "rev-parse", f.second+":shop/coupon.py")
	if err := os.Remove(filepath.Join(repo, "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), f.instances(), Config{Dir: f.dir, Mode: locate.Issue, K: []int{1}, Subjects: Subjects()})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := report.WriteMarkdown(&table); err != nil {
		t.Fatal(err)
	}
	const why = "b: the repository lacks the contents of 1 of "
	if len(report.Partial) != 1 || !strings.HasPrefix(report.Partial[0], why) || !strings.Contains(report.Partial[0], "(shop/coupon.py); try: git fsck") ||
		len(report.Rows) == 0 || !strings.Contains(table.String(), "cannot be read whole: "+why) {
		t.Errorf("partial %q, %d rows\n%s", report.Partial, len(report.Rows), table.String())
	}
	for _, row := range report.Rows {
		if row.Instances != 1 {
			t.Errorf("%s: %d instances, want the one that is whole", row.Method, row.Instances)
		}
	}
}

func TestRun(t *testing.T) {
	f := newFixture(t)
	var told []string
	report, err := Run(t.Context(), f.instances(), Config{
		Dir: f.dir, Mode: locate.Issue, K: []int{1, 3}, Subjects: Subjects(), Options: &evals.Options{Jobs: 2},
		Observe: func(c *Checkout, subject string, a *Answer) {
			told = append(told, c.ID+" "+subject)
			if subject == "locate" && slices.Contains(a.Files, "shop/coupon.py") != (c.ID == "b") {
				t.Errorf("%s: %v holds another commit's files", c.ID, a.Files)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c", "d"}, report.Missing); diff != "" || len(told) != 6 {
		t.Errorf("missing (-want +got):\n%s\ntold %v", diff, told)
	}
	for _, row := range report.Rows {
		if row.Method == "locate" && (row.Acc[0] != row.Instances || row.Func[1] != row.WithFunctions) {
			t.Errorf("%+v", *row)
		}
	}
	var sets []string
	for _, row := range report.Rows {
		sets = append(sets, row.Method+"/"+row.Set)
	}
	want := []string{"bm25/issues", "bm25 without tests/issues", "locate/issues", "bm25/lite", "bm25 without tests/lite", "locate/lite"}
	if diff := cmp.Diff(want, sets); diff != "" {
		t.Error(diff)
	}
}

func TestRunFails(t *testing.T) {
	f := newFixture(t)
	broken := errors.New("broken")
	bad := Subject{"bad", func(context.Context, *Checkout) (*Answer, error) { return nil, broken }}
	if _, err := Run(t.Context(), f.instances(), Config{Dir: f.dir, K: []int{1}, Subjects: []Subject{bad}}); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	for _, k := range [][]int{nil, {0}, {3, 1}} {
		if _, err := Run(t.Context(), nil, Config{K: k}); err == nil {
			t.Errorf("k %v was taken", k)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, f.instances(), Config{Dir: f.dir, K: []int{1}, Subjects: Subjects()}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// Without its signals a ranking is another one, and its files are counted by how often they are right.
func TestAblateAndCalibrate(t *testing.T) {
	f := newFixture(t)
	subjects := Subjects()[2:]
	report, err := Run(t.Context(), f.instances()[:2], Config{Dir: f.dir, Mode: locate.Issue, K: []int{1}, Subjects: subjects, Ablate: true, Calibrate: true})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]*row{}
	for _, r := range report.Rows {
		if r.Set == "issues" {
			rows[r.Method] = r
		}
	}
	if len(rows) < 10 || rows["locate − test"] == nil || rows["locate − test"].Instances != 2 {
		t.Errorf("%d rows: %v", len(rows), rows)
	}
	files, right := 0, 0
	for _, b := range report.Calibration {
		files, right = files+b.Files, right+b.Right
		if b.Rank == 1 && b.Right != b.Files {
			t.Errorf("%+v", b)
		}
	}
	if right != 2 || files < 3 {
		t.Errorf("%d of %d files are right", right, files)
	}
	var b strings.Builder
	if err := report.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "## Calibration of locate") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestRow(t *testing.T) {
	r := &Report{Suite: "localize", K: []int{1, 2}}
	in := &Instance{Files: []string{"a", "b"}, Functions: []string{"a:C.__init__", "a:f"}}
	r.add("m", locate.Issue, in, &Answer{Files: []string{"b", "a"}, Functions: []string{"a:C", "a:C.__init__", "a:f"}, Citations: 4, Resolved: 3, Cold: 1500 * time.Microsecond})
	r.add("m", locate.Issue, in, &Answer{Files: []string{"x"}})
	text, err := json.Marshal(r.Rows[0])
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"method": "m", "set": "issues", "instances": 2., "with_functions": 2., "acc@1": 0., "acc@2": 50., "any@1": 50., "any@2": 50.,
		"func@1": 0., "func@2": 50., "citations_ok": 75., "cold_ms_p50": 2.,
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	var b strings.Builder
	r.Missing = []string{"gone"}
	if err := r.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "missing: gone") || !strings.Contains(b.String(), "50.0 (9–91)") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestLoad(t *testing.T) {
	at := filepath.Join(t.TempDir(), "data.jsonl")
	one := `{"instance_id":"a","repo":"o/n","base_commit":"1","problem_statement":"t","gold_files":["f"]}`
	text := one + "\n" + one + "\n{\n" + `{"instance_id":"b","repo":"o/n"}` + "\n"
	if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	instances, skipped, err := Load(t.Context(), at)
	if err != nil || len(instances) != 1 || len(skipped) != 3 {
		t.Errorf("%d instances, skipped %q, %v", len(instances), skipped, err)
	}
	if _, _, err := Load(t.Context(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(t.Context(), empty); err == nil {
		t.Error("no instances are no error")
	}
}
