package rules

import (
	"regexp"
)

// Topics of an overview, in their order.
const (
	topicWhat     = "What it is"
	topicParts    = "Languages and main directories"
	topicEntries  = "Entry points"
	topicCommands = "Build and test"
)

// A fact matches lines in a manifest that are worth a sentence.
type fact struct {
	file, topic string // file: base name of the manifest
	re          *regexp.Regexp
	says        string // what the line shows
	most        int    // lines to quote
}

// facts is the table of facts, in the order of the report.
var facts = []fact{
	{"go.mod", topicWhat, regexp.MustCompile(`^module\s+\S+`), "Go module", 1},
	{"package.json", topicWhat, regexp.MustCompile(`^\s*"name":\s*"`), "npm package", 1},
	{"pyproject.toml", topicWhat, regexp.MustCompile(`^name\s*=\s*"`), "Python project", 1},
	{"setup.py", topicWhat, regexp.MustCompile(`^\s*name\s*=\s*['"]`), "Python package", 1},
	{"setup.cfg", topicWhat, regexp.MustCompile(`^name\s*=`), "Python package", 1},
	{"Cargo.toml", topicWhat, regexp.MustCompile(`^name\s*=`), "Rust package", 1},
	{"pom.xml", topicWhat, regexp.MustCompile(`^(?:  |\t)<(?:artifactId|packaging)>`), "Maven project", 2},
	{"settings.gradle", topicWhat, regexp.MustCompile(`rootProject\.name|^include`), "Gradle project", 3},
	{"settings.gradle.kts", topicWhat, regexp.MustCompile(`rootProject\.name|^include`), "Gradle project", 3},
	{"CMakeLists.txt", topicWhat, regexp.MustCompile(`(?i)^\s*project\s*\(`), "CMake project", 1},
	{"Package.swift", topicWhat, regexp.MustCompile(`name:\s*"`), "Swift package", 1},
	{"composer.json", topicWhat, regexp.MustCompile(`^\s*"name":\s*"`), "Composer package", 1},
	{"package.json", topicEntries, regexp.MustCompile(`^\s*"(?:main|bin|module|exports)":\s*`), "entry point", 2},
	{"pyproject.toml", topicEntries, regexp.MustCompile(`^[\w."-]+\s*=\s*"[\w.]+:[\w.]+"`), "script", 3},
	{"setup.cfg", topicEntries, regexp.MustCompile(`^\s+[\w-]+\s*=\s*[\w.]+:[\w.]+\s*$`), "script", 3},
	{"setup.py", topicEntries, regexp.MustCompile(`^\s*['"][\w-]+\s*=\s*[\w.]+:[\w.]+['"]`), "script", 3},
	{"Cargo.toml", topicEntries, regexp.MustCompile(`^path\s*=\s*"|^members\s*=`), "target", 3},
	{"Dockerfile", topicEntries, regexp.MustCompile(`^(?:CMD|ENTRYPOINT)\s`), "container", 2},
	{"pom.xml", topicEntries, regexp.MustCompile(`<module>`), "Maven modules", 6},
	{"package.json", topicCommands, regexp.MustCompile(`^\s*"(?:build|compile|test|test:unit|lint)":\s*"`), "scripts", 4},
	{"pyproject.toml", topicCommands, regexp.MustCompile(`^(?:build-backend|testpaths|addopts)\s*=`), "settings", 3},
	{"setup.py", topicCommands, regexp.MustCompile(`^\s*test_suite\s*=`), "setting", 1},
	{"CMakeLists.txt", topicCommands, regexp.MustCompile(`(?i)^\s*(?:add_executable|add_library|enable_testing)\s*\(`),
		"CMake", 3},
	{"Makefile", topicCommands, regexp.MustCompile(`^(?:all|build|test|check|lint|run|install)\b[^:=]*:(?:[^=]|$)`),
		"targets", 5},
	{"justfile", topicCommands, regexp.MustCompile(`^[a-z][\w-]*.*:`), "recipes", 4},
	{"tox.ini", topicCommands, regexp.MustCompile(`^(?:envlist|env_list|commands)\s*=|^\s+(?:pytest|python)\b`), "tox", 3},
}

var commandForm = regexp.MustCompile(commandPattern)
