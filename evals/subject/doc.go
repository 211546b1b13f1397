// Package subject opens what task sets are run on: foray itself in several forms, recordings, and the agents of others.
//
// Start with [Open]. A spec is one of these:
//
//	rules                                      the explorer, without a model
//	insight                                    the pipeline of foray insight, without a model
//	model:PROVIDER/NAME[@WINDOW][+PROFILE]     a model: with the tools of foray over the files of a task,
//	                                           or alone, as an agent that has had the task's conversation
//	policy:NAME[@BUDGET]                       no model: plays the task's conversation through a compaction
//	                                           policy; what it would send next is what checks look at
//	recording:FILE[#SUBJECT]                   what another run answered (its folder or results.jsonl), or a
//	                                           recorded session with the id of the task
//	exec:COMMAND ARGS                          a program of yours that speaks JSON lines
//
// # Programs
//
// A program is started for each trial in the working copy, or in an empty folder. It gets one line on standard input:
//
//	{"id","prompt","system","messages","dir","budget":{"steps","tokens","seconds","dollars"},"trial"}
//
// and writes lines of JSON to standard output. Each may have any of these fields; a later value replaces an earlier
// one, and calls add up:
//
//	{"answer":"…","stop":"…","steps":3,"calls":[{"name","args","failed"}],"usage":{"input","cached","output"},
//	 "cost":0.01,"view":[{"role","text"}],"error":"…","class":"agent"}
//
// Input tokens include the cached ones. Numbers that cannot be, such as negative ones, fail the trial.
//
// A line with the field event is one of foray's traces (package agent/trace): it goes to the trace of the trial, and
// tool_ended and done count like the fields. Lines that are not JSON objects are ignored. An exit code other than 0, an
// error, and no answer at all are failures, with the end of standard error in their text. The words of the command are
// split as a shell does, with quotes but without variables; a word that names a file in the folder where foray runs is
// replaced by its absolute path. At the time-out the whole process group is killed, and so is what a program leaves
// running when it ends: on Linux also daemons, unless they cleared their environment.
package subject
