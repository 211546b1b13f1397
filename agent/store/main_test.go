//go:build unix

package store_test

import (
	"os"
	"testing"
)

// children are what this program does in place of its tests when a test starts it again.
var children = map[string]func(path string) error{
	"append":   appendForEver,
	"remember": rememberForEver,
	"record":   recordForEver,
	"lock":     lockUntilEnd,
	"open":     openOnly,
	"narrow":   writeBeyondLimit,

	"lock thread": lockThreadUntilEnd,
	"walk":        walkOn,

	"record at once": recordAtOnce,
	"answer":         answerForEver,
}

// childEnv names a child, and pathEnv its database.
const childEnv, pathEnv = "FORAY_STORE_CHILD", "FORAY_STORE_PATH"

func TestMain(m *testing.M) {
	if child := children[os.Getenv(childEnv)]; child != nil {
		if err := child(os.Getenv(pathEnv)); err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
