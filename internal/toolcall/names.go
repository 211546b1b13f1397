package toolcall

// concepts are the names that agents give to the same argument, in snake case. The first that the tool has is meant. A
// name in several rows means the first row whose field the tool has.
var concepts = [][]string{
	{"include", "includes", "include_pattern", "include_patterns", "include_globs", "glob", "globs", "glob_pattern",
		"file_pattern", "file_patterns", "file_glob", "file_filter", "name_pattern", "filter"},
	{"exclude", "excludes", "exclude_pattern", "exclude_patterns", "exclude_globs", "ignore", "ignore_patterns"},
	{"path", "paths", "file_path", "file_paths", "filepath", "file", "files", "filename", "file_name", "absolute_path",
		"relative_path", "relative_workspace_path", "target_file", "path_to_file", "source_file", "dir_path", "directory",
		"directory_path", "dir", "folder", "folder_path", "target_directory", "target_directories", "search_path", "root",
		"location", "document", "uri"},
	{"pattern", "patterns", "query", "queries", "regex", "regexp", "regular_expression", "search", "search_term",
		"search_terms", "search_pattern", "search_string", "search_query", "search_text", "term", "keyword", "keywords",
		"text", "string", "needle", "expression", "q", "question", "substring", "substring_pattern", "content_pattern",
		"find"},
	{"symbol", "name", "symbol_name", "symbol_path", "name_path", "identifier", "function", "function_name", "func",
		"class", "class_name", "method", "method_name", "type_name", "definition", "definition_name", "node_name"},
	{"name", "query", "pattern", "search", "search_term", "keyword", "text", "term", "q"},
	{"pattern", "name", "symbol", "symbol_name", "identifier", "function_name", "class_name", "glob", "glob_pattern",
		"file_pattern", "name_pattern", "filename"},
	{"start_line", "start", "from", "from_line", "line_start", "line_from", "first_line", "begin", "begin_line", "offset",
		"line_offset", "start_line_number", "start_line_one_indexed", "startline"},
	{"end_line", "end", "to", "to_line", "line_end", "line_to", "last_line", "stop", "stop_line", "until",
		"end_line_number", "end_line_one_indexed", "end_line_one_indexed_inclusive", "endline"},
	{"around", "line", "line_number", "lineno", "at_line", "center_line"},
	{"start_line", "line", "line_number", "lineno"},
	{"limit", "k", "n", "max", "count", "top_k", "top_n", "max_results", "max_matches", "max_count", "max_items",
		"num_results", "number_of_results", "head_limit", "page_size", "max_lines", "num_lines", "number_of_lines",
		"line_count", "line_limit", "total_max_matches"},
	{"offset", "skip", "start_index", "start_at", "from", "start"},
	{"max_per_file", "max_matches_per_file", "max_count_per_file"},
	{"depth", "max_depth", "levels", "level"},
	{"context", "context_lines", "-C", "surrounding_lines", "lines_around"},
	{"before", "-B", "before_context", "lines_before", "context_before"},
	{"after", "-A", "after_context", "lines_after", "context_after"},
	{"literal", "fixed_string", "fixed_strings", "is_literal", "-F"},
	{"word", "whole_word", "match_whole_word", "-w"},
	{"multiline", "multi_line", "-U"},
	{"mode", "output_mode"},
	{"kind", "symbol_kind", "symbol_type", "type"},
	{"include_body", "with_body", "include_source", "include_code", "body"},
	{"include_ignored", "include_hidden", "show_hidden", "hidden"},
	{"text", "answer", "final_answer", "response", "content", "message", "result", "output", "summary", "report"},
	{"content", "text", "statement", "fact", "memory", "note", "message"},
	{"id", "ref", "result_id", "memory_id", "key"},
}

// lineRanges are names of a pair of lines, as "12-40" or [12, 40].
var lineRanges = []string{"lines", "line_range", "range", "view_range", "line_numbers", "line_ranges"}

// A flag is a switch of other agents that is another argument with a value here.
type flag struct {
	names   []string
	field   string
	yes, no any // nil: leave the field out
}

var flags = []flag{
	{[]string{"-i", "ignore_case", "case_insensitive", "insensitive"}, "case", "insensitive", nil},
	{[]string{"case_sensitive", "match_case"}, "case", "sensitive", "insensitive"},
	{[]string{"is_regex", "is_regexp", "use_regex", "regex_search"}, "literal", nil, true},
	{[]string{"recursive"}, "depth", "6", "1"},
}

// remarks are arguments in which a model says why it calls, or asks for what is so anyway. They mean nothing here.
var remarks = []string{
	"explanation", "reason", "reasoning", "thought", "thoughts", "thinking", "rationale", "justification", "purpose",
	"description", "instruction", "task_progress", "security_risk", "requires_approval", "-n", "line_numbers_shown",
	"show_line_numbers", "should_read_entire_file", "read_entire_file", "respect_git_ignore", "respect_gitignore",
	"encoding", "tool_action", "tool_summary", "wait_for_previous_tools",
}

// values are other words for the values of an enumeration.
var values = map[string]string{
	"files_with_matches": "files", "files-with-matches": "files", "filenames": "files", "paths": "files",
	"lines": "content", "counts": "count", "class": "class", "function": "func", "fn": "func",
}

// wrappers are fields that hold all arguments.
var wrappers = []string{"arguments", "parameters", "args", "params", "input", "kwargs"}

// toolNames are the names that agents give to the same tool, in snake case. The first is ours.
var toolNames = [][]string{
	{"search", "grep", "rg", "ripgrep", "grep_search", "grep_files", "search_files", "search_file", "search_code",
		"code_search", "codebase_search", "search_codebase", "search_text", "text_search", "search_content",
		"search_file_content", "search_for_pattern", "search_in_files", "find_in_files", "search_dir", "search_directory"},
	{"read_file", "read", "read_files", "read_lines", "read_many_files", "view", "view_file", "view_lines", "open",
		"open_file", "cat", "get_file", "get_file_content", "get_file_contents", "file_read", "fs_read", "show_file", "readfile"},
	{"list_dir", "ls", "list", "list_files", "list_directory", "list_folder", "list_contents", "dir", "tree",
		"directory_tree", "view_directory", "listdir"},
	{"find_symbol", "definition", "definitions", "find_definition", "get_definition", "go_to_definition",
		"goto_definition", "show_definition", "view_definition", "symbol", "get_symbol", "read_symbol", "search_symbol",
		"search_symbols", "symbol_search", "workspace_symbols", "find_function", "find_class", "view_code_item"},
	{"glob", "find_files", "find_file", "file_search", "find_path", "glob_files", "file_glob_search", "search_filenames"},
	{"references", "find_references", "get_references", "find_usages", "usages", "list_code_usages", "find_callers",
		"callers", "find_referencing_symbols"},
	{"outline", "file_outline", "get_outline", "view_file_outline", "list_code_definition_names", "list_symbols",
		"symbols_overview", "get_symbols_overview", "document_symbols"},
	{"answer", "final_answer", "give_answer", "submit_answer", "submit", "finish", "done", "final", "respond", "reply",
		"attempt_completion"},
	{"read_working_memory", "read_memory", "working_memory"},
}
