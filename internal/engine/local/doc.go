// Package local is the engine that evaluates trials by running processes on this machine.
//
//	engine.go       Engine: jobs by their folders, and what they cost
//	prepare.go      Prepare: the trial's directory, and every mistake that can be found before anything runs
//	environ.go      what the command is told: EKE_PARAMS, EKE_RESULT, EKE_PARAM_…
//	run.go          Run: start, watch, read, judge
//	limit.go        how long a job may run, and how long it is given to stop
//	watch.go        the limit, its extension, and the two ways to stop
//	group_*.go      process groups, one file a kind of system
//	report.go       what a command may report, and what is wrong with it
//	stdout.go       reports on stdout: JSON lines, name=value lines
//	files.go        reading what strangers wrote, in bounded memory
//	disk_*.go       whether the disk is full
//	judge.go        from how it ended and what it reported to an Outcome
//	note.go         words for a tired person
//	errors.go       why nothing was run
//	recover.go      results of a trial whose runner died
//	sweep_*.go      processes of a trial whose runner died
//
// A trial has a directory of its own:
//
//	params.json   the setting, before the command starts
//	stdout        both as the command wrote them: the files are its own descriptors, so nothing is copied,
//	stderr        and nothing waits for a forgotten child that holds a pipe open
//	result.json   written by the command, if it likes: $EKE_RESULT
//
// A command reports in one of three ways, looked for in this order; the first that is there counts:
//
//	$EKE_RESULT           {"objective": 0.12, "cost": 3.4}
//	stdout, a JSON line   {"objective": 0.12, "cost": 3.4}
//	stdout, lines         objective=0.12
//	                      cost=3.4
//
// Instead of objective it may say value, or the objective's own name.
//
// # What is charged
//
// An error of Prepare or Run means that nothing was run, and nothing is to be charged. An Outcome means that
// something was, whatever became of it.
//
// # Who is stopped
//
// The command is the leader of a process group. At the limit, when the context ends, and when the leader has
// gone and left others behind, the whole group is asked to stop and then killed, and the result is
// read only after it is gone. A process that leaves the group on purpose (setsid) is not followed. On Linux
// the leader dies with its runner, however that is killed; Sweep finds what it leaves. Elsewhere than on Unix
// there are no groups: only the command itself is killed.
package local
