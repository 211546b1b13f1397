package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/forayhq/foray/agent/store/postgres"
)

// dsnEnv names the database of the tests. Without it they start a server of their own.
const dsnEnv = "FORAY_POSTGRES"

// dsn is "" without a server; then why says why not.
var dsn, why string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if what := os.Getenv(childEnv); what != "" {
		if err := children[what](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	if dsn = os.Getenv(dsnEnv); dsn == "" {
		stop, err := startServer()
		if err != nil {
			why = err.Error()
		}
		defer stop()
	}
	return m.Run()
}

// startServer starts PostgreSQL on a socket in a temporary folder, as the user postgres if root runs the tests.
func startServer() (stop func(), err error) {
	bin, err := binaries()
	if err != nil {
		return func() {}, err
	}
	dir, err := os.MkdirTemp("", "foray-pg")
	if err != nil {
		return func() {}, err
	}
	stop = func() { _ = os.RemoveAll(dir) }
	attr, err := credential(dir)
	if err != nil {
		return stop, err
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.SysProcAttr, cmd.Dir = attr, dir
		return cmd
	}
	data := filepath.Join(dir, "data")
	made := command("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := made.CombinedOutput(); err != nil {
		return stop, fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	server := command("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "max_connections=50")
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		return stop, err
	}
	stop = func() {
		_ = server.Process.Signal(syscall.SIGINT) // a fast shutdown
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	}
	dsn = fmt.Sprintf("host=%s user=postgres dbname=postgres", dir)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		s, err := postgres.Open(context.Background(), dsn, nil)
		if err == nil {
			return stop, s.Close()
		}
		if time.Now().After(deadline) {
			dsn = ""
			return stop, fmt.Errorf("the server does not start: %w: %s", err, log.String())
		}
	}
}

// binaries returns the folder of the server's programs. Debian keeps them out of the path.
func binaries() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	return filepath.Dir(path), err
}

// credential gives dir to a user who is not root, since the server refuses root.
func credential(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err := errors.Join(err1, err2, os.Chown(dir, uid, gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}
