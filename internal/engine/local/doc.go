// Package local is the engine that evaluates trials by running processes on this machine.
//
//	engine.go       Engine: the verbs, over what follows
//	prepare.go      the job's folder, what the command is told (EKE_PARAMS, EKE_RESULT, EKE_PARAM_…), and every mistake that can be
//	                found before anything runs
//	run.go          start a command and watch it: its limit, the two ways to stop it, how long it ran
//	warm.go         a command that stays alive: a setting per line in, a result per line out
//	slots.go        slots, such as GPUs; how what was left running in a slot, or by a trial, is ended
//	judge.go        from how a command ended and what it reported to its outcome, also if its controller died
//	report.go       what a command may report, in a file or on stdout, and what is wrong with it
//	files.go        reading what strangers wrote, in bounded memory; how much is kept; short, printable pieces of it
//	system_*.go     process groups, and the processes of a job whose controller died: one file for each kind of system
//	disk_*.go       whether the disk is full
//
// A job's folder has these files:
//
//	trial.id      the ID of the trial that the folder is of
//	params.json   the setting, before the command starts
//	started       empty, on disk before the command is started
//	stdout        both as the command wrote them: the files are its own descriptors, so nothing is copied,
//	stderr        and nothing waits for a forgotten child that holds a pipe open; if they are long, beginning and end
//	result.json   written by the command, if it likes: $EKE_RESULT
//	result.json~  the result that an earlier command has left
//	command       which of the commands that stay alive the trial was handed to, if any
//	artifacts/    files that the command wants to be kept
//
// A command reports in one of three ways. They are looked for in this order, and the first counts:
//
//	$EKE_RESULT           {"objective": 0.12, "cost": 3.4}
//	stdout, a JSON line   {"objective": 0.12, "cost": 3.4}
//	stdout, lines         objective=0.12
//	                      cost=3.4
//
// Instead of objective it may say value, or the objective's own name.
//
// # Who is stopped
//
// The command leads a process group. The whole group is asked to stop, and then killed, in three cases: at the limit, when the
// job is cancelled, and when the leader has exited and left other processes behind. The result is read only after the group is
// gone. A process that leaves the group on purpose (setsid) is not followed. On Linux the leader dies with its controller,
// however that is killed, and sweep finds what the leader leaves. Outside Unix there are no process groups: only the command
// itself is killed.
package local
