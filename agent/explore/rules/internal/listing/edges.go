package listing

import "github.com/forayhq/foray/internal/lazyregexp"

// An edge is where a project meets its surroundings: lines that read the environment, or that declare what the command
// line or a server takes.
type edge struct {
	what, verb string   // one of these, and what a file does with it
	prefix     string   // of the names
	fewest     int      // that are a list
	patterns   []string // the first group is the name
	not        *lazyregexp.Regexp
}

// edges are by the group that a question asks for.
var edges = map[group]edge{
	variables: {"environment variable", "reads", "", 1, []string{
		`(?:[gG]etenv|LookupEnv|environ(?:\.get|\.setdefault|\.pop)?|\bENV(?:\.fetch|\.key\?|\.delete)?|\bvar(?:_os)?|` +
			`\benv!|option_env!|\$_ENV|\$_SERVER|\benv(?:\.get|\.fetch)?|GetEnvironmentVariable|envvar|EnvVars?)` +
			`\s*(?:[\[({=:]|\[\]string\{)\s*["'](_*[A-Z][A-Z0-9_]{2,})["']`,
		`process\.env(?:\.|\[["'])(_*[A-Z][A-Z0-9_]{2,})`,
	}, lazyregexp.New(`^(?:PHP_SELF|DOCUMENT_ROOT|REQUEST_|PATH_INFO|` +
		`QUERY_STRING|SERVER_|REMOTE_|SCRIPT_|CONTENT_|HTTP_(?:[^PN]|P[^R]))`)},
	flags: {"flag", "declares", "--", 1, []string{
		`["'](?:-\w(?:,? |\|))?--(?:\[no-\])?([a-z][\w-]*\w)(?:[^"'\w-][^"']*)?["']`,
		`[\w()]*\.(?:Bool|U?[Ii]nt(?:16|32|64)?|Float64|String(?:Slice|Array)?|Duration|Count)(?:Var)?P?\([^"]*` +
			`"([a-z][\w-]+)",[^,]*,`,
		`#\[(?:arg|clap|structopt)\(.*\blong\s*=\s*"([a-z][\w-]+)"`,
		`(?:new InputOption|addOption|\.accepts|\bopt|\bmulti_opt|\bflag|Arg::new)\(\s*["']([a-z][\w-]+)["']`,
	}, nil},
	endpoints: {"endpoint", "declares", "", leastNames, []string{
		`\.(?i:get|post|put|patch|delete|del|options|head|any|handle|handlefunc|route|add_route|add_url_rule|Path|` +
			`PathPrefix)\(\s*["'](?:[A-Z]+ )?(/[^"'\s]*)["']`,
		`@(?:\w+\.)?(?i:get|post|put|patch|delete|request|route|path)(?:Mapping)?\(\s*(?:(?:value|path)\s*=\s*)?` +
			`["'](/[^"']*)["']`,
		`^\s*(?:get|post|put|patch|delete|match|resources?|path|re_path|url)[ (]["'](/?[^"'\s]+)["']`,
	}, nil},
	events: {"event", "emits", "", leastNames, []string{
		`\b(?i:emit|emitEvent|emitAsync|dispatchEvent|fire_event|fireEvent|publish_event)\(\s*(?:new \w+\(\s*)?["'\x60:]` +
			`([+\w][\w:. -]*)`,
	}, nil},
	commands: {"command", "declares", "", leastNames, []string{
		`\bUse:\s+"([a-z][\w-]+)`, `\bRegisterCommand\(.*"([a-z][\w-]+)"`, `\bName:\s+"([a-z][\w-]+)",$`,
		`\.command\((?:name=)?["']([a-z][\w:.-]+)`, `\.add_command\((\w+)`, `\badd_parser\(\s*["']([a-z][\w-]+)["']`,
		`(?:\bCommand::new|\bsubcommand)\("([a-z][\w-]+)"`, `AsCommand\((?:name:\s*)?["']([a-z][\w:-]+)["']`,
		`\$defaultName\s*=\s*["']([a-z][\w:-]+)["']`,
	}, nil},
}

var (
	// atCommand matches a line that begins the declaration of a command, whose flags follow.
	atCommand = lazyregexp.New(`\b(?:Use|Name):\s+"([a-z][\w-]+)|\.command\(["']([a-z][\w-]+)|` +
		`(?:Command::new|add_parser)\(\s*["']([a-z][\w-]+)`)
	// built matches files with which a project is built and checked.
	built = lazyregexp.New(`(?:^|/)(?:noxfile\.py|conftest\.py|setup\.py|tasks\.py|Rakefile|build\.rs|` +
		`[^/]*\.gradle(?:\.kts)?|\.github/.*|scripts?/.*|tools?/.*|ci/.*|hack/.*)$`)
	// onCommands and script match files in which some lines mean more than elsewhere.
	onCommands = lazyregexp.New(`(?i)(?:cmd|command|cli|main)[^/]*\.go$|(?:^|/)(?:cmd|commands?|cli)/`)
	// comment matches what comes before something in a comment, and written what follows a variable that is set.
	comment = lazyregexp.New(`^\s*(?://|#(?:[^\[]|$)|\*|/\*)|\s(?://|#)\s`)
	written = lazyregexp.New(`^[\])]\s*=[^=>]`)
	script  = lazyregexp.New(`\.(?:rb|[cm]?[jt]s)$`)
)

// loose are matches of a line that declare or read something in some files only, by what they begin with: the name of a
// command of Go in a file on commands, a variable in env in scripts, a flag with its dashes in other languages than Go.
var loose = []struct{ match, file *lazyregexp.Regexp }{
	{lazyregexp.New(`^Name:[^_]*$`), onCommands},
	{lazyregexp.New(`^Name:.*_`), lazyregexp.New(`^$`)},
	{lazyregexp.New(`^env\b`), script},
	{lazyregexp.New(`^\.command\(`), lazyregexp.New(`\.(?:py|[cm]?[jt]s)$`)},
	{lazyregexp.New(`^["']`), lazyregexp.New(`\.(?:py|rb|[cm]?[jt]s|rs|kt|java|php|c|cc|cpp|cs|swift|lua|sh|pl|exs?)$`)},
	{lazyregexp.New(`^(?:zap|slog|attribute|\w*log|logger)\.`), lazyregexp.New(`^$`)}, // of a line of a log
}
