package compaction

import (
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/words"
)

// A role is what a call was for. First sight is reported by it.
type role int

const (
	roleRead role = iota
	roleSearch
	roleShell
	roleEdit
	roleOther
)

var roleNames = [...]string{"read", "search", "shell", "edit", "other"}

// toolRoles are the roles of tools, by names in lower case. Any other tool has the role other.
var toolRoles = [...][]string{
	roleRead: {"read", "open", "cat", "view", "goto", "scroll_down", "scroll_up", "read_file", "read_files", "notebookread",
		"read_working_memory", "outline", "view_image", "webfetch"},
	roleSearch: {"search", "grep", "glob", "ls", "list", "list_dir", "list_files", "list_tree", "find", "find_file",
		"search_dir", "search_file", "search_code", "codebase_search", "websearch", "locate", "find_symbol"},
	roleShell: {"bash", "shell", "execute_bash", "exec_command", "terminal", "run", "run_command", "validate", "bashoutput",
		"local_shell_call", "local_shell", "write_stdin"},
	roleEdit: {"edit", "multiedit", "write", "create", "insert", "write_file", "edit_file", "create_file", "replace",
		"str_replace_editor", "str_replace_based_edit_tool", "apply_patch", "notebookedit"},
}

// programRoles are the roles of shell commands by program. Any other command has the role shell.
var programRoles = map[string]role{
	"cat": roleRead, "head": roleRead, "tail": roleRead, "nl": roleRead, "less": roleRead, "bat": roleRead,
	"grep": roleSearch, "egrep": roleSearch, "rg": roleSearch, "ag": roleSearch, "find": roleSearch, "fd": roleSearch,
	"ls": roleSearch, "tree": roleSearch,
}

// Arguments that hold a command: of a shell, and of an editor with several commands.
var commandNames = []string{"command", "cmd"}

// roleOf returns the role of a call with the given arguments.
func roleOf(call transcript.ToolCall, args []words.Leaf) role {
	name := strings.ToLower(call.Name)
	at := slices.IndexFunc(toolRoles[:], func(names []string) bool { return slices.Contains(names, name) })
	if at < 0 {
		return roleOther
	}
	command := ""
	for _, l := range args {
		if slices.Contains(commandNames, l.Key) {
			command = l.Text // of an array such as ["bash", "-lc", "ls"], the last
		}
	}
	switch {
	case role(at) == roleShell:
		return roleOfCommand(command)
	case role(at) == roleEdit && command == "view":
		return roleRead
	}
	return role(at)
}

// Programs that prepare for the command that counts.
var preparing = []string{"cd", "echo", "export", "pwd", "set", "source", ".", "true", "sudo", "time", "env"}

// roleOfCommand returns the role of a shell command: that of its first program that does not only prepare.
func roleOfCommand(command string) role {
	for part := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune("\n;&|", r) }) {
		fields := strings.Fields(part)
		for len(fields) > 0 && (strings.Contains(fields[0], "=") || fields[0] == "sudo" || fields[0] == "time") {
			fields = fields[1:]
		}
		if len(fields) == 0 || slices.Contains(preparing, fields[0]) {
			continue
		}
		if strings.Contains(part, ">") && !strings.Contains(part, "2>") {
			return roleShell
		}
		program := path.Base(fields[0])
		if program == "sed" && slices.Contains(fields, "-n") {
			return roleRead
		}
		if program == "git" && len(fields) > 1 {
			program = fields[1]
		}
		if r, ok := programRoles[program]; ok {
			return r
		}
		return roleShell
	}
	return roleShell
}
