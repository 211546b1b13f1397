// Package task reads sets of tasks, and makes the working copies of their trials.
//
// Start with [Load], which reads JSON lines, folders of them, and folders in the form of Harbor. A line is a [Task]:
//
//	{"id": "half", "prompt": "What is half of 84?", "checks": [{"kind": "number", "equals": 42}]}
//
// A folder in the form of Harbor is a task if it needs no container: its prompt is instruction.md, and tests/test.sh
// judges the working copy, which is what environment/Dockerfile copies. Paths in /app are written relative to it.
//
// Package check has the table of the kinds of checks. Lines and folders that are not tasks are the [Problem]s of the
// [Set]; the rest of it loads.
package task
