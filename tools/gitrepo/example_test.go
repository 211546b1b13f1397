package gitrepo_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/forayhq/foray/tools/gitrepo"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "cart.py"), []byte("items = []\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=Ann", "-c", "user.email=", "commit", "-q", "-m", "Add the cart"}} {
		if err := exec.Command("git", append([]string{"-C", dir}, args...)...).Run(); err != nil {
			log.Fatal(err)
		}
	}

	ctx := context.Background()
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		log.Fatal(err)
	}
	tree, err := repo.Tree(ctx, "HEAD")
	if err != nil {
		log.Fatal(err)
	}
	defer tree.Close()
	text, err := fs.ReadFile(tree, "cart.py")
	fmt.Printf("%q %v\n", text, err)
	for commit, err := range repo.Log(ctx, "HEAD", &gitrepo.LogOptions{MaxFiles: 10}) {
		fmt.Println(commit.Author+":", commit.Subject, commit.Files, err)
	}
	// Output:
	// "items = []\n" <nil>
	// Ann: Add the cart [cart.py] <nil>
}
