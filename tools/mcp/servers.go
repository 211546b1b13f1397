package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A Server says how to reach a server: by a Command to start, or at a URL.
type Server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"` // beside the environment of this process without its credentials
	Dir     string            `json:"cwd"`

	Type    string            `json:"type"` // "stdio", "http", "streamable-http" or "sse"; "": by the other fields
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`

	Disabled bool `json:"disabled"`
}

// maxFile is the largest file of servers, in bytes.
const maxFile = 4 << 20

// ReadServers reads the file that people have for other clients: {"mcpServers": {NAME: {"command": …}}}, or with
// "servers" as the first word. ${NAME} and ${NAME:-default} in a text mean variables of the environment; one
// that is not set is an error. Fields of other clients are skipped.
func ReadServers(r io.Reader) (map[string]Server, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d MB", maxFile>>20)
	}
	var file struct {
		Servers map[string]Server `json:"mcpServers"`
		VSCode  map[string]Server `json:"servers"`
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // as editors on Windows write it
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("not a file of servers: %w", err)
	}
	all := map[string]Server{}
	maps.Copy(all, file.VSCode)
	maps.Copy(all, file.Servers)
	if len(all) == 0 {
		return nil, errors.New(`the file names no server: {"mcpServers": {"NAME": {"command": "PROGRAM"}}}`)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s, err := all[name].expand()
		if err == nil {
			err = s.check()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("server %q: %w", name, err))
		}
		all[name] = s
	}
	return all, errors.Join(errs...)
}

// check refuses a server that cannot be reached as written.
func (s Server) check() error {
	switch {
	case s.Disabled:
		return nil
	case s.Command == "" && s.URL == "":
		return errors.New("it has neither a command nor a url")
	case s.Command != "" && s.URL != "":
		return errors.New("it has both a command and a url")
	case s.URL != "" && !strings.HasPrefix(s.URL, "http://") && !strings.HasPrefix(s.URL, "https://"):
		return errors.New("its url does not begin with http:// or https://")
	}
	switch s.Type {
	case "", "http", "streamable-http", "sse":
		return nil
	case "stdio":
		if s.Command != "" {
			return nil
		}
	}
	return fmt.Errorf("its type is %.40q, must be stdio, http or sse", s.Type)
}

// variable is ${NAME} or ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expand returns s with the values of variables.
func (s Server) expand() (Server, error) {
	var missing []string
	value := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(at string) string {
			m := variable.FindStringSubmatch(at)
			if v, ok := os.LookupEnv(m[1]); ok {
				return v
			}
			if m[2] == "" {
				missing = append(missing, m[1])
			}
			return m[3]
		})
	}
	each := func(texts map[string]string) map[string]string {
		out := make(map[string]string, len(texts))
		for k, v := range texts {
			out[k] = value(v)
		}
		return out
	}
	s.Command, s.URL, s.Dir = value(s.Command), value(s.URL), value(s.Dir)
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = value(a)
	}
	s.Args, s.Env, s.Headers = args, each(s.Env), each(s.Headers)
	if len(missing) > 0 && !s.Disabled {
		slices.Sort(missing)
		return s, fmt.Errorf("not set in the environment: %s", strings.Join(slices.Compact(missing), ", "))
	}
	return s, nil
}
